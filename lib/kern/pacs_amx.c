/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Polarity-aware linear attention (PaCS) with AMX, for heads of 16 channels, the width of the shipped models; others take the
 * AVX-512 kernels. What pacs_simd.h does with vectors becomes tile products here; features are formed the same way and rounded
 * to bfloat16, sums stay float32.
 *
 *   keys     C (16 values, 16 features) += V^T (16, 32 tokens) F (32 tokens, 16 features), for each polarity of each head
 *   queries  o (16 tokens, 16) = [A+ A-'] W1 + [B+ B-'] W2;  z (16 tokens, 2 per head) = [A+ A-'] M1 + [B+ B-'] M2 + [A- B-] M3
 *            W1, W2 hold the state's same-sign and opposite-sign columns, M1..M3 the mean key; A-', B-' are rotated by column
 */
#define SIMD_BF16_HARDWARE
#include "kern/simd_avx512.h"

#include "kern/kern_isa.h"
#include "kern/simd_exp.h"

#include <string.h>

enum { D = 16, MAX_HEADS = 8, TILE_TOKENS = 16, KEY_TOKENS = 32, KEY_HEADS = 3 };

/* A tile of 16 rows of 32 bfloat16. */
struct tile {
    uint16_t row[16][32];
} __attribute__((aligned(64)));

/* (a0, b0, a1, b1, ...): the row of a weight tile for reduction indices 2p (a) and 2p + 1 (b). */
static inline __m512i pairs(vec a, vec b)
{
    static const uint16_t order[32]
        __attribute__((aligned(64))) = {0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
                                        8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};

    return _mm512_permutexvar_epi16(_mm512_load_si512(order), (__m512i)_mm512_cvtne2ps_pbh(b, a));
}

/* Transposes 16 rows of 16 32-bit elements. */
static inline void transpose(__m512i r[16])
{
    __m512i t[16];

    UNROLL(8)
    for (int i = 0; i < 8; i++) {
        t[2 * i] = _mm512_unpacklo_epi32(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_epi32(r[2 * i], r[2 * i + 1]);
    }
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        r[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
        r[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
        r[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
    }
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[4 + i], 0x88);
        t[4 + i] = _mm512_shuffle_i32x4(r[i], r[4 + i], 0xdd);
        t[8 + i] = _mm512_shuffle_i32x4(r[8 + i], r[12 + i], 0x88);
        t[12 + i] = _mm512_shuffle_i32x4(r[8 + i], r[12 + i], 0xdd);
    }
    UNROLL(4)
    for (int i = 0; i < 4; i++) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[8 + i], 0x88);
        r[8 + i] = _mm512_shuffle_i32x4(t[i], t[8 + i], 0xdd);
        r[4 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], 0x88);
        r[12 + i] = _mm512_shuffle_i32x4(t[4 + i], t[12 + i], 0xdd);
    }
}

/* ---- keys ---------------------------------------------------------------------------------------------------- */

/* The bfloat16 of two tokens, rows c apart, as (a0, b0, a1, b1, ...). */
static inline __m512i pairs_bf16(const uint16_t *p, size_t c)
{
    __m512i a = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    __m512i b = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(p + c)));

    return _mm512_or_si512(a, _mm512_slli_epi32(b, 16));
}

/* Features of two tokens of one head, as rows of weight tiles; adds to the means. */
static inline void key_pair(__m512i *plus_row, __m512i *minus_row, vec *mean_plus, vec *mean_minus, const uint16_t *k,
                            size_t c, const float *angles)
{
    vec u[2], e[2], plus[2], minus[2];

    UNROLL(2)
    for (int i = 0; i < 2; i++) {
        u[i] = v_load_bf16(k + (size_t)i * c, VL);
        e[i] = v_abs(u[i]);
    }
    expm1_positive(e, 2, ACT_BF16);
    UNROLL(2)
    for (int i = 0; i < 2; i++) {
        vec p = v_if_negative(u[i], v_zero(), e[i]), n = v_sub(e[i], p);
        *mean_plus = v_add(*mean_plus, p);
        *mean_minus = v_add(*mean_minus, n);
        plus[i] = p;
        minus[i] = v_fma(n, v_load(angles + i * 2 * D, VL), v_mul(v_swap(n), v_load(angles + i * 2 * D + D, VL)));
    }
    *plus_row = pairs(plus[0], plus[1]);
    *minus_row = pairs(minus[0], minus[1]);
}

/* Tiles of one head for 32 tokens, or for the last ones of a row: the rest is zero. k and v point at the head's channels. */
static inline void key_tiles(struct tile *values, struct tile *plus, struct tile *minus, float *mean, const uint16_t *k,
                             const uint16_t *v, size_t c, size_t tokens, const float *angles)
{
    __m512i value[16];
    vec mean_plus = v_load(mean, VL), mean_minus = v_load(mean + D, VL);
    uint16_t padded[4 * D] = {0}; /* the last token of an odd row, and nothing after it: k, v, zeros */

    for (size_t p = 0; p < 16; p++) {
        __m512i plus_row = _mm512_setzero_si512(), minus_row = plus_row;
        value[p] = plus_row;
        if (2 * p < tokens) {
            const uint16_t *kp = k + 2 * p * c, *vp = v + 2 * p * c;
            size_t step = c;
            if (2 * p + 1 == tokens) {
                memcpy(padded, kp, D * sizeof *kp);
                memcpy(padded + D, vp, D * sizeof *vp);
                kp = padded;
                vp = padded + D;
                step = 2 * D;
            }
            key_pair(&plus_row, &minus_row, &mean_plus, &mean_minus, kp, step, angles + 2 * p * 2 * D);
            value[p] = pairs_bf16(vp, step);
        }
        _mm512_store_si512(plus->row[p], plus_row);
        _mm512_store_si512(minus->row[p], minus_row);
    }
    transpose(value);
    UNROLL(16)
    for (int j = 0; j < 16; j++)
        _mm512_store_si512(values->row[j], value[j]);
    v_store(mean, mean_plus, VL);
    v_store(mean + D, mean_minus, VL);
}

/* kv (32 features, 16 values) += the sums of one head, (16 values, 16 features) each; plus turned by the row's angles. */
static inline void add_state(float *kv, const float *plus, const float *minus, const float *angles)
{
    __m512i p[16], n[16];

    UNROLL(16)
    for (int j = 0; j < 16; j++) {
        vec f = _mm512_loadu_ps(plus + j * D);
        f = v_fma(f, v_load(angles, VL), v_mul(v_swap(f), v_load(angles + D, VL)));
        p[j] = _mm512_castps_si512(f);
        n[j] = _mm512_loadu_si512(minus + j * D);
    }
    transpose(p);
    transpose(n);
    UNROLL(16)
    for (int i = 0; i < 16; i++) {
        v_store(kv + i * D, v_add(v_load(kv + i * D, VL), _mm512_castsi512_ps(p[i])), VL);
        v_store(kv + (D + i) * D, v_add(v_load(kv + (D + i) * D, VL), _mm512_castsi512_ps(n[i])), VL);
    }
}

/* One product of each polarity; the sums of the i-th of KEY_HEADS heads live in tiles 2i and 2i + 1 (register numbers must be
 * literals). */
#define KEY_PRODUCTS(first, second)                                                                                    \
    do {                                                                                                               \
        _tile_loadd(6, &values, 64);                                                                                   \
        _tile_loadd(7, &plus, 64);                                                                                     \
        _tile_dpbf16ps(first, 6, 7);                                                                                   \
        _tile_loadd(7, &minus, 64);                                                                                    \
        _tile_dpbf16ps(second, 6, 7);                                                                                  \
    } while (0)

#define KEY_SUMS(first, second)                                                                                        \
    do {                                                                                                               \
        _tile_stored(first, sum_plus, 64);                                                                             \
        _tile_stored(second, sum_minus, 64);                                                                           \
    } while (0)

/* Up to KEY_HEADS heads from head `from`. */
static void key_heads(struct pacs_state *state, const uint16_t *k, const uint16_t *v, size_t c, size_t m, int row,
                      const struct rope *rope, size_t from, size_t heads)
{
    struct tile values, plus, minus;
    float sum_plus[D * D], sum_minus[D * D];

    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    _tile_zero(4);
    _tile_zero(5);
    for (size_t first = 0; first < m; first += KEY_TOKENS) {
        size_t tokens = m - first < KEY_TOKENS ? m - first : KEY_TOKENS;
        for (size_t i = 0; i < heads; i++) {
            size_t h = from + i, at = first * c + h * D;
            key_tiles(&values, &plus, &minus, state->mean + h * 2 * D, k + at, v + at, c, tokens,
                      rope->cos_sin + first * 2 * D);
            if (i == 0)
                KEY_PRODUCTS(0, 1);
            else if (i == 1)
                KEY_PRODUCTS(2, 3);
            else
                KEY_PRODUCTS(4, 5);
        }
    }
    for (size_t i = 0; i < heads; i++) {
        if (i == 0)
            KEY_SUMS(0, 1);
        else if (i == 1)
            KEY_SUMS(2, 3);
        else
            KEY_SUMS(4, 5);
        add_state(state->kv + (from + i) * 2 * D * D, sum_plus, sum_minus, rope->cos_sin + (size_t)row * 2 * D);
    }
}

static void pacs_key(struct pacs_state *state, const void *k, const void *v, size_t m, int row, const struct rope *rope,
                     const struct pacs_params *params)
{
    if (params->d != D) {
        pi_pacs_key_bf16_avx512bf16(state, k, v, m, row, rope, params);
        return;
    }
    for (size_t from = 0; from < (size_t)params->heads; from += KEY_HEADS) {
        size_t left = (size_t)params->heads - from;
        key_heads(state, k, v, (size_t)params->heads * D, m, row, rope, from, left < KEY_HEADS ? left : KEY_HEADS);
    }
}

/* ---- queries ------------------------------------------------------------------------------------------------- */

/* Weights of one head: W1, W2, M1, M2, M3. */
struct query_weights {
    struct tile same, opposite, mean_same, mean_opposite, mean_minus;
};

/* Column pair 2h, 2h + 1 of a mean tile: dword (m[2p], m[2p+1]) in row p. */
static inline void put_means(struct tile *tile, size_t first_row, size_t column, const float *mean)
{
    uint16_t half[D];

    v_store_bf16(half, v_load(mean, VL), VL);
    for (size_t p = 0; p < D / 2; p++)
        memcpy(&tile->row[first_row + p][2 * column], half + 2 * p, 2 * sizeof *half);
}

static void query_weights(struct query_weights *w, const float *kv, const float *mean, const float *angles, size_t h)
{
    memset(&w->mean_same, 0, 3 * sizeof w->mean_same);
    put_means(&w->mean_same, 0, 2 * h, mean);
    put_means(&w->mean_opposite, 0, 2 * h + 1, mean);
    put_means(&w->mean_minus, 0, 2 * h, mean + D);
    put_means(&w->mean_minus, D / 2, 2 * h + 1, mean + D);
    for (size_t p = 0; p < D; p++) { /* features 2p, 2p + 1 */
        vec a = v_load(kv + 2 * p * D, VL), b = v_load(kv + (2 * p + 1) * D, VL);
        if (p < D / 2) { /* the first half turned back by the row's angles */
            vec cosine = v_set1(angles[2 * p]), sine = v_set1(angles[D + 2 * p + 1]);
            vec turned = v_fma(a, cosine, v_mul(b, sine));
            b = v_sub(v_mul(b, cosine), v_mul(a, sine));
            a = turned;
        }
        __m512i row = pairs(a, b);
        _mm512_store_si512(w->same.row[p], _mm512_maskz_mov_epi32(0x00ff, row));
        _mm512_store_si512(w->opposite.row[p], _mm512_maskz_mov_epi32(0xff00, row));
    }
}

/* Features of one head for 16 tokens or the last ones of a row. */
struct query_tiles {
    struct tile same, opposite, minus; /* [A+ A-'], [B+ B-'], [A- B-] */
};

/* What turns a head's queries into features: the two halves of t1 and t2. */
struct temperatures {
    vec same_plus, same_minus, opposite_plus, opposite_minus;
};

/* count (1 or 2) tokens from token t; angles: of their columns. */
INLINE void query_tokens(struct query_tiles *x, const uint16_t *q, size_t c, size_t t, const struct temperatures *h,
                         const float *angles, int count)
{
    vec u[2], e[4], zero = v_zero(); /* e: same of each token, then opposite */

    UNROLL(2)
    for (int s = 0; s < count; s++) {
        u[s] = v_load_bf16(q + (t + (size_t)s) * c, VL);
        e[s] = v_mul(v_abs(u[s]), v_if_negative(u[s], h->same_minus, h->same_plus));
        e[count + s] = v_mul(v_abs(u[s]), v_if_negative(u[s], h->opposite_plus, h->opposite_minus));
    }
    expm1_positive(e, 2 * count, ACT_BF16);
    UNROLL(2)
    for (int s = 0; s < count; s++) {
        size_t row = t + (size_t)s;
        vec a_plus = v_if_negative(u[s], zero, e[s]), a_minus = v_sub(e[s], a_plus);
        vec b_minus = v_if_negative(u[s], zero, e[count + s]),
            b_plus = v_sub(e[count + s], b_minus); /* plus: from q- */
        vec cosine = v_load(angles + (size_t)s * 2 * D, VL), sine = v_load(angles + (size_t)s * 2 * D + D, VL);
        vec a_turned = v_fma(a_minus, cosine, v_mul(v_swap(a_minus), sine));
        vec b_turned = v_fma(b_minus, cosine, v_mul(v_swap(b_minus), sine));
        _mm512_store_si512(x->same.row[row], (__m512i)_mm512_cvtne2ps_pbh(a_turned, a_plus));
        _mm512_store_si512(x->opposite.row[row], (__m512i)_mm512_cvtne2ps_pbh(b_turned, b_plus));
        _mm512_store_si512(x->minus.row[row], (__m512i)_mm512_cvtne2ps_pbh(b_minus, a_minus));
    }
}

/* t1, t2 (2d); angles: of the first token's column. */
static inline void query_features(struct query_tiles *x, const uint16_t *q, size_t c, size_t tokens, const float *t1,
                                  const float *t2, const float *angles)
{
    const struct temperatures h = {v_load(t1, VL), v_load(t1 + D, VL), v_load(t2, VL), v_load(t2 + D, VL)};
    size_t t = 0;

    for (; t + 2 <= tokens; t += 2)
        query_tokens(x, q, c, t, &h, angles + t * 2 * D, 2);
    if (t < tokens)
        query_tokens(x, q, c, t, &h, angles + t * 2 * D, 1);
}

/* 1 / x for x from 1e-6 up, to float32 precision. */
static inline vec reciprocal(vec x)
{
    vec r = _mm512_rcp14_ps(x);

    return v_mul(r, _mm512_fnmadd_ps(x, r, v_set1(2.0f)));
}

/* o (tokens, 16 per head, rows c apart) = sums / normalisers. */
static inline void query_divide(float *o, size_t c, float sums[MAX_HEADS][TILE_TOKENS * D], const float *z,
                                size_t tokens, size_t heads)
{
    const __m512i halves = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);

    for (size_t t = 0; t < tokens; t++) {
        vec inverse = reciprocal(v_add(v_load(z + t * D, VL), v_set1(1e-6f)));
        for (size_t h = 0; h < heads; h++) {
            __m512i index = _mm512_add_epi32(halves, _mm512_set1_epi32((int)(2 * h)));
            v_store(o + t * c + h * D, v_mul(v_load(sums[h] + t * D, VL), _mm512_permutexvar_ps(index, inverse)), VL);
        }
    }
}

static void query_row(float *o, const uint16_t *q, const struct pacs_state *state, size_t m, int row,
                      const struct rope *rope, const struct pacs_params *params)
{
    size_t heads = (size_t)params->heads, c = heads * D;
    struct query_weights w[MAX_HEADS];
    struct query_tiles x;
    float sums[MAX_HEADS][TILE_TOKENS * D], z[TILE_TOKENS * D];

    memset(&x, 0, sizeof x);
    for (size_t h = 0; h < heads; h++)
        query_weights(&w[h], state->kv + h * 2 * D * D, state->mean + h * 2 * D, rope->cos_sin + (size_t)row * 2 * D,
                      h);
    for (size_t first = 0; first < m; first += TILE_TOKENS) {
        size_t tokens = m - first < TILE_TOKENS ? m - first : TILE_TOKENS;
        _tile_zero(1);
        for (size_t h = 0; h < heads; h++) {
            query_features(&x, q + first * c + h * D, c, tokens, params->t1 + h * 2 * D, params->t2 + h * 2 * D,
                           rope->cos_sin + first * 2 * D);
            _tile_zero(0);
            _tile_loadd(2, &x.same, 64);
            _tile_loadd(3, &w[h].same, 64);
            _tile_dpbf16ps(0, 2, 3);
            _tile_loadd(4, &x.opposite, 64);
            _tile_loadd(5, &w[h].opposite, 64);
            _tile_dpbf16ps(0, 4, 5);
            _tile_loadd(6, &w[h].mean_same, 64);
            _tile_dpbf16ps(1, 2, 6);
            _tile_loadd(7, &w[h].mean_opposite, 64);
            _tile_dpbf16ps(1, 4, 7);
            _tile_loadd(2, &x.minus, 64);
            _tile_loadd(3, &w[h].mean_minus, 64);
            _tile_dpbf16ps(1, 2, 3);
            _tile_stored(0, sums[h], 64);
        }
        _tile_stored(1, z, 64);
        query_divide(o + first * c, c, sums, z, tokens, heads);
    }
}

static void pacs_query(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                       const struct rope *rope, const struct pacs_params *params)
{
    if (params->d != D || params->heads > MAX_HEADS) {
        pi_pacs_query_bf16_avx512bf16(o, q, state, m, row, rope, params);
        return;
    }
    query_row(o, q, state, m, row, rope, params);
}

void pi_pacs_amx(struct kern *kern)
{
    kern->pacs_key[ACT_BF16] = pacs_key;
    kern->pacs_query[ACT_BF16] = pacs_query;
}
