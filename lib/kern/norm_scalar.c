/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Layer norm in plain C: the specification.
 */
#include "kern/value.h"
#include "kern/kern_isa.h"

#include <math.h>

static inline void layernorm(void *y, const void *x, const float *w, const float *b, size_t m, int width, float eps,
                             enum act act)
{
    size_t c = (size_t)width;

    for (size_t i = 0; i < m * c; i += c) {
        float sum = 0.0f, squares = 0.0f;
        for (size_t j = 0; j < c; j++)
            sum += act_get(x, i + j, act);
        float mean = sum / (float)c;
        for (size_t j = 0; j < c; j++) {
            float u = act_get(x, i + j, act) - mean;
            squares += u * u;
        }
        float scale = 1.0f / sqrtf(squares / (float)c + eps);
        for (size_t j = 0; j < c; j++)
            act_put(y, i + j, (act_get(x, i + j, act) - mean) * scale * w[j] + b[j], act);
    }
}

static void layernorm_f32(void *y, const void *x, const float *w, const float *b, size_t m, int c, float eps)
{
    layernorm(y, x, w, b, m, c, eps, ACT_F32);
}

static void layernorm_bf16(void *y, const void *x, const float *w, const float *b, size_t m, int c, float eps)
{
    layernorm(y, x, w, b, m, c, eps, ACT_BF16);
}

void pi_norm_scalar(struct kern *kern)
{
    kern->layernorm[ACT_F32] = layernorm_f32;
    kern->layernorm[ACT_BF16] = layernorm_bf16;
}
