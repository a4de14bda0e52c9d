/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Where models are looked for. The functions themselves are pola_model_find and pola_model_each in pola.h; this header is
 * for the tests.
 */
#ifndef PI_MANIFEST_H
#define PI_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>

/* The places in search order: the given directory, the parts of $POLA_MODELS, the installed directory, the build tree. */
struct places {
    const char *dir;  /* the given directory; NULL: none, or returned already */
    const char *rest; /* what is left of $POLA_MODELS; NULL: nothing */
    int fixed;        /* how many of the built-in directories were returned */
};

void pi_places_init(struct places *places, const char *dir);

/* The next place as *dir, length bytes without terminator; false after the last one. Empty ones are left out. */
bool pi_places_next(struct places *places, const char **dir, size_t *length);

#endif
