/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Weights of the PolaFormer++ block: names, shapes, and what is folded into what when a model is loaded. See polablock.h.
 */
#include "net/polablock.h"

#include "model/weights.h"

#include <math.h>
#include <stdio.h>

int pi_block_config_check(const struct block_config *config, struct pola_error *err)
{
    if (config->c < 1 || config->c > 1024)
        return pi_err_set(err, POLA_ERR_MODEL, "width %d is not between 1 and 1024", config->c);
    if (config->heads < 1 || config->c % config->heads)
        return pi_err_set(err, POLA_ERR_MODEL, "%d heads do not divide width %d", config->heads, config->c);
    int d = config->c / config->heads;
    if (d % 2 || d > KERN_MAX_HEAD)
        return pi_err_set(err, POLA_ERR_MODEL, "head width %d is not an even number up to %d", d, KERN_MAX_HEAD);
    if (config->ffn < 1 || config->ffn > 8192)
        return pi_err_set(err, POLA_ERR_MODEL, "feed-forward width %d is not between 1 and 8192", config->ffn);
    return POLA_OK;
}

double pi_polablock_macs(const struct block_config *config)
{
    double c = config->c, f = config->ffn, d = c / config->heads;

    return 9 * c + 4 * c * c + 2 * 2 * d * c + 25 * c + c * c + 2 * c * f + 9 * f;
}

static void layout_gemm(struct gemm_weights *w, struct arena *arena, const struct block_shape *shape, int n, int k)
{
    *w = (struct gemm_weights){shape->kern->gemm[shape->act], n, k, 1, NULL};
    w->packed = pi_arena_cut(arena, 1, w->gemm->bytes(n, k, 1));
}

void pi_polablock_layout(struct polablock *block, struct arena *arena, const struct block_shape *shape)
{
    size_t c = (size_t)shape->config.c, f = (size_t)shape->config.ffn;
    struct {
        float **p;
        size_t count;
    } vectors[] = {
        {&block->pos_w, 9 * c},   {&block->pos_b, c},   {&block->norm1_w, c},  {&block->norm1_b, c},
        {&block->lepe_w, 25 * c}, {&block->lepe_b, c},  {&block->t1, 2 * c},   {&block->t2, 2 * c},
        {&block->norm2_w, c},     {&block->norm2_b, c}, {&block->dw_w, 9 * f}, {&block->dw_b, f},
    };

    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i].p = pi_arena_cut(arena, vectors[i].count, sizeof(float));
    layout_gemm(&block->qkvg, arena, shape, shape->config.c * 4, shape->config.c);
    layout_gemm(&block->proj, arena, shape, shape->config.c, shape->config.c);
    layout_gemm(&block->fc1, arena, shape, shape->config.ffn, shape->config.c);
    layout_gemm(&block->fc2, arena, shape, shape->config.c, shape->config.ffn);
}

size_t pi_polablock_scratch(const struct block_shape *shape)
{
    size_t c = (size_t)shape->config.c, f = (size_t)shape->config.ffn;
    size_t weights = c * (4 * c > f ? 4 * c : f), taps = 25 * (c > f ? c : f);

    return (weights > taps ? weights : taps) + (4 * c > f ? 4 * c : f) + c;
}

/* Where a block's tensors come from. */
struct source {
    const pola_model *model;
    const char *prefix;
    float *scratch;
    struct pola_error *err;
};

static int read_tensor(const struct source *from, float *out, const char *name, int dims, const uint64_t *shape)
{
    char full[256];

    snprintf(full, sizeof full, "%s%s", from->prefix, name);
    return pi_weights_read(from->model, out, full, dims, shape, from->err);
}

static int read_vector(const struct source *from, float *out, const char *name, int n)
{
    return read_tensor(from, out, name, 1, (const uint64_t[]){(uint64_t)n});
}

/* Depth-wise weight (c, 1, size, size) as taps (size^2, c). */
static int read_taps(const struct source *from, float *out, const char *name, int channels, int size)
{
    size_t c = (size_t)channels, taps = (size_t)(size * size);
    const uint64_t shape[] = {c, 1, (uint64_t)size, (uint64_t)size};
    int status = read_tensor(from, from->scratch, name, 4, shape);

    for (size_t t = 0; status == POLA_OK && t < taps; t++)
        for (size_t j = 0; j < c; j++)
            out[t * c + j] = from->scratch[j * taps + t];
    return status;
}

/* Temperatures (1, h, 1, 2d), through the sigmoid. */
static int read_temperatures(const struct source *from, float *out, const char *name, const struct block_config *config)
{
    uint64_t h = (uint64_t)config->heads, d = (uint64_t)config->c / h;
    int status = read_tensor(from, out, name, 4, (const uint64_t[]){1, h, 1, 2 * d});

    for (size_t i = 0; status == POLA_OK && i < 2 * h * d; i++)
        out[i] = (float)(1.0 / (1.0 + exp(-(double)out[i])));
    return status;
}

/* Linear layer, times the layer scale called gamma if there is one: gamma (W x + b) = (gamma W) x + gamma b. */
static int read_linear(const struct source *from, struct gemm_weights *w, const char *name, const char *gamma)
{
    size_t n = (size_t)w->n, k = (size_t)w->k;
    float *weight = from->scratch, *bias = weight + n * k, *scale = bias + n; /* (n, k), (n), (n) */
    char tensor[64];
    int status;

    snprintf(tensor, sizeof tensor, "%s.weight", name);
    if ((status = read_tensor(from, weight, tensor, 2, (const uint64_t[]){n, k})) != POLA_OK)
        return status;
    snprintf(tensor, sizeof tensor, "%s.bias", name);
    if ((status = read_vector(from, bias, tensor, w->n)) != POLA_OK)
        return status;
    if (gamma) {
        if ((status = read_tensor(from, scale, gamma, 4, (const uint64_t[]){1, n, 1, 1})) != POLA_OK)
            return status;
        for (size_t i = 0; i < n; i++) {
            bias[i] *= scale[i];
            for (size_t j = 0; j < k; j++)
                weight[i * k + j] *= scale[i];
        }
    }
    w->gemm->pack(w->packed, weight, bias, w->n, w->k, 1);
    return POLA_OK;
}

int pi_polablock_load(struct polablock *block, const struct block_shape *shape, const pola_model *model,
                      const char *prefix, float *scratch, struct pola_error *err)
{
    const struct source from = {model, prefix, scratch, err};
    int c = shape->config.c, f = shape->config.ffn, status;

    if ((status = read_taps(&from, block->pos_w, "pos.weight", c, 3)) != POLA_OK ||
        (status = read_vector(&from, block->pos_b, "pos.bias", c)) != POLA_OK ||
        (status = read_vector(&from, block->norm1_w, "norm1.norm.weight", c)) != POLA_OK ||
        (status = read_vector(&from, block->norm1_b, "norm1.norm.bias", c)) != POLA_OK ||
        (status = read_linear(&from, &block->qkvg, "attn.qkvg", NULL)) != POLA_OK ||
        (status = read_temperatures(&from, block->t1, "attn.s1", &shape->config)) != POLA_OK ||
        (status = read_temperatures(&from, block->t2, "attn.s2", &shape->config)) != POLA_OK ||
        (status = read_taps(&from, block->lepe_w, "attn.lepe.weight", c, 5)) != POLA_OK ||
        (status = read_vector(&from, block->lepe_b, "attn.lepe.bias", c)) != POLA_OK ||
        (status = read_linear(&from, &block->proj, "attn.proj", "gamma_1")) != POLA_OK ||
        (status = read_vector(&from, block->norm2_w, "norm2.norm.weight", c)) != POLA_OK ||
        (status = read_vector(&from, block->norm2_b, "norm2.norm.bias", c)) != POLA_OK ||
        (status = read_linear(&from, &block->fc1, "ffn.fc1", NULL)) != POLA_OK ||
        (status = read_taps(&from, block->dw_w, "ffn.dwconv.weight", f, 3)) != POLA_OK ||
        (status = read_vector(&from, block->dw_b, "ffn.dwconv.bias", f)) != POLA_OK ||
        (status = read_linear(&from, &block->fc2, "ffn.fc2", "gamma_2")) != POLA_OK)
        return status;
    return POLA_OK;
}
