/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The networks of pola-sr: which model gives a wanted scale, and the tile with which it fits into a wanted memory.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "options.h"

struct _VipsImage;

struct engine {
    const struct common_options *options;
    gboolean tta;
    struct loaded {
        pola_model *model;
        pola_sr *sr;
        char *name;
        int tile; /* the option with which sr was made */
    } loaded[5];  /* by scale for the models that ship; [0] the one of -m */
};

/* The scale that the models that ship go up to. */
#define ENGINE_MAX_SCALE 4

/* A network (borrowed) for need times the size: the smallest model that reaches it, or the model of -m, whose own scale
 * is meant by need 0. tile as in struct pola_sr_options. *sr lasts until the next call. */
POLA_NODISCARD int engine_get(struct engine *engine, pola_sr **sr, double need, int tile, struct pola_error *err);

/* The name of the model that engine_get() last gave for need. */
const char *engine_name(const struct engine *engine, double need);

/* The same with the largest tile, up to the default, with which `copies` images like this one at a time and `other` bytes
 * besides take at most --memory. Fills in plan, and *expected with that sum. */
POLA_NODISCARD int engine_plan(struct engine *engine, pola_sr **sr, struct pola_sr_plan *plan, double need,
                               struct _VipsImage *image, int copies, guint64 other, guint64 *expected,
                               struct pola_error *err);

void engine_release(struct engine *engine);

#endif
