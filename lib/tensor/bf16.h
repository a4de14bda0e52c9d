/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Conversions between float32 and the 16-bit formats, one value at a time.
 */
#ifndef PI_BF16_H
#define PI_BF16_H

#include <stdint.h>
#include <string.h>

static inline float pi_bf16_to_f32(uint16_t h)
{
    uint32_t u = (uint32_t)h << 16;
    float f;

    memcpy(&f, &u, sizeof f);
    return f;
}

/* Rounds to nearest, ties to even; a NaN stays a (quiet) NaN. */
static inline uint16_t pi_f32_to_bf16(float f)
{
    uint32_t u;

    memcpy(&u, &f, sizeof u);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)((u >> 16) | 0x40);
    return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1)) >> 16);
}

#endif
