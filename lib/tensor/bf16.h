/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * bfloat16 and half precision to and from float32. Static inline: kernels of every instruction set and the model loaders
 * include it.
 */
#ifndef PI_BF16_H
#define PI_BF16_H

#include <stdint.h>
#include <string.h>

static inline float pi_f32_from_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t pi_f32_to_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* bfloat16 is the upper half of a float32: exact. */
static inline float pi_bf16_to_f32(uint16_t half)
{
    return pi_f32_from_bits((uint32_t)half << 16);
}

/* Rounds to nearest, ties to even, subnormals included; too large becomes infinity. A NaN stays one, made quiet: cutting
 * its low half off could leave an infinity. */
static inline uint16_t pi_f32_to_bf16(float value)
{
    uint32_t bits = pi_f32_to_bits(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* IEEE binary16, exact; NaN payloads are kept and made quiet. */
static inline float pi_f16_to_f32(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t exponent = half >> 10 & 0x1f;
    uint32_t fraction = half & 0x3ff;

    if (exponent == 0x1f)
        return pi_f32_from_bits(sign | 0x7f800000 | fraction << 13 | (fraction ? 0x400000u : 0));
    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24 */
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    return pi_f32_from_bits(sign | (exponent + 112) << 23 | fraction << 13); /* bias 15 to bias 127 */
}

#endif
