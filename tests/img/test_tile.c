/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The grid of windows: for every length from 1 to three tiles, whatever the tile, halo, scale and fade.
 */
#include "fake_sr.h"

#include "img/tile.h"

#include <stdlib.h>

/* Windows have one size, no larger than the tile unless one is all there is, start with the rim, every step, and end with the other
 * rim; none is superfluous. */
static void check_windows(const struct tile_axis *axis, int tile, int halo)
{
    const int whole = axis->length + 2 * halo;

    assert_int_equal(axis->rim, halo);
    assert_int_equal(axis->count == 1, whole <= tile);
    assert_true(axis->window <= tile);
    assert_true(axis->count == 1 ? axis->window == whole : axis->window > 2 * halo);
    assert_true(axis->count == 1 || (axis->count - 2) * axis->step + axis->window < whole);
    /* evenly shared: a window one pixel smaller would need one more */
    assert_true(axis->count == 1 || (axis->count - 1) * (axis->step - 1) + axis->window - 1 < whole);
    assert_int_equal(pi_tile_start(axis, 0), -halo);
    assert_int_equal(pi_tile_start(axis, axis->count - 1), axis->length + halo - axis->window);
    for (int i = 1; i < axis->count; i++) {
        int here = pi_tile_start(axis, i), before = pi_tile_start(axis, i - 1);
        assert_true(here > before);
        assert_true(here - before <= axis->step);
        if (i < axis->count - 1)
            assert_int_equal(here, i * axis->step - halo);
    }
}

/* Every output pixel belongs to one window, or to two neighbours while they fade, and lies inside both. */
static void check_cover(const struct tile_axis *axis)
{
    const int scale = axis->scale;
    int at = 0;

    for (int i = 0; i < axis->count; i++) {
        const int begin = pi_tile_begin(axis, i), end = pi_tile_begin(axis, i + 1), fade = i > 0 ? axis->fade : 0;
        assert_int_equal(begin, at);
        assert_true(begin + fade <= end);
        assert_true(begin >= scale * pi_tile_start(axis, i));
        int reach = end + (i < axis->count - 1 ? axis->fade : 0);
        assert_true(reach <= scale * (pi_tile_start(axis, i) + axis->window));
        for (; at < end; at++)
            assert_int_equal(pi_tile_find(axis, at), i);
    }
    assert_int_equal(at, scale * axis->length);
}

/* The fade between windows that have not been moved lies in the middle of their overlap. */
static void check_middle(const struct tile_axis *axis, int halo)
{
    for (int i = 1; i < axis->count - 1; i++) {
        int left = pi_tile_begin(axis, i) - axis->scale * pi_tile_start(axis, i);
        int right = axis->scale * 2 * halo - left - axis->fade;
        assert_true(abs(left - right) <= 1);
    }
}

static void all_lengths(void **state)
{
    static const struct {
        int tile, halo;
    } shapes[] = {{1, 0}, {2, 0}, {3, 1}, {7, 3}, {8, 3}, {16, 0}, {8, 2}, {16, 3}, {17, 8}, {33, 4}, {48, 16}};

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int scale = 1; scale <= 4; scale++)
            for (int fade = 0; fade <= 2 * shapes[s].halo * scale + 3; fade++)
                for (int length = 1; length <= 3 * shapes[s].tile; length++) {
                    struct tile_axis axis;
                    pi_tile_axis_init(&axis, length, scale, shapes[s].tile, shapes[s].halo, fade);
                    assert_true(axis.fade <= fade);
                    check_windows(&axis, shapes[s].tile, shapes[s].halo);
                    check_cover(&axis);
                    check_middle(&axis, shapes[s].halo);
                }
}

static void usual_grid(void **state)
{
    struct tile_axis axis;

    pi_tile_axis_init(&axis, 1000, 4, 128, 8, pi_tile_fade(8, 4));
    assert_int_equal(axis.count, 9);
    assert_int_equal(axis.window, 128); /* 1016 = 9 windows of 112 and 16 more: 127.1, rounded up */
    assert_int_equal(axis.fade, 64);
    assert_int_equal(pi_tile_start(&axis, 1), 104);
    assert_int_equal(pi_tile_begin(&axis, 1), 4 * 112 - 32);
    assert_int_equal(pi_tile_start(&axis, 8), 880);
    /* The last overlap is 776+128-880 = 24 pixels wide, its middle at 892. */
    assert_int_equal(pi_tile_begin(&axis, 8), 4 * 892 - 32);
    /* Rounding the window up makes hundreds of windows longer by as many pixels: then fewer are needed. */
    pi_tile_axis_init(&axis, 65536, 4, 96, 4, pi_tile_fade(4, 4));
    assert_true(pi_tile_start(&axis, axis.count - 1) > pi_tile_start(&axis, axis.count - 2));
}

static void mirror(void **state)
{
    static const int three[] = {2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0};

    for (int i = 0; i < 15; i++)
        assert_int_equal(pi_tile_mirror(i - 9, 3), three[i]);
    for (int i = -5; i <= 5; i++)
        assert_int_equal(pi_tile_mirror(i, 1), 0);
}

static void weights_rise_and_sum_to_one(void **state)
{
    struct tile_axis axis = {.scale = 1};
    float weights[64];

    for (axis.fade = 1; axis.fade <= 64; axis.fade++) {
        pi_tile_weights(&axis, weights);
        for (int k = 0; k < axis.fade; k++) {
            float sum = weights[k] + weights[axis.fade - 1 - k]; /* the ramp is the same from either side */
            assert_true(sum > 1 - 1e-6f && sum < 1 + 1e-6f);
            assert_true(weights[k] > 0 && weights[k] < 1);
            assert_true(k == 0 || weights[k] > weights[k - 1]);
            assert_true(pi_tile_mix(1, 1, weights[k]) == 1);
            assert_true(pi_tile_mix(0.1f, 0.1f, weights[k]) == 0.1f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lengths),
        cmocka_unit_test(usual_grid),
        cmocka_unit_test(mirror),
        cmocka_unit_test(weights_rise_and_sum_to_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
