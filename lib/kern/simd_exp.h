/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * exp(u) - 1 on vectors, for the PaCS feature maps. Included after a simd_<isa>.h.
 */
#ifndef PI_SIMD_EXP_H
#define PI_SIMD_EXP_H

#include "kern/kern_isa.h"

/* exp(u) - 1 for u >= 0 as 2^n (exp(r) - 1) + (2^n - 1), r = u - n ln 2: accurate near zero. Saturates at exp(88). */
INLINE vec expm1_positive(vec u, enum act act)
{
    u = v_min(v_set1(88.0f), u);
    vec n = v_round(v_mul(u, v_set1(1.44269504f)));
    vec r = v_fma(n, v_set1(-0.693359375f), u);
    r = v_fma(n, v_set1(2.12194440e-4f), r);
    vec p;
    if (act == ACT_BF16) { /* relative error 1.8e-5: a hundredth of a bfloat16's last place */
        p = v_fma(v_set1(0.0419176072f), r, v_set1(0.167670476f));
        p = v_fma(p, r, v_set1(0.499989957f));
        p = v_fma(p, r, v_set1(0.99998492f));
    } else { /* 1.1e-8 */
        p = v_fma(v_set1(0.00139485952f), r, v_set1(0.00836915802f));
        p = v_fma(p, r, v_set1(0.0416662395f));
        p = v_fma(p, r, v_set1(0.166665047f));
        p = v_fma(p, r, v_set1(0.5f));
        p = v_fma(p, r, v_set1(1.0f));
    }
    vec scale = v_exp2_whole(n);
    return v_fma(scale, v_mul(p, r), v_sub(scale, v_set1(1.0f)));
}

#endif
