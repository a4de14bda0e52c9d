/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See weights.h and the models part of pola.h. A model is a mapped file and the table that its loader made of it.
 */
#include "model/weights.h"

#include "base/mapfile.h"
#include "base/mem.h"
#include "model/safetensors.h"
#include "model/table.h"
#include "tensor/bf16.h"

#include <float.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define FILE_LIMIT  ((uint64_t)1 << 40) /* far above any model, far below an overflow */
#define PATH_SHOWN  300                 /* leaves room in an error record for what went wrong */
#define SHAPE_SHOWN 192                 /* 8 dimensions of 20 digits with ", " between them and brackets */

struct pola_model {
    atomic_int references;
    struct mapfile map;
    struct table table;
    uint64_t parameters;
    char path[PATH_SHOWN];
};

static bool begins(const struct mapfile *map, const char *magic)
{
    size_t n = strlen(magic);

    return map->size >= n && memcmp(map->data, magic, n) == 0;
}

/* Chooses the loader by what the file holds, whatever its name. */
static int load(pola_model *model, struct pola_error *err)
{
    const struct mapfile *map = &model->map;

    if (begins(map, "PK\003\004"))
        return pi_err_set(err, POLA_ERR_FORMAT, "this is a zip archive, as PyTorch writes: convert it to safetensors");
    if (begins(map, "version https://git-lfs"))
        return pi_err_set(err, POLA_ERR_FORMAT, "this is a Git LFS pointer, not the model: run 'git lfs pull'");
    return pi_safetensors_load(&model->table, map->data, map->size, err);
}

/* A printable path of bounded length: the end says more than the beginning. */
static void show_path(char *out, size_t size, const char *path)
{
    size_t length = strlen(path), skip = 0;

    if (length >= size) {
        skip = length - size + 4;
        while ((path[skip] & 0xc0) == 0x80) /* not inside a UTF-8 character */
            skip++;
        memcpy(out, "...", 3);
        out += 3;
        size -= 3;
    }
    pi_printable(out, size, path + skip);
}

int pola_model_open(pola_model **out, const char *path, struct pola_error *err)
{
    pola_model *model = pi_alloc(sizeof *model);

    *out = NULL;
    if (!model)
        return pi_err_set(err, POLA_ERR_MEMORY, "not enough memory to open a model");
    atomic_init(&model->references, 1);
    show_path(model->path, sizeof model->path, path);
    if (pi_mapfile_open(&model->map, path, FILE_LIMIT, err) < 0 || load(model, err) < 0)
        goto fail;
    for (size_t i = 0; i < model->table.count; i++)
        model->parameters += model->table.weights[i].count; /* below the file's size */
    *out = model;
    return POLA_OK;
fail:;
    int status = pi_err_prefix(err, "model '%s'", model->path);
    pola_model_unref(model);
    return status;
}

pola_model *pola_model_ref(pola_model *model)
{
    atomic_fetch_add(&model->references, 1);
    return model;
}

void pola_model_unref(pola_model *model)
{
    if (!model || atomic_fetch_sub(&model->references, 1) != 1)
        return;
    pi_table_release(&model->table);
    pi_mapfile_close(&model->map);
    pi_free(model);
}

const char *pola_model_meta(const pola_model *model, const char *key)
{
    return pi_table_meta(&model->table, key);
}

uint64_t pola_model_parameters(const pola_model *model)
{
    return model->parameters;
}

const char *pi_weights_path(const pola_model *model)
{
    return model->path;
}

size_t pi_weights_count(const pola_model *model)
{
    return model->table.count;
}

const struct weight *pi_weights_at(const pola_model *model, size_t i)
{
    return &model->table.weights[i];
}

const struct weight *pi_weights_find(const pola_model *model, const char *name)
{
    return pi_table_find(&model->table, name);
}

/* "[192, 48]" */
static const char *show_shape(char *out, size_t size, int dims, const uint64_t *shape)
{
    size_t used = 0;

    out[used++] = '[';
    for (int i = 0; i < dims; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%" PRIu64, i ? ", " : "", shape[i]);
    memcpy(out + used, "]", 2);
    return out;
}

static int check_shape(const struct weight *weight, int dims, const uint64_t *shape, struct pola_error *err)
{
    char is[SHAPE_SHOWN], expected[SHAPE_SHOWN];

    if (weight->dims == dims && (dims == 0 || memcmp(weight->shape, shape, (size_t)dims * sizeof *shape) == 0))
        return POLA_OK;
    return pi_err_set(err, POLA_ERR_MODEL, "tensor '%s' is %s, expected %s", weight->name,
                      show_shape(is, sizeof is, weight->dims, weight->shape),
                      show_shape(expected, sizeof expected, dims, shape));
}

static uint16_t load16(const unsigned char *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t load32(const unsigned char *p)
{
    return (uint32_t)load16(p) | (uint32_t)load16(p + 2) << 16;
}

/* The dtype is one of the three below. */
static void convert(float *out, const struct weight *weight)
{
    const unsigned char *data = weight->data;

    if (weight->dtype == WEIGHT_F32)
        for (size_t i = 0; i < weight->count; i++)
            out[i] = pi_f32_from_bits(load32(data + 4 * i));
    else if (weight->dtype == WEIGHT_F16)
        for (size_t i = 0; i < weight->count; i++)
            out[i] = pi_f16_to_f32(load16(data + 2 * i));
    else
        for (size_t i = 0; i < weight->count; i++)
            out[i] = pi_bf16_to_f32(load16(data + 2 * i));
}

int pi_weights_read(const pola_model *model, float *out, const char *name, int dims, const uint64_t *shape,
                    struct pola_error *err)
{
    const struct weight *weight = pi_weights_find(model, name);
    int status;

    if (!weight)
        return pi_err_set(err, POLA_ERR_MODEL, "tensor '%s' is missing", name);
    if ((status = check_shape(weight, dims, shape, err)) < 0)
        return status;
    if (weight->dtype != WEIGHT_F32 && weight->dtype != WEIGHT_F16 && weight->dtype != WEIGHT_BF16)
        return pi_err_set(err, POLA_ERR_MODEL, "tensor '%s' has dtype %s, expected F32, F16 or BF16", name,
                          pi_dtype_name(weight->dtype));
    convert(out, weight);
    for (size_t i = 0; i < weight->count; i++)
        if (!isfinite(out[i]))
            return pi_err_set(err, POLA_ERR_MODEL, "tensor '%s' holds a value that is not finite (element %zu)", name,
                              i);
    return POLA_OK;
}

/* *out = the metadata as a JSON number (which, unlike strtod, knows no locale), NULL when it is no number. */
static json_t *number(const char *text, size_t flags)
{
    json_error_t fault;
    json_t *value = json_loads(text, JSON_DECODE_ANY | flags, &fault);

    if (value && !json_is_number(value)) {
        json_decref(value);
        value = NULL;
    }
    return value;
}

static int meta_missing(const char *key, struct pola_error *err)
{
    return pi_err_set(err, POLA_ERR_MODEL, "metadata '%s' is missing", key);
}

#define VALUE_SHOWN 64 /* characters of a metadata value in a message */

int pi_weights_meta_int(const pola_model *model, int *out, const char *key, int min, int max, int fallback,
                        struct pola_error *err)
{
    const char *text = pola_model_meta(model, key);
    char shown[VALUE_SHOWN];

    if (!text && fallback < min)
        return meta_missing(key, err);
    if (!text) {
        *out = fallback;
        return POLA_OK;
    }
    json_t *value = number(text, 0);
    json_int_t whole = json_integer_value(value);
    bool good = json_is_integer(value) && whole >= min && whole <= max;
    json_decref(value);
    if (!good)
        return pi_err_set(err, POLA_ERR_MODEL, "metadata '%s' is '%s', expected a whole number from %d to %d", key,
                          pi_printable(shown, sizeof shown, text), min, max);
    *out = (int)whole;
    return POLA_OK;
}

int pi_weights_meta_double(const pola_model *model, double *out, const char *key, double min, double max,
                           double fallback, struct pola_error *err)
{
    const char *text = pola_model_meta(model, key);
    char shown[VALUE_SHOWN];

    if (!text && !(fallback >= min))
        return meta_missing(key, err);
    if (!text) {
        *out = fallback;
        return POLA_OK;
    }
    json_t *value = number(text, JSON_DECODE_INT_AS_REAL);
    double real = json_real_value(value);
    bool good = value && real >= min && real <= max;
    json_decref(value);
    if (!good)
        return pi_err_set(err, POLA_ERR_MODEL, "metadata '%s' is '%s', expected a number from %g to %g", key,
                          pi_printable(shown, sizeof shown, text), min, max);
    *out = real;
    return POLA_OK;
}
