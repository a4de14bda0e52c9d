/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * From the colours of a file to what the networks see, sRGB or grey with or without alpha, and back.
 */
#ifndef COLOUR_H
#define COLOUR_H

#include "pola.h"

#include <glib.h>

struct _VipsImage;

/* How to go back. */
struct colour {
    void *profile; /* the file's own ICC profile, NULL when the result stays in sRGB or nothing was converted */
    size_t size;
    int bits;        /* of the file's samples: 8, 16, or 32 for float */
    gboolean spread; /* grey light that was made three equal bands */
};

/* Replaces *image (of the input called name) by one of 1 to 4 bands: grey or sRGB, 8 or 16 bits or float, alpha last. */
POLA_NODISCARD int colour_in(struct colour *colour, struct _VipsImage **image, const char *name,
                             struct pola_error *err);

/* Replaces *image by one in the file's own colours again, with bits (8 or 16) a sample where that takes a conversion. */
POLA_NODISCARD int colour_out(const struct colour *colour, struct _VipsImage **image, int bits, struct pola_error *err);

/* Replaces *image of one band by one of three equal bands. */
POLA_NODISCARD int image_spread(struct _VipsImage **image, struct pola_error *err);

/* Replaces *image, without alpha, by the light of a portable float map: from 0 to 1, under the name that libvips' saver
 * leaves alone. */
POLA_NODISCARD int colour_to_light(struct _VipsImage **image, struct pola_error *err);

void colour_release(struct colour *colour);

/* Puts next in the place of *image, whose reference is dropped. */
void image_replace(struct _VipsImage **image, struct _VipsImage *next);

/* Replaces *image by one of 8 or 16 bits a sample; nothing to do for one that has them. */
POLA_NODISCARD int image_to_bits(struct _VipsImage **image, int bits, struct pola_error *err);

#endif
