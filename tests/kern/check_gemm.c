/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Matrix products against a triple loop in double precision. Operands are rounded to the type under test first, products of
 * bfloat16 are exact in float32, so only the sum rounds: at most once for each term, in any order.
 */
#include "kcheck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Distance of A's rows: exactly k, more than a kernel may over-read, or less than k as in a convolution. */
enum spacing { TIGHT, WIDE, OVERLAPPING, SPACINGS };

struct shape {
    size_t m;
    int n, k, segs;
    enum spacing spacing;
    int unusual;
};

struct product {
    const struct shape *s;
    struct gemm_weights weights;
    const float *w, *bias; /* (segs, n, k), (n) */
    void *a[3];
    size_t lda, ldy, elements; /* of each a[s] */
};

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static size_t spaced(const struct shape *s)
{
    size_t k = (size_t)s->k;

    return s->spacing == TIGHT ? k : s->spacing == WIDE ? round_up(k, KERN_COLS) + 5 : (k + 2) / 3;
}

/* Elements that a product of m tokens may read. */
static size_t readable(const struct product *p, size_t m)
{
    size_t rows = round_up(m, KERN_ROWS);

    return rows ? (rows - 1) * p->lda + round_up((size_t)p->s->k, KERN_COLS) : 0;
}

static void fill_weights(struct kcheck *kc, struct product *p)
{
    const struct shape *s = p->s;
    const struct gemm *gemm = kc->kern.gemm[kc->act];
    size_t count = (size_t)(s->segs * s->n * s->k);
    float *w = kc_random_floats(kc, count, -1.0, 1.0);

    p->w = w;
    p->bias = kc_below(kc, 4) ? kc_random_floats(kc, (size_t)s->n, -1.0, 1.0) : NULL;
    void *packed = kc_buffer(kc, gemm->bytes(s->n, s->k, s->segs), 64);
    memset(packed, 0, gemm->bytes(s->n, s->k, s->segs));
    gemm->pack(packed, p->w, p->bias, s->n, s->k, s->segs);
    p->weights = (struct gemm_weights){gemm, s->n, s->k, s->segs, packed};
    float rounded[1];
    for (size_t i = 0; i < count; i++) { /* what the kernel multiplies by */
        kc_put(kc, rounded, 0, (double)w[i]);
        w[i] = (float)kc_get(kc, rounded, 0);
    }
}

static void fill(struct kcheck *kc, struct product *p, const struct shape *s)
{
    *p = (struct product){.s = s, .lda = spaced(s), .ldy = (size_t)s->n + kc_below(kc, 2) * 3};
    p->elements = readable(p, s->m);
    for (int i = 0; i < s->segs; i++) {
        p->a[i] = kc_random_elements(kc, p->elements, -1.0, 1.0);
        for (size_t t = 0; s->unusual && t < s->m && p->elements; t++)
            kc_unusual(kc, kc_at(kc, p->a[i], (ptrdiff_t)(t * p->lda)), t,
                       p->lda < (size_t)s->k ? p->lda : (size_t)s->k, 1e15);
    }
    fill_weights(kc, p);
}

static void multiply(struct kcheck *kc, float *y, void *const *a, size_t m, const struct product *p)
{
    const void *rows[3] = {a[0], a[1], a[2]};

    p->weights.gemm->run(y, p->ldy, rows, p->lda, m, &p->weights);
    kc_gaps(kc, y, m, (size_t)p->s->n, p->ldy, sizeof *y);
}

static void check_values(struct kcheck *kc, const float *y, const struct product *p)
{
    size_t n = (size_t)p->s->n, k = (size_t)p->s->k, segs = (size_t)p->s->segs;

    for (size_t i = 0; i < p->s->m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = p->bias ? (double)p->bias[j] : 0.0, magnitude = fabs(sum), tiny = TINY_F32;
            for (size_t s = 0; s < segs; s++)
                for (size_t q = 0; q < k; q++) {
                    double a = kc_get(kc, p->a[s], i * p->lda + q), w = (double)p->w[(s * n + j) * k + q];
                    sum += a * w;
                    magnitude += fabs(a * w);
                    tiny += 4.0 * TINY_F32; /* operands up to 1 may be taken for zero, sums too */
                }
            kc_close(kc, "y", i, j, (double)y[i * p->ldy + j], sum,
                     ((double)(k * segs) + 2.0) * UNIT_F32 * magnitude + tiny);
        }
}

/* The result of a token depends on nothing but the token. */
static void check_alone(struct kcheck *kc, const float *y, const struct product *p)
{
    size_t token = kc_below(kc, p->s->m), k = round_up((size_t)p->s->k, KERN_COLS);
    float *alone = kc_floats(kc, (size_t)p->s->n);
    void *a[3] = {NULL};

    for (int s = 0; s < p->s->segs; s++) {
        a[s] = kc_random_elements(kc, readable(p, 1), -1.0, 1.0);
        memcpy(a[s], kc_at(kc, p->a[s], (ptrdiff_t)(token * p->lda)), k * kc_size(kc));
    }
    multiply(kc, alone, a, 1, p);
    kc_same(kc, "a token by itself", alone, y + token * p->ldy, (size_t)p->s->n * sizeof *y);
}

/* One bad input spoils all outputs of its token, and no other's. */
static void check_not_finite(struct kcheck *kc, const float *y, const struct product *p)
{
    size_t token = kc_below(kc, p->s->m), n = (size_t)p->s->n;
    float *bad = kc_floats(kc, (p->s->m - 1) * p->ldy + n);

    kc_put(kc, p->a[0], token * p->lda + kc_below(kc, (size_t)p->s->k),
           kc_below(kc, 2) ? (double)NAN : (double)INFINITY);
    multiply(kc, bad, p->a, p->s->m, p);
    for (size_t i = 0; i < p->s->m; i++)
        if (i != token)
            kc_same(kc, "a token beside one that is not finite", bad + i * p->ldy, y + i * p->ldy, n * sizeof *y);
        else
            for (size_t j = 0; j < n; j++)
                if (isfinite(bad[i * p->ldy + j]))
                    kc_fail(kc, "output %zu of a token that is not finite is finite", j);
}

static void check(struct kcheck *kc, const void *arg)
{
    const struct shape *s = arg;
    struct product p;

    fill(kc, &p, s);
    float *y = kc_floats(kc, s->m ? (s->m - 1) * p.ldy + (size_t)s->n : 0);
    multiply(kc, y, p.a, s->m, &p);
    check_values(kc, y, &p);
    if (s->m > 0)
        check_alone(kc, y, &p);
    if (s->m > 0 && s->spacing == WIDE)
        check_not_finite(kc, y, &p);
}

/* Every n with every k and number of segments; tokens, spacing and contents take turns. */
static void check_all(struct kcheck *kc)
{
    static const int outputs[] = {1, 2, 3, 12, 16, 27, 31, 33, 48, 65, 100, 192};
    static const int inputs[] = {1, 2, 3, 9, 31, 32, 33, 48, 64, 65, 96, 144};
    static const size_t tokens[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 0, 40, 63};
    size_t turn = 0;

    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        for (size_t j = 0; j < sizeof inputs / sizeof inputs[0]; j++)
            for (int segs = 1; segs <= 3; segs += 2, turn += 5) {
                struct shape s = {tokens[turn % (sizeof tokens / sizeof tokens[0])],
                                  outputs[i],
                                  inputs[j],
                                  segs,
                                  (enum spacing)(turn % SPACINGS),
                                  turn % 4 == 1};
                kc_case(kc, check, &s, "m=%zu n=%d k=%d segs=%d spacing=%d unusual=%d", s.m, s.n, s.k, s.segs,
                        (int)s.spacing, s.unusual);
            }
    /* a long row, and an input as wide as no register holds */
    const struct shape more[] = {
        {128, 192, 48, 1, TIGHT, 0}, {95, 48, 144, 3, OVERLAPPING, 0}, {3, 5, 700, 1, TIGHT, 1}};
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        kc_case(kc, check, &more[i], "m=%zu n=%d k=%d segs=%d spacing=%d unusual=%d", more[i].m, more[i].n, more[i].k,
                more[i].segs, (int)more[i].spacing, more[i].unusual);
}

struct bench {
    struct product p;
    float *y;
};

static void run(struct kcheck *kc, void *data)
{
    struct bench *t = data;
    const void *rows[3] = {t->p.a[0], t->p.a[1], t->p.a[2]};

    (void)kc;
    t->p.weights.gemm->run(t->y, t->p.ldy, rows, t->p.lda, t->p.s->m, &t->p.weights);
}

/* The layers of the shipped models, in the rows of 32 tokens that networks use. */
static void bench(struct kcheck *kc)
{
    static const struct {
        const char *name;
        struct shape shape;
    } layers[] = {
        {"conv_first", {128, 48, 9, 3, OVERLAPPING, 0}},
        {"qkvg", {32, 192, 48, 1, TIGHT, 0}},
        {"proj", {32, 48, 48, 1, TIGHT, 0}},
        {"fc1", {32, 96, 48, 1, TIGHT, 0}},
        {"fc2", {32, 48, 96, 1, TIGHT, 0}},
        {"conv_after", {128, 48, 144, 3, OVERLAPPING, 0}},
    };

    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        struct bench t;
        kc_buffers_reset();
        fill(kc, &t.p, &layers[i].shape);
        t.y = kc_floats(kc, t.p.s->m * t.p.ldy);
        kc_time(kc, layers[i].name, run, &t, t.p.s->m);
    }
}

const struct op kc_gemm = {"gemm", check_all, bench};
