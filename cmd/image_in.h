/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Opening an image from outside: a file of any name, a pipe, standard input.
 */
#ifndef IMAGE_IN_H
#define IMAGE_IN_H

#include "pola.h"

#include <glib.h>

struct _VipsImage;

struct input_options {
    int page;          /* only this page, from 1; 0: all of them */
    gboolean lenient;  /* take what a damaged file still gives */
    gint64 max_pixels; /* refuse more than that; 0: no limit */
};

/* Opens name ("-": standard input) as *out (given): upright, its orientation tag reset, decoded while it is read where its
 * format allows that. Pages of equal size stand one above the other, vips_image_get_page_height() each. */
POLA_NODISCARD int image_in_open(struct _VipsImage **out, const char *name, const struct input_options *options,
                                 struct pola_error *err);

#endif
