/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Layer norm against two passes in double precision.
 */
#include "kcheck.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define EPS 1e-6f

struct shape {
    size_t m, c;
    int unusual;
};

/* Expected values of a token x (c), and how far rounding may take each. The mean is off by at most c + 1 roundings of the mean
 * magnitude, so each deviation by delta; the root of the variance follows. */
static void check_token(struct kcheck *kc, const void *y, const void *x, const float *w, const float *b, size_t i,
                        size_t c)
{
    double mean = 0.0, magnitude = 0.0, largest = 0.0, variance = 0.0;

    for (size_t j = 0; j < c; j++) {
        double v = kc_get(kc, x, i * c + j);
        mean += v / (double)c;
        magnitude += fabs(v) / (double)c;
        largest = fmax(largest, fabs(v));
    }
    for (size_t j = 0; j < c; j++) {
        double u = kc_get(kc, x, i * c + j) - mean;
        variance += u * u / (double)c;
    }
    double delta = UNIT_F32 * (((double)c + 1.0) * magnitude + 2.0 * largest) + TINY_F32;
    double spread = variance + (double)EPS, off = 2.0 * sqrt(variance) * delta + delta * delta;
    double scale = 1.0 / sqrt(spread), relative = 0.6 * off / spread + ((double)c + 6.0) * UNIT_F32;
    for (size_t j = 0; j < c; j++) {
        double u = kc_get(kc, x, i * c + j) - mean, product = u * scale * (double)w[j];
        double bound = fabs((double)w[j]) * scale * delta * (1.0 + relative) + fabs(product) * relative +
                       3.0 * UNIT_F32 * (fabs(product) + fabs((double)b[j])) + TINY_F32;
        kc_close_act(kc, "y", i, j, y, i * c + j, product + (double)b[j], bound);
    }
}

/* A token that is not finite, and one by itself. */
static void check_neighbours(struct kcheck *kc, const void *y, const void *x, const float *w, const float *b,
                             const struct shape *s)
{
    size_t size = kc_size(kc), token = kc_below(kc, s->m), row = s->c * size;
    void *alone = kc_elements(kc, s->c), *bad_x = kc_elements(kc, s->m * s->c), *bad_y = kc_elements(kc, s->m * s->c);

    kc->kern.layernorm[kc->act](alone, kc_at(kc, x, (ptrdiff_t)(token * s->c)), w, b, 1, (int)s->c, EPS);
    kc_same(kc, "a token by itself", alone, kc_at(kc, y, (ptrdiff_t)(token * s->c)), row);
    memcpy(bad_x, x, s->m * row);
    kc_put(kc, bad_x, token * s->c + kc_below(kc, s->c), kc_below(kc, 2) ? (double)NAN : (double)INFINITY);
    kc->kern.layernorm[kc->act](bad_y, bad_x, w, b, s->m, (int)s->c, EPS);
    for (size_t i = 0; i < s->m; i++)
        if (i != token)
            kc_same(kc, "a token beside one that is not finite", (char *)bad_y + i * row, (const char *)y + i * row,
                    row);
        else if (isfinite(kc_get(kc, bad_y, i * s->c)))
            kc_fail(kc, "a token that is not finite vanished");
}

static void check(struct kcheck *kc, const void *arg)
{
    const struct shape *s = arg;
    void *x = kc_random_elements(kc, s->m * s->c, -3.0, 3.0), *y = kc_elements(kc, s->m * s->c);
    const float *w = kc_random_floats(kc, s->c, -2.0, 2.0), *b = kc_random_floats(kc, s->c, -1.0, 1.0);

    for (size_t i = 0; s->unusual && i < s->m; i++) {
        kc_unusual(kc, kc_at(kc, x, (ptrdiff_t)(i * s->c)), i, s->c, 1e15);
        for (size_t j = 0; i % 7 == 6 && j < s->c; j++) /* hardly varies: the mean cancels */
            kc_put(kc, x, i * s->c + j, 100.0 + 1e-3 * kc_get(kc, x, i * s->c + j));
    }
    kc->kern.layernorm[kc->act](y, x, w, b, s->m, (int)s->c, EPS);
    for (size_t i = 0; i < s->m; i++)
        check_token(kc, y, x, w, b, i, s->c);
    if (s->m > 0)
        check_neighbours(kc, y, x, w, b, s);
}

static void check_all(struct kcheck *kc)
{
    static const size_t widths[] = {1, 2, 3, 7, 8, 9, 12, 15, 16, 17, 30, 32, 33, 48, 64, 96, 112, 224};
    static const size_t tokens[] = {0, 1, 2, 3, 5, 15, 16, 33};

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (size_t j = 0; j < sizeof tokens / sizeof tokens[0]; j++)
            for (int unusual = 0; unusual < 2; unusual++) {
                struct shape s = {tokens[j], widths[i], unusual};
                kc_case(kc, check, &s, "layernorm m=%zu c=%zu unusual=%d", s.m, s.c, unusual);
            }
}

struct bench {
    void *y, *x;
    float *w, *b;
};

static void run(struct kcheck *kc, void *data)
{
    const struct bench *t = data;

    kc->kern.layernorm[kc->act](t->y, t->x, t->w, t->b, 128, 48, EPS);
}

static void bench(struct kcheck *kc)
{
    struct bench t = {kc_elements(kc, 128 * 48), kc_random_elements(kc, 128 * 48, -1.0, 1.0),
                      kc_random_floats(kc, 48, 0.0, 1.0), kc_random_floats(kc, 48, 0.0, 1.0)};

    kc_time(kc, "layernorm", run, &t, 128);
}

const struct op kc_norm = {"norm", check_all, bench};
