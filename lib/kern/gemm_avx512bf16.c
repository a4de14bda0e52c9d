/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Matrix products of bfloat16 with AVX-512-BF16: VDPBF16PS multiplies pairs of inputs and sums in float32. Tiles of 8 tokens by
 * 3 vectors. Packed: for each panel of 48 outputs (the last may have 16 or 32), bias as float, then (segs, k/2) rows of pairs
 * (w[j][2p], w[j][2p+1]); an odd k gets a zero, and the value it meets is the over-read that kern.h allows.
 */
#include "kern/kern_isa.h"
#include "tensor/bf16.h"

#include <immintrin.h>

enum { LANES = 16, MR = 8, NZ = 3, PANEL = LANES * NZ };

static size_t bytes(int n, int k, int segs)
{
    size_t pairs = ((size_t)k + 1) / 2 * (size_t)segs;

    return ((size_t)n + LANES - 1) / LANES * LANES * (pairs + 1) * sizeof(float);
}

static size_t vectors_at(size_t j, size_t n)
{
    size_t vectors = (n - j + LANES - 1) / LANES;
    return vectors < NZ ? vectors : NZ;
}

static void pack(void *packed, const float *w, const float *bias, int outputs, int inputs, int segs)
{
    size_t n = (size_t)outputs, k = (size_t)inputs;
    unsigned char *out = packed;

    for (size_t j = 0; j < n; j += PANEL) {
        size_t width = vectors_at(j, n) * LANES;
        float *b = (float *)(void *)out;
        for (size_t i = 0; i < width; i++)
            b[i] = bias && j + i < n ? bias[j + i] : 0.0f;
        uint16_t *pairs = (uint16_t *)(void *)(b + width);
        for (size_t s = 0; s < (size_t)segs; s++)
            for (size_t p = 0; p < k; p += 2)
                for (size_t i = 0; i < width; i++)
                    for (size_t half = 0; half < 2; half++)
                        *pairs++ = j + i < n && p + half < k ? pi_f32_to_bf16(w[(s * n + j + i) * k + p + half]) : 0;
        out = (unsigned char *)pairs;
    }
}

INLINE __m512bh pair_of(const uint16_t *p)
{
    int32_t pair;

    __builtin_memcpy(&pair, p, sizeof pair);
    return (__m512bh)_mm512_set1_epi32(pair);
}

/* One tile: rows tokens, vectors * 16 outputs. */
INLINE void tile(float *y, size_t ldy, const void *const *a, size_t lda, size_t i, const float *panel, size_t n,
                 size_t k, int segs, int rows, int vectors)
{
    const uint16_t *b = (const uint16_t *)(const void *)(panel + vectors * LANES); /* (segs, k/2, vectors * 16, 2) */
    __m512 sum[MR][NZ];

    UNROLL(8)
    for (int r = 0; r < rows; r++)
        UNROLL(3)
    for (int z = 0; z < vectors; z++)
        sum[r][z] = _mm512_loadu_ps(panel + z * LANES);
    for (int s = 0; s < segs; s++) {
        const uint16_t *x = (const uint16_t *)a[s] + i * lda;
        for (size_t p = 0; p < k; p += 2, b += vectors * 2 * LANES) {
            __m512bh value[NZ];
            UNROLL(3)
            for (int z = 0; z < vectors; z++)
                value[z] = (__m512bh)_mm512_loadu_si512(b + z * 2 * LANES);
            UNROLL(8)
            for (int r = 0; r < rows; r++) {
                __m512bh pair = pair_of(x + (size_t)r * lda + p);
                UNROLL(3)
                for (int z = 0; z < vectors; z++)
                    sum[r][z] = _mm512_dpbf16_ps(sum[r][z], pair, value[z]);
            }
        }
    }
    UNROLL(8)
    for (int r = 0; r < rows; r++)
        UNROLL(3)
    for (int z = 0; z < vectors; z++) {
        size_t count = n - (size_t)z * LANES;
        __mmask16 mask = count >= LANES ? 0xffff : (__mmask16)((1u << count) - 1);
        _mm512_mask_storeu_ps(y + (i + (size_t)r) * ldy + (size_t)z * LANES, mask, sum[r][z]);
    }
}

INLINE void column(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const float *panel, size_t n,
                   size_t k, int segs, int vectors)
{
    size_t i = 0;

    for (; i + MR <= m; i += MR)
        tile(y, ldy, a, lda, i, panel, n, k, segs, MR, vectors);
    for (; i < m; i++)
        tile(y, ldy, a, lda, i, panel, n, k, segs, 1, vectors);
}

static void run(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    size_t n = (size_t)w->n, k = (size_t)w->k;
    const float *panel = w->packed;

    for (size_t j = 0; j < n; j += PANEL) {
        size_t vectors = vectors_at(j, n);
        if (vectors == 1)
            column(y + j, ldy, a, lda, m, panel, n - j, k, w->segs, 1);
        else if (vectors == 2)
            column(y + j, ldy, a, lda, m, panel, n - j, k, w->segs, 2);
        else
            column(y + j, ldy, a, lda, m, panel, n - j, k, w->segs, 3);
        panel += vectors * LANES * ((k + 1) / 2 * (size_t)w->segs + 1);
    }
}

const struct gemm pi_gemm_bf16_avx512bf16 = {
    "gemm.bf16.avx512bf16", CPU_AVX2 | CPU_AVX512 | CPU_AVX512BF16, MR, PANEL, 2, bytes, pack, run};
