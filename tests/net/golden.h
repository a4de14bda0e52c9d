/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Reading the expected values in tests/net/golden, and making the weights that belong to them: the fill rule derives every
 * value of a tensor from its name (golden/README.md).
 */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "kern/kern.h"

/* The model that golden/CASE.safetensors is; fails the test when it cannot be opened. */
pola_model *golden_open(const char *name);

/* A tensor of it as float32; free() it. count, when not NULL, gets its size. */
float *golden_read(const pola_model *golden, const char *name, size_t *count);

/* Value i of the tensor called key. dims, shape: its shape. */
float golden_fill(const char *key, size_t i, int dims, const uint64_t *shape);

/* count values of the input called key, fill "u" ([0,1)) or "unit" (+-sqrt 3). */
float *golden_input(const char *key, const char *fill, size_t count);

/* A model with the tensors of golden/NAME.txt-style lists: lines "key dim dim ...", prefixed keys filled by their own name.
 * metadata: JSON object. Written to path as safetensors and opened. */
struct golden_tensor {
    const char *name;
    int dims;
    uint64_t shape[4];
};
pola_model *golden_model(const char *path, const char *metadata, const struct golden_tensor *tensors, size_t count);

/* The tensors of a PolaFormer++ block of width c, h heads, feed-forward width f, names with prefix; appends to tensors and
 * returns the new count. Names live in static storage of the caller's list: at most 400 in a program. */
size_t golden_block(struct golden_tensor *tensors, size_t count, const char *prefix, int c, int h, int f);

/* All tensors of a PolaSR network; appends like golden_block(). */
struct golden_polasr {
    int scale, dim, depth, heads, ffn;
};
size_t golden_polasr(struct golden_tensor *tensors, const struct golden_polasr *config);

/* Levels that this CPU has, worst first. */
extern const struct golden_level {
    const char *name;
    unsigned flags;
} golden_levels[5];
int golden_has(const struct golden_level *level);

/* max |a - b| / max |b| */
double golden_error(const float *a, const float *b, size_t count);

#endif
