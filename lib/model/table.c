/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See table.h.
 */
#include "model/table.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_BLOCK 4096

struct table_text {
    struct table_text *next;
    size_t used, size;
    char bytes[];
};

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
    [WEIGHT_F32] = {"F32", 4}, [WEIGHT_F16] = {"F16", 2},   [WEIGHT_BF16] = {"BF16", 2}, [WEIGHT_F64] = {"F64", 8},
    [WEIGHT_I64] = {"I64", 8}, [WEIGHT_I32] = {"I32", 4},   [WEIGHT_I16] = {"I16", 2},   [WEIGHT_I8] = {"I8", 1},
    [WEIGHT_U8] = {"U8", 1},   [WEIGHT_BOOL] = {"BOOL", 1},
};

#define DTYPES (sizeof dtypes / sizeof dtypes[0])

size_t pi_dtype_size(enum weight_dtype dtype)
{
    return dtypes[dtype].size;
}

const char *pi_dtype_name(enum weight_dtype dtype)
{
    return dtypes[dtype].name;
}

int pi_dtype_parse(enum weight_dtype *out, const char *name)
{
    for (size_t i = 0; i < DTYPES; i++)
        if (strcmp(name, dtypes[i].name) == 0) {
            *out = (enum weight_dtype)i;
            return 0;
        }
    return -1;
}

int pi_weight_measure(struct weight *weight)
{
    weight->count = 1;
    for (int i = 0; i < weight->dims; i++)
        if (__builtin_mul_overflow(weight->count, weight->shape[i], &weight->count))
            return -1;
    return __builtin_mul_overflow(weight->count, (uint64_t)pi_dtype_size(weight->dtype), &weight->bytes) ? -1 : 0;
}

/* A copy of text that lives as long as the table. */
static const char *keep(struct table *table, const char *text)
{
    size_t size = strlen(text) + 1;
    struct table_text *block = table->texts;

    if (!block || block->size - block->used < size) {
        size_t room = size > TEXT_BLOCK ? size : TEXT_BLOCK;
        if (!(block = pi_alloc(sizeof *block + room)))
            return NULL;
        block->size = room;
        block->next = table->texts;
        table->texts = block;
    }
    char *copy = block->bytes + block->used;
    memcpy(copy, text, size);
    block->used += size;
    return copy;
}

/* Makes room for one more element of size bytes after count of them: array itself or a larger copy; NULL: no memory. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room ? 2 * *room : 64, bytes;

    if (count < *room)
        return array;
    if (!pi_size_mul(&bytes, wanted, size))
        return NULL;
    void *larger = pi_alloc(bytes);
    if (!larger)
        return NULL;
    if (count)
        memcpy(larger, array, count * size);
    pi_free(array);
    *room = wanted;
    return larger;
}

struct weight *pi_table_add(struct table *table, const char *name)
{
    const char *copy = keep(table, name);
    struct weight *weights = copy ? grow(table->weights, table->count, &table->room, sizeof *weights) : NULL;

    if (!weights)
        return NULL;
    table->weights = weights;
    struct weight *weight = &weights[table->count++];
    *weight = (struct weight){.name = copy};
    return weight;
}

int pi_table_add_meta(struct table *table, const char *key, const char *value)
{
    struct meta meta = {keep(table, key), keep(table, value)};
    struct meta *metas = meta.key && meta.value
                             ? grow(table->metas, table->meta_count, &table->meta_room, sizeof *metas)
                             : NULL;

    if (!metas)
        return -1;
    table->metas = metas;
    metas[table->meta_count++] = meta;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct weight *)a)->name, ((const struct weight *)b)->name);
}

int pi_table_sort(struct table *table, struct pola_error *err)
{
    char shown[WEIGHT_NAME_SHOWN];

    if (table->count)
        qsort(table->weights, table->count, sizeof *table->weights, by_name);
    for (size_t i = 1; i < table->count; i++)
        if (by_name(&table->weights[i - 1], &table->weights[i]) == 0)
            return pi_err_set(err, POLA_ERR_FORMAT, "tensor '%s' is there twice",
                              pi_printable(shown, sizeof shown, table->weights[i].name));
    return POLA_OK;
}

const struct weight *pi_table_find(const struct table *table, const char *name)
{
    struct weight key = {.name = name};

    return table->count ? bsearch(&key, table->weights, table->count, sizeof key, by_name) : NULL;
}

const char *pi_table_meta(const struct table *table, const char *key)
{
    for (size_t i = 0; i < table->meta_count; i++)
        if (strcmp(table->metas[i].key, key) == 0)
            return table->metas[i].value;
    return NULL;
}

void pi_table_release(struct table *table)
{
    for (struct table_text *block = table->texts, *next; block; block = next) {
        next = block->next;
        pi_free(block);
    }
    pi_free(table->metas);
    pi_free(table->weights);
    *table = (struct table){0};
}
