/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Super-resolution inside libvips: the bytes depend on nothing but the image, and failures reach the writer.
 */
#include "pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An alpha ramp comes out as the ramp at the centres of the new pixels; 0 and 255 stay. */
static void alpha_is_aligned(void **state)
{
    static unsigned char in_pixels[60 * 40 * 4];
    size_t size;

    for (int i = 0; i < 60 * 40; i++) {
        int x = i % 60;
        in_pixels[4 * i + 3] = (unsigned char)(x < 10 ? 0 : x >= 50 ? 255 : 4 * x);
        in_pixels[4 * i] = 200;
    }
    for (int scale = 2; scale <= 4; scale++) {
        pola_sr *sr = fake_sr_new(scale, 24, 4, FAKE_NEAREST);
        VipsImage *in = vips_image_new_from_memory(in_pixels, sizeof in_pixels, 60, 40, 4, VIPS_FORMAT_UCHAR);
        in->Type = VIPS_INTERPRETATION_sRGB;
        VipsImage *out = enlarged(in, sr);
        unsigned char *pixels = pixels_of(out, &size);
        for (int i = 0; i < 60 * scale * 40 * scale; i++) {
            int x = i % (60 * scale), alpha = pixels[4 * i + 3];
            if (x < 8 * scale)
                assert_int_equal(alpha, 0);
            else if (x >= 52 * scale)
                assert_int_equal(alpha, 255);
            else if (x >= 12 * scale && x < 48 * scale)
                assert_true(fabs(alpha - 4 * ((x + 0.5) / scale - 0.5)) <= 0.5);
        }
        g_free(pixels);
        g_object_unref(out);
        pola_sr_unref(sr);
    }
}

/* A red disc on transparent green: no green may reach a pixel that can be seen. */
static void hidden_colour_does_not_bleed(void **state)
{
    static unsigned char in_pixels[70 * 70 * 4];
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_BLUR);
    size_t size;
    int visible = 0;

    for (int i = 0; i < 70 * 70; i++) {
        int x = i % 70 - 35, y = i / 70 - 35, inside = x * x + y * y < 600;
        in_pixels[4 * i] = inside ? 255 : 0;
        in_pixels[4 * i + 1] = inside ? 0 : 255;
        in_pixels[4 * i + 3] = inside ? 255 : 0;
    }
    VipsImage *in = vips_image_new_from_memory(in_pixels, sizeof in_pixels, 70, 70, 4, VIPS_FORMAT_UCHAR);
    in->Type = VIPS_INTERPRETATION_sRGB;
    VipsImage *out = enlarged(in, sr);
    unsigned char *pixels = pixels_of(out, &size);
    for (int i = 0; i < 280 * 280; i++)
        if (pixels[4 * i + 3] > 0) {
            visible++;
            assert_int_equal(pixels[4 * i], 255);
            assert_int_equal(pixels[4 * i + 1], 0);
        }
    assert_true(visible > 16 * 1800 && visible < 16 * 2200);
    g_free(pixels);
    g_object_unref(out);
    pola_sr_unref(sr);
}

/* The same image by all ways of reading it. */
static void bytes_depend_on_nothing(void **state)
{
    const int threads[] = {1, 2, 7}, concurrency[] = {1, 4, 8};
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_PLACE);
    VipsImage *in = noise_image(200, 300, 4), *wanted, *seq;
    size_t size, other_size;

    assert_int_equal(vips_image_write_to_file(in, "in.png", NULL), 0);
    pola_threads_set(1);
    wanted = enlarged(g_object_ref(in), sr);
    unsigned char *bytes = pixels_of(wanted, &size);
    for (int t = 0; t < 3; t++)
        for (int c = 0; c < 3; c++) {
            pola_threads_set(threads[t]);
            vips_concurrency_set(concurrency[c]);
            seq = vips_image_new_from_file("in.png", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
            assert_non_null(seq);
            VipsImage *out = enlarged(seq, sr);
            unsigned char *other = pixels_of(out, &other_size);
            assert_int_equal(size, other_size);
            assert_memory_equal(bytes, other, size);
            g_free(other);
            g_object_unref(out);
        }
    pola_threads_set(0);
    vips_concurrency_set(0);
    g_free(bytes);
    g_object_unref(wanted);
    g_object_unref(in);
    pola_sr_unref(sr);
}

static void files_get_the_same_bytes(void **state)
{
    const char *const names[] = {"out.png", "out.v", "out.tif", "out.tif[tile,pyramid]"};
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_PLACE);
    VipsImage *in = noise_image(200, 150, 3), *wanted = enlarged(g_object_ref(in), sr);

    assert_int_equal(vips_image_write_to_file(in, "in.png", NULL), 0);
    vips_concurrency_set(4);
    for (int i = 0; i < 4; i++) {
        VipsImage *out = enlarged(vips_image_new_from_file("in.png", "access", VIPS_ACCESS_SEQUENTIAL, NULL), sr);
        if (vips_image_write_to_file(out, names[i], NULL))
            fail_msg("%s", vips_error_buffer());
        g_object_unref(out);
        VipsImage *back = vips_image_new_from_file(i == 3 ? "out.tif" : names[i], NULL);
        assert_same_pixels(back, wanted);
        g_object_unref(back);
    }
    vips_concurrency_set(0);
    g_object_unref(wanted);
    g_object_unref(in);
    pola_sr_unref(sr);
}

/* Parts in any order are the parts of the whole. */
static void random_access(void **state)
{
    static const int areas[][4] = {{0, 0, 800, 600},  {799, 599, 1, 1}, {37, 411, 200, 100}, {0, 0, 3, 3},
                                   {500, 97, 7, 500}, {1, 301, 799, 2}, {37, 411, 200, 100}};
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_PLACE);
    VipsImage *in = noise_image(200, 150, 2), *out = enlarged(in, sr), *flipped, *back, *memory, *a, *b;

    memory = vips_image_copy_memory(out);
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++) {
        const int *r = areas[i];
        assert_int_equal(vips_crop(out, &a, r[0], r[1], r[2], r[3], NULL), 0);
        assert_int_equal(vips_crop(memory, &b, r[0], r[1], r[2], r[3], NULL), 0);
        assert_same_pixels(a, b);
        g_object_unref(a);
        g_object_unref(b);
    }
    assert_int_equal(vips_flip(out, &flipped, VIPS_DIRECTION_VERTICAL, NULL), 0); /* read from the bottom up */
    assert_int_equal(vips_flip(memory, &back, VIPS_DIRECTION_VERTICAL, NULL), 0);
    assert_same_pixels(flipped, back);
    g_object_unref(flipped);
    g_object_unref(back);
    g_object_unref(memory);
    g_object_unref(out);
    pola_sr_unref(sr);
}

/* What comes after may ask for rows out of order and from many threads; the input must still be read once. */
static void sequential_pipelines(void **state)
{
    pola_sr *sr = fake_sr_new(2, 16, 3, FAKE_PLACE);
    VipsImage *in = noise_image(90, 1500, 3), *memory = NULL, *small, *wanted;
    struct pola_sr_plan plan;
    struct pola_error err;

    assert_int_equal(pola_sr_plan(&plan, sr, 90, 1500, &err), POLA_OK);
    assert_int_equal(vips_image_write_to_file(in, "in.png", NULL), 0);
    for (int concurrency = 1; concurrency <= 8; concurrency++) {
        vips_concurrency_set(concurrency);
        VipsImage *out = enlarged(vips_image_new_from_file("in.png", "access", VIPS_ACCESS_SEQUENTIAL, NULL), sr);
        assert_int_equal(vips_resize(out, &small, 0.55, NULL), 0);
        int windows = sr->windows;
        VipsImage *got = vips_image_copy_memory(small);
        if (!got)
            fail_msg("%s", vips_error_buffer());
        assert_int_equal(sr->windows - windows, plan.columns * plan.rows);
        if (!memory) {
            memory = vips_image_copy_memory(wanted = enlarged(g_object_ref(in), sr));
            g_object_unref(wanted);
        }
        assert_int_equal(vips_resize(memory, &wanted, 0.55, NULL), 0);
        assert_same_pixels(got, wanted);
        g_object_unref(wanted);
        g_object_unref(got);
        g_object_unref(small);
        g_object_unref(out);
    }
    vips_concurrency_set(0);
    g_object_unref(memory);
    g_object_unref(in);
    pola_sr_unref(sr);
}

/* This is what libvips has heard from us, whatever else it says itself. */
static void assert_told_once(const char *line)
{
    const char *found = strstr(vips_error_buffer(), "pola_sr: ");

    assert_non_null(found);
    assert_int_equal(strncmp(found, line, strlen(line)), 0);
    assert_null(strstr(found + 1, "pola_sr: "));
    vips_error_clear();
}

static void odd_numbers_are_refused(void **state)
{
    static float pixels[50 * 60 * 3];
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_NEAREST);
    size_t size;

    pixels[(40 * 50 + 12) * 3] = NAN;
    pixels[(40 * 50 + 13) * 3 + 2] = INFINITY;
    VipsImage *in = vips_image_new_from_memory(pixels, sizeof pixels, 50, 60, 3, VIPS_FORMAT_FLOAT);
    in->Type = VIPS_INTERPRETATION_scRGB;
    vips_concurrency_set(4);
    VipsImage *out = enlarged(in, sr);
    assert_null(vips_image_write_to_memory(out, &size));
    vips_concurrency_set(0);
    assert_told_once("pola_sr: pixel (12, 40) is not finite; rows 34 to 48 have 2 such pixels\n");
    g_object_unref(out);
    pola_sr_unref(sr);
}

/* A window in the middle that fails: the writer fails too, whatever it writes. */
static void failures_reach_the_writer(void **state)
{
    const char *const names[] = {"bad.png", "bad.jpg", "bad.tif", "bad.v"};
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_FUSSY);
    VipsImage *in, *dark = noise_image(200, 300, 3), *image;

    assert_int_equal(vips_linear1(dark, &image, 0.5, 0, "uchar", TRUE, NULL), 0);
    in = vips_image_copy_memory(image);
    *VIPS_IMAGE_ADDR(in, 100, 150) = 255;
    for (int i = 0; i < 4; i++)
        for (int c = 1; c <= 4; c += 3) {
            vips_concurrency_set(c);
            VipsImage *out = enlarged(g_object_ref(in), sr);
            assert_int_not_equal(vips_image_write_to_file(out, names[i], NULL), 0);
            assert_told_once("pola_sr: window of 24 x 24 pixels at (92, 140): the result is not finite\n");
            g_object_unref(out);
        }
    vips_concurrency_set(0);
    g_object_unref(in);
    g_object_unref(image);
    g_object_unref(dark);
    pola_sr_unref(sr);
}

/* An input that ends early: the loader's own message, and failure. */
static void broken_input(void **state)
{
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_NEAREST);
    VipsImage *in = noise_image(200, 300, 3);

    assert_int_equal(vips_image_write_to_file(in, "whole.png", NULL), 0);
    g_object_unref(in);
    assert_int_equal(truncate("whole.png", 60000), 0);
    in = vips_image_new_from_file("whole.png", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED,
                                  NULL);
    assert_non_null(in);
    VipsImage *out = enlarged(in, sr);
    assert_int_not_equal(vips_image_write_to_file(out, "bad.png", NULL), 0);
    assert_non_null(strstr(vips_error_buffer(), "png"));
    assert_null(strstr(vips_error_buffer(), "pola_sr"));
    vips_error_clear();
    g_object_unref(out);
    pola_sr_unref(sr);
}

static void kill_stops(void **state)
{
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_NEAREST);
    VipsImage *out = enlarged(noise_image(200, 300, 3), sr);
    size_t size;

    vips_image_set_kill(out, TRUE);
    assert_null(vips_image_write_to_memory(out, &size));
    vips_error_clear();
    vips_image_set_kill(out, FALSE);
    g_free(pixels_of(out, &size));
    g_object_unref(out);
    pola_sr_unref(sr);
}

/* Buffers go when a pass ends, not when the image goes. */
static void memory_is_given_back(void **state)
{
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_NEAREST);
    VipsImage *out = enlarged(noise_image(100, 100, 3), sr);
    size_t size;

    assert_int_equal(sr->sessions, 0);
    g_free(pixels_of(out, &size));
    assert_int_equal(sr->sessions, 0);
    assert_int_equal(sr->references, 2);
    g_object_unref(out);
    assert_int_equal(sr->references, 1);
    pola_sr_unref(sr);
}

static void header_is_kept(void **state)
{
    pola_sr *sr = fake_sr_new(3, 24, 4, FAKE_NEAREST);
    VipsImage *in = noise_image(30, 40, 3);
    const void *blob;
    const char *text;
    size_t size;

    in->Xres = 11.811;
    in->Yres = 2;
    vips_image_set_blob_copy(in, VIPS_META_ICC_NAME, "profile", 7);
    vips_image_set_string(in, "exif-ifd0-Make", "nobody");
    vips_image_set_int(in, VIPS_META_PAGE_HEIGHT, 20);
    VipsImage *out = enlarged(in, sr);
    assert_true(fabs(out->Xres - 3 * 11.811) < 1e-9 && out->Yres == 6);
    assert_int_equal(vips_image_get_page_height(out), 60);
    assert_int_equal(vips_image_get_blob(out, VIPS_META_ICC_NAME, &blob, &size), 0);
    assert_int_equal(size, 7);
    assert_memory_equal(blob, "profile", 7);
    assert_int_equal(vips_image_get_string(out, "exif-ifd0-Make", &text), 0);
    assert_string_equal(text, "nobody");
    g_object_unref(out);
    pola_sr_unref(sr);
}

static void plan_follows_the_image(void **state)
{
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_NEAREST);
    VipsImage *rgb = noise_image(200, 300, 3);
    VipsImage *deep = as(noise_image(200, 300, 4), 257, VIPS_FORMAT_USHORT, VIPS_INTERPRETATION_RGB16);
    struct pola_sr_plan plan, same, more;
    struct pola_error err;

    assert_int_equal(pola_sr_plan(&plan, sr, 200, 300, &err), POLA_OK);
    assert_int_equal(pola_sr_plan_image(&same, sr, rgb, &err), POLA_OK);
    assert_int_equal(pola_sr_plan_image(&more, sr, deep, &err), POLA_OK);
    assert_int_equal(plan.memory, same.memory);
    assert_true(more.memory > plan.memory);
    assert_int_equal(plan.scale, 4);
    assert_int_equal(plan.tile, 24);
    assert_int_equal(plan.halo, 4);
    assert_int_equal(plan.columns, 13);
    assert_int_equal(plan.rows, 19);
    assert_true(plan.macs == 24.0 * 24 * 13 * 19);
    g_object_unref(rgb);
    g_object_unref(deep);
    pola_sr_unref(sr);
}

/* By name, as any libvips program would. */
static void operation(void **state)
{
    VipsImage *in = noise_image(50, 40, 3), *out, *again, *wanted;

    assert_int_equal(vips_call("pola_sr", in, &out, MODEL, NULL), 0);
    assert_int_equal(vips_call("pola_sr", in, &again, MODEL, "scale", 4, "tile", 32, "halo", 4, "precision", "fp32",
                               "tta", FALSE, NULL),
                     0);
    assert_int_equal(vips_zoom(in, &wanted, 4, 4, NULL), 0);
    assert_same_pixels(out, wanted);
    assert_same_pixels(again, wanted);
    g_object_unref(out);
    g_object_unref(again);
    g_object_unref(wanted);

    assert_int_not_equal(vips_call("pola_sr", in, &out, MODEL, "scale", 2, NULL), 0);
    assert_non_null(strstr(vips_error_buffer(), "enlarges 4 times, not 2"));
    vips_error_clear();
    assert_int_not_equal(vips_call("pola_sr", in, &out, MODEL, "precision", "half", NULL), 0);
    assert_string_equal(vips_error_buffer(), "pola_sr: unknown precision 'half': use auto, fp32 or bf16\n");
    vips_error_clear();
    assert_int_not_equal(vips_call("pola_sr", in, &out, "./none.safetensors", NULL), 0);
    assert_non_null(strstr(vips_error_buffer(), "none.safetensors"));
    vips_error_clear();
    g_object_unref(in);
}

static char scratch[] = "/tmp/pola-img-XXXXXX";

static int enter(void **state)
{
    struct pola_error err;

    if (!mkdtemp(scratch) || chdir(scratch) < 0 || pola_init(&err) < 0)
        return -1;
    vips_cache_set_max(0); /* so that what is unreferenced goes at once */
    return 0;
}

static int leave(void **state)
{
    const char *const files[] = {"in.png",  "out.png", "out.v", "out.tif",  "bad.png",
                                 "bad.jpg", "bad.tif", "bad.v", "whole.png"};

    vips_shutdown();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(files[i]);
    return chdir("/") == 0 && rmdir(scratch) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alpha_is_aligned),
        cmocka_unit_test(hidden_colour_does_not_bleed),
        cmocka_unit_test(bytes_depend_on_nothing),
        cmocka_unit_test(files_get_the_same_bytes),
        cmocka_unit_test(random_access),
        cmocka_unit_test(sequential_pipelines),
        cmocka_unit_test(odd_numbers_are_refused),
        cmocka_unit_test(failures_reach_the_writer),
        cmocka_unit_test(broken_input),
        cmocka_unit_test(kill_stops),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(header_is_kept),
        cmocka_unit_test(plan_follows_the_image),
        cmocka_unit_test(operation),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
