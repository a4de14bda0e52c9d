/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Polarity-aware linear attention with channel-wise sharpness (PaCS), in plain C: the specification. Formulas and names from
 * lib/net/README.md: E(u) = exp(u) - 1; K = [E(k+), E(k-)]; A = [E(t1 q+), E(t1 q-)]; B = [E(t2 q-), E(t2 q+)].
 */
#include "kern/kern_isa.h"
#include "kern/value.h"

#include <math.h>

/* Rotates f (2d): pairs of the first half by the row's angles, pairs of the second half by the column's. */
static void rotate(float *f, size_t d, size_t row, size_t column, const struct rope *rope)
{
    for (size_t half = 0; half < 2; half++, f += d) {
        const float *cosine = rope->cos_sin + (half ? column : row) * 2 * d, *sine = cosine + d; /* (d) */
        for (size_t i = 0; i < d; i += 2) {
            float a = f[i], b = f[i + 1];
            f[i] = a * cosine[i] + b * sine[i];
            f[i + 1] = b * cosine[i + 1] + a * sine[i + 1];
        }
    }
}

static inline void pacs_key(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                            const struct rope *rope, const struct pacs_params *params, enum act act)
{
    size_t d = (size_t)params->d, c = d * (size_t)params->heads;
    float f[2 * KERN_MAX_HEAD];

    for (size_t h = 0; h < (size_t)params->heads; h++) {
        float *kv = state->kv + h * 2 * d * d; /* (2d, d) */
        float *mean = state->mean + h * 2 * d; /* (2d) */
        for (size_t n = 0; n < m; n++) {
            size_t at = n * c + h * d;
            for (size_t i = 0; i < d; i++) {
                float u = act_get(k, at + i, act);
                f[i] = expm1f(u < 0.0f ? 0.0f : u);
                f[d + i] = expm1f(u > 0.0f ? 0.0f : -u);
            }
            for (size_t i = 0; i < 2 * d; i++)
                mean[i] += f[i];
            rotate(f, d, (size_t)row, n, rope);
            for (size_t i = 0; i < 2 * d; i++)
                for (size_t j = 0; j < d; j++)
                    kv[i * d + j] += f[i] * act_get(v, at + j, act);
        }
    }
}

static void pacs_key_f32(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                         const struct rope *rope, const struct pacs_params *params)
{
    pacs_key(state, k, v, m, row, rope, params, ACT_F32);
}

static void pacs_key_bf16(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                          const struct rope *rope, const struct pacs_params *params)
{
    pacs_key(state, k, v, m, row, rope, params, ACT_BF16);
}

/* One stream of one token: features f (2d) of its query, value columns [from, from + d/2). */
static void stream(float *o, float *f, const float *kv, const float *mean, size_t d, size_t from, size_t row,
                   size_t column, const struct rope *rope)
{
    float z = 1e-6f;

    for (size_t i = 0; i < 2 * d; i++)
        z += f[i] * mean[i];
    rotate(f, d, row, column, rope);
    for (size_t j = from; j < from + d / 2; j++) {
        float sum = 0.0f;
        for (size_t i = 0; i < 2 * d; i++)
            sum += f[i] * kv[i * d + j];
        o[j] = sum / z;
    }
}

static inline void pacs_query(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                              const struct rope *rope, const struct pacs_params *params, enum act act)
{
    size_t d = (size_t)params->d, c = d * (size_t)params->heads;
    float same[2 * KERN_MAX_HEAD], opposite[2 * KERN_MAX_HEAD];

    for (size_t n = 0; n < m; n++)
        for (size_t h = 0; h < (size_t)params->heads; h++) {
            const float *t1 = params->t1 + h * 2 * d, *t2 = params->t2 + h * 2 * d; /* (2d) */
            for (size_t i = 0; i < d; i++) {
                float u = act_get(q, n * c + h * d + i, act);
                float plus = u < 0.0f ? 0.0f : u, minus = u > 0.0f ? 0.0f : -u;
                same[i] = expm1f(t1[i] * plus);
                same[d + i] = expm1f(t1[d + i] * minus);
                opposite[i] = expm1f(t2[i] * minus);
                opposite[d + i] = expm1f(t2[d + i] * plus);
            }
            const float *kv = state->kv + h * 2 * d * d, *mean = state->mean + h * 2 * d;
            float *out = o + n * c + h * d; /* (d) */
            stream(out, same, kv, mean, d, 0, (size_t)row, n, rope);
            stream(out, opposite, kv, mean, d, d / 2, (size_t)row, n, rope);
        }
}

static void pacs_query_f32(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                           const struct rope *rope, const struct pacs_params *params)
{
    pacs_query(o, q, state, m, row, rope, params, ACT_F32);
}

static void pacs_query_bf16(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                            const struct rope *rope, const struct pacs_params *params)
{
    pacs_query(o, q, state, m, row, rope, params, ACT_BF16);
}

void pi_pacs_scalar(struct kern *kern)
{
    kern->pacs_key[ACT_F32] = pacs_key_f32;
    kern->pacs_key[ACT_BF16] = pacs_key_bf16;
    kern->pacs_query[ACT_F32] = pacs_query_f32;
    kern->pacs_query[ACT_BF16] = pacs_query_bf16;
}
