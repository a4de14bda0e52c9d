/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Transparency: enlarged by itself, and kept from leaking the colour of invisible pixels. Called by the engine in
 * img/band.c.
 */
#ifndef PI_ALPHA_H
#define PI_ALPHA_H

#include <stddef.h>

/* What the interpolation needs beyond the pixel in question, in rows and columns, on either side. */
#define ALPHA_MARGIN 2

/* One output row of a plane enlarged scale times: Catmull-Rom, pixel centres aligned, borders repeated. A result never
 * leaves the range of the samples it comes from, so flat areas stay exact and 0 and full opacity are never overshot.
 *   out    (scale * width)
 *   plane  (rows, width): rows top, top+1, ... of an image that is height rows high; it holds the four rows around the
 *          output row, as far as the image has them
 *   line   (width + 2 * ALPHA_MARGIN) scratch */
void pi_alpha_enlarge(float *restrict out, int y, const float *restrict plane, int top, int width, int height,
                      int scale, float *restrict line);

/* Bytes of scratch for pi_alpha_fill. */
size_t pi_alpha_fill_bytes(int width, int height);

/* Gives every pixel with alpha <= 0 the colour of its visible neighbours, ring by ring outwards, so that the network sees
 * no edge where the picture ends. Returns the number of visible pixels; when that is 0, rgb is left as it is.
 *   rgb    (height, width, 3)
 *   alpha  (height, stride) */
int pi_alpha_fill(float *rgb, const float *alpha, size_t stride, int width, int height, void *scratch);

#endif
