/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Depth-wise convolutions, 3x3 with shortcut and 5x5 with gate, against loops in double precision.
 */
#include "kcheck.h"

#include <math.h>
#include <string.h>

struct shape {
    size_t m, c;
    int size; /* 3 or 5 */
    int unusual;
};

struct input {
    const struct shape *s;
    const void *rows[5]; /* token 0 of each; size/2 tokens before and after */
    const void *g;       /* (m, c) */
    const float *o, *w, *b;
};

static void fill(struct kcheck *kc, struct input *in, const struct shape *s)
{
    size_t halo = (size_t)s->size / 2, tokens = s->m + 2 * halo;

    *in = (struct input){.s = s};
    for (int r = 0; r < s->size; r++) {
        void *row = kc_random_elements(kc, tokens * s->c, -1.0, 1.0);
        for (size_t i = 0; s->unusual && i < tokens; i++)
            kc_unusual(kc, kc_at(kc, row, (ptrdiff_t)(i * s->c)), i + (size_t)r, s->c, 1e15);
        in->rows[r] = kc_at(kc, row, (ptrdiff_t)(halo * s->c));
    }
    in->g = kc_random_elements(kc, s->m * s->c, -2.0, 2.0);
    in->o = kc_random_floats(kc, s->m * s->c, -2.0, 2.0);
    in->w = kc_random_floats(kc, (size_t)(s->size * s->size) * s->c, -1.0, 1.0);
    in->b = kc_random_floats(kc, s->c, -1.0, 1.0);
}

/* m tokens from token `from`. */
static void convolve(struct kcheck *kc, void *y, const struct input *in, size_t from, size_t m)
{
    const struct shape *s = in->s;
    ptrdiff_t at = (ptrdiff_t)(from * s->c);
    const void *rows[5];

    for (int r = 0; r < s->size; r++)
        rows[r] = kc_at(kc, in->rows[r], at);
    if (s->size == 3)
        kc->kern.dwconv3x3[kc->act](y, rows, in->w, in->b, m, (int)s->c);
    else
        kc->kern.lepe_gate[kc->act](y, in->o + at, rows, kc_at(kc, in->g, at), in->w, in->b, m, (int)s->c);
}

static void check_value(struct kcheck *kc, const void *y, const struct input *in, size_t i, size_t j)
{
    int size = in->s->size;
    size_t c = in->s->c, at = i * c + j;
    double first = size == 3 ? kc_get(kc, in->rows[1], at) : (double)in->o[at];
    double gate = size == 3 ? 1.0 : kc_get(kc, in->g, at);
    double sum = first + (double)in->b[j], magnitude = fabs(first) + fabs((double)in->b[j]);

    for (int dy = 0; dy < size; dy++)
        for (int dx = 0; dx < size; dx++) {
            const void *tap = kc_at(kc, in->rows[dy], ((ptrdiff_t)i + dx - size / 2) * (ptrdiff_t)c + (ptrdiff_t)j);
            double product = kc_get(kc, tap, 0) * (double)in->w[(size_t)(dy * size + dx) * c + j];
            sum += product;
            magnitude += fabs(product);
        }
    kc_close_act(kc, "y", i, j, y, at, sum * gate,
                 ((double)(size * size) + 4.0) * UNIT_F32 * magnitude * fabs(gate) + 64.0 * TINY_F32);
}

static void check_neighbours(struct kcheck *kc, const void *y, const struct input *in)
{
    const struct shape *s = in->s;
    size_t token = kc_below(kc, s->m), row = s->c * kc_size(kc), halo = (size_t)s->size / 2;
    void *alone = kc_elements(kc, s->c), *bad = kc_elements(kc, s->m * s->c);

    convolve(kc, alone, in, token, 1);
    kc_same(kc, "a token by itself", alone, (const char *)y + token * row, row);
    void *value = kc_at(kc, in->rows[kc_below(kc, (size_t)s->size)], (ptrdiff_t)(token * s->c + kc_below(kc, s->c)));
    kc_put(kc, value, 0, kc_below(kc, 2) ? (double)NAN : (double)INFINITY);
    convolve(kc, bad, in, 0, s->m);
    for (size_t i = 0; i < s->m; i++)
        if (i + halo < token || i > token + halo)
            kc_same(kc, "a token far from one that is not finite", (char *)bad + i * row, (const char *)y + i * row,
                    row);
}

static void check(struct kcheck *kc, const void *arg)
{
    const struct shape *s = arg;
    struct input in;

    fill(kc, &in, s);
    void *y = kc_elements(kc, s->m * s->c);
    convolve(kc, y, &in, 0, s->m);
    for (size_t i = 0; i < s->m; i++)
        for (size_t j = 0; j < s->c; j++)
            check_value(kc, y, &in, i, j);
    if (s->m > 0)
        check_neighbours(kc, y, &in);
}

static void check_all(struct kcheck *kc)
{
    static const size_t widths[] = {1, 2, 3, 7, 8, 9, 12, 15, 16, 17, 30, 32, 33, 48, 64, 96, 112, 224};
    static const size_t tokens[] = {0, 1, 2, 3, 4, 5, 15, 16, 17, 31, 33};
    size_t turn = 0;

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (int size = 3; size <= 5; size += 2)
            for (size_t j = 0; j < 4; j++, turn += 3) { /* lengths take turns */
                struct shape s = {tokens[turn % (sizeof tokens / sizeof tokens[0])], widths[i], size, turn % 4 == 1};
                kc_case(kc, check, &s, "%s m=%zu c=%zu unusual=%d", size == 3 ? "dwconv3x3" : "lepe_gate", s.m, s.c,
                        s.unusual);
            }
    const struct shape row = {128, 48, 5, 0};
    kc_case(kc, check, &row, "lepe_gate m=128 c=48 unusual=0");
}

struct bench {
    struct input in;
    void *y;
};

static void run(struct kcheck *kc, void *data)
{
    const struct bench *t = data;

    convolve(kc, t->y, &t->in, 0, t->in.s->m);
}

static void bench(struct kcheck *kc)
{
    static const struct {
        const char *name;
        struct shape shape;
    } layers[] = {{"pos", {128, 48, 3, 0}}, {"ffn.dwconv", {32, 96, 3, 0}}, {"lepe_gate", {32, 48, 5, 0}}};

    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        struct bench t;
        kc_buffers_reset();
        fill(kc, &t.in, &layers[i].shape);
        t.y = kc_elements(kc, layers[i].shape.m * layers[i].shape.c);
        kc_time(kc, layers[i].name, run, &t, layers[i].shape.m);
    }
}

const struct op kc_dwconv = {"dwconv", check_all, bench};
