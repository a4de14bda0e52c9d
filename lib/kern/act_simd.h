/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Elementwise kernels, written once for every vector width. Included by act_<isa>.c after a simd_<isa>.h and ISA().
 */
#include "kern/kern_isa.h"
#include "kern/simd_act.h"

INLINE void convert(void *y, size_t ldy, const float *x, size_t ldx, size_t m, size_t c, enum act act)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < c; j += VL)
            act_store(y, i * ldy + j, v_load(x + i * ldx + j, c - j), c - j, act);
}

static void convert_f32(void *y, size_t ldy, const float *x, size_t ldx, size_t m, int c)
{
    convert(y, ldy, x, ldx, m, (size_t)c, ACT_F32);
}

static void convert_bf16(void *y, size_t ldy, const float *x, size_t ldx, size_t m, int c)
{
    convert(y, ldy, x, ldx, m, (size_t)c, ACT_BF16);
}

/* x Phi(x), Phi(x) = 0.5 + x Q(x^2) inside +-c, constant above and zero below: Q is a minimax polynomial in the distance of x^2 from
 * the middle of [0, c^2]. Within 4e-7 max(1, |x|) of the exact function. */
INLINE vec gelu_exact(vec x)
{
    static const float q[] = {0.13465935f,    -0.0671267733f,  0.0496456772f,   -0.0397648737f,  0.0320339762f,
                              -0.0250275992f, 0.018517755f,    -0.0128343608f,  0.008496047f,    -0.00533191208f,
                              0.00274732034f, -0.00114846509f, 0.000794680091f, -0.00061789446f, 0.000195159897f};
    const float c = 5.25f;
    vec inside = v_max(v_set1(-c), v_min(v_set1(c), x));
    vec u = v_fma(v_mul(inside, inside), v_set1(2.0f / (c * c)), v_set1(-1.0f));
    vec sum = v_set1(q[14]);

    for (int i = 13; i >= 0; i--)
        sum = v_fma(sum, u, v_set1(q[i]));
    return v_unless_below(x, -c, v_mul(x, v_fma(inside, sum, v_set1(0.5f))));
}

/* The same within 4.1e-5 max(1, |x|), a hundredth of a bfloat16's last place. */
INLINE vec gelu_coarse(vec x)
{
    static const float q[] = {0.398673803f,    -0.0658883676f, 0.00950564537f,  -0.00100654783f,
                              7.48623643e-05f, -3.657653e-06f, 1.04215417e-07f, -1.30158906e-09f};
    vec inside = v_max(v_set1(-4.0f), v_min(v_set1(4.0f), x));
    vec u = v_mul(inside, inside);
    vec sum = v_set1(q[7]);

    for (int i = 6; i >= 0; i--)
        sum = v_fma(sum, u, v_set1(q[i]));
    return v_unless_below(x, -4.0f, v_mul(x, v_fma(inside, sum, v_set1(0.5f))));
}

static void gelu_f32(void *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += VL)
        act_store(y, i, gelu_exact(v_load(x + i, n - i)), n - i, ACT_F32);
}

static void gelu_bf16(void *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i += VL)
        act_store(y, i, gelu_coarse(v_load(x + i, n - i)), n - i, ACT_BF16);
}

static void add(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i += VL)
        v_store(y + i, v_add(v_load(a + i, n - i), v_load(b + i, n - i)), n - i);
}

INLINE void residual(void *y, const void *a, const float *b, size_t n, enum act act)
{
    for (size_t i = 0; i < n; i += VL)
        act_store(y, i, v_add(act_load(a, i, n - i, act), v_load(b + i, n - i)), n - i, act);
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
    vec largest = v_zero(); /* NaN once there was one: v_max gives its second operand then */

    for (size_t i = 0; i < n; i += VL) {
        vec x = v_load(y + i, n - i);
        largest = v_max(v_abs(x), largest);
        largest = v_add(largest, v_mul(x, v_zero())); /* NaN and Inf become NaN here and stay */
        v_store(y + i, v_min(v_max(x, v_zero()), v_set1(1.0f)), n - i);
    }
    float lanes_largest[VL];
    int within = 1;
    v_store(lanes_largest, largest, VL);
    for (size_t i = 0; i < VL; i++)
        within &= lanes_largest[i] <= limit;
    return within;
}

void ISA(pi_act)(struct kern *kern)
{
    kern->convert[ACT_F32] = convert_f32;
    kern->convert[ACT_BF16] = convert_bf16;
    kern->gelu[ACT_F32] = gelu_f32;
    kern->gelu[ACT_BF16] = gelu_bf16;
    kern->add = add;
    kern->residual[ACT_F32] = residual_f32;
    kern->residual[ACT_BF16] = residual_bf16;
    kern->clamp = clamp;
}
