/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Matrix products of bfloat16 with AMX: TDPBF16PS multiplies a 16x32 tile of tokens by a 32x16 tile of weights into a 16x16 tile
 * of float32 sums. Blocks of 32 tokens by 32 outputs keep four sums, two token and two weight tiles in the eight registers.
 *
 * Few inputs (one segment of at most 64) leave a block too little to do while its sums arrive and are stored. Then 16 tokens stay
 * in registers and pairs of output tiles take turns: one pair is stored while the other is summed.
 *
 * Packed: for each tile of 16 outputs, bias (16 floats), then for each segment and each 32 inputs a weight tile: 16 rows of 16
 * pairs (w[j][2p], w[j][2p+1]), 1 KiB; inputs and outputs beyond k and n are zero.
 */
#include "kern/kern_isa.h"
#include "kern/amx.h"
#include "tensor/bf16.h"

#include <string.h>

enum { TILE_BYTES = 1024, BIAS_BYTES = 64 };

static size_t k_tiles(size_t k)
{
    return (k + 31) / 32;
}

static size_t panel_bytes(size_t k, size_t segs)
{
    return BIAS_BYTES + segs * k_tiles(k) * TILE_BYTES;
}

static size_t bytes(int n, int k, int segs)
{
    return ((size_t)n + 15) / 16 * panel_bytes((size_t)k, (size_t)segs);
}

static void pack(void *packed, const float *w, const float *bias, int outputs, int inputs, int segs)
{
    size_t n = (size_t)outputs, k = (size_t)inputs;
    unsigned char *panel = packed;

    for (size_t j = 0; j < n; j += 16, panel += panel_bytes(k, (size_t)segs)) {
        float *b = (float *)(void *)panel;
        for (size_t i = 0; i < 16; i++)
            b[i] = bias && j + i < n ? bias[j + i] : 0.0f;
        uint16_t *out = (uint16_t *)(void *)(panel + BIAS_BYTES);
        for (size_t s = 0; s < (size_t)segs; s++)
            for (size_t p = 0; p < k_tiles(k) * 32; p += 2)
                for (size_t i = 0; i < 16; i++)
                    for (size_t half = 0; half < 2; half++)
                        *out++ = j + i < n && p + half < k ? pi_f32_to_bf16(w[(s * n + j + i) * k + p + half]) : 0;
    }
}

/* Stores one tile of sums at y: rows x columns of it. */
#define STORE(register, y, ldy, rows, columns)                                                                         \
    do {                                                                                                               \
        if ((rows) >= 16 && (columns) >= 16) {                                                                         \
            _tile_stored(register, y, (ldy) * sizeof(float));                                                          \
        } else {                                                                                                       \
            float part[16 * 16];                                                                                       \
            _tile_stored(register, part, 64);                                                                          \
            copy_part(y, ldy, part, rows, columns);                                                                    \
        }                                                                                                              \
    } while (0)

static void copy_part(float *y, size_t ldy, const float *part, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows && i < 16; i++)
        memcpy(y + i * ldy, part + i * 16, (columns < 16 ? columns : 16) * sizeof *y);
}

/* 32 tokens by 32 outputs. second: the outputs' second panel. m, n: tokens and outputs that are stored. */
INLINE void block_2x2(float *y, size_t ldy, const void *const *a, size_t lda, size_t at, const unsigned char *first,
                      const unsigned char *second, size_t k, int segs, size_t m, size_t n)
{
    size_t stride = lda * sizeof(uint16_t);

    _tile_loadd(0, first, 0); /* the bias in every row */
    _tile_loadd(1, second, 0);
    _tile_loadd(2, first, 0);
    _tile_loadd(3, second, 0);
    first += BIAS_BYTES;
    second += BIAS_BYTES;
    for (int s = 0; s < segs; s++) {
        const uint16_t *x = (const uint16_t *)a[s] + at * lda;
        for (size_t p = 0; p < k; p += 32, first += TILE_BYTES, second += TILE_BYTES) {
            _tile_loadd(4, x + p, stride);
            _tile_loadd(6, first, 64);
            _tile_dpbf16ps(0, 4, 6);
            _tile_loadd(7, second, 64);
            _tile_dpbf16ps(1, 4, 7);
            _tile_loadd(5, x + 16 * lda + p, stride);
            _tile_dpbf16ps(2, 5, 6);
            _tile_dpbf16ps(3, 5, 7);
        }
    }
    STORE(0, y, ldy, m, n);
    STORE(1, y + 16, ldy, m, n - 16);
    if (m > 16) {
        STORE(2, y + 16 * ldy, ldy, m - 16, n);
        STORE(3, y + 16 * ldy + 16, ldy, m - 16, n - 16);
    }
}

/* 32 tokens by 16 outputs. */
INLINE void block_2x1(float *y, size_t ldy, const void *const *a, size_t lda, size_t at, const unsigned char *panel,
                      size_t k, int segs, size_t m, size_t n)
{
    size_t stride = lda * sizeof(uint16_t);

    _tile_loadd(0, panel, 0);
    _tile_loadd(2, panel, 0);
    panel += BIAS_BYTES;
    for (int s = 0; s < segs; s++) {
        const uint16_t *x = (const uint16_t *)a[s] + at * lda;
        for (size_t p = 0; p < k; p += 32, panel += TILE_BYTES) {
            _tile_loadd(4, x + p, stride);
            _tile_loadd(6, panel, 64);
            _tile_dpbf16ps(0, 4, 6);
            _tile_loadd(5, x + 16 * lda + p, stride);
            _tile_dpbf16ps(2, 5, 6);
        }
    }
    STORE(0, y, ldy, m, n);
    if (m > 16)
        STORE(2, y + 16 * ldy, ldy, m - 16, n);
}

/* Sums of outputs [j, j + 32), or of the last 16, for the tokens in tiles 4 and 5: bias, then one or two tiles of inputs. */
#define SUM_PAIR(c0, c1, panel, bytes, two_inputs, two_outputs)                                                        \
    do {                                                                                                               \
        const unsigned char *first = panel, *second = first + (bytes);                                                 \
        _tile_loadd(c0, first, 0);                                                                                     \
        _tile_loadd(6, first + BIAS_BYTES, 64);                                                                        \
        _tile_dpbf16ps(c0, 4, 6);                                                                                      \
        if (two_outputs) {                                                                                             \
            _tile_loadd(c1, second, 0);                                                                                \
            _tile_loadd(7, second + BIAS_BYTES, 64);                                                                   \
            _tile_dpbf16ps(c1, 4, 7);                                                                                  \
        }                                                                                                              \
        if (two_inputs) {                                                                                              \
            _tile_loadd(6, first + BIAS_BYTES + TILE_BYTES, 64);                                                       \
            _tile_dpbf16ps(c0, 5, 6);                                                                                  \
            if (two_outputs) {                                                                                         \
                _tile_loadd(7, second + BIAS_BYTES + TILE_BYTES, 64);                                                  \
                _tile_dpbf16ps(c1, 5, 7);                                                                              \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)

#define STORE_PAIR(c0, c1, y, ldy, rows, columns)                                                                      \
    do {                                                                                                               \
        STORE(c0, y, ldy, rows, columns);                                                                              \
        if ((columns) > 16)                                                                                            \
            STORE(c1, (y) + 16, ldy, rows, (columns)-16);                                                              \
    } while (0)

/* 16 tokens (m of them stored) by all outputs. */
INLINE void few_inputs(float *y, size_t ldy, const uint16_t *x, size_t lda, const unsigned char *panel, size_t m,
                       size_t n, int two)
{
    size_t bytes_each = panel_bytes(two ? 64 : 32, 1);

    _tile_loadd(4, x, lda * sizeof *x);
    if (two)
        _tile_loadd(5, x + 32, lda * sizeof *x);
    for (size_t j = 0; j < n; j += 64, panel += 4 * bytes_each) {
        SUM_PAIR(0, 1, panel, bytes_each, two, n > j + 16);
        if (j > 0)
            STORE_PAIR(2, 3, y + j - 32, ldy, m, 32);
        if (n > j + 32)
            SUM_PAIR(2, 3, panel + 2 * bytes_each, bytes_each, two, n > j + 48);
        STORE_PAIR(0, 1, y + j, ldy, m, n - j);
        if (n > j + 32 && n <= j + 64)
            STORE_PAIR(2, 3, y + j + 32, ldy, m, n - j - 32);
    }
}

/* Outputs outside, so that their weights stay in the first-level cache while all tokens pass. */
static void many_inputs(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    size_t n = (size_t)w->n, k = (size_t)w->k, panel = panel_bytes(k, (size_t)w->segs);
    const unsigned char *p = w->packed;

    for (size_t j = 0; j < n; j += 32, p += 2 * panel)
        for (size_t i = 0; i < m; i += 32) {
            if (j + 16 < n)
                block_2x2(y + i * ldy + j, ldy, a, lda, i, p, p + panel, k, w->segs, m - i, n - j);
            else
                block_2x1(y + i * ldy + j, ldy, a, lda, i, p, k, w->segs, m - i, n - j);
        }
}

static void run(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    const uint16_t *x = a[0];

    if (w->segs > 1 || w->k > 64) {
        many_inputs(y, ldy, a, lda, m, w);
    } else {
        for (size_t i = 0; i < m; i += 16) {
            if (w->k > 32)
                few_inputs(y + i * ldy, ldy, x + i * lda, lda, w->packed, m - i, (size_t)w->n, 1);
            else
                few_inputs(y + i * ldy, ldy, x + i * lda, lda, w->packed, m - i, (size_t)w->n, 0);
        }
    }
}

void pi_begin_amx(void)
{
    amx_begin();
}

void pi_end_amx(void)
{
    amx_end();
}

const struct gemm pi_gemm_bf16_amx = {
    "gemm.bf16.amx", CPU_AVX2 | CPU_AVX512 | CPU_AVX512BF16 | CPU_AMX, 32, 32, 32, bytes, pack, run};
