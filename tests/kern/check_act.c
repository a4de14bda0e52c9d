/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Elementwise kernels: conversion, GELU, sums, clamping, pixel shuffle.
 */
#include "kcheck.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tensor/bf16.h"

static const float special[] = {0.0f,    -0.0f,  1.0f,       -1.0f,           0x1p-149f,       -0x1p-130f, 0x1p-126f,
                                3e38f,   -3e38f, 88.0f,      -88.0f,          5.249f,          -5.251f,    3.999f,
                                -4.001f, 1e-20f, (float)NAN, (float)INFINITY, -(float)INFINITY};

#define SPECIALS (sizeof special / sizeof special[0])

/* Random values of many magnitudes, the special ones among them. */
static float *fill(struct kcheck *kc, size_t count)
{
    float *x = kc_floats(kc, count);

    for (size_t i = 0; i < count; i++)
        x[i] = kc_below(kc, 8) ? (float)(kc_uniform(kc, -1.0, 1.0) * exp(kc_uniform(kc, -12.0, 5.0)))
                               : special[kc_below(kc, SPECIALS)];
    return x;
}

/* Equal, or both NaN; in bfloat16 a denormal may have become zero. */
static void check_rounded(struct kcheck *kc, const void *y, size_t at, size_t i, size_t j, float expected)
{
    double got = kc_get(kc, y, at), rounded;
    float half[1];

    kc_put(kc, half, 0, (double)expected);
    rounded = kc_get(kc, half, 0);
    if (isnan(expected) ? !isnan(got)
                        : !(got == rounded || (kc->act == ACT_BF16 && fabsf(expected) < 0x1p-126f && got == 0.0)))
        kc_fail(kc, "y[%zu][%zu] is %.9g, expected %.9g", i, j, got, rounded);
}

struct rows {
    size_t m, c;
};

static void check_convert(struct kcheck *kc, const void *arg)
{
    const struct rows *s = arg;
    size_t m = s->m, c = s->c, ldx = c + kc_below(kc, 2) * 7, ldy = c + kc_below(kc, 2) * 3;
    const float *x = fill(kc, m ? (m - 1) * ldx + c : 0);
    void *y = kc_elements(kc, m ? (m - 1) * ldy + c : 0);

    kc->kern.convert[kc->act](y, ldy, x, ldx, m, (int)c);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < c; j++)
            check_rounded(kc, y, i * ldy + j, i, j, x[i * ldx + j]);
    kc_gaps(kc, y, m, c, ldy, kc_size(kc));
}

/* float32 is the exact function within 4e-7 of max(1, |x|); bfloat16 4.1e-5 before its rounding, a hundredth of it. Not finite in,
 * not finite out, except that minus infinity may give anything between its limit of zero and NaN. */
static void check_gelu(struct kcheck *kc, const void *arg)
{
    size_t n = *(const size_t *)arg;
    const float *x = fill(kc, n);
    void *y = kc_elements(kc, n);

    kc->kern.gelu[kc->act](y, x, n);
    for (size_t i = 0; i < n; i++) {
        double v = (double)x[i], got = kc_get(kc, y, i);
        if (isfinite(v))
            kc_close_act(kc, "y", i, 0, y, i, 0.5 * v * erfc(-v * M_SQRT1_2),
                         (kc->act == ACT_BF16 ? 4.1e-5 : 4e-7) * fmax(1.0, fabs(v)));
        else if (v > 0.0 ? got != v : isnan(v) && !isnan(got))
            kc_fail(kc, "y[%zu] is %g for %g", i, got, v);
    }
}

/* Every float32 of a fine ladder, so that no piece of the approximation is missed. */
static void check_gelu_ladder(struct kcheck *kc, const void *arg)
{
    enum { STEPS = 1 << 14 };
    float *x = kc_floats(kc, STEPS);
    void *y = kc_elements(kc, STEPS);
    double limit = *(const double *)arg;

    for (size_t i = 0; i < STEPS; i++)
        x[i] = (float)((2.0 * (double)i / (STEPS - 1) - 1.0) * limit);
    kc->kern.gelu[kc->act](y, x, STEPS);
    for (size_t i = 0; i < STEPS; i++)
        kc_close_act(kc, "y", i, 0, y, i, 0.5 * (double)x[i] * erfc(-(double)x[i] * M_SQRT1_2),
                     (kc->act == ACT_BF16 ? 4.1e-5 : 4e-7) * fmax(1.0, fabs((double)x[i])));
}

static void check_sums(struct kcheck *kc, const void *arg)
{
    size_t n = *(const size_t *)arg, size = kc_size(kc);
    const float *a = fill(kc, n), *b = fill(kc, n);
    float *y = kc_floats(kc, n), *in_place = kc_floats(kc, n);
    void *x = kc_elements(kc, n), *z = kc_elements(kc, n), *z_in_place = kc_elements(kc, n);

    kc->kern.add(y, a, b, n);
    for (size_t i = 0; i < n; i++)
        if (!(y[i] == a[i] + b[i] || (isnan(y[i]) && isnan(a[i] + b[i]))))
            kc_fail(kc, "add[%zu] is %.9g, expected %.9g", i, (double)y[i], (double)(a[i] + b[i]));
    for (int operand = 0; operand < 2; operand++) {
        memcpy(in_place, operand ? b : a, n * sizeof *a);
        kc->kern.add(in_place, operand ? a : in_place, operand ? in_place : b, n);
        for (size_t i = 0; i < n; i++)
            if (!isnan(y[i]) && in_place[i] != y[i])
                kc_fail(kc, "add in place[%zu] is %.9g, expected %.9g", i, (double)in_place[i], (double)y[i]);
    }
    for (size_t i = 0; i < n; i++)
        kc_put(kc, x, i, (double)a[i]);
    kc->kern.residual[kc->act](z, x, b, n);
    for (size_t i = 0; i < n; i++)
        check_rounded(kc, z, i, i, 0, (float)kc_get(kc, x, i) + b[i]);
    memcpy(z_in_place, x, n * size);
    kc->kern.residual[kc->act](z_in_place, z_in_place, b, n);
    for (size_t i = 0; i < n; i++)
        if (!isnan(kc_get(kc, z, i)))
            kc_same(kc, "residual in place", kc_at(kc, z_in_place, (ptrdiff_t)i), kc_at(kc, z, (ptrdiff_t)i), size);
}

static void check_clamp(struct kcheck *kc, const void *arg)
{
    size_t n = *(const size_t *)arg;
    float *y = kc_floats(kc, n), *x = kc_floats(kc, n);
    static const struct {
        float value;
        int within;
    } cases[] = {{0.5f, 1},
                 {-8.0f, 1},
                 {8.0f, 1},
                 {0x1.000002p3f, 0},
                 {-9.0f, 0},
                 {(float)NAN, 0},
                 {-(float)NAN, 0},
                 {(float)INFINITY, 0},
                 {-0.0f, 1},
                 {0x1p-149f, 1},
                 {-(float)INFINITY, 0},
                 {3e38f, 0}};

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int expected = n == 0 || cases[k].within;
        for (size_t i = 0; i < n; i++)
            x[i] = (float)kc_uniform(kc, -1.0, 2.0);
        if (n > 0)
            x[kc_below(kc, n)] = cases[k].value;
        memcpy(y, x, n * sizeof *y);
        if (!kc->kern.clamp(y, n, 8.0f) != !expected)
            kc_fail(kc, "clamp of %g says %d", (double)cases[k].value, !expected);
        for (size_t i = 0; i < n; i++) {
            float clamped = x[i] > 0.0f ? (x[i] < 1.0f ? x[i] : 1.0f) : 0.0f;
            if (!isnan(x[i]) && y[i] != clamped)
                kc_fail(kc, "clamp[%zu] of %.9g is %.9g", i, (double)x[i], (double)y[i]);
            if (!(y[i] >= 0.0f && y[i] <= 1.0f))
                kc_fail(kc, "clamp[%zu] of %.9g is %.9g", i, (double)x[i], (double)y[i]);
        }
    }
}

struct pixels {
    size_t m;
    int scale;
};

static void check_shuffle(struct kcheck *kc, const void *arg)
{
    const struct pixels *p = arg;
    size_t m = p->m, s = (size_t)p->scale, n = s * m * 3, ldy = n + kc_below(kc, 2) * 5;
    const float *u = kc_random_floats(kc, m * 3 * s * s, -1.0, 1.0), *x = kc_random_floats(kc, m * 3, 0.0, 1.0);
    float *y = kc_floats(kc, (s - 1) * ldy + n);

    kc->kern.shuffle(y, ldy, u, x, m, p->scale);
    for (size_t row = 0; row < s; row++)
        for (size_t i = 0; i < n; i++) {
            size_t channel = i % 3, column = i / 3, pixel = column / s;
            float expected = u[pixel * 3 * s * s + channel * s * s + row * s + column % s] + x[pixel * 3 + channel];
            kc_close(kc, "y", row, i, (double)y[row * ldy + i], (double)expected, 0.0);
        }
    kc_gaps(kc, y, s, n, ldy, sizeof *y);
}

static void check_all(struct kcheck *kc)
{
    static const size_t widths[] = {1, 2, 3, 7, 8, 9, 12, 16, 17, 30, 48, 96, 224};
    static const size_t tokens[] = {0, 1, 2, 3, 17, 32};
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 65, 96, 1000, 4607};
    static const double limits[] = {0.01, 1.0, 6.0, 40.0};

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (size_t j = 0; j < sizeof tokens / sizeof tokens[0]; j++)
            kc_case(kc, check_convert, &(struct rows){tokens[j], widths[i]}, "convert m=%zu c=%zu", tokens[j],
                    widths[i]);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        kc_case(kc, check_gelu, &counts[i], "gelu n=%zu", counts[i]);
        kc_case(kc, check_sums, &counts[i], "add, residual n=%zu", counts[i]);
        kc_case(kc, check_clamp, &counts[i], "clamp n=%zu", counts[i]);
    }
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        kc_case(kc, check_gelu_ladder, &limits[i], "gelu within +-%g", limits[i]);
    for (int scale = 1; scale <= 8; scale++)
        for (size_t j = 1; j < sizeof tokens / sizeof tokens[0]; j++)
            kc_case(kc, check_shuffle, &(struct pixels){tokens[j], scale}, "shuffle m=%zu scale=%d", tokens[j], scale);
}

/* ---- timing: rows of 32 tokens ------------------------------------------------------------------------------- */

struct bench {
    void *y;
    float *f, *x;
};

static void run_convert(struct kcheck *kc, void *data)
{
    const struct bench *t = data;
    kc->kern.convert[kc->act](t->y, 48, t->x, 192, 32, 48);
}

static void run_gelu(struct kcheck *kc, void *data)
{
    const struct bench *t = data;
    kc->kern.gelu[kc->act](t->y, t->x, 32 * 96);
}

static void run_residual(struct kcheck *kc, void *data)
{
    const struct bench *t = data;
    kc->kern.residual[kc->act](t->y, t->y, t->x, 32 * 48);
}

static void run_clamp(struct kcheck *kc, void *data)
{
    const struct bench *t = data;
    kc->kern.clamp(t->f, 32 * 48, 1e4f);
}

static void run_shuffle(struct kcheck *kc, void *data)
{
    const struct bench *t = data;
    kc->kern.shuffle(t->f, 32 * 12, t->x, t->x, 32, 4);
}

static void bench(struct kcheck *kc)
{
    struct bench t = {kc_random_elements(kc, 32 * 192, -1.0, 1.0), kc_random_floats(kc, 32 * 192, -1.0, 1.0),
                      kc_random_floats(kc, 32 * 192, -1.0, 1.0)};

    memset(t.y, 0, 32 * 192 * kc_size(kc));
    kc_time(kc, "convert", run_convert, &t, 32);
    kc_time(kc, "gelu", run_gelu, &t, 32);
    kc_time(kc, "residual", run_residual, &t, 32);
    kc_time(kc, "clamp x4", run_clamp, &t, 32);
    kc_time(kc, "shuffle x4", run_shuffle, &t, 32);
}

const struct op kc_act_op = {"act", check_all, bench};
