/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Polarity-aware linear attention against its formulas in double precision: keys into a state, queries against one.
 */
#include "kcheck.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Relative error of a feature exp(u) - 1 before rounding to bfloat16. float32: the polynomial's 1.1e-8 and eight roundings.
 * bfloat16: 1.8e-5 of the polynomial, half as much again where the last step cancels. */
#define FEATURE_F32  (8.0 * UNIT_F32)
#define FEATURE_BF16 2.6e-5

/* The vector kernels take no exponent beyond this. */
#define SATURATION 88.0

struct shape {
    size_t m, heads, d;
    size_t row;   /* of the image */
    double range; /* of keys and queries */
    int huge;     /* keys: one token at the edge of what float32 can hold, or beyond */
};

/* d/2 angles, both ends of the ladder included, as a window makes them: cosines and sines each twice, signs -, +. */
static float *rope_table(struct kcheck *kc, size_t positions, size_t d)
{
    float *table = kc_floats(kc, positions * 2 * d);

    for (size_t p = 0; p < positions; p++)
        for (size_t j = 0; j < d / 2; j++) {
            double exponent = d > 2 ? (double)j / (double)(d / 2 - 1) : 0.0;
            double angle = (double)p * (double)(float)pow(10000.0, -exponent);
            float *cosine = table + p * 2 * d + 2 * j, *sine = cosine + d;
            cosine[0] = cosine[1] = (float)cos(angle);
            sine[0] = (float)-sin(angle);
            sine[1] = (float)sin(angle);
        }
    return table;
}

/* Positions that a row's kernels may look up: all its columns and one more, and the row. */
static size_t positions(const struct shape *s)
{
    return (s->m > s->row ? s->m : s->row) + 1;
}

/* What holds for the level under test: relative error of a feature with exponent u, and of an operand rounded to bfloat16
 * (matrix units only). */
static double feature_error(const struct kcheck *kc, double u)
{
    double polynomial = kc->act == ACT_BF16 && kc->level != LEVEL_SCALAR ? FEATURE_BF16 : FEATURE_F32;

    return polynomial + 2.0 * UNIT_F32 * (1.0 + fabs(u));
}

static double operand_error(const struct kcheck *kc)
{
    return kc->act == ACT_BF16 && kc->level == LEVEL_AMX ? UNIT_BF16 : 0.0;
}

static double feature(const struct kcheck *kc, double u)
{
    return expm1(kc->level == LEVEL_SCALAR ? u : fmin(u, SATURATION));
}

/* f (2d) turned: the first half by row, the second by column; magnitude gets what the sums of its pairs are without signs. */
static void rotate(double *f, double *magnitude, size_t d, const float *table, size_t row, size_t column)
{
    for (size_t i = 0; i < 2 * d; i += 2) {
        const float *at = table + (i < d ? row : column) * 2 * d + i % d;
        double cosine = (double)at[0], sine = (double)at[d + 1], a = f[i], b = f[i + 1];
        f[i] = a * cosine - b * sine;
        f[i + 1] = b * cosine + a * sine;
        magnitude[i] = fabs(a * cosine) + fabs(b * sine);
        magnitude[i + 1] = fabs(b * cosine) + fabs(a * sine);
    }
}

static double positive(double u)
{
    return u > 0.0 ? u : 0.0;
}

/* ---- keys ---------------------------------------------------------------------------------------------------- */

struct keys {
    const struct shape *s;
    void *k;
    const void *v; /* (m, heads d) */
    const float *table;
    const float *kv, *mean; /* before */
};

static void fill_keys(struct kcheck *kc, struct keys *in, const struct shape *s)
{
    size_t c = s->heads * s->d;
    double values = s->huge ? 1e-3 : 2.0;

    *in = (struct keys){.s = s, .k = kc_random_elements(kc, s->m * c, -s->range, s->range)};
    in->v = kc_random_elements(kc, s->m * c, -values, values);
    in->table = rope_table(kc, positions(s), s->d);
    in->kv = kc_random_floats(kc, 2 * c * s->d, -1.0, 1.0);
    in->mean = kc_random_floats(kc, 2 * c, 0.0, 1.0);
    for (size_t i = 0; !kc->bench && i < s->m; i++)
        kc_unusual(kc, kc_at(kc, in->k, (ptrdiff_t)(i * c)), i, c, 1.0);
    for (size_t j = 0; s->huge && j < c; j++) {
        double edge = kc->level == LEVEL_SCALAR ? SATURATION : SATURATION + kc_uniform(kc, -1.0, 30.0);
        kc_put(kc, in->k, s->m / 2 * c + j, kc_below(kc, 2) ? edge : -edge);
    }
}

static void run_keys(struct kcheck *kc, float *kv, float *mean, const struct keys *in)
{
    const struct shape *s = in->s;
    size_t c = s->heads * s->d;
    const struct rope rope = {in->table};
    const struct pacs_params params = {(int)s->heads, (int)s->d, NULL, NULL};
    struct pacs_state state = {kv, mean};

    memcpy(kv, in->kv, 2 * c * s->d * sizeof *kv);
    memcpy(mean, in->mean, 2 * c * sizeof *mean);
    kc->kern.pacs_key[kc->act](&state, in->k, in->v, s->m, (int)s->row, &rope, &params);
}

/* Expected state of head h, what its sums are without signs, and the error that features bring in. */
struct sums {
    double kv[2 * KERN_MAX_HEAD][KERN_MAX_HEAD], kv_magnitude[2 * KERN_MAX_HEAD][KERN_MAX_HEAD],
        kv_error[2 * KERN_MAX_HEAD][KERN_MAX_HEAD];
    double mean[2 * KERN_MAX_HEAD], mean_error[2 * KERN_MAX_HEAD];
};

static void add_token(struct kcheck *kc, struct sums *sums, const struct keys *in, size_t h, size_t token)
{
    size_t d = in->s->d, at = token * in->s->heads * d + h * d;
    double f[2 * KERN_MAX_HEAD], magnitude[2 * KERN_MAX_HEAD], largest = 0.0;

    for (size_t i = 0; i < 2 * d; i++) {
        double u = kc_get(kc, in->k, at + i % d);
        f[i] = feature(kc, positive(i < d ? u : -u));
        sums->mean[i] += f[i];
        sums->mean_error[i] += f[i] * feature_error(kc, u) + 4.0 * TINY_F32;
        largest = fmax(largest, fabs(u));
    }
    rotate(f, magnitude, d, in->table, in->s->row, token);
    double error = feature_error(kc, largest) + operand_error(kc) * 1.01;
    for (size_t i = 0; i < 2 * d; i++)
        for (size_t j = 0; j < d; j++) {
            double v = kc_get(kc, in->v, at + j);
            sums->kv[i][j] += f[i] * v;
            sums->kv_magnitude[i][j] += magnitude[i] * fabs(v);
            sums->kv_error[i][j] += magnitude[i] * fabs(v) * error + 8.0 * TINY_F32;
        }
}

static void check_head(struct kcheck *kc, const float *kv, const float *mean, const struct keys *in, size_t h)
{
    static struct sums sums;
    size_t d = in->s->d, m = in->s->m;
    double rounding = ((double)m + 6.0) * UNIT_F32;

    memset(&sums, 0, sizeof sums);
    for (size_t token = 0; token < m; token++)
        add_token(kc, &sums, in, h, token);
    for (size_t i = 0; i < 2 * d; i++) {
        size_t at = h * 2 * d + i;
        double before = (double)in->mean[at];
        kc_close(kc, "mean", h, i, (double)mean[at], before + sums.mean[i],
                 sums.mean_error[i] + rounding * (sums.mean[i] + before));
        for (size_t j = 0; j < d; j++) {
            before = (double)in->kv[at * d + j];
            kc_close(kc, "kv", at, j, (double)kv[at * d + j], before + sums.kv[i][j],
                     sums.kv_error[i][j] + rounding * (sums.kv_magnitude[i][j] + fabs(before)) * 1.01 + TINY_F32);
        }
    }
}

/* A key that is not a number stays in its head. */
static void check_other_heads(struct kcheck *kc, const float *kv, const float *mean, const struct keys *in)
{
    size_t d = in->s->d, c = in->s->heads * d, bad = kc_below(kc, in->s->heads);
    float *kv_after = kc_floats(kc, 2 * c * d), *mean_after = kc_floats(kc, 2 * c);

    kc_put(kc, in->k, kc_below(kc, in->s->m) * c + bad * d + kc_below(kc, d), (double)NAN);
    run_keys(kc, kv_after, mean_after, in);
    int spoilt = 0;
    for (size_t h = 0; h < in->s->heads; h++)
        if (h != bad) {
            kc_same(kc, "kv of another head", kv_after + h * 2 * d * d, kv + h * 2 * d * d, 2 * d * d * sizeof *kv);
            kc_same(kc, "mean of another head", mean_after + h * 2 * d, mean + h * 2 * d, 2 * d * sizeof *mean);
        } else {
            for (size_t i = 0; i < 2 * d; i++)
                spoilt |= isnan(mean_after[h * 2 * d + i]);
        }
    if (!spoilt)
        kc_fail(kc, "a key that is not a number vanished");
}

static void check_keys(struct kcheck *kc, const void *arg)
{
    const struct shape *s = arg;
    size_t c = s->heads * s->d;
    struct keys in;

    fill_keys(kc, &in, s);
    float *kv = kc_floats(kc, 2 * c * s->d), *mean = kc_floats(kc, 2 * c);
    run_keys(kc, kv, mean, &in);
    for (size_t h = 0; h < s->heads; h++)
        check_head(kc, kv, mean, &in, h);
    if (s->m > 0)
        check_other_heads(kc, kv, mean, &in);
}

/* ---- queries ------------------------------------------------------------------------------------------------- */

struct queries {
    const struct shape *s;
    void *q;
    const float *table, *kv, *mean, *t1, *t2;
};

static void fill_queries(struct kcheck *kc, struct queries *in, const struct shape *s)
{
    size_t c = s->heads * s->d;

    *in = (struct queries){.s = s, .q = kc_random_elements(kc, s->m * c, -s->range, s->range)};
    in->table = rope_table(kc, positions(s), s->d);
    in->kv = kc_random_floats(kc, 2 * c * s->d, -1.0, 1.0);
    in->mean = kc_random_floats(kc, 2 * c, 0.0, 1.0);
    in->t1 = kc_random_floats(kc, 2 * c, 0.1, 0.9);
    in->t2 = kc_random_floats(kc, 2 * c, 0.1, 0.9);
    for (size_t i = 0; !kc->bench && i < s->m; i++)
        kc_unusual(kc, kc_at(kc, in->q, (ptrdiff_t)(i * c)), i, c, 8.0);
}

/* Tokens [from, from + m), whose columns are counted from `from` on. */
static void run_queries(struct kcheck *kc, float *o, const struct queries *in, size_t from, size_t m)
{
    const struct shape *s = in->s;
    size_t c = s->heads * s->d;
    const struct rope rope = {in->table + from * 2 * s->d};
    const struct pacs_params params = {(int)s->heads, (int)s->d, in->t1, in->t2};
    const struct pacs_state state = {(float *)(uintptr_t)in->kv, (float *)(uintptr_t)in->mean};

    kc->kern.pacs_query[kc->act](o, kc_at(kc, in->q, (ptrdiff_t)(from * c)), &state, m, (int)(s->row - from), &rope,
                                 &params);
}

/* One stream of one token and head: features f (2d) with largest exponent u, value columns [j, j + d/2). */
static void check_stream(struct kcheck *kc, const float *o, const struct queries *in, size_t h, size_t token, double *f,
                         double u, size_t first)
{
    size_t d = in->s->d;
    const float *kv = in->kv + h * 2 * d * d, *mean = in->mean + h * 2 * d;
    double magnitude[2 * KERN_MAX_HEAD], z = 1e-6;
    double relative = ((double)(2 * d) + 10.0) * UNIT_F32 + feature_error(kc, u) + 2.02 * operand_error(kc);

    for (size_t i = 0; i < 2 * d; i++)
        z += f[i] * (double)mean[i];
    rotate(f, magnitude, d, in->table, in->s->row, token);
    for (size_t j = first; j < first + d / 2; j++) {
        double sum = 0.0, total = 0.0;
        for (size_t i = 0; i < 2 * d; i++) {
            sum += f[i] * (double)kv[i * d + j];
            total += magnitude[i] * fabs((double)kv[i * d + j]);
        }
        /* turning the state rather than the features mixes the two rows of a pair */
        for (size_t i = 0; i < 2 * d; i += 2)
            total += (magnitude[i] + magnitude[i + 1]) *
                     (fabs((double)kv[i * d + j]) + fabs((double)kv[(i + 1) * d + j]));
        kc_close(kc, "o", token, h * d + j, (double)o[(token * in->s->heads + h) * d + j], sum / z,
                 (total + fabs(sum)) / z * relative * 1.01 + 1e-30 * (1.0 + (double)d));
    }
}

static void check_token(struct kcheck *kc, const float *o, const struct queries *in, size_t h, size_t token)
{
    size_t d = in->s->d;
    const float *t1 = in->t1 + h * 2 * d, *t2 = in->t2 + h * 2 * d;
    double same[2 * KERN_MAX_HEAD], opposite[2 * KERN_MAX_HEAD], largest = 0.0;

    for (size_t i = 0; i < 2 * d; i++) {
        double u = kc_get(kc, in->q, (token * in->s->heads + h) * d + i % d), plus = positive(u), minus = positive(-u);
        same[i] = feature(kc, (double)t1[i] * (i < d ? plus : minus));
        opposite[i] = feature(kc, (double)t2[i] * (i < d ? minus : plus));
        largest = fmax(largest, fabs(u));
    }
    check_stream(kc, o, in, h, token, same, largest, 0);
    check_stream(kc, o, in, h, token, opposite, largest, d / 2);
}

static void check_neighbours(struct kcheck *kc, const float *o, const struct queries *in)
{
    size_t m = in->s->m, c = in->s->heads * in->s->d, token = kc_below(kc, m);
    float *alone = kc_floats(kc, c), *bad = kc_floats(kc, m * c);

    run_queries(kc, alone, in, token, 1);
    kc_same(kc, "a token by itself", alone, o + token * c, c * sizeof *o);
    for (size_t j = 0; j < c; j++)
        kc_put(kc, in->q, token * c + j, kc_below(kc, 2) ? (double)NAN : (double)INFINITY);
    run_queries(kc, bad, in, 0, m);
    for (size_t i = 0; i < m; i++)
        if (i != token)
            kc_same(kc, "a token beside one that is not finite", bad + i * c, o + i * c, c * sizeof *o);
}

static void check_queries(struct kcheck *kc, const void *arg)
{
    const struct shape *s = arg;
    struct queries in;

    fill_queries(kc, &in, s);
    float *o = kc_floats(kc, s->m * s->heads * s->d);
    run_queries(kc, o, &in, 0, s->m);
    for (size_t token = 0; token < s->m; token++)
        for (size_t h = 0; h < s->heads; h++)
            check_token(kc, o, &in, h, token);
    if (s->m > 0)
        check_neighbours(kc, o, &in);
}

/* ---- cases --------------------------------------------------------------------------------------------------- */

/* Queries in a row beyond the last column, as check_neighbours() wants it; keys in one near the top. */
static void both(struct kcheck *kc, const struct shape *s)
{
    struct shape keys = *s;

    keys.row = s->row % 7;
    kc_case(kc, check_keys, &keys, "pacs_key m=%zu heads=%zu d=%zu row=%zu range=%g huge=%d", s->m, s->heads, s->d,
            keys.row, s->range, s->huge);
    if (!s->huge)
        kc_case(kc, check_queries, s, "pacs_query m=%zu heads=%zu d=%zu row=%zu range=%g", s->m, s->heads, s->d, s->row,
                s->range);
}

static void check_all(struct kcheck *kc)
{
    static const size_t widths[] = {2, 4, 12, 16, 30, 32, 64, 96, 128};
    static const size_t tokens[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 0, 40};
    size_t turn = 0;

    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        for (size_t j = 0; j < 5; j++, turn += 3) { /* lengths take turns */
            size_t m = tokens[turn % (sizeof tokens / sizeof tokens[0])];
            both(kc, &(struct shape){m, 1 + turn % (widths[i] > 32 ? 2 : 4), widths[i], m + turn % 9,
                                     turn % 5 == 0 ? 0.02 : 4.0, m > 0 && turn % 4 == 3});
        }
    for (size_t heads = 1; heads <= 9; heads++) /* of the width that matrix units handle */
        both(kc, &(struct shape){tokens[heads], heads, 16, 40, 4.0, 0});
    both(kc, &(struct shape){128, 3, 16, 128, 4.0, 0});
    both(kc, &(struct shape){95, 3, 16, 200, 4.0, 1});
}

/* ---- timing -------------------------------------------------------------------------------------------------- */

struct bench {
    struct keys keys;
    struct queries queries;
    float *kv, *mean, *o;
};

static void bench_keys(struct kcheck *kc, void *data)
{
    const struct bench *t = data;

    run_keys(kc, t->kv, t->mean, &t->keys);
}

static void bench_queries(struct kcheck *kc, void *data)
{
    const struct bench *t = data;

    run_queries(kc, t->o, &t->queries, 0, t->queries.s->m);
}

static void bench(struct kcheck *kc)
{
    static const struct shape s = {128, 3, 16, 128, 2.0, 0};
    struct bench t;

    fill_keys(kc, &t.keys, &s);
    fill_queries(kc, &t.queries, &s);
    t.kv = kc_floats(kc, 2 * 48 * 16);
    t.mean = kc_floats(kc, 2 * 48);
    t.o = kc_floats(kc, 128 * 48);
    kc_time(kc, "pacs_key", bench_keys, &t, 128);
    kc_time(kc, "pacs_query", bench_queries, &t, 128);
}

const struct op kc_pacs = {"pacs", check_all, bench};
