/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Eight floats at a time: the vector operations that the *_simd.h kernels are written in, for AVX2 with FMA.
 */
#ifndef PI_SIMD_H
#define PI_SIMD_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#define VL 8
typedef __m256 vec;

static const int32_t lane_mask[2 * VL] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

static inline __m256i lanes(size_t n)
{
    return _mm256_loadu_si256((const __m256i *)(lane_mask + VL - n));
}

static inline vec v_set1(float x)
{
    return _mm256_set1_ps(x);
}
static inline vec v_zero(void)
{
    return _mm256_setzero_ps();
}
/* The first n of VL lanes; the others are zero, or stay as they are in memory. */
static inline vec v_load(const float *p, size_t n)
{
    return n >= VL ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, lanes(n));
}
static inline void v_store(float *p, vec x, size_t n)
{
    if (n >= VL)
        _mm256_storeu_ps(p, x);
    else
        _mm256_maskstore_ps(p, lanes(n), x);
}
static inline vec v_load_bf16(const uint16_t *p, size_t n)
{
    uint16_t part[VL] = {0};

    if (n < VL) {
        for (size_t i = 0; i < n; i++)
            part[i] = p[i];
        p = part;
    }
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p)), 16));
}
static inline void v_store_bf16(uint16_t *p, vec x, size_t n)
{
    __m256i u = _mm256_castps_si256(x);
    __m256i odd = _mm256_and_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(1));
    __m256i r = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(u, _mm256_set1_epi32(0x7fff)), odd), 16);
    __m256i quiet = _mm256_or_si256(_mm256_srli_epi32(u, 16), _mm256_set1_epi32(0x40));
    r = _mm256_blendv_epi8(r, quiet, _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)));
    __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(r, r), 0x08);
    __m128i h = _mm256_castsi256_si128(packed);
    if (n >= VL) {
        _mm_storeu_si128((__m128i *)p, h);
    } else {
        uint16_t part[VL];
        _mm_storeu_si128((__m128i *)part, h);
        for (size_t i = 0; i < n; i++)
            p[i] = part[i];
    }
}
static inline vec v_add(vec a, vec b)
{
    return _mm256_add_ps(a, b);
}
static inline vec v_sub(vec a, vec b)
{
    return _mm256_sub_ps(a, b);
}
static inline vec v_mul(vec a, vec b)
{
    return _mm256_mul_ps(a, b);
}
/* a b + c */
static inline vec v_fma(vec a, vec b, vec c)
{
    return _mm256_fmadd_ps(a, b, c);
}
/* The second operand when either is NaN. */
static inline vec v_min(vec a, vec b)
{
    return _mm256_min_ps(a, b);
}
static inline vec v_max(vec a, vec b)
{
    return _mm256_max_ps(a, b);
}
static inline vec v_abs(vec a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
/* negative where x < 0, otherwise. */
static inline vec v_if_negative(vec x, vec negative, vec otherwise)
{
    return _mm256_blendv_ps(otherwise, negative, x);
}
/* y where x >= limit or x is NaN, else zero. */
static inline vec v_unless_below(vec x, float limit, vec y)
{
    return _mm256_and_ps(_mm256_cmp_ps(x, v_set1(limit), _CMP_NLT_UQ), y);
}
static inline vec v_round(vec x)
{
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
/* 2^n for whole n in [-126, 127]. */
static inline vec v_exp2_whole(vec n)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23));
}
static inline float v_sum(vec x)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    s = _mm_add_ss(s, _mm_movehdup_ps(s));
    return _mm_cvtss_f32(s);
}
/* Exchanges the two of each pair of lanes. */
static inline vec v_swap(vec x)
{
    return _mm256_permute_ps(x, 0xb1);
}
/* All pairs of lanes the pair at p. */
static inline vec v_pair(const float *p)
{
    double pair;

    __builtin_memcpy(&pair, p, sizeof pair);
    return _mm256_castpd_ps(_mm256_set1_pd(pair));
}
/* Writes a0 b0 a1 b1 ...: 2 VL floats. */
static inline void v_interleave(float *p, vec a, vec b)
{
    __m256 low = _mm256_unpacklo_ps(a, b), high = _mm256_unpackhi_ps(a, b);

    _mm256_storeu_ps(p, _mm256_permute2f128_ps(low, high, 0x20));
    _mm256_storeu_ps(p + VL, _mm256_permute2f128_ps(low, high, 0x31));
}

/* Even lanes of x to low, odd lanes to high: n of each. */
static inline void v_store_halves(float *low, float *high, vec x, size_t n)
{
    vec sorted = _mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    float part[VL];

    if (n >= VL / 2) {
        _mm_storeu_ps(low, _mm256_castps256_ps128(sorted));
        _mm_storeu_ps(high, _mm256_extractf128_ps(sorted, 1));
    } else {
        _mm256_storeu_ps(part, sorted);
        for (size_t i = 0; i < n; i++) {
            low[i] = part[i];
            high[i] = part[VL / 2 + i];
        }
    }
}

#endif
