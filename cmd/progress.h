/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The progress line: percentage, input megapixels a second, time left. Rewritten in place on a terminal; elsewhere, and
 * only when forced, a line of its own at most once a second.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <glib.h>

struct _VipsImage;

/* Decides once whether there is a line: always when forced, else on a terminal unless quiet. */
void progress_setup(gboolean forced, gboolean quiet);

/* Follows the evaluation of image, which stands for input_pixels pixels of the input called name. */
void progress_follow(struct _VipsImage *image, const char *name, double input_pixels);

/* Takes the line off the terminal. Anyone who is about to print there, or to leave, calls it. */
void progress_erase(void);

#endif
