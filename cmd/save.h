/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Runs libvips' savers on behalf of image_out.c: into a temporary file, a stream or a tree.
 */
#ifndef SAVE_H
#define SAVE_H

#include "image_out.h"

/* TRUE if the output becomes several files: .dz, unless its options put it into one container. */
gboolean save_is_tree(const struct output *output);

/* libvips' saver that can write through a target of ours: others do not report what goes wrong. NULL: there is none. */
const char *save_find(const char *suffix);

/* Checks the names of save options ("[compression=9,strip]", or NULL) against what the saver for suffix has. Their values are the
 * saver's to judge. */
POLA_NODISCARD int save_check_options(const char *suffix, const char *options, struct pola_error *err);

/* Saves image with options "defaults" (may be NULL) before the user's. */
POLA_NODISCARD int save_image(const struct output *output, const char *defaults, struct _VipsImage *image,
                              struct pola_error *err);

#endif
