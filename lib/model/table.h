/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The table of named tensors and metadata that a loader (safetensors.c) fills in and weights.c searches. Its own texts are
 * copies; tensor data are not: they stay where the loader found them.
 */
#ifndef PI_TABLE_H
#define PI_TABLE_H

#include "model/weights.h"

struct meta {
    const char *key, *value; /* owned by the table */
};

struct table {
    struct weight *weights;
    size_t count, room;
    struct meta *metas;
    size_t meta_count, meta_room;
    struct table_text *texts; /* list of blocks that hold names, keys and values */
};

/* Appends a tensor with a copy of name and everything else zero; the pointer is valid until the next one is added.
 * NULL: no memory. A table that is all zero is empty. */
struct weight *pi_table_add(struct table *table, const char *name);

/* Appends a metadata entry with copies of both texts; -1: no memory. */
POLA_NODISCARD int pi_table_add_meta(struct table *table, const char *key, const char *value);

/* Orders tensors by name, which pi_table_find needs. Two of one name are POLA_ERR_FORMAT. */
POLA_NODISCARD int pi_table_sort(struct table *table, struct pola_error *err);

const struct weight *pi_table_find(const struct table *table, const char *name);
const char *pi_table_meta(const struct table *table, const char *key);

void pi_table_release(struct table *table);

/* Bytes of one element, and the name that safetensors gives the type. */
size_t pi_dtype_size(enum weight_dtype dtype);
const char *pi_dtype_name(enum weight_dtype dtype);

/* The type of that name in *out; -1 when there is none. */
POLA_NODISCARD int pi_dtype_parse(enum weight_dtype *out, const char *name);

/* Sets count and bytes from dtype, dims and shape; -1 when they do not fit 64 bits. */
POLA_NODISCARD int pi_weight_measure(struct weight *weight);

#define WEIGHT_NAME_SHOWN 128 /* size of the buffer for a tensor's name in a message */

#endif
