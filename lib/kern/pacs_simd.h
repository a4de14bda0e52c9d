/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Polarity-aware linear attention (PaCS), written once for every vector width. Included by pacs_<isa>.c after a simd_<isa>.h
 * and ISA(). pacs_scalar.c says what is computed; two rearrangements make it fast:
 *
 *  - All tokens of a row share the row's rotation, so the first polarity block (rotated by row) is not rotated token by token:
 *    its part of the state is rotated, once per row.
 *  - Both streams of a query share one product: lanes alternate same, opposite, same, opposite, against a state whose value
 *    columns alternate likewise.
 *
 * Of each channel only one polarity is nonzero, so one exponential serves both blocks: E(0) = 0.
 */
#include "kern/kern_isa.h"
#include "kern/simd_act.h"
#include "kern/simd_exp.h"

#include <string.h>

#define TOKENS 32            /* tokens whose features are formed before they are used */
#define WIDEST KERN_MAX_HEAD /* a multiple of VL */

/* Features of a token take d rounded up to whole vectors; those beyond d are zero. */
INLINE size_t width_of(size_t d)
{
    return (d + VL - 1) / VL * VL;
}

/* part (d, d) += sum over tokens of f_n v_n^T; f (tokens, width), v act from element at, rows c apart. */
INLINE void outer_products(float *part, const float *f, const void *v, size_t at, size_t c, size_t tokens, size_t d,
                           enum act act)
{
    enum { ROWS = 8 };
    const size_t width = width_of(d);

    for (size_t j = 0; j < d; j += VL)
        for (size_t i = 0; i < d; i += ROWS) {
            size_t n = d - j, count = d - i < ROWS ? d - i : ROWS;
            vec sum[ROWS];
            UNROLL(8)
            for (size_t r = 0; r < ROWS; r++)
                sum[r] = v_zero();
            for (size_t t = 0; t < tokens; t++) {
                vec value = act_load(v, at + t * c + j, n, act);
                UNROLL(8)
                for (size_t r = 0; r < ROWS; r++) /* rows beyond d: features there are zero */
                    sum[r] = v_fma(v_set1(f[t * width + i + r]), value, sum[r]);
            }
            for (size_t r = 0; r < count; r++)
                v_store(part + (i + r) * d + j, v_add(sum[r], v_load(part + (i + r) * d + j, n)), n);
        }
}

/* out (d, d) += R part, or = R^T part with transposed: the pairs of rows turned by the angles of one position. */
INLINE void rotate_state(float *out, const float *part, const float *angles, size_t d, int transposed)
{
    for (size_t i = 0; i < d; i += 2) {
        vec cosine = v_set1(angles[i]), sine = v_set1(transposed ? -angles[d + i + 1] : angles[d + i + 1]);
        for (size_t j = 0; j < d; j += VL) {
            const float *p = part + i * d + j;
            float *o = out + i * d + j;
            vec a = v_load(p, d - j), b = v_load(p + d, d - j);
            vec first = transposed ? v_zero() : v_load(o, d - j), second = transposed ? v_zero() : v_load(o + d, d - j);
            first = v_sub(v_fma(a, cosine, first), v_mul(b, sine));
            second = v_fma(a, sine, v_fma(b, cosine, second));
            v_store(o, first, d - j);
            v_store(o + d, second, d - j);
        }
    }
}

/* Features of one head's keys for tokens [first, first + tokens) of a row: plus (not rotated), minus (rotated by column), both
 * (tokens, width); adds the unrotated ones to mean (2d). */
INLINE void key_features(float *plus, float *minus, float *mean, const void *k, size_t at, size_t c, size_t first,
                         size_t tokens, size_t d, const struct rope *rope, enum act act)
{
    enum { STEP = 4 };
    const size_t width = width_of(d);

    for (size_t i = 0; i < d; i += VL) {
        size_t n = d - i;
        vec sum_plus = v_zero(), sum_minus = v_zero();
        for (size_t t = 0; t < tokens; t += STEP) {
            vec u[STEP], e[STEP];
            UNROLL(4)
            for (size_t s = 0; s < STEP; s++) { /* tokens beyond the last: zeros, which add nothing */
                u[s] = t + s < tokens ? act_load(k, at + (t + s) * c + i, n, act) : v_zero();
                e[s] = v_abs(u[s]);
            }
            expm1_positive(e, STEP, act);
            UNROLL(4)
            for (size_t s = 0; s < STEP; s++) {
                if (t + s >= tokens)
                    break;
                const float *angles = rope->cos_sin + (first + t + s) * 2 * d + i;
                vec p = v_if_negative(u[s], v_zero(), e[s]), q = v_sub(e[s], p);
                sum_plus = v_add(sum_plus, p);
                sum_minus = v_add(sum_minus, q);
                v_store(plus + (t + s) * width + i, p, VL);
                v_store(minus + (t + s) * width + i,
                        v_fma(q, v_load(angles, n), v_mul(v_swap(q), v_load(angles + d, n))), VL);
            }
        }
        v_store(mean + i, v_add(sum_plus, v_load(mean + i, n)), n);
        v_store(mean + d + i, v_add(sum_minus, v_load(mean + d + i, n)), n);
    }
}

INLINE void pacs_key(struct pacs_state *state, const void *k, const void *v, size_t m, int row, const struct rope *rope,
                     int heads, size_t d, enum act act)
{
    float plus[TOKENS * WIDEST], minus[TOKENS * WIDEST], part[WIDEST * WIDEST];
    size_t c = d * (size_t)heads;

    for (size_t h = 0; h < (size_t)heads; h++) {
        float *kv = state->kv + h * 2 * d * d, *mean = state->mean + h * 2 * d; /* (2d, d), (2d) */
        memset(part, 0, d * d * sizeof *part);
        for (size_t first = 0; first < m; first += TOKENS) {
            size_t tokens = m - first < TOKENS ? m - first : TOKENS, at = first * c + h * d;
            key_features(plus, minus, mean, k, at, c, first, tokens, d, rope, act);
            outer_products(part, plus, v, at, c, tokens, d, act);
            outer_products(kv + d * d, minus, v, at, c, tokens, d, act);
        }
        rotate_state(kv, part, rope->cos_sin + (size_t)row * 2 * d, d, 0);
    }
}

/* One head's queries: where they are, and what turns them into features. */
struct query {
    const void *q;               /* act */
    size_t at, c, first;         /* element of the first token, elements from one to the next, its column */
    const float *t1, *t2, *mean; /* (2d) */
    const struct rope *rope;
};

/* Features of count tokens from token t: rows of f (2d pairs of same, opposite, each half padded to width), the second half rotated
 * by column. inverse (2 each): one over the normalisers. */
INLINE void query_group(float *f, float *inverse, const struct query *x, size_t t, size_t d, int count, enum act act)
{
    const size_t width = width_of(d);
    vec same[2], opposite[2];

    UNROLL(2)
    for (int s = 0; s < count; s++)
        same[s] = opposite[s] = v_zero();
    for (size_t i = 0; i < d; i += VL) {
        size_t n = d - i;
        vec u[2], e[4], zero = v_zero(); /* e: same of each token, then opposite */
        vec m_plus = v_load(x->mean + i, n), m_minus = v_load(x->mean + d + i, n);
        UNROLL(2)
        for (int s = 0; s < count; s++) {
            u[s] = act_load(x->q, x->at + (t + (size_t)s) * x->c + i, n, act);
            e[s] = v_mul(v_abs(u[s]), v_if_negative(u[s], v_load(x->t1 + d + i, n), v_load(x->t1 + i, n)));
            e[count + s] = v_mul(v_abs(u[s]), v_if_negative(u[s], v_load(x->t2 + i, n), v_load(x->t2 + d + i, n)));
        }
        expm1_positive(e, 2 * count, act);
        UNROLL(2)
        for (int s = 0; s < count; s++) {
            const float *angles = x->rope->cos_sin + (x->first + t + (size_t)s) * 2 * d + i;
            float *row = f + (size_t)s * 4 * width;
            vec cosine = v_load(angles, n), sine = v_load(angles + d, n);
            vec a_plus = v_if_negative(u[s], zero, e[s]), a_minus = v_sub(e[s], a_plus);
            vec b_minus = v_if_negative(u[s], zero, e[count + s]),
                b_plus = v_sub(e[count + s], b_minus); /* plus: from q- */
            same[s] = v_fma(a_plus, m_plus, v_fma(a_minus, m_minus, same[s]));
            opposite[s] = v_fma(b_plus, m_plus, v_fma(b_minus, m_minus, opposite[s]));
            v_interleave(row + 2 * i, a_plus, b_plus);
            v_interleave(row + 2 * width + 2 * i, v_fma(a_minus, cosine, v_mul(v_swap(a_minus), sine)),
                         v_fma(b_minus, cosine, v_mul(v_swap(b_minus), sine)));
        }
    }
    UNROLL(2)
    for (int s = 0; s < count; s++) {
        inverse[2 * s] = 1.0f / (v_sum(same[s]) + 1e-6f);
        inverse[2 * s + 1] = 1.0f / (v_sum(opposite[s]) + 1e-6f);
    }
}

INLINE void query_features(float *f, float *inverse, const struct query *x, size_t tokens, size_t d, enum act act)
{
    size_t t = 0, row = 4 * width_of(d);

    for (; t + 2 <= tokens; t += 2)
        query_group(f + t * row, inverse + 2 * t, x, t, d, 2, act);
    if (t < tokens)
        query_group(f + t * row, inverse + 2 * t, x, t, d, 1, act);
}

/* out (2d, d): value columns alternate same, opposite; the first half turned back by the row's angles. */
INLINE void query_state(float *out, const float *kv, const float *angles, size_t d)
{
    float turned[WIDEST * WIDEST];

    rotate_state(turned, kv, angles, d, 1);
    for (size_t i = 0; i < 2 * d; i++) {
        const float *in = i < d ? turned + i * d : kv + i * d;
        for (size_t j = 0; j < d / 2; j++) {
            out[i * d + 2 * j] = in[j];
            out[i * d + 2 * j + 1] = in[d / 2 + j];
        }
    }
}

/* o[t] (d, rows c apart) = f_t S / z for count tokens; columns back in their order. */
INLINE void query_products(float *o, size_t c, const float *f, const float *inverse, const float *s, size_t d,
                           size_t count)
{
    enum { GROUP = 8 };
    const size_t width = width_of(d);

    for (size_t first = 0; first < count; first += GROUP) {
        size_t tokens = count - first < GROUP ? count - first : GROUP;
        const float *rows = f + first * 4 * width;
        for (size_t j = 0; j < d; j += VL) {
            vec sum[GROUP];
            UNROLL(8)
            for (size_t t = 0; t < GROUP; t++)
                sum[t] = v_zero();
            for (size_t half = 0; half < 2; half++)
                for (size_t i = 0; i < d; i++) {
                    vec value = v_load(s + (half * d + i) * d + j, d - j);
                    const float *pair = rows + half * 2 * width + 2 * i;
                    UNROLL(8)
                    for (size_t t = 0; t < GROUP; t++) /* tokens beyond count: computed, not stored */
                        sum[t] = v_fma(v_pair(pair + t * 4 * width), value, sum[t]);
                }
            UNROLL(8)
            for (size_t t = 0; t < GROUP; t++) {
                if (t >= tokens)
                    break;
                float *out = o + (first + t) * c;
                v_store_halves(out + j / 2, out + d / 2 + j / 2, v_mul(sum[t], v_pair(inverse + 2 * (first + t))),
                               (d - j) / 2);
            }
        }
    }
}

INLINE void pacs_query(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                       const struct rope *rope, const struct pacs_params *params, size_t d, enum act act)
{
    float f[TOKENS * 4 * WIDEST], s[2 * WIDEST * WIDEST];
    float inverse[2 * TOKENS] = {0};
    size_t c = d * (size_t)params->heads;

    for (size_t h = 0; h < (size_t)params->heads; h++) {
        const float *t1 = params->t1 + h * 2 * d, *t2 = params->t2 + h * 2 * d,
                    *mean = state->mean + h * 2 * d; /* (2d) */
        query_state(s, state->kv + h * 2 * d * d, rope->cos_sin + (size_t)row * 2 * d, d);
        for (size_t first = 0; first < m; first += TOKENS) {
            size_t tokens = m - first < TOKENS ? m - first : TOKENS, at = first * c + h * d;
            const struct query x = {q, at, c, first, t1, t2, mean, rope};
            query_features(f, inverse, &x, tokens, d, act);
            memset(f + tokens * 4 * width_of(d), 0, (TOKENS - tokens) * 4 * width_of(d) * sizeof *f);
            query_products(o + at, c, f, inverse, s, d, tokens);
        }
    }
}

/* The shipped models' head width, so that the loops over channels unroll. */
INLINE void pacs_key_any(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                         const struct rope *rope, const struct pacs_params *params, enum act act)
{
    if (params->d == 16)
        pacs_key(state, k, v, m, row, rope, params->heads, 16, act);
    else
        pacs_key(state, k, v, m, row, rope, params->heads, (size_t)params->d, act);
}

INLINE void pacs_query_any(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                           const struct rope *rope, const struct pacs_params *params, enum act act)
{
    if (params->d == 16)
        pacs_query(o, q, state, m, row, rope, params, 16, act);
    else
        pacs_query(o, q, state, m, row, rope, params, (size_t)params->d, act);
}

static void pacs_key_f32(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                         const struct rope *rope, const struct pacs_params *params)
{
    pacs_key_any(state, k, v, m, row, rope, params, ACT_F32);
}

void ISA(pi_pacs_key_bf16)(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                           const struct rope *rope, const struct pacs_params *params)
{
    pacs_key_any(state, k, v, m, row, rope, params, ACT_BF16);
}

static void pacs_query_f32(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                           const struct rope *rope, const struct pacs_params *params)
{
    pacs_query_any(o, q, state, m, row, rope, params, ACT_F32);
}

void ISA(pi_pacs_query_bf16)(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                             const struct rope *rope, const struct pacs_params *params)
{
    pacs_query_any(o, q, state, m, row, rope, params, ACT_BF16);
}

void ISA(pi_pacs)(struct kern *kern)
{
    kern->pacs_key[ACT_F32] = pacs_key_f32;
    kern->pacs_key[ACT_BF16] = ISA(pi_pacs_key_bf16);
    kern->pacs_query[ACT_F32] = pacs_query_f32;
    kern->pacs_query[ACT_BF16] = ISA(pi_pacs_query_bf16);
}
