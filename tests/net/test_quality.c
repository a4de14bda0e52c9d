/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The shipped models on photographs, through the libvips operation with its default tiles: the peak signal-to-noise ratio, better
 * than bicubic enlargement, and in bfloat16 as good as in float32. Luma of BT.601, `scale` pixels of the border left out.
 */
#include "golden.h"

#include "head/sr.h"

#include <math.h>
#include <stdio.h>
#include <vips/vips.h>

/* Decibels by which bfloat16 may differ; 0.0015 were measured. */
#define MOST_LOST 0.01

/* What the models gain over bicubic enlargement on each of these pictures, at least; 1.1 to 3.7 dB were measured. */
#define LEAST_GAIN 0.8

static VipsImage *load(const char *name, const char *suffix)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s_%s.png", EVAL_DIR, name, suffix);
    VipsImage *image = vips_image_new_from_file(path, NULL);
    if (!image)
        fail_msg("%s", vips_error_buffer());
    return image;
}

/* Row-wise RGB of 8 bits; g_free() it. Takes the image. */
static unsigned char *pixels(VipsImage *image)
{
    size_t size;
    unsigned char *data = vips_image_write_to_memory(image, &size);

    if (!data)
        fail_msg("%s", vips_error_buffer());
    assert_int_equal(image->Bands, 3);
    assert_int_equal(image->BandFmt, VIPS_FORMAT_UCHAR);
    assert_int_equal(size, (size_t)image->Xsize * (size_t)image->Ysize * 3);
    g_object_unref(image);
    return data;
}

static double luma(const unsigned char *p)
{
    return 16.0 + (65.481 * p[0] + 128.553 * p[1] + 24.966 * p[2]) / 255.0;
}

/* Of two pictures of this size. */
static double psnr(const unsigned char *a, const unsigned char *b, int width, int height, int border)
{
    double sum = 0.0;

    for (int y = border; y < height - border; y++)
        for (int x = border; x < width - border; x++) {
            size_t at = ((size_t)y * (size_t)width + (size_t)x) * 3;
            double d = luma(a + at) - luma(b + at);
            sum += d * d;
        }
    return 10.0 * log10(255.0 * 255.0 * (width - 2 * border) * (height - 2 * border) / sum);
}

static unsigned char *enlarge(VipsImage *in, int scale, enum pola_precision precision)
{
    struct pola_sr_options options;
    struct pola_error err;
    char path[1024];
    pola_model *model;
    VipsImage *out;
    pola_sr *sr;

    snprintf(path, sizeof path, "%s/pola-sr-x%d.safetensors", MODELS_DIR, scale);
    pola_sr_options_init(&options);
    options.precision = precision;
    if (pola_model_open(&model, path, &err) != POLA_OK || pola_sr_new(&sr, model, &options, &err) != POLA_OK ||
        pola_sr_image(in, &out, sr, &err) != POLA_OK)
        fail_msg("%s", err.text);
    unsigned char *data = pixels(out);
    pola_sr_unref(sr);
    pola_model_unref(model);
    return data;
}

/* Keys' cubic, a = -1/2. */
static double cubic(double x)
{
    x = fabs(x);
    return x < 1.0 ? (1.5 * x - 2.5) * x * x + 1.0 : x < 2.0 ? ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0 : 0.0;
}

static int inside(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Pixel centres at halves, the border repeated; takes the image. */
static unsigned char *bicubic(VipsImage *image, int scale)
{
    int w = image->Xsize, h = image->Ysize;
    unsigned char *in = pixels(image), *out = g_malloc((size_t)w * (size_t)h * (size_t)(3 * scale * scale)), *p = out;

    for (int y = 0; y < h * scale; y++)
        for (int x = 0; x < w * scale; x++) {
            double cy = (y + 0.5) / scale - 0.5, cx = (x + 0.5) / scale - 0.5, sum[3] = {0.5, 0.5, 0.5};
            for (int j = (int)floor(cy) - 1; j <= (int)floor(cy) + 2; j++)
                for (int i = (int)floor(cx) - 1; i <= (int)floor(cx) + 2; i++)
                    for (int c = 0; c < 3; c++)
                        sum[c] += cubic(cy - j) * cubic(cx - i) * in[(inside(j, h) * w + inside(i, w)) * 3 + c];
            for (int c = 0; c < 3; c++)
                *p++ = (unsigned char)fmin(fmax(sum[c], 0.0), 255.0);
        }
    g_free(in);
    return out;
}

static void check(const char *name, int scale)
{
    char suffix[8];

    snprintf(suffix, sizeof suffix, "x%d", scale);
    VipsImage *in = load(name, suffix), *truth_image = load(name, "HR");
    int width = in->Xsize * scale, height = in->Ysize * scale;
    assert_int_equal(truth_image->Xsize, width);
    assert_int_equal(truth_image->Ysize, height);
    unsigned char *truth = pixels(truth_image), *plain = bicubic(load(name, suffix), scale);
    unsigned char *fp32 = enlarge(in, scale, POLA_PRECISION_FP32), *bf16 = enlarge(in, scale, POLA_PRECISION_BF16);
    double simple = psnr(plain, truth, width, height, scale), full = psnr(fp32, truth, width, height, scale),
           half = psnr(bf16, truth, width, height, scale);

    printf("%s x%d  bicubic %.3f dB, fp32 %.4f, bf16 %.4f (%+.4f)\n", name, scale, simple, full, half, half - full);
    assert_true(full >= simple + LEAST_GAIN);
    assert_true(fabs(half - full) <= MOST_LOST);
    g_object_unref(in);
    g_free(truth), g_free(plain), g_free(fp32), g_free(bf16);
}

static void test_quality(void **state)
{
    static const char *const names[] = {"kodim05", "kodim08", "kodim23"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int scale = 2; scale <= 4; scale++)
            check(names[i], scale);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quality)};
    struct pola_error err;

    if (pola_init(&err) != POLA_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vips_shutdown();
    return failed;
}
