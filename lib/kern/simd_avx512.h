/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Sixteen floats at a time: the vector operations that the *_simd.h kernels are written in, for AVX-512. With
 * SIMD_BF16_HARDWARE (AVX-512-BF16) float to bfloat16 is one instruction.
 */
#ifndef PI_SIMD_H
#define PI_SIMD_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define VL 16
typedef __m512 vec;

static inline __mmask16 lanes(size_t n)
{
    return (__mmask16)((1u << n) - 1);
}

static inline vec v_set1(float x)
{
    return _mm512_set1_ps(x);
}
static inline vec v_zero(void)
{
    return _mm512_setzero_ps();
}
/* The first n of VL lanes; the others are zero, or stay as they are in memory. */
static inline vec v_load(const float *p, size_t n)
{
    return n >= VL ? _mm512_loadu_ps(p) : _mm512_maskz_loadu_ps(lanes(n), p);
}
static inline void v_store(float *p, vec x, size_t n)
{
    if (n >= VL)
        _mm512_storeu_ps(p, x);
    else
        _mm512_mask_storeu_ps(p, lanes(n), x);
}
static inline vec v_load_bf16(const uint16_t *p, size_t n)
{
    __m256i h = n >= VL ? _mm256_loadu_si256((const __m256i *)p) : _mm256_maskz_loadu_epi16(lanes(n), p);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}
static inline void v_store_bf16(uint16_t *p, vec x, size_t n)
{
#ifdef SIMD_BF16_HARDWARE
    __m256i h = (__m256i)_mm512_cvtneps_pbh(x);
#else
    __m512i u = _mm512_castps_si512(x);
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
    __m512i r = _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(u, _mm512_set1_epi32(0x7fff)), odd), 16);
    __m512i quiet = _mm512_or_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(0x40));
    r = _mm512_mask_mov_epi32(r, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), quiet);
    __m256i h = _mm512_cvtepi32_epi16(r);
#endif
    if (n >= VL)
        _mm256_storeu_si256((__m256i *)p, h);
    else
        _mm256_mask_storeu_epi16(p, lanes(n), h);
}
static inline vec v_add(vec a, vec b)
{
    return _mm512_add_ps(a, b);
}
static inline vec v_sub(vec a, vec b)
{
    return _mm512_sub_ps(a, b);
}
static inline vec v_mul(vec a, vec b)
{
    return _mm512_mul_ps(a, b);
}
/* a b + c */
static inline vec v_fma(vec a, vec b, vec c)
{
    return _mm512_fmadd_ps(a, b, c);
}
/* The second operand when either is NaN. */
static inline vec v_min(vec a, vec b)
{
    return _mm512_min_ps(a, b);
}
static inline vec v_max(vec a, vec b)
{
    return _mm512_max_ps(a, b);
}
static inline vec v_abs(vec a)
{
    return _mm512_abs_ps(a);
}
/* negative where x < 0, otherwise. */
static inline vec v_if_negative(vec x, vec negative, vec otherwise)
{
    return _mm512_mask_mov_ps(otherwise, _mm512_movepi32_mask(_mm512_castps_si512(x)), negative);
}
/* y where x >= limit or x is NaN, else zero. */
static inline vec v_unless_below(vec x, float limit, vec y)
{
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, v_set1(limit), _CMP_NLT_UQ), y);
}
static inline vec v_round(vec x)
{
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* 2^n for whole n in [-126, 127]. */
static inline vec v_exp2_whole(vec n)
{
    return _mm512_scalef_ps(_mm512_set1_ps(1.0f), n);
}
static inline float v_sum(vec x)
{
    return _mm512_reduce_add_ps(x);
}
/* Exchanges the two of each pair of lanes. */
static inline vec v_swap(vec x)
{
    return _mm512_permute_ps(x, 0xb1);
}
/* All pairs of lanes the pair at p. */
static inline vec v_pair(const float *p)
{
    double pair;

    __builtin_memcpy(&pair, p, sizeof pair);
    return _mm512_castpd_ps(_mm512_set1_pd(pair));
}
/* Writes a0 b0 a1 b1 ...: 2 VL floats. */
static inline void v_interleave(float *p, vec a, vec b)
{
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);

    _mm512_storeu_ps(p, _mm512_permutex2var_ps(a, low, b));
    _mm512_storeu_ps(p + VL, _mm512_permutex2var_ps(a, high, b));
}
/* Even lanes of x to low, odd lanes to high: n of each. A masked store of an extracted half may become one instruction, which
 * faults beyond the mask too: so both halves come first in a whole register. */
static inline void v_store_halves(float *low, float *high, vec x, size_t n)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 14);
    vec sorted = _mm512_permutexvar_ps(even, x);

    if (n >= VL / 2) {
        _mm256_storeu_ps(low, _mm512_castps512_ps256(sorted));
        _mm256_storeu_ps(high, _mm512_extractf32x8_ps(sorted, 1));
    } else {
        _mm512_mask_storeu_ps(low, lanes(n), sorted);
        _mm512_mask_storeu_ps(high, lanes(n), _mm512_permutexvar_ps(odd, x));
    }
}

#endif
