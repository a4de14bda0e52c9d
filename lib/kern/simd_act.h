/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Vectors of act buffers: act is a constant in every caller, so only one branch is compiled.
 */
#ifndef PI_SIMD_ACT_H
#define PI_SIMD_ACT_H

#include "kern/kern.h"

static inline vec act_load(const void *p, size_t i, size_t n, enum act act)
{
    return act == ACT_BF16 ? v_load_bf16((const uint16_t *)p + i, n) : v_load((const float *)p + i, n);
}

static inline void act_store(void *p, size_t i, vec x, size_t n, enum act act)
{
    if (act == ACT_BF16)
        v_store_bf16((uint16_t *)p + i, x, n);
    else
        v_store((float *)p + i, x, n);
}

#endif
