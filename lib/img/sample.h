/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Pixels as images store them, to and from the floats that networks work on. Called by the engine in img/band.c, row by
 * row.
 */
#ifndef PI_SAMPLE_H
#define PI_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

enum sample_type { SAMPLE_U8, SAMPLE_U16, SAMPLE_F32 };

/* Interleaved pixels: grey, grey+alpha, RGB or RGBA. The colours are sRGB, black at 0 and white at `white`, which is the
 * largest number of the integer types; linear colours (scRGB) have white at 1. Alpha keeps the units it comes in. */
struct sample_format {
    enum sample_type type;
    int bands; /* 1 to 4 */
    float white;
    bool linear; /* only with SAMPLE_F32 */
};

static inline int pi_sample_colours(const struct sample_format *format)
{
    return format->bands < 3 ? 1 : 3;
}

static inline bool pi_sample_has_alpha(const struct sample_format *format)
{
    return format->bands % 2 == 0;
}

static inline size_t pi_sample_pixel_bytes(const struct sample_format *format)
{
    static const size_t bytes[] = {1, 2, 4};

    return bytes[format->type] * (size_t)format->bands;
}

/* How many of n pixels have a NaN or an infinity; *first is the index of the first one, n when there is none. */
int pi_sample_bad(int *first, const void *pixels, int n, const struct sample_format *format);

/* colour[n][colours]: sRGB, clamped to [0,1]; alpha[n] (not touched without alpha): as it is stored. */
void pi_sample_load(float *restrict colour, float *restrict alpha, const void *restrict pixels, int n,
                    const struct sample_format *format);

/* The reverse, rounded to the nearest; only the colour or only the alpha of each of n pixels. curve: pi_sample_curve()'s
 * table when the format is linear, else not used. */
void pi_sample_store(void *restrict pixels, const float *restrict colour, int n, const struct sample_format *format,
                     const float *curve);
void pi_sample_store_alpha(void *restrict pixels, const float *restrict alpha, int n,
                           const struct sample_format *format);

/* sRGB to linear light at equal steps of [0,1], for interpolation: within 3e-8 of the exact curve. */
#define SAMPLE_CURVE 4098 /* 4096 steps, both ends, and one so that the last step needs no special case */
void pi_sample_curve(float curve[SAMPLE_CURVE]);

#endif
