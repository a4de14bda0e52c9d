/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Super-resolution of a whole image, one row of windows ("band") after the other, in memory that does not grow with the
 * image's height. Knows nothing of libvips: pixels come from a source, finished rows are handed out on request. Called by
 * img/vips_sr.c, under its lock.
 */
#ifndef PI_BAND_H
#define PI_BAND_H

#include "base/err.h"
#include "img/sample.h"

struct band_spec {
    const pola_sr *sr;           /* borrowed for the life of the engine */
    int width, height;           /* of the input */
    struct sample_format format; /* of input and output */
    int history; /* finished output rows to keep, besides the newest band, for readers that lag behind */
    int fade;    /* output pixels, -1: pi_tile_fade() */
};

/* Where the input comes from. Fetched strictly from top to bottom, every row once, as long as the output is asked for in
 * about that order (within history). */
struct band_source {
    /* Writes the rows [top, top + count) of the input to rows, without gaps. Whoever fails and has told the reader by
     * other means leaves err's text empty. */
    int (*read)(void *data, void *rows, int top, int count, struct pola_error *err);
    bool (*stopped)(void *data); /* the reader has given up; asked now and then, from the calling thread */
    void *data;
};

struct band_plan {
    int columns, rows; /* windows */
    int width, height; /* of a window */
    int alone;         /* windows of each band that run side by side, one thread each; the others have all threads */
    size_t memory;     /* bytes the engine holds, sessions included */
};

struct band;

POLA_NODISCARD int pi_band_plan(struct band_plan *plan, const struct band_spec *spec, struct pola_error *err);
POLA_NODISCARD int pi_band_new(struct band **out, const struct band_spec *spec, struct pola_error *err);
void pi_band_free(struct band *band); /* NULL is fine */

/* Writes the rectangle of the output (in output pixels, inside it) to out, rows stride bytes apart. The bytes depend
 * neither on what was asked for before nor on the number of threads. One caller at a time. */
POLA_NODISCARD int pi_band_rows(struct band *band, void *out, size_t stride, int left, int top, int width, int height,
                                const struct band_source *source, struct pola_error *err);

#endif
