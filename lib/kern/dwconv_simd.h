/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Depth-wise convolutions, written once for every vector width. Included by dwconv_<isa>.c after a simd_<isa>.h and ISA().
 *
 * A vector holds VL channels of one token. GROUP outputs side by side are summed together, so that each input is loaded (and
 * widened) once for all the taps that want it. Tokens go in blocks that stay in the first-level cache while all channels pass.
 */
#include "kern/kern_isa.h"
#include "kern/simd_act.h"

#define GROUP 4
#define BLOCK 32

/* sum[o] += the size x size neighbourhood of token i + o, for o < count <= GROUP, channels [j, j + n). */
INLINE void neighbourhood(vec *sum, const void *const *rows, const float *w, ptrdiff_t i, size_t j, size_t c, size_t n,
                          int size, int count, enum act act)
{
    for (int dy = 0; dy < size; dy++) {
        vec taps[5];
        UNROLL(5)
        for (int dx = 0; dx < size; dx++)
            taps[dx] = v_load(w + (size_t)(dy * size + dx) * c + j, n);
        UNROLL(8)
        for (int column = 0; column < count + size - 1; column++) {
            ptrdiff_t at = (i + column - size / 2) * (ptrdiff_t)c + (ptrdiff_t)j;
            const void *p = act == ACT_BF16 ? (const void *)((const uint16_t *)rows[dy] + at)
                                            : (const void *)((const float *)rows[dy] + at);
            vec x = act_load(p, 0, n, act);
            UNROLL(4)
            for (int o = 0; o < count; o++)
                if (column - o >= 0 && column - o < size)
                    sum[o] = v_fma(x, taps[column - o], sum[o]);
        }
    }
}

/* Where outputs go: plain shortcut for 3x3, gate for 5x5. */
struct shortcut {
    const float *o; /* LePE: the attention's output (m, c) */
    const void *g;  /* LePE: the gate (m, c) */
};

INLINE void finish(void *y, vec sum, const void *const *rows, const struct shortcut *s, size_t at, size_t n, int size,
                   enum act act)
{
    if (size == 3) {
        act_store(y, at, v_add(sum, act_load(rows[1], at, n, act)), n, act);
    } else {
        vec o = v_load(s->o + at, n);
        act_store(y, at, v_mul(v_add(o, sum), act_load(s->g, at, n, act)), n, act);
    }
}

INLINE void group(void *y, const void *const *rows, const struct shortcut *s, const float *w, vec bias, size_t i,
                  size_t j, size_t c, size_t n, int size, int count, enum act act)
{
    vec sum[GROUP];

    UNROLL(4)
    for (int o = 0; o < count; o++)
        sum[o] = bias;
    neighbourhood(sum, rows, w, (ptrdiff_t)i, j, c, n, size, count, act);
    UNROLL(4)
    for (int o = 0; o < count; o++)
        finish(y, sum[o], rows, s, (i + (size_t)o) * c + j, n, size, act);
}

INLINE void dwconv(void *y, const void *const *rows, const struct shortcut *s, const float *w, const float *b, size_t m,
                   size_t c, int size, enum act act)
{
    for (size_t block = 0; block < m; block += BLOCK) {
        size_t end = block + BLOCK < m ? block + BLOCK : m;
        for (size_t j = 0; j < c; j += VL) {
            size_t n = c - j < VL ? c - j : VL, i = block;
            vec bias = v_load(b + j, n);
            if (n == VL)
                for (; i + GROUP <= end; i += GROUP)
                    group(y, rows, s, w, bias, i, j, c, VL, size, GROUP, act);
            for (; i < end; i++)
                group(y, rows, s, w, bias, i, j, c, n, size, 1, act);
        }
    }
}

static void dwconv3x3_f32(void *y, const void *const rows[3], const float *w, const float *b, size_t m, int c)
{
    dwconv(y, rows, NULL, w, b, m, (size_t)c, 3, ACT_F32);
}

static void dwconv3x3_bf16(void *y, const void *const rows[3], const float *w, const float *b, size_t m, int c)
{
    dwconv(y, rows, NULL, w, b, m, (size_t)c, 3, ACT_BF16);
}

static void lepe_gate_f32(void *y, const float *o, const void *const rows[5], const void *g, const float *w,
                          const float *b, size_t m, int c)
{
    dwconv(y, rows, &(struct shortcut){o, g}, w, b, m, (size_t)c, 5, ACT_F32);
}

static void lepe_gate_bf16(void *y, const float *o, const void *const rows[5], const void *g, const float *w,
                           const float *b, size_t m, int c)
{
    dwconv(y, rows, &(struct shortcut){o, g}, w, b, m, (size_t)c, 5, ACT_BF16);
}

void ISA(pi_dwconv)(struct kern *kern)
{
    kern->dwconv3x3[ACT_F32] = dwconv3x3_f32;
    kern->dwconv3x3[ACT_BF16] = dwconv3x3_bf16;
    kern->lepe_gate[ACT_F32] = lepe_gate_f32;
    kern->lepe_gate[ACT_BF16] = lepe_gate_bf16;
}
