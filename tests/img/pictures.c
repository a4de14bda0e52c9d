/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See pictures.h.
 */
#include "pictures.h"

#include <stdlib.h>

VipsImage *noise_image(int width, int height, int bands)
{
    unsigned char *pixels = malloc((size_t)(width * height * bands));
    unsigned state = 12345;

    assert_non_null(pixels);
    for (int i = 0; i < width * height * bands; i++) {
        state = state * 1664525 + 1013904223;
        pixels[i] = (unsigned char)(state >> 24 | (bands % 2 == 0 && i % bands == bands - 1 ? 2 : 0));
    }
    VipsImage *image = vips_image_new_from_memory_copy(pixels, (size_t)(width * height * bands), width, height, bands,
                                                       VIPS_FORMAT_UCHAR);
    assert_non_null(image);
    free(pixels);
    image->Type = bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    return image;
}

VipsImage *as(VipsImage *in, double factor, VipsBandFormat format, VipsInterpretation type)
{
    VipsImage *scaled, *cast, *out;

    assert_int_equal(vips_linear1(in, &scaled, factor, 0, NULL), 0);
    assert_int_equal(vips_cast(scaled, &cast, format, NULL), 0);
    assert_int_equal(vips_copy(cast, &out, "interpretation", type, NULL), 0);
    g_object_unref(in);
    g_object_unref(scaled);
    g_object_unref(cast);
    return out;
}

VipsImage *enlarged(VipsImage *in, pola_sr *sr)
{
    struct pola_error err;
    VipsImage *out;

    assert_int_equal(pola_sr_image(in, &out, sr, &err), POLA_OK);
    assert_int_equal(out->Xsize, sr->scale * in->Xsize);
    assert_int_equal(out->Ysize, sr->scale * in->Ysize);
    assert_int_equal(out->Bands, in->Bands);
    assert_int_equal(out->BandFmt, in->BandFmt);
    assert_int_equal(out->Coding, in->Coding);
    assert_int_equal(out->Type, in->Type);
    g_object_unref(in);
    return out;
}

unsigned char *pixels_of(VipsImage *image, size_t *size)
{
    unsigned char *pixels = vips_image_write_to_memory(image, size);

    if (!pixels)
        fail_msg("%s", vips_error_buffer());
    return pixels;
}

void assert_same_pixels(VipsImage *a, VipsImage *b)
{
    size_t a_size, b_size;
    unsigned char *a_pixels = pixels_of(a, &a_size), *b_pixels = pixels_of(b, &b_size);

    assert_int_equal(a_size, b_size);
    assert_memory_equal(a_pixels, b_pixels, a_size);
    g_free(a_pixels);
    g_free(b_pixels);
}

double distance(VipsImage *a, VipsImage *b)
{
    VipsImage *difference, *size;
    double most;

    assert_int_equal(vips_subtract(a, b, &difference, NULL), 0);
    assert_int_equal(vips_abs(difference, &size, NULL), 0);
    assert_int_equal(vips_max(size, &most, NULL), 0);
    g_object_unref(difference);
    g_object_unref(size);
    return most;
}
