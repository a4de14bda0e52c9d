/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * A super-resolution head whose results can be foretold, in the place of lib/head/sr.c, for tests of lib/img. Includes
 * cmocka with its prerequisites.
 */
#ifndef FAKE_SR_H
#define FAKE_SR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "head/sr.h"

#include <stdatomic.h>

enum fake_mode {
    FAKE_NEAREST, /* each pixel repeated: does not depend on the window */
    FAKE_PLACE,   /* half the pixel and half its place in the window: any two windows disagree */
    FAKE_BLUR,    /* mean of the 3 x 3 pixels around, repeated */
    FAKE_FUSSY    /* like nearest, but a window with a white red channel is an error */
};

struct pola_sr {
    atomic_int references;
    int scale, tile, halo;
    enum fake_mode mode;
    atomic_int windows;  /* run so far */
    atomic_int sessions; /* alive */
};

pola_sr *fake_sr_new(int scale, int tile, int halo, enum fake_mode mode);

#endif
