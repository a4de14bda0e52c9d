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
    int whole = length + 2 * halo; /* with the rim */

    *axis =
        (struct tile_axis){.length = length, .window = whole, .rim = halo, .step = whole, .count = 1, .scale = scale};
    if (whole <= tile)
        return;
    int count = windows(whole, tile, halo);
    axis->window = (whole + (count - 1) * 2 * halo + count - 1) / count;
    axis->step = axis->window - 2 * halo;
    axis->count = windows(whole, axis->window, halo); /* rounding up may have made one superfluous */
    /* The last window may start up to step - 1 pixels early. Half a step is what then lies between the borders it has. */
    axis->fade = smaller(fade, smaller(2 * halo * scale, scale * axis->step / 2));
}

int pi_tile_start(const struct tile_axis *axis, int i)
{
    return i < axis->count - 1 ? i * axis->step - axis->rim : axis->length + axis->rim - axis->window;
}

int pi_tile_mirror(int position, int length)
{
    int period = 2 * length, at = position % period;

    if (at < 0)
        at += period;
    return at < length ? at : period - 1 - at;
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
    return middle(axis, i);
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
