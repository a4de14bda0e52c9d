/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Borders between windows do not show: with the shipped network and its default tile, neighbouring output pixels differ no more
 * across the middle of an overlap than inside windows. tests/bench/seams.py measures the same at length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "head/sr.h"
#include "img/tile.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>

enum { WIDTH = 384, HEIGHT = 288, WHOLE = 400 /* a tile that holds the picture */ };

#define LIMIT 1.2

struct result {
    unsigned char *pixels; /* (height, width, 3) */
    int width, height, scale;
};

static pola_sr *open_sr(int tile, int halo)
{
    struct pola_sr_options options;
    struct pola_error err;
    pola_model *model;
    pola_sr *sr;

    pola_sr_options_init(&options);
    options.tile = tile;
    options.halo = halo;
    assert_int_equal(pola_model_open(&model, MODEL, &err), POLA_OK);
    assert_int_equal(pola_sr_new(&sr, model, &options, &err), POLA_OK);
    pola_model_unref(model);
    return sr;
}

static struct result enlarge(const unsigned char *pixels, pola_sr *sr)
{
    const size_t bytes = (size_t)WIDTH * HEIGHT * 3;
    VipsImage *in = vips_image_new_from_memory(pixels, bytes, WIDTH, HEIGHT, 3, VIPS_FORMAT_UCHAR), *out;
    struct pola_error err;
    struct result result = {NULL, WIDTH * pola_sr_scale(sr), HEIGHT * pola_sr_scale(sr), pola_sr_scale(sr)};
    size_t size;

    assert_non_null(in);
    assert_int_equal(pola_sr_image(in, &out, sr, &err), POLA_OK);
    result.pixels = vips_image_write_to_memory(out, &size);
    assert_non_null(result.pixels);
    assert_int_equal(size, (size_t)result.width * (size_t)result.height * 3);
    g_object_unref(out);
    g_object_unref(in);
    return result;
}

/* Sum over rows and colours of |column x + 1 - column x|; down: rows for columns. */
static double step(const struct result *result, int x, bool down)
{
    const size_t pitch = (size_t)result->width * 3, along = down ? 3 : pitch, across = down ? pitch : 3;
    const unsigned char *at = result->pixels + (size_t)x * across;
    double sum = 0;

    for (int y = 0; y < (down ? result->width : result->height); y++, at += along)
        for (size_t c = 0; c < 3; c++)
            sum += abs(at[across + c] - at[c]);
    return sum;
}

/* Is the step from column x to x + 1 part of no fade? */
static bool is_inside(const struct tile_axis *axis, int x)
{
    for (int i = 1; i < axis->count; i++) {
        int begin = pi_tile_begin(axis, i);
        if (x >= begin - 1 && x < begin + axis->fade)
            return false;
    }
    return true;
}

/* Mean step in the middle of the overlaps of the grid, over the mean of steps inside that have the same place in an input pixel. */
static double ratio(const struct result *result, int tile, int halo, bool down)
{
    struct tile_axis axis;
    double middle = 0, inside = 0;
    size_t middles = 0, insides = 0;

    pi_tile_axis_init(&axis, down ? HEIGHT : WIDTH, result->scale, tile, halo, pi_tile_fade(halo, result->scale));
    assert_true(axis.count > 2);
    for (int i = 1; i < axis.count; i++) {
        int at = pi_tile_begin(&axis, i) + axis.fade / 2 - 1;
        middle += step(result, at, down);
        middles++;
        for (int x = at % result->scale; x < axis.length * axis.scale - 1; x += result->scale)
            if (is_inside(&axis, x)) {
                inside += step(result, x, down);
                insides++;
            }
    }
    assert_true(insides > middles && inside > 0);
    return middle / (double)middles / (inside / (double)insides);
}

/* The ratio with this tile and halo (0, -1: the model's), over the same of the untiled result: the larger of both directions. */
static double relative(const char *name, const unsigned char *pixels, int tile, int halo)
{
    pola_sr *sr = open_sr(tile, halo), *whole = open_sr(WHOLE, 0);
    struct result tiled = enlarge(pixels, sr), untiled = enlarge(pixels, whole);
    double worst = 0;

    for (int down = 0; down <= 1; down++) {
        double here = ratio(&tiled, pi_sr_tile(sr), pi_sr_halo(sr), down);
        double there = ratio(&untiled, pi_sr_tile(sr), pi_sr_halo(sr), down);
        printf("%s, tile %d, halo %d, %s: %.3f, untiled %.3f\n", name, pi_sr_tile(sr), pi_sr_halo(sr),
               down ? "down" : "across", here, there);
        worst = here / there > worst ? here / there : worst;
    }
    g_free(tiled.pixels);
    g_free(untiled.pixels);
    pola_sr_unref(sr);
    pola_sr_unref(whole);
    return worst;
}

static unsigned char *gradient(void)
{
    unsigned char *pixels = malloc((size_t)WIDTH * HEIGHT * 3);

    assert_non_null(pixels);
    for (int y = 0, at = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            double t = hypot(x - WIDTH / 2.0, y - HEIGHT / 2.0) / hypot(WIDTH / 2.0, HEIGHT / 2.0);
            pixels[at++] = (unsigned char)(255 * t + 0.5);
            pixels[at++] = (unsigned char)(255 - 180 * t + 0.5);
            pixels[at++] = (unsigned char)(80 + 100 * t + 0.5);
        }
    return pixels;
}

static void smooth_gradient(void **state)
{
    unsigned char *pixels = gradient();

    assert_true(relative("gradient", pixels, 0, -1) <= LIMIT);
    free(pixels);
}

static void photograph(void **state)
{
    VipsImage *image = vips_image_new_from_file(PHOTOGRAPH, NULL);
    size_t size;

    assert_non_null(image);
    assert_int_equal(image->Xsize, WIDTH);
    assert_int_equal(image->Ysize, HEIGHT);
    unsigned char *pixels = vips_image_write_to_memory(image, &size);
    assert_int_equal(size, (size_t)WIDTH * HEIGHT * 3);
    assert_true(relative("photograph", pixels, 0, -1) <= LIMIT);
    g_free(pixels);
    g_object_unref(image);
}

/* Without an overlap windows are cut off hard, which shows: the measure can fail. */
static void hard_cut_shows(void **state)
{
    unsigned char *pixels = gradient();

    assert_true(relative("hard cut", pixels, 48, 0) > LIMIT);
    free(pixels);
}

static int start(void **state)
{
    struct pola_error err;

    return pola_init(&err);
}

/* A flat picture stays flat, to the very edge: the network's zero padding must not draw a frame. */
static void flat_to_the_edge(void **state)
{
    static const unsigned char greys[] = {0, 60, 128, 255};
    unsigned char *pixels = malloc((size_t)WIDTH * HEIGHT * 3);
    pola_sr *sr = open_sr(0, -1);

    assert_non_null(pixels);
    for (size_t g = 0; g < sizeof greys; g++) {
        memset(pixels, greys[g], (size_t)WIDTH * HEIGHT * 3);
        struct result result = enlarge(pixels, sr);
        for (size_t i = 0; i < (size_t)result.width * (size_t)result.height * 3; i++)
            assert_in_range(result.pixels[i] + 1, greys[g], greys[g] + 2);
        g_free(result.pixels);
    }
    pola_sr_unref(sr);
    free(pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_gradient),
        cmocka_unit_test(photograph),
        cmocka_unit_test(hard_cut_shows),
        cmocka_unit_test(flat_to_the_edge),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
