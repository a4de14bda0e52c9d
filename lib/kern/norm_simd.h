/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Layer norm, written once for every vector width. Included by norm_<isa>.c after a simd_<isa>.h and ISA().
 */
#include "kern/kern_isa.h"
#include "kern/simd_act.h"

#include <math.h>

/* Lanes beyond the last channel stay zero in the sum of squares: v_load gives zeros, and mean must not be taken off them. */
INLINE vec deviation(const float *x, vec mean, size_t n)
{
    float part[VL] = {0};

    if (n >= VL)
        return v_sub(v_load(x, n), mean);
    v_store(part, v_sub(v_load(x, n), mean), n);
    return v_load(part, VL);
}

INLINE void layernorm(void *y, const float *x, const float *w, const float *b, size_t m, size_t c, float eps,
                      enum act act)
{
    for (size_t i = 0; i < m; i++) {
        const float *row = x + i * c; /* (c) */
        vec sum = v_zero(), squares = v_zero();
        for (size_t j = 0; j < c; j += VL)
            sum = v_add(sum, v_load(row + j, c - j));
        vec mean = v_set1(v_sum(sum) / (float)c);
        for (size_t j = 0; j < c; j += VL) {
            vec u = deviation(row + j, mean, c - j);
            squares = v_fma(u, u, squares);
        }
        vec scale = v_set1(1.0f / sqrtf(v_sum(squares) / (float)c + eps));
        for (size_t j = 0; j < c; j += VL) {
            vec u = v_mul(v_sub(v_load(row + j, c - j), mean), scale);
            act_store(y, i * c + j, v_fma(u, v_load(w + j, c - j), v_load(b + j, c - j)), c - j, act);
        }
    }
}

/* The shipped models' width, so that the loops over channels unroll. */
INLINE void layernorm_any(void *y, const float *x, const float *w, const float *b, size_t m, int c, float eps,
                          enum act act)
{
    if (c == 48)
        layernorm(y, x, w, b, m, 48, eps, act);
    else
        layernorm(y, x, w, b, m, (size_t)c, eps, act);
}

static void layernorm_f32(void *y, const float *x, const float *w, const float *b, size_t m, int c, float eps)
{
    layernorm_any(y, x, w, b, m, c, eps, ACT_F32);
}

static void layernorm_bf16(void *y, const float *x, const float *w, const float *b, size_t m, int c, float eps)
{
    layernorm_any(y, x, w, b, m, c, eps, ACT_BF16);
}

void ISA(pi_norm)(struct kern *kern)
{
    kern->layernorm[ACT_F32] = layernorm_f32;
    kern->layernorm[ACT_BF16] = layernorm_bf16;
}
