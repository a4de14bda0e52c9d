/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Where windows lie along one axis of an image, and which output pixels each of them is asked for. Pure arithmetic; the
 * engine in img/band.c keeps one axis for columns and one for rows.
 *
 * All windows have one size: the tile, or a little less, so that the fewest that do the job share the image evenly and little is
 * computed twice. The image is thought to go on for a halo beyond its ends, mirrored, because networks see zeros outside their
 * window and draw a faint frame there. The first window starts with that rim, the next every `step` pixels, and the last is moved
 * back by the few pixels of rounding so that it ends with the other rim; a short image has one window. Neighbours overlap by twice
 * the halo and are cross-faded in the middle of the overlap.
 */
#ifndef PI_TILE_H
#define PI_TILE_H

struct tile_axis {
    int length; /* input pixels of the image */
    int window; /* input pixels of a window, halos included */
    int rim;    /* mirrored input pixels beyond each end of the image: the halo */
    int step;   /* input pixels between the starts of two windows; the last may be nearer */
    int count;  /* windows, at least 1 */
    int scale;  /* output pixels per input pixel */
    int fade;   /* output pixels over which two neighbours are mixed, 0: a hard cut */
};

/* The fade used when nobody asks for another: the whole of the smallest overlap. Windows differ less by their missing
 * context at the rim than by what each of them sees as a whole, so the longest ramp comes closest to the untiled result,
 * and it is the one that shows least. */
static inline int pi_tile_fade(int halo, int scale)
{
    return 2 * halo * scale;
}

/* length and scale are at least 1, tile above 2 * halo. fade is cut down to the smallest overlap and to half a step, so that no
 * output pixel has more than two windows. */
void pi_tile_axis_init(struct tile_axis *axis, int length, int scale, int tile, int halo, int fade);

/* The first input pixel of window i; it may be negative, and the last window may reach beyond the end. */
int pi_tile_start(const struct tile_axis *axis, int i);

/* The pixel of the image that stands at a position before its start or beyond its end: mirrored, the edge pixel repeated. */
int pi_tile_mirror(int position, int length);

/* The first output pixel in which window i takes part as the later of two (the fade from its predecessor starts here; for
 * i = 0 it is 0, for i = count it is the output's length). Window i is mixed with i-1 in [begin(i), begin(i) + fade) and
 * alone in [begin(i) + fade, begin(i+1)). */
int pi_tile_begin(const struct tile_axis *axis, int i);

/* The window that a given output pixel is finished with: the last i with begin(i) <= pixel. */
int pi_tile_find(const struct tile_axis *axis, int pixel);

/* weights[k] (fade numbers) is the share of the later window at begin + k: a smooth ramp from near 0 to near 1. The
 * earlier window has the rest, so the two always sum to one. */
void pi_tile_weights(const struct tile_axis *axis, float *weights);

/* Mixes two windows: a where they agree, whatever the weight. */
static inline float pi_tile_mix(float a, float b, float weight)
{
    return a + weight * (b - a);
}

#endif
