/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Named tensors of one model file, and the shape-checked lookup that networks use. A loader (safetensors.c) fills in the
 * table; the data stay where the loader found them (a mapping) until someone reads them as float32.
 */
#ifndef PI_WEIGHTS_H
#define PI_WEIGHTS_H

#include "base/err.h"

#define WEIGHTS_MAX_DIMS 8

enum weight_dtype {
    WEIGHT_F32,
    WEIGHT_F16,
    WEIGHT_BF16,
    WEIGHT_F64,
    WEIGHT_I64,
    WEIGHT_I32,
    WEIGHT_I16,
    WEIGHT_I8,
    WEIGHT_U8,
    WEIGHT_BOOL
};

struct weight {
    const char *name; /* owned by the model */
    enum weight_dtype dtype;
    int dims;
    uint64_t shape[WEIGHTS_MAX_DIMS];
    uint64_t count;            /* product of shape */
    const unsigned char *data; /* count elements, little-endian, possibly unaligned */
    uint64_t bytes;
};

/* The tensor called name, NULL when there is none. */
const struct weight *pi_weights_find(const pola_model *model, const char *name);

/* Reads the tensor called name as float32 into out (count elements), after checking that it exists, is F32, F16 or BF16,
 * has exactly this shape (dims numbers; ones anywhere count, [1,48,1,1] is not [48]) and that every value is finite.
 * The error names the tensor, its shape and the expected one. */
POLA_NODISCARD int pi_weights_read(const pola_model *model, float *out, const char *name, int dims,
                                   const uint64_t *shape, struct pola_error *err);

/* Metadata as a whole number in [min, max]; absent: *out = fallback, or an error when fallback < min. */
POLA_NODISCARD int pi_weights_meta_int(const pola_model *model, int *out, const char *key, int min, int max,
                                       int fallback, struct pola_error *err);

/* Metadata as a finite number in [min, max]; same rules. */
POLA_NODISCARD int pi_weights_meta_double(const pola_model *model, double *out, const char *key, double min, double max,
                                          double fallback, struct pola_error *err);

/* The file's path for messages: printable, and its end only when it is very long. Borrowed from the model. */
const char *pi_weights_path(const pola_model *model);

/* Number of tensors, and the i-th in the order of names. */
size_t pi_weights_count(const pola_model *model);
const struct weight *pi_weights_at(const pola_model *model, size_t i);

#endif
