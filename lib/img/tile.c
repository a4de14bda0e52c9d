/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See tile.h.
 */
#include "img/tile.h"

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* The fewest windows of this size that cover length pixels, more than one window, with every overlap at least 2 * halo. */
static int windows(int length, int window, int halo)
{
    int step = window - 2 * halo;

    return 1 + (length - window + step - 1) / step;
}

void pi_tile_axis_init(struct tile_axis *axis, int length, int scale, int tile, int halo, int fade)
{
    *axis = (struct tile_axis){.length = length, .window = length, .step = length, .count = 1, .scale = scale};
    if (length <= tile)
        return;
    int count = windows(length, tile, halo);
    axis->window = (length + (count - 1) * 2 * halo + count - 1) / count;
    axis->step = axis->window - 2 * halo;
    axis->count = windows(length, axis->window, halo); /* rounding up may have made one superfluous */
    axis->fade = smaller(fade, scale * smaller(2 * halo, axis->step));
}

int pi_tile_start(const struct tile_axis *axis, int i)
{
    return i < axis->count - 1 ? i * axis->step : axis->length - axis->window;
}

/* Where the fade into window i >= 1 would start if it lay in the middle of the overlap. */
static int middle(const struct tile_axis *axis, int i)
{
    int ends = pi_tile_start(axis, i - 1) + axis->window + pi_tile_start(axis, i);

    return (axis->scale * ends - axis->fade) / 2;
}

int pi_tile_begin(const struct tile_axis *axis, int i)
{
    if (i <= 0)
        return 0;
    if (i >= axis->count)
        return axis->scale * axis->length;
    int begin = middle(axis, i);
    if (i == axis->count - 1 && i > 1) {
        /* The last window may have moved so far back that its fade would run into the one before. */
        int free = middle(axis, i - 1) + axis->fade;
        if (begin < free)
            begin = free;
    }
    return begin;
}

int pi_tile_find(const struct tile_axis *axis, int pixel)
{
    int low = 0, high = axis->count - 1;

    while (low < high) {
        int half = low + (high - low + 1) / 2;
        if (pi_tile_begin(axis, half) <= pixel)
            low = half;
        else
            high = half - 1;
    }
    return low;
}

void pi_tile_weights(const struct tile_axis *axis, float *weights)
{
    for (int k = 0; k < axis->fade; k++) {
        double t = (k + 0.5) / axis->fade;
        weights[k] = (float)(t * t * (3 - 2 * t));
    }
}
