/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Every kind of image keeps its kind when it is enlarged: format, bands, interpretation, coding.
 */
#include "pictures.h"

static VipsImage *colours_of(VipsImage *image)
{
    VipsImage *out;

    assert_int_equal(vips_extract_band(image, &out, 0, "n", image->Bands < 3 ? 1 : 3, NULL), 0);
    return out;
}

/* Enlarges in with a network that repeats pixels and compares the colours with repeated pixels. Unrefs in. */
static void check_kind(VipsImage *in, double tolerance)
{
    pola_sr *sr = fake_sr_new(3, 24, 4, FAKE_NEAREST);
    VipsImage *out = enlarged(g_object_ref(in), sr), *wanted, *a, *b;

    assert_int_equal(vips_zoom(in, &wanted, 3, 3, NULL), 0);
    a = colours_of(out);
    b = colours_of(wanted);
    assert_true(distance(a, b) <= tolerance);
    g_object_unref(a);
    g_object_unref(b);
    g_object_unref(wanted);
    g_object_unref(out);
    g_object_unref(in);
    assert_int_equal(sr->references, 1);
    assert_int_equal(sr->sessions, 0);
    pola_sr_unref(sr);
}

static void all_formats_and_bands(void **state)
{
    for (int bands = 1; bands <= 4; bands++) {
        VipsInterpretation low = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
        VipsInterpretation high = bands < 3 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16;
        check_kind(noise_image(50, 41, bands), 0);
        check_kind(as(noise_image(50, 41, bands), 257, VIPS_FORMAT_USHORT, high), 0);
        check_kind(as(noise_image(50, 41, bands), 257, VIPS_FORMAT_USHORT, low), 0);
        check_kind(as(noise_image(50, 41, bands), 1, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_MULTIBAND), 0);
        check_kind(as(noise_image(50, 41, bands), 1, VIPS_FORMAT_FLOAT, low), 1e-4);
        check_kind(as(noise_image(50, 41, bands), 257, VIPS_FORMAT_FLOAT, high), 2e-2);
        check_kind(as(noise_image(50, 41, bands), 1, VIPS_FORMAT_DOUBLE, low), 1e-4);
        check_kind(as(noise_image(50, 41, bands), 1, VIPS_FORMAT_SHORT, low), 0);
        check_kind(as(noise_image(50, 41, bands), 1, VIPS_FORMAT_INT, low), 0);
        check_kind(as(noise_image(50, 41, bands), 257, VIPS_FORMAT_UINT, high), 0);
        check_kind(as(noise_image(50, 41, bands), 0.5, VIPS_FORMAT_CHAR, low), 0);
    }
    check_kind(as(noise_image(50, 41, 3), 1 / 255.0, VIPS_FORMAT_FLOAT, VIPS_INTERPRETATION_scRGB), 1e-6);
    check_kind(as(noise_image(50, 41, 4), 1 / 255.0, VIPS_FORMAT_FLOAT, VIPS_INTERPRETATION_scRGB), 1e-6);
}

/* Three bands called grey are colours. */
static void grey_by_mistake(void **state)
{
    check_kind(as(noise_image(50, 41, 3), 1, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_B_W), 0);
    check_kind(as(noise_image(50, 41, 4), 257, VIPS_FORMAT_USHORT, VIPS_INTERPRETATION_GREY16), 0);
}

static void other_colour_spaces(void **state)
{
    static const struct {
        VipsInterpretation type;
        int bands;
        double tolerance;
    } spaces[] = {{VIPS_INTERPRETATION_LAB, 3, 0.1},   {VIPS_INTERPRETATION_LAB, 4, 0.1},
                  {VIPS_INTERPRETATION_XYZ, 3, 0.01},  {VIPS_INTERPRETATION_LABS, 3, 8},
                  {VIPS_INTERPRETATION_HSV, 3, 256},   {VIPS_INTERPRETATION_CMYK, 3, 256},
                  {VIPS_INTERPRETATION_scRGB, 4, 1e-6}};

    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        VipsImage *in = noise_image(30, 20, spaces[i].bands), *converted;
        assert_int_equal(vips_colourspace(in, &converted, spaces[i].type, NULL), 0);
        g_object_unref(in);
        check_kind(converted, spaces[i].tolerance);
    }
}

/* packed as Lab, and the same enlarged: both roads end at the same colours. Unrefs packed. */
static void check_packed(VipsImage *packed, double tolerance)
{
    pola_sr *sr = fake_sr_new(2, 24, 4, FAKE_NEAREST);
    VipsImage *plain, *zoomed, *out, *result;

    assert_int_equal(vips_colourspace(packed, &plain, VIPS_INTERPRETATION_LAB, NULL), 0);
    assert_int_equal(vips_zoom(plain, &zoomed, 2, 2, NULL), 0);
    out = enlarged(packed, sr);
    assert_int_equal(vips_colourspace(out, &result, VIPS_INTERPRETATION_LAB, NULL), 0);
    assert_true(distance(zoomed, result) <= tolerance);
    g_object_unref(result);
    g_object_unref(out);
    g_object_unref(zoomed);
    g_object_unref(plain);
    pola_sr_unref(sr);
}

static void packed_codings(void **state)
{
    VipsImage *in = noise_image(30, 20, 3), *linear, *packed;

    assert_int_equal(vips_colourspace(in, &packed, VIPS_INTERPRETATION_LABQ, NULL), 0);
    check_packed(packed, 0.2);
    assert_int_equal(vips_colourspace(in, &linear, VIPS_INTERPRETATION_scRGB, NULL), 0);
    assert_int_equal(vips_float2rad(linear, &packed, NULL), 0);
    check_packed(packed, 2); /* eight bits of mantissa, cut off twice */
    g_object_unref(linear);
    g_object_unref(in);
}

static void assert_refused(VipsImage *in, pola_sr *sr, const char *text)
{
    struct pola_error err;
    VipsImage *out = in;

    assert_int_equal(pola_sr_image(in, &out, sr, &err), POLA_ERR_FORMAT);
    assert_null(out);
    assert_string_equal(err.text, text);
    assert_string_equal(vips_error_buffer(), "");
    g_object_unref(in);
}

static void no_pictures(void **state)
{
    pola_sr *sr = fake_sr_new(4, 24, 4, FAKE_NEAREST);
    VipsImage *image;

    assert_refused(noise_image(8, 8, 6), sr,
                   "pola_sr: 6 bands are not a picture: grey or RGB, with or without alpha, are");
    assert_refused(as(noise_image(8, 8, 5), 1, VIPS_FORMAT_UCHAR, VIPS_INTERPRETATION_MULTIBAND), sr,
                   "pola_sr: 5 bands are not a picture: grey or RGB, with or without alpha, are");
    assert_refused(as(noise_image(8, 8, 1), 1, VIPS_FORMAT_COMPLEX, VIPS_INTERPRETATION_FOURIER), sr,
                   "pola_sr: complex numbers are not a picture");
    assert_refused(as(noise_image(8, 8, 1), 1, VIPS_FORMAT_FLOAT, VIPS_INTERPRETATION_MATRIX), sr,
                   "vips_colourspace: no known route from 'matrix' to 'scrgb'");
    assert_int_equal(vips_black(&image, 5000000, 1, NULL), 0);
    assert_refused(image, sr,
                   "pola_sr: 5000000 x 1 pixels are too many to be enlarged 4 times: libvips has at most 10000000 in a "
                   "row");
    assert_int_equal(sr->references, 1);
    pola_sr_unref(sr);
}

/* A slow 16-bit ramp keeps its levels. */
static void sixteen_bits_stay(void **state)
{
    static uint16_t ramp[64 * 64];
    pola_sr *sr = fake_sr_new(2, 24, 4, FAKE_BLUR);
    static unsigned char seen[65536];
    int levels = 0;
    size_t size;

    for (int i = 0; i < 64 * 64; i++)
        ramp[i] = (uint16_t)(i * 13);
    VipsImage *in = vips_image_new_from_memory(ramp, sizeof ramp, 64, 64, 1, VIPS_FORMAT_USHORT);
    in->Type = VIPS_INTERPRETATION_GREY16;
    VipsImage *out = enlarged(in, sr);
    uint16_t *pixels = (uint16_t *)pixels_of(out, &size);
    for (size_t i = 0; i < size / 2; i++)
        if (!seen[pixels[i]]++)
            levels++;
    assert_true(levels > 2000);
    g_free(pixels);
    g_object_unref(out);
    pola_sr_unref(sr);
}

static int enter(void **state)
{
    struct pola_error err;

    if (pola_init(&err) < 0)
        return -1;
    vips_cache_set_max(0); /* so that what is unreferenced goes at once */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_formats_and_bands), cmocka_unit_test(grey_by_mistake),
        cmocka_unit_test(other_colour_spaces),   cmocka_unit_test(packed_codings),
        cmocka_unit_test(no_pictures),           cmocka_unit_test(sixteen_bits_stay),
    };

    return cmocka_run_group_tests(tests, enter, NULL);
}
