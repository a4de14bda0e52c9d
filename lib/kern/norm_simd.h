/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Layer norm, written once for every vector width. Included by norm_<isa>.c after a simd_<isa>.h and ISA().
 */
#include "kern/kern_isa.h"
#include "kern/simd_act.h"

#include <math.h>

/* Lanes beyond the last channel stay zero in the sum of squares: v_load gives zeros, and mean must not be taken off them. */
INLINE vec deviation(const void *x, size_t i, vec mean, size_t n, enum act act)
{
    float part[VL] = {0};

    if (n >= VL)
        return v_sub(act_load(x, i, n, act), mean);
    v_store(part, v_sub(act_load(x, i, n, act), mean), n);
    return v_load(part, VL);
}

/* count <= TOKENS tokens in step: each waits for two sums across lanes, and the others fill the time. */
#define TOKENS 4

INLINE void layernorm_tokens(void *y, const void *x, const float *w, const float *b, size_t at, size_t c, float eps,
                             int count, enum act act)
{
    vec sum[TOKENS], mean[TOKENS], scale[TOKENS];

    UNROLL(4)
    for (int t = 0; t < count; t++)
        sum[t] = act_load(x, at + (size_t)t * c, c, act);
    for (size_t j = VL; j < c; j += VL) {
        UNROLL(4)
        for (int t = 0; t < count; t++)
            sum[t] = v_add(sum[t], act_load(x, at + (size_t)t * c + j, c - j, act));
    }
    UNROLL(4)
    for (int t = 0; t < count; t++) {
        mean[t] = v_set1(v_sum(sum[t]) / (float)c);
        sum[t] = v_zero();
    }
    for (size_t j = 0; j < c; j += VL) {
        UNROLL(4)
        for (int t = 0; t < count; t++) {
            vec u = deviation(x, at + (size_t)t * c + j, mean[t], c - j, act);
            sum[t] = v_fma(u, u, sum[t]);
        }
    }
    UNROLL(4)
    for (int t = 0; t < count; t++)
        scale[t] = v_set1(1.0f / sqrtf(v_sum(sum[t]) / (float)c + eps));
    for (size_t j = 0; j < c; j += VL) {
        vec weight = v_load(w + j, c - j), bias = v_load(b + j, c - j);
        UNROLL(4)
        for (int t = 0; t < count; t++) {
            size_t i = at + (size_t)t * c + j;
            vec u = v_mul(v_sub(act_load(x, i, c - j, act), mean[t]), scale[t]);
            act_store(y, i, v_fma(u, weight, bias), c - j, act);
        }
    }
}

INLINE void layernorm(void *y, const void *x, const float *w, const float *b, size_t m, size_t c, float eps,
                      enum act act)
{
    size_t i = 0;

    for (; i + TOKENS <= m; i += TOKENS)
        layernorm_tokens(y, x, w, b, i * c, c, eps, TOKENS, act);
    for (; i < m; i++)
        layernorm_tokens(y, x, w, b, i * c, c, eps, 1, act);
}

/* The shipped models' width, so that the loops over channels unroll. */
INLINE void layernorm_any(void *y, const void *x, const float *w, const float *b, size_t m, int c, float eps,
                          enum act act)
{
    if (c == 48)
        layernorm(y, x, w, b, m, 48, eps, act);
    else
        layernorm(y, x, w, b, m, (size_t)c, eps, act);
}

static void layernorm_f32(void *y, const void *x, const float *w, const float *b, size_t m, int c, float eps)
{
    layernorm_any(y, x, w, b, m, c, eps, ACT_F32);
}

static void layernorm_bf16(void *y, const void *x, const float *w, const float *b, size_t m, int c, float eps)
{
    layernorm_any(y, x, w, b, m, c, eps, ACT_BF16);
}

void ISA(pi_norm)(struct kern *kern)
{
    kern->layernorm[ACT_F32] = layernorm_f32;
    kern->layernorm[ACT_BF16] = layernorm_bf16;
}
