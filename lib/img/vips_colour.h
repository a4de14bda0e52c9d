/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Which pixels of a libvips image the network is given, and the way back. Called by img/vips_sr.c.
 */
#ifndef PI_VIPS_COLOUR_H
#define PI_VIPS_COLOUR_H

#include "img/sample.h"

#include <vips/vips.h>

/* What an image was before pi_colour_open. */
struct colour_origin {
    VipsInterpretation type;
    VipsBandFormat format;
    VipsCoding coding;
    bool converted; /* by vips_colourspace */
};

/* *out (given): in as grey, grey+alpha, RGB or RGBA of one of the sample types, which *format then describes. Nonzero with
 * the reason in libvips' error buffer when that cannot be done. */
int pi_colour_open(VipsImage *in, VipsImage **out, struct sample_format *format, struct colour_origin *origin);

/* *out (given): the result in the interpretation, format and coding that the input had. */
int pi_colour_close(VipsImage *in, VipsImage **out, const struct colour_origin *origin);

#endif
