/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Depth-wise convolutions in plain C: the specification.
 */
#include "kern/kern_isa.h"
#include "kern/value.h"

/* Sum over a size x size neighbourhood of token i, channel j; w (size^2, c). */
static inline float neighbourhood(const void *const *rows, const float *w, size_t i, size_t j, size_t c, int size,
                                  enum act act)
{
    float sum = 0.0f;

    for (int dy = 0; dy < size; dy++)
        for (int dx = 0; dx < size; dx++) {
            ptrdiff_t at = ((ptrdiff_t)i + dx - size / 2) * (ptrdiff_t)c + (ptrdiff_t)j;
            float v = act == ACT_BF16 ? pi_bf16_to_f32(((const uint16_t *)rows[dy])[at])
                                      : ((const float *)rows[dy])[at];
            sum += v * w[(size_t)(dy * size + dx) * c + j];
        }
    return sum;
}

static inline void dwconv3x3(void *y, const void *const *rows, const float *w, const float *b, size_t m, size_t c,
                             enum act act)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < c; j++)
            act_put(y, i * c + j, act_get(rows[1], i * c + j, act) + b[j] + neighbourhood(rows, w, i, j, c, 3, act),
                    act);
}

static void dwconv3x3_f32(void *y, const void *const rows[3], const float *w, const float *b, size_t m, int c)
{
    dwconv3x3(y, rows, w, b, m, (size_t)c, ACT_F32);
}

static void dwconv3x3_bf16(void *y, const void *const rows[3], const float *w, const float *b, size_t m, int c)
{
    dwconv3x3(y, rows, w, b, m, (size_t)c, ACT_BF16);
}

static inline void lepe_gate(void *y, const float *o, const void *const *rows, const void *g, const float *w,
                             const float *b, size_t m, size_t c, enum act act)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < c; j++) {
            float lepe = b[j] + neighbourhood(rows, w, i, j, c, 5, act);
            act_put(y, i * c + j, (o[i * c + j] + lepe) * act_get(g, i * c + j, act), act);
        }
}

static void lepe_gate_f32(void *y, const float *o, const void *const rows[5], const void *g, const float *w,
                          const float *b, size_t m, int c)
{
    lepe_gate(y, o, rows, g, w, b, m, (size_t)c, ACT_F32);
}

static void lepe_gate_bf16(void *y, const float *o, const void *const rows[5], const void *g, const float *w,
                           const float *b, size_t m, int c)
{
    lepe_gate(y, o, rows, g, w, b, m, (size_t)c, ACT_BF16);
}

void pi_dwconv_scalar(struct kern *kern)
{
    kern->dwconv3x3[ACT_F32] = dwconv3x3_f32;
    kern->dwconv3x3[ACT_BF16] = dwconv3x3_bf16;
    kern->lepe_gate[ACT_F32] = lepe_gate_f32;
    kern->lepe_gate[ACT_BF16] = lepe_gate_bf16;
}
