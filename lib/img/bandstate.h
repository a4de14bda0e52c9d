/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The inside of the band engine, shared by its two halves: img/band.c moves through the image, img/window.c computes one
 * row of windows. C: colours in a pixel, 1 or 3; s: scale; W, H: input width and height.
 */
#ifndef PI_BANDSTATE_H
#define PI_BANDSTATE_H

#include "head/sr.h"
#include "img/band.h"
#include "img/tile.h"

#include <stdatomic.h>
#include <threads.h>

/* What one job needs for itself. Jobs, not threads, own lanes, so that a change of the thread count is harmless. */
struct lane {
    struct sr_session *session; /* for windows side by side */
    float *in;                  /* (window height, window width, 3) */
    float *out;                 /* (s * window height, s * window width, 3), then C */
    float *alpha;               /* (window height, window width), for images with alpha */
    void *fill;                 /* scratch of pi_alpha_fill */
    float *line;                /* one row: mixed pixels, or alpha */
    int failed;                 /* column of the first window that failed, -1: none */
    struct pola_error err;
};

struct band {
    struct band_spec spec;
    struct band_plan plan;
    struct tile_axis across, down;
    int scale, colours, margin; /* margin: rows of alpha needed above and below a window */

    struct lane *lanes;
    int lane_count;
    struct sr_session *wide; /* for the windows that have all threads, NULL when there are none */

    unsigned char *block; /* what the following pointers point into */
    size_t block_bytes;
    unsigned char *raw; /* rows as the source gives them */
    float *colour;      /* (in_rows, W, C) sRGB */
    float *alpha;       /* (in_rows, W), NULL without alpha */
    int in_rows;
    float *edges; /* (columns - 1, edge_rows, across.fade, C): one side of each fade between columns */
    bool *met;    /* (columns - 1): the edge is there, whoever comes from the other side mixes it */
    mtx_t meeting;
    int edge_rows;
    float *carry;        /* (down.fade, s*W, C): the band before, where the next one fades in */
    unsigned char *ring; /* (ring_rows, s*W) finished pixels; row y is at y % ring_rows */
    int ring_rows;
    float *across_weights, *down_weights;
    float *curve; /* for linear output, else NULL */

    int in_top, in_end; /* input rows held */
    int low, high;      /* output rows held */
    int next;           /* the band whose predecessor is in carry, -1: none */

    int failed; /* band that failed for good, -1: none */
    struct pola_error failure;
    atomic_bool stop;
};

/* Rows of the output that band `row` takes part in: it starts at pi_tile_begin(row) and reaches to the end of the fade
 * into the next. */
int pi_band_reach(const struct band *band, int row);

/* Computes band `row` from the input rows held: its finished rows go to the ring, the start of the next to carry. */
POLA_NODISCARD int pi_window_row(struct band *band, int row, const struct band_source *source, struct pola_error *err);

#endif
