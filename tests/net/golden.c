/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See golden.h.
 */
#include "golden.h"

#include "base/cpu.h"
#include "model/weights.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct golden_level golden_levels[5] = {
    {"scalar", 0},
    {"avx2", CPU_AVX2},
    {"avx512", CPU_AVX2 | CPU_AVX512},
    {"avx512bf16", CPU_AVX2 | CPU_AVX512 | CPU_AVX512BF16},
    {"amx", CPU_AVX2 | CPU_AVX512 | CPU_AVX512BF16 | CPU_AMX},
};

int golden_has(const struct golden_level *level)
{
    return (level->flags & ~pi_cpu_flags()) == 0;
}

pola_model *golden_open(const char *name)
{
    char path[1024];
    struct pola_error err;
    pola_model *model;

    snprintf(path, sizeof path, "%s/%s.safetensors", GOLDEN_DIR, name);
    if (pola_model_open(&model, path, &err) != POLA_OK)
        fail_msg("%s", err.text);
    return model;
}

float *golden_read(const pola_model *golden, const char *name, size_t *count)
{
    const struct weight *w = pi_weights_find(golden, name);
    struct pola_error err;

    if (!w)
        fail_msg("golden tensor %s is missing", name);
    float *out = malloc(w->count * sizeof *out);
    if (pi_weights_read(golden, out, name, w->dims, w->shape, &err) != POLA_OK)
        fail_msg("%s", err.text);
    if (count)
        *count = w->count;
    return out;
}

static uint64_t fnv1a(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u;

    while (*s)
        h = (h ^ (unsigned char)*s++) * 0x100000001b3u;
    return h;
}

/* [0, 1) */
static double uniform(uint64_t h, uint64_t i)
{
    uint64_t z = h + (i + 1) * 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)(z >> 40) / 16777216.0;
}

float golden_fill(const char *key, size_t i, int dims, const uint64_t *shape)
{
    const char *dot = strrchr(key, '.'), *last = dot ? dot + 1 : key;
    double v = 2.0 * uniform(fnv1a(key), i) - 1.0;
    uint64_t fan_in = 1;

    for (int d = 1; d < dims; d++)
        fan_in *= shape[d];
    if (strcmp(last, "s1") == 0 || strcmp(last, "s2") == 0)
        return (float)(1.5 * v);
    if (strncmp(last, "gamma_", 6) == 0)
        return (float)(0.5 + 0.2 * v);
    if (strcmp(last, "bias") == 0)
        return (float)(0.1 * v);
    assert_string_equal(last, "weight");
    return dims == 1 ? (float)(1.0 + 0.1 * v) : (float)(v * sqrt(3.0 / (double)fan_in));
}

float *golden_input(const char *key, const char *fill, size_t count)
{
    float *out = malloc(count * sizeof *out);
    uint64_t h = fnv1a(key);

    for (size_t i = 0; i < count; i++) {
        double u = uniform(h, i);
        out[i] = (float)(strcmp(fill, "u") == 0 ? u : (2.0 * u - 1.0) * sqrt(3.0));
    }
    return out;
}

static size_t elements(const struct golden_tensor *t)
{
    size_t n = 1;

    for (int d = 0; d < t->dims; d++)
        n *= t->shape[d];
    return n;
}

pola_model *golden_model(const char *path, const char *metadata, const struct golden_tensor *tensors, size_t count)
{
    FILE *file = fopen(path, "wb");
    char *header = NULL;
    size_t length = 0, offset = 0;
    FILE *text = open_memstream(&header, &length);
    struct pola_error err;
    pola_model *model;

    assert_non_null(file);
    fprintf(text, "{\"__metadata__\":%s", metadata);
    for (size_t i = 0; i < count; i++) {
        size_t bytes = elements(&tensors[i]) * sizeof(float);
        fprintf(text, ",\"%s\":{\"dtype\":\"F32\",\"shape\":[", tensors[i].name);
        for (int d = 0; d < tensors[i].dims; d++)
            fprintf(text, "%s%llu", d ? "," : "", (unsigned long long)tensors[i].shape[d]);
        fprintf(text, "],\"data_offsets\":[%zu,%zu]}", offset, offset + bytes);
        offset += bytes;
    }
    fprintf(text, "}");
    fclose(text);
    uint64_t size = length;
    fwrite(&size, sizeof size, 1, file);
    fwrite(header, 1, length, file);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < elements(&tensors[i]); j++) {
            float v = golden_fill(tensors[i].name, j, tensors[i].dims, tensors[i].shape);
            fwrite(&v, sizeof v, 1, file);
        }
    assert_int_equal(fclose(file), 0);
    free(header);
    if (pola_model_open(&model, path, &err) != POLA_OK)
        fail_msg("%s", err.text);
    return model;
}

static char names[400][64];
static size_t names_used;

static size_t append(struct golden_tensor *tensors, size_t count, const char *prefix, const char *name, int dims,
                     uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    char *full = names[names_used++];

    assert_true(names_used <= 400);
    snprintf(full, sizeof names[0], "%s%s", prefix, name);
    tensors[count] = (struct golden_tensor){full, dims, {a, b, c, d}};
    return count + 1;
}

size_t golden_block(struct golden_tensor *tensors, size_t n, const char *prefix, int width, int heads, int ffn)
{
    uint64_t c = (uint64_t)width, h = (uint64_t)heads, f = (uint64_t)ffn, d = c / h;

    n = append(tensors, n, prefix, "pos.weight", 4, c, 1, 3, 3);
    n = append(tensors, n, prefix, "pos.bias", 1, c, 0, 0, 0);
    n = append(tensors, n, prefix, "norm1.norm.weight", 1, c, 0, 0, 0);
    n = append(tensors, n, prefix, "norm1.norm.bias", 1, c, 0, 0, 0);
    n = append(tensors, n, prefix, "attn.qkvg.weight", 2, 4 * c, c, 0, 0);
    n = append(tensors, n, prefix, "attn.qkvg.bias", 1, 4 * c, 0, 0, 0);
    n = append(tensors, n, prefix, "attn.s1", 4, 1, h, 1, 2 * d);
    n = append(tensors, n, prefix, "attn.s2", 4, 1, h, 1, 2 * d);
    n = append(tensors, n, prefix, "attn.lepe.weight", 4, c, 1, 5, 5);
    n = append(tensors, n, prefix, "attn.lepe.bias", 1, c, 0, 0, 0);
    n = append(tensors, n, prefix, "attn.proj.weight", 2, c, c, 0, 0);
    n = append(tensors, n, prefix, "attn.proj.bias", 1, c, 0, 0, 0);
    n = append(tensors, n, prefix, "gamma_1", 4, 1, c, 1, 1);
    n = append(tensors, n, prefix, "norm2.norm.weight", 1, c, 0, 0, 0);
    n = append(tensors, n, prefix, "norm2.norm.bias", 1, c, 0, 0, 0);
    n = append(tensors, n, prefix, "ffn.fc1.weight", 2, f, c, 0, 0);
    n = append(tensors, n, prefix, "ffn.fc1.bias", 1, f, 0, 0, 0);
    n = append(tensors, n, prefix, "ffn.dwconv.weight", 4, f, 1, 3, 3);
    n = append(tensors, n, prefix, "ffn.dwconv.bias", 1, f, 0, 0, 0);
    n = append(tensors, n, prefix, "ffn.fc2.weight", 2, c, f, 0, 0);
    n = append(tensors, n, prefix, "ffn.fc2.bias", 1, c, 0, 0, 0);
    return append(tensors, n, prefix, "gamma_2", 4, 1, c, 1, 1);
}

size_t golden_polasr(struct golden_tensor *tensors, const struct golden_polasr *config)
{
    uint64_t dim = (uint64_t)config->dim, out = (uint64_t)(3 * config->scale * config->scale);
    char prefix[32];
    size_t n = 0;

    tensors[n++] = (struct golden_tensor){"conv_first.weight", 4, {dim, 3, 3, 3}};
    tensors[n++] = (struct golden_tensor){"conv_first.bias", 1, {dim}};
    tensors[n++] = (struct golden_tensor){"conv_after_body.weight", 4, {dim, dim, 3, 3}};
    tensors[n++] = (struct golden_tensor){"conv_after_body.bias", 1, {dim}};
    tensors[n++] = (struct golden_tensor){"upsample.weight", 4, {out, dim, 3, 3}};
    tensors[n++] = (struct golden_tensor){"upsample.bias", 1, {out}};
    for (int i = 0; i < config->depth; i++) {
        snprintf(prefix, sizeof prefix, "blocks.%d.", i);
        n = golden_block(tensors, n, prefix, config->dim, config->heads, config->ffn);
    }
    return n;
}

double golden_error(const float *a, const float *b, size_t count)
{
    double worst = 0.0, largest = 0.0;

    for (size_t i = 0; i < count; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        if (!(d <= worst))
            worst = d; /* also when it is NaN */
        if (fabs((double)b[i]) > largest)
            largest = fabs((double)b[i]);
    }
    return worst / largest;
}
