/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Reading and writing one value of an act buffer, for the scalar kernels.
 */
#ifndef PI_VALUE_H
#define PI_VALUE_H

#include "kern/kern.h"
#include "tensor/bf16.h"

static inline float act_get(const void *p, size_t i, enum act act)
{
    return act == ACT_BF16 ? pi_bf16_to_f32(((const uint16_t *)p)[i]) : ((const float *)p)[i];
}

static inline void act_put(void *p, size_t i, float v, enum act act)
{
    if (act == ACT_BF16)
        ((uint16_t *)p)[i] = pi_f32_to_bf16(v);
    else
        ((float *)p)[i] = v;
}

#endif
