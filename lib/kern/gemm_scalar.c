/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Matrix products in plain C: the specification. Packed as bias (n), then w (segs, k, n), so that the inner loop runs over
 * outputs. bfloat16 operands are rounded and then multiplied as float32, which is exact.
 */
#include "kern/kern_isa.h"

#include "tensor/bf16.h"

static size_t scalar_bytes(int n, int k, int segs)
{
    return ((size_t)n + (size_t)segs * (size_t)k * (size_t)n) * sizeof(float);
}

static void pack(float *packed, const float *w, const float *bias, int n, int k, int segs, int bf16)
{
    float *out = packed + n; /* (segs, k, n) */

    for (int j = 0; j < n; j++)
        packed[j] = bias ? bias[j] : 0.0f;
    for (int s = 0; s < segs; s++)
        for (int p = 0; p < k; p++)
            for (int j = 0; j < n; j++) {
                float v = w[((size_t)s * n + j) * k + p];
                *out++ = bf16 ? pi_bf16_to_f32(pi_f32_to_bf16(v)) : v;
            }
}

static void pack_f32(void *packed, const float *w, const float *bias, int n, int k, int segs)
{
    pack(packed, w, bias, n, k, segs, 0);
}

static void pack_bf16(void *packed, const float *w, const float *bias, int n, int k, int segs)
{
    pack(packed, w, bias, n, k, segs, 1);
}

static void run(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w,
                int bf16)
{
    const float *bias = w->packed;
    size_t n = (size_t)w->n, k = (size_t)w->k;

    for (size_t i = 0; i < m; i++) {
        float *row = y + i * ldy; /* (n) */
        const float *b = bias + n;
        for (size_t j = 0; j < n; j++)
            row[j] = bias[j];
        for (int s = 0; s < w->segs; s++)
            for (size_t p = 0; p < k; p++, b += n) {
                size_t at = i * lda + p;
                float v = bf16 ? pi_bf16_to_f32(((const uint16_t *)a[s])[at]) : ((const float *)a[s])[at];
                for (size_t j = 0; j < n; j++)
                    row[j] += v * b[j];
            }
    }
}

static void run_f32(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    run(y, ldy, a, lda, m, w, 0);
}

static void run_bf16(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    run(y, ldy, a, lda, m, w, 1);
}

const struct gemm pi_gemm_f32_scalar = {"gemm.f32.scalar", 0, 1, 1, 1, scalar_bytes, pack_f32, run_f32};
const struct gemm pi_gemm_bf16_scalar = {"gemm.bf16.scalar", 0, 1, 1, 1, scalar_bytes, pack_bf16, run_bf16};
