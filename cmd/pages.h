/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Images of one or many pages: each page goes through the network by itself, so that none bleeds into the next.
 */
#ifndef PAGES_H
#define PAGES_H

#include "pola.h"

#include <glib.h>

struct _VipsImage;

struct pages {
    int count, width, height;     /* of the input, each page */
    gint64 out_width, out_height; /* of the result, each page */
    double xres, yres;            /* of the input, pixels per millimetre */
};

/* Reads count and sizes from image; what the result will be is left at 0. */
void pages_of(struct pages *pages, struct _VipsImage *image);

/* *page (given): the first page of image. */
POLA_NODISCARD int pages_first(const struct pages *pages, struct _VipsImage *image, struct _VipsImage **page,
                               struct pola_error *err);

/* Replaces *image by its pages (the first `count`) through sr, each of exactly out_width x out_height pixels. */
POLA_NODISCARD int pages_enlarge(const struct pages *pages, struct _VipsImage **image, pola_sr *sr,
                                 struct pola_error *err);

/* How many pages hold a network's memory at the same time, once out_height is set. */
int pages_at_work(const struct pages *pages);

/* Sets the page height and resolution of the result; strip drops all other metadata but the colour profile. */
POLA_NODISCARD int pages_finish(const struct pages *pages, struct _VipsImage **image, gboolean strip,
                                struct pola_error *err);

#endif
