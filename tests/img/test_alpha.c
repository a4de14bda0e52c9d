/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Transparency: where enlarged alpha lies, what stays exact, and what is under invisible pixels.
 */
#include "fake_sr.h"

#include "img/alpha.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define W 13
#define H 9

static void enlarge_all(float *out, const float *plane, int scale)
{
    float line[W + 2 * ALPHA_MARGIN];

    for (int y = 0; y < scale * H; y++)
        pi_alpha_enlarge(out + (size_t)y * (size_t)scale * W, y, plane, 0, W, H, scale, line);
}

/* A plane that rises evenly: away from the borders, each result is the plane at the centre of its pixel. */
static void ramp_is_aligned(void **state)
{
    static float plane[W * H], out[16 * W * H];

    for (int i = 0; i < W * H; i++)
        plane[i] = (float)(3 * (i % W) + 5 * (i / W));
    for (int scale = 1; scale <= 4; scale++) {
        enlarge_all(out, plane, scale);
        for (int y = 2 * scale; y < (H - 2) * scale; y++)
            for (int x = 2 * scale; x < (W - 2) * scale; x++) {
                double wanted = 3 * ((x + 0.5) / scale - 0.5) + 5 * ((y + 0.5) / scale - 0.5);
                assert_true(fabs((double)out[y * scale * W + x] - wanted) < 1e-4);
            }
    }
}

static void flat_and_range_are_exact(void **state)
{
    static float plane[W * H], out[16 * W * H];

    for (int scale = 1; scale <= 4; scale++) {
        for (int i = 0; i < W * H; i++)
            plane[i] = 255.0f * (i % W >= 6); /* an upright edge */
        enlarge_all(out, plane, scale);
        for (int i = 0; i < scale * scale * W * H; i++) {
            int x = i % (scale * W);
            assert_true(out[i] >= 0 && out[i] <= 255);
            if (x < 4 * scale)
                assert_true(out[i] == 0);
            if (x >= 8 * scale)
                assert_true(out[i] == 255);
        }
        for (int i = 0; i < W * H; i++)
            plane[i] = 0.1f;
        enlarge_all(out, plane, scale);
        for (int i = 0; i < scale * scale * W * H; i++)
            assert_true(out[i] == 0.1f);
    }
}

static void one_pixel_is_enough(void **state)
{
    const float plane[1] = {77};
    float out[4], line[1 + 2 * ALPHA_MARGIN];

    pi_alpha_enlarge(out, 3, plane, 0, 1, 1, 4, line);
    for (int i = 0; i < 4; i++)
        assert_true(out[i] == 77);
}

/* Only the rows around the output row are looked at. */
static void four_rows_are_enough(void **state)
{
    static float plane[W * H], whole[2 * W], part[2 * W];
    float line[W + 2 * ALPHA_MARGIN];

    for (int i = 0; i < W * H; i++)
        plane[i] = (float)((i * 37) % 101);
    pi_alpha_enlarge(whole, 9, plane, 0, W, H, 2, line); /* centre at 4.25: rows 3 to 6 */
    for (int i = 0; i < W * H; i++)
        if (i / W < 3 || i / W > 6)
            plane[i] = NAN;
    pi_alpha_enlarge(part, 9, plane + 3 * W, 3, W, H, 2, line);
    for (int i = 0; i < 2 * W; i++)
        assert_true(whole[i] == part[i]);
}

static void fill(float *rgb, const float *alpha, int visible)
{
    void *scratch = malloc(pi_alpha_fill_bytes(W, H));

    assert_non_null(scratch);
    assert_int_equal(pi_alpha_fill(rgb, alpha, W, W, H, scratch), visible);
    free(scratch);
}

static void invisible_colour_is_replaced(void **state)
{
    static float rgb[W * H * 3], alpha[W * H];
    int visible = 0;

    for (int i = 0; i < W * H; i++) { /* red where it is visible, green elsewhere */
        bool seen = i % W >= 4 && i % W < 7 && i / W >= 3 && i / W < 6;
        alpha[i] = seen ? 255 : 0;
        visible += seen;
        rgb[3 * i] = seen;
        rgb[3 * i + 1] = !seen;
    }
    fill(rgb, alpha, visible);
    for (int i = 0; i < W * H; i++) {
        assert_true(rgb[3 * i] == 1);
        assert_true(rgb[3 * i + 1] == 0);
    }
}

static void visible_pixels_stay(void **state)
{
    static float rgb[W * H * 3], before[W * H * 3], alpha[W * H];
    int visible = 0;

    for (int i = 0; i < W * H; i++) {
        alpha[i] = (float)(i * 7 % 3);
        visible += alpha[i] > 0;
    }
    for (int i = 0; i < W * H * 3; i++)
        rgb[i] = before[i] = (float)(i * 31 % 17) / 17;
    fill(rgb, alpha, visible);
    for (int i = 0; i < W * H * 3; i++)
        if (alpha[i / 3] > 0)
            assert_true(rgb[i] == before[i]);
}

/* Between two colours the fill is between them, nearer to the nearer one. */
static void fill_grows_from_both_sides(void **state)
{
    static float rgb[W * H * 3], alpha[W * H];

    for (int i = 0; i < W * H; i++) {
        int x = i % W;
        alpha[i] = x == 0 || x == W - 1;
        rgb[3 * i] = x == 0 ? 0.25f : x == W - 1 ? 0.75f : 0;
    }
    fill(rgb, alpha, 2 * H);
    for (int i = 0; i < W * H; i++) {
        int x = i % W;
        assert_true(rgb[3 * i] == (x < W / 2 ? 0.25f : x > W / 2 ? 0.75f : 0.5f));
    }
}

static void nothing_visible(void **state)
{
    static float rgb[W * H * 3], alpha[W * H];

    rgb[5] = 0.5f;
    fill(rgb, alpha, 0);
    assert_true(rgb[5] == 0.5f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ramp_is_aligned),
        cmocka_unit_test(flat_and_range_are_exact),
        cmocka_unit_test(one_pixel_is_enough),
        cmocka_unit_test(four_rows_are_enough),
        cmocka_unit_test(invisible_colour_is_replaced),
        cmocka_unit_test(visible_pixels_stay),
        cmocka_unit_test(fill_grows_from_both_sides),
        cmocka_unit_test(nothing_visible),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
