/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The libvips side of super-resolution. Called by pola_init().
 */
#ifndef PI_VIPS_SR_H
#define PI_VIPS_SR_H

#include <vips/vips.h>

#include "base/err.h"

/* pola_sr_image() for callers that report through libvips: nonzero with the reason in its error buffer. */
int pi_vips_sr(VipsImage *in, VipsImage **out, pola_sr *sr);

/* Makes the operation "pola_sr" known to libvips, unless another copy of this library in the process has done so. */
void pi_vips_sr_register(void);

#endif
