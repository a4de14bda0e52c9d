/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Images for the tests of super-resolution inside libvips, and comparisons of them.
 */
#ifndef PICTURES_H
#define PICTURES_H

#include "fake_sr.h"

#include <vips/vips.h>

/* Noise of the given size, 0 to 255, alpha (the last of 2 or 4 bands) at least 2. */
VipsImage *noise_image(int width, int height, int bands);

/* in * factor, in another format and interpretation. Unrefs in. */
VipsImage *as(VipsImage *in, double factor, VipsBandFormat format, VipsInterpretation type);

/* in enlarged; it must have kept its kind. Unrefs in. */
VipsImage *enlarged(VipsImage *in, pola_sr *sr);

/* All pixels; g_free() them. */
unsigned char *pixels_of(VipsImage *image, size_t *size);

void assert_same_pixels(VipsImage *a, VipsImage *b);

/* The largest difference between two images, any band. */
double distance(VipsImage *a, VipsImage *b);

#endif
