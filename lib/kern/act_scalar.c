/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Elementwise kernels in plain C: the specification.
 */
#include "kern/kern_isa.h"
#include "kern/value.h"

#include <math.h>

static inline void convert(void *y, size_t ldy, const float *x, size_t ldx, size_t m, int c, enum act act)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < (size_t)c; j++)
            act_put(y, i * ldy + j, x[i * ldx + j], act);
}

static void convert_f32(void *y, size_t ldy, const float *x, size_t ldx, size_t m, int c)
{
    convert(y, ldy, x, ldx, m, c, ACT_F32);
}

static void convert_bf16(void *y, size_t ldy, const float *x, size_t ldx, size_t m, int c)
{
    convert(y, ldy, x, ldx, m, c, ACT_BF16);
}

static inline void gelu(void *y, const float *x, size_t n, enum act act)
{
    for (size_t i = 0; i < n; i++)
        act_put(y, i, 0.5f * x[i] * (1.0f + erff(x[i] * 0.70710678f)), act);
}

static void gelu_f32(void *y, const float *x, size_t n)
{
    gelu(y, x, n, ACT_F32);
}

static void gelu_bf16(void *y, const float *x, size_t n)
{
    gelu(y, x, n, ACT_BF16);
}

static void add(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

static inline void residual(void *y, const void *a, const float *b, size_t n, enum act act)
{
    for (size_t i = 0; i < n; i++)
        act_put(y, i, act_get(a, i, act) + b[i], act);
}

static void residual_f32(void *y, const void *a, const float *b, size_t n)
{
    residual(y, a, b, n, ACT_F32);
}

static void residual_bf16(void *y, const void *a, const float *b, size_t n)
{
    residual(y, a, b, n, ACT_BF16);
}

static int clamp(float *y, size_t n, float limit)
{
    int within = 1;

    for (size_t i = 0; i < n; i++) {
        within &= y[i] >= -limit && y[i] <= limit;
        y[i] = y[i] > 0.0f ? y[i] : 0.0f;
        y[i] = y[i] < 1.0f ? y[i] : 1.0f;
    }
    return within;
}

static void nothing(void)
{
}

static void shuffle(float *y, size_t ldy, const float *u, const float *x, size_t m, int scale)
{
    size_t s = (size_t)scale;

    for (size_t i = 0; i < s; i++) /* row, then column inside the block */
        for (size_t n = 0; n < m; n++)
            for (size_t j = 0; j < s; j++)
                for (size_t c = 0; c < 3; c++)
                    y[i * ldy + (n * s + j) * 3 + c] = u[n * 3 * s * s + (c * s + i) * s + j] + x[n * 3 + c];
}

void pi_act_scalar(struct kern *kern)
{
    kern->convert[ACT_F32] = convert_f32;
    kern->convert[ACT_BF16] = convert_bf16;
    kern->gelu[ACT_F32] = gelu_f32;
    kern->gelu[ACT_BF16] = gelu_bf16;
    kern->add = add;
    kern->residual[ACT_F32] = residual_f32;
    kern->residual[ACT_BF16] = residual_bf16;
    kern->clamp = clamp;
    kern->begin = nothing;
    kern->end = nothing;
    kern->shuffle = shuffle;
}
