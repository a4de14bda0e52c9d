/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * exp(u) - 1 on vectors, for the PaCS feature maps. Included after a simd_<isa>.h.
 */
#ifndef PI_SIMD_EXP_H
#define PI_SIMD_EXP_H

#include "kern/kern_isa.h"

/* x[i] = exp(x[i]) - 1 for x >= 0 and i < count <= 4, as 2^n (exp(r) - 1) + (2^n - 1), r = x - n ln 2: accurate near zero.
 * Saturates at exp(88). In step, because each alone is one long chain of instructions that wait for each other. */
INLINE void expm1_positive(vec *x, int count, enum act act)
{
    /* minimax polynomials for (exp(r) - 1) / r, |r| <= ln 2 / 2: relative error 1.1e-8, and 1.5e-5, a hundredth of a bfloat16's
     * last place */
    static const float fine[6] = {1.0f, 0.5f, 0.166665047f, 0.0416662395f, 0.00836915802f, 0.00139485952f};
    static const float coarse[4] = {0.99998492f, 0.499989957f, 0.167670476f, 0.0419176072f};
    const float *c = act == ACT_BF16 ? coarse : fine;
    const int degree = act == ACT_BF16 ? 3 : 5;
    vec n[4], p[4];

    UNROLL(4)
    for (int i = 0; i < count; i++) {
        x[i] = v_min(v_set1(88.0f), x[i]);
        n[i] = v_round(v_mul(x[i], v_set1(1.44269504f)));
    }
    UNROLL(4)
    for (int i = 0; i < count; i++) {
        x[i] = v_fma(n[i], v_set1(-0.693359375f), x[i]);
        x[i] = v_fma(n[i], v_set1(2.12194440e-4f), x[i]);
        p[i] = v_set1(c[degree]);
    }
    UNROLL(5)
    for (int k = degree - 1; k >= 0; k--) {
        UNROLL(4)
        for (int i = 0; i < count; i++)
            p[i] = v_fma(p[i], x[i], v_set1(c[k]));
    }
    UNROLL(4)
    for (int i = 0; i < count; i++) {
        n[i] = v_exp2_whole(n[i]);
        x[i] = v_fma(n[i], v_mul(p[i], x[i]), v_sub(n[i], v_set1(1.0f)));
    }
}

#endif
