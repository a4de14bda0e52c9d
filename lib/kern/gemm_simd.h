/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Matrix products in float32, written once for every vector width. Included by gemm_<isa>.c after a simd_<isa>.h, ISA(), MR and
 * NZ: the inner tile is MR tokens by NZ vectors of outputs, held in registers while all segments are summed.
 *
 * Packed: for each panel of NZ vectors of outputs (the last one may have fewer), bias, then (segs, k) rows of the panel; outputs
 * beyond n are zero. bfloat16 operands are widened, which is exact: weights when packed, tokens a tile at a time.
 */
#include "kern/kern_isa.h"
#include "kern/simd_act.h"

#include <string.h>

#include "tensor/bf16.h"

#define PANEL   ((size_t)(NZ * VL))
#define WIDENED 512 /* inputs of a token that are widened at a time */

/* Vectors of outputs in the panel that starts at output j. */
INLINE size_t vectors_at(size_t j, size_t n)
{
    size_t vectors = (n - j + VL - 1) / VL;
    return vectors < NZ ? vectors : NZ;
}

static size_t bytes(int n, int k, int segs)
{
    return ((size_t)n + VL - 1) / VL * VL * ((size_t)k * (size_t)segs + 1) * sizeof(float);
}

static void pack(float *out, const float *w, const float *bias, size_t n, size_t k, size_t segs, enum act act)
{
    for (size_t j = 0; j < n; j += PANEL) {
        size_t width = vectors_at(j, n) * VL;
        for (size_t i = 0; i < width; i++)
            *out++ = bias && j + i < n ? bias[j + i] : 0.0f;
        for (size_t s = 0; s < segs; s++)
            for (size_t p = 0; p < k; p++)
                for (size_t i = 0; i < width; i++) {
                    float v = j + i < n ? w[(s * n + j + i) * k + p] : 0.0f;
                    *out++ = act == ACT_BF16 ? pi_bf16_to_f32(pi_f32_to_bf16(v)) : v;
                }
    }
}

static void pack_f32(void *packed, const float *w, const float *bias, int n, int k, int segs)
{
    pack(packed, w, bias, (size_t)n, (size_t)k, (size_t)segs, ACT_F32);
}

static void pack_bf16(void *packed, const float *w, const float *bias, int n, int k, int segs)
{
    pack(packed, w, bias, (size_t)n, (size_t)k, (size_t)segs, ACT_BF16);
}

/* sum (rows, vectors) += a (rows, k) b (k, vectors VL) */
INLINE void multiply(vec sum[MR][NZ], const float *a, size_t lda, const float *b, size_t k, int rows, int vectors)
{
    for (size_t p = 0; p < k; p++, b += (size_t)vectors * VL) {
        vec value[NZ];
        UNROLL(4)
        for (int z = 0; z < vectors; z++)
            value[z] = v_load(b + z * VL, VL);
        UNROLL(16)
        for (int r = 0; r < rows; r++) {
            vec x = v_set1(a[(size_t)r * lda + p]);
            UNROLL(4)
            for (int z = 0; z < vectors; z++)
                sum[r][z] = v_fma(x, value[z], sum[r][z]);
        }
    }
}

/* The same for bfloat16 tokens. */
INLINE void multiply_widened(vec sum[MR][NZ], const uint16_t *a, size_t lda, const float *b, size_t k, int rows,
                             int vectors)
{
    float wide[MR * WIDENED];

    for (size_t p = 0; p < k; p += WIDENED) {
        size_t count = k - p < WIDENED ? k - p : WIDENED;
        for (int r = 0; r < rows; r++)
            for (size_t i = 0; i < count; i += VL)
                v_store(wide + (size_t)r * WIDENED + i, v_load_bf16(a + (size_t)r * lda + p + i, count - i), count - i);
        multiply(sum, wide, WIDENED, b + p * (size_t)vectors * VL, count, rows, vectors);
    }
}

/* One tile: rows tokens from token i, one panel. */
INLINE void tile(float *y, size_t ldy, const void *const *a, size_t lda, size_t i, const float *panel, size_t n,
                 size_t k, int segs, int rows, int vectors, enum act act)
{
    size_t width = (size_t)vectors * VL;
    const float *b = panel + width;
    vec sum[MR][NZ];

    UNROLL(16)
    for (int r = 0; r < rows; r++)
        UNROLL(4)
    for (int z = 0; z < vectors; z++)
        sum[r][z] = v_load(panel + z * VL, VL);
    for (int s = 0; s < segs; s++, b += k * width) {
        if (act == ACT_BF16)
            multiply_widened(sum, (const uint16_t *)a[s] + i * lda, lda, b, k, rows, vectors);
        else
            multiply(sum, (const float *)a[s] + i * lda, lda, b, k, rows, vectors);
    }
    UNROLL(16)
    for (int r = 0; r < rows; r++)
        UNROLL(4)
    for (int z = 0; z < vectors; z++)
        v_store(y + (i + (size_t)r) * ldy + (size_t)z * VL, sum[r][z], n - (size_t)z * VL);
}

INLINE void column(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const float *panel, size_t n,
                   size_t k, int segs, int vectors, enum act act)
{
    size_t i = 0;

    for (; i + MR <= m; i += MR)
        tile(y, ldy, a, lda, i, panel, n, k, segs, MR, vectors, act);
    for (; i < m; i++)
        tile(y, ldy, a, lda, i, panel, n, k, segs, 1, vectors, act);
}

/* Panels outside, so that one stays in the first-level cache while all tokens pass. */
INLINE void run(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w,
                enum act act)
{
    size_t n = (size_t)w->n, k = (size_t)w->k;
    const float *panel = w->packed;

    for (size_t j = 0; j < n; j += PANEL) {
        size_t vectors = vectors_at(j, n);
        if (vectors == 1)
            column(y + j, ldy, a, lda, m, panel, n - j, k, w->segs, 1, act);
        else if (vectors == 2)
            column(y + j, ldy, a, lda, m, panel, n - j, k, w->segs, 2, act);
#if NZ > 2
        else
            column(y + j, ldy, a, lda, m, panel, n - j, k, w->segs, 3, act);
#endif
        panel += vectors * VL * (k * (size_t)w->segs + 1);
    }
}

static void run_f32(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    run(y, ldy, a, lda, m, w, ACT_F32);
}

static void run_bf16(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    run(y, ldy, a, lda, m, w, ACT_BF16);
}
