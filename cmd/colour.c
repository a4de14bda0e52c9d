/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See colour.h. A profile that does what sRGB does is carried along untouched. Any other is converted with 16 bits, so that
 * the way there and back costs no visible step; colours outside sRGB are clipped to it.
 */
#include "colour.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <vips/vips.h>

#define PROBE 5 /* levels of each channel with which a profile is compared with sRGB */

void image_replace(VipsImage **image, VipsImage *next)
{
    g_object_unref(*image);
    *image = next;
}

/* Runs the rest of a libvips call whose result is `next`, and replaces *image by it. */
static int take(VipsImage **image, VipsImage *next, int failed, struct pola_error *err)
{
    if (failed) {
        g_clear_object(&next);
        return cli_fail_vips(err, "cannot convert its colours");
    }
    image_replace(image, next);
    return POLA_OK;
}

static int retag(VipsImage **image, VipsInterpretation interpretation, struct pola_error *err)
{
    VipsImage *next = NULL;
    int failed = vips_copy(*image, &next, "interpretation", interpretation, NULL);

    return take(image, next, failed, err);
}

static int to_space(VipsImage **image, VipsInterpretation space, struct pola_error *err)
{
    VipsImage *next = NULL;
    int failed = vips_colourspace(*image, &next, space, NULL);

    return take(image, next, failed, err);
}

int image_to_bits(VipsImage **image, int bits, struct pola_error *err)
{
    VipsBandFormat format = (*image)->BandFmt;
    gboolean grey = (*image)->Bands < 3;
    VipsImage *next = NULL;
    int failed;

    if (format == (bits == 16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR))
        return POLA_OK;
    if (format == VIPS_FORMAT_USHORT) {
        failed = vips_linear1(*image, &next, 1.0 / 257, 0.5, "uchar", TRUE, NULL);
    } else if (format == VIPS_FORMAT_UCHAR) {
        VipsImage *wide = NULL;
        failed = vips_linear1(*image, &wide, 257, 0, NULL) || vips_cast_ushort(wide, &next, NULL);
        g_clear_object(&wide);
    } else {
        if (grey)
            return to_space(image, bits == 16 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W, err);
        return to_space(image, bits == 16 ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB, err);
    }
    int code = take(image, next, failed, err);
    if (code != POLA_OK)
        return code;
    if (bits == 16)
        return retag(image, grey ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16, err);
    return retag(image, grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, err);
}

/* Sample types that stand for brightness without further knowledge. */
static int check_format(VipsImage **image, struct pola_error *err)
{
    VipsImage *next = NULL;
    int failed;

    switch ((*image)->BandFmt) {
    case VIPS_FORMAT_UCHAR:
    case VIPS_FORMAT_USHORT:
    case VIPS_FORMAT_FLOAT:
        return POLA_OK;
    case VIPS_FORMAT_DOUBLE:
        failed = vips_cast_float(*image, &next, NULL);
        return take(image, next, failed, err);
    default:
        return cli_fail(err, POLA_ERR_FORMAT, "has %s samples: convert it to 8 or 16 bits first",
                        vips_enum_nick(VIPS_TYPE_BAND_FORMAT, (*image)->BandFmt));
    }
}

static gboolean is_plain(VipsInterpretation space)
{
    return space == VIPS_INTERPRETATION_B_W || space == VIPS_INTERPRETATION_GREY16 ||
           space == VIPS_INTERPRETATION_sRGB || space == VIPS_INTERPRETATION_RGB ||
           space == VIPS_INTERPRETATION_RGB16 || space == VIPS_INTERPRETATION_scRGB;
}

/* What whole samples are is told by their size, whatever the file says; for others only a guess is left. */
static VipsInterpretation plain_space(const VipsImage *image, VipsInterpretation space)
{
    gboolean grey = image->Bands < 3;

    if (image->BandFmt == VIPS_FORMAT_USHORT)
        return grey ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_RGB16;
    if (image->BandFmt != VIPS_FORMAT_UCHAR && is_plain(space))
        return space;
    return grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
}

/* Everything that is not grey or RGB yet. CMYK goes through its profile, or through libvips' own where it has none. */
static int to_plain(VipsImage **image, const char *name, struct pola_error *err)
{
    VipsImage *next = NULL;
    VipsInterpretation space = vips_image_guess_interpretation(*image);
    gboolean wide = (*image)->BandFmt == VIPS_FORMAT_USHORT;

    if (space == VIPS_INTERPRETATION_CMYK) {
        int failed = vips_icc_transform(*image, &next, "srgb", "embedded", TRUE, "depth", wide ? 16 : 8, NULL);
        cli_info(name, "CMYK becomes sRGB");
        return take(image, next, failed, err);
    }
    if (space == VIPS_INTERPRETATION_MULTIBAND || is_plain(space)) {
        if ((*image)->Bands > 4)
            return cli_fail(err, POLA_ERR_FORMAT, "has %d bands: only grey and RGB, with or without alpha, can be used",
                            (*image)->Bands);
        space = plain_space(*image, space);
        return space == (*image)->Type ? POLA_OK : retag(image, space, err);
    }
    cli_info(name, "its colour space (%s) becomes sRGB", vips_enum_nick(VIPS_TYPE_INTERPRETATION, space));
    vips_image_remove(*image, VIPS_META_ICC_NAME);
    return to_space(image, VIPS_INTERPRETATION_RGB16, err);
}

/* A small image of all levels, with image's profile. Grey has one row of them. */
static VipsImage *probe_new(VipsImage *image, int bands)
{
    unsigned char levels[PROBE * PROBE * PROBE * 3];
    int n = bands == 1 ? PROBE : PROBE * PROBE * PROBE;
    VipsImage *probe;
    const void *data;
    size_t size;

    for (int i = 0; i < n; i++) {
        int digits[3] = {i % PROBE, i / PROBE % PROBE, i / PROBE / PROBE};
        for (int b = 0; b < bands; b++)
            levels[i * bands + b] = (unsigned char)(digits[b] * 255 / (PROBE - 1));
    }
    probe = vips_image_new_from_memory_copy(levels, (size_t)n * (size_t)bands, n, 1, bands, VIPS_FORMAT_UCHAR);
    if (!probe || vips_image_get_blob(image, VIPS_META_ICC_NAME, &data, &size)) {
        g_clear_object(&probe);
        return NULL;
    }
    probe->Type = bands == 1 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    vips_image_set_blob_copy(probe, VIPS_META_ICC_NAME, data, size);
    return probe;
}

/* TRUE if sRGB values made from the probe are the probe's own, to one level. */
static gboolean same_as_srgb(VipsImage *probe)
{
    VipsImage *srgb = NULL;
    gboolean same = !vips_icc_transform(probe, &srgb, "srgb", "embedded", TRUE, NULL) && !vips_image_wio_input(srgb) &&
                    !vips_image_wio_input(probe);

    for (int x = 0; same && x < probe->Xsize; x++)
        for (int b = 0; same && b < srgb->Bands; b++) {
            const VipsPel *p = VIPS_IMAGE_ADDR(probe, x, 0) + (probe->Bands == 1 ? 0 : b);
            same = abs(*p - VIPS_IMAGE_ADDR(srgb, x, 0)[b]) <= 1;
        }
    g_clear_object(&srgb);
    vips_error_clear();
    return same;
}

/* TRUE if libvips takes the profile, rather than replacing it by one of its own without an error. */
static gboolean is_usable(VipsImage *probe, VipsImage **pcs)
{
    const void *a, *b;
    size_t a_size, b_size;
    gboolean usable = !vips_image_get_blob(probe, VIPS_META_ICC_NAME, &a, &a_size) && a_size >= 128 &&
                      memcmp((const char *)a + 16, probe->Bands == 1 ? "GRAY" : "RGB ", 4) == 0 &&
                      !vips_icc_import(probe, pcs, "embedded", TRUE, NULL) &&
                      !vips_image_get_blob(*pcs, VIPS_META_ICC_NAME, &b, &b_size) && a_size == b_size &&
                      memcmp(a, b, a_size) == 0;

    vips_error_clear();
    return usable;
}

static void keep_profile(struct colour *colour, VipsImage *image)
{
    const void *data;
    size_t size;

    if (vips_image_get_blob(image, VIPS_META_ICC_NAME, &data, &size) == 0) {
        colour->profile = g_memdup2(data, size);
        colour->size = size;
    }
}

static int profile_to_srgb(struct colour *colour, VipsImage **image, VipsImage *pcs, const char *name,
                           struct pola_error *err)
{
    VipsImage *back = NULL, *next = NULL;
    gboolean returns = vips_icc_export(pcs, &back, NULL) == 0;
    int code, failed;

    g_clear_object(&back);
    vips_error_clear();
    if (returns)
        keep_profile(colour, *image);
    cli_info(name, "its colour profile becomes sRGB for the network%s", returns ? " and is restored after it" : "");
    code = image_to_bits(image, 16, err); /* alpha too: libvips would cast it, not scale it */
    if (code != POLA_OK)
        return code;
    failed = vips_icc_transform(*image, &next, "srgb", "embedded", TRUE, "depth", 16, NULL);
    return take(image, next, failed, err);
}

static int convert_profile(struct colour *colour, VipsImage **image, const char *name, struct pola_error *err)
{
    int bands = (*image)->Bands < 3 ? 1 : 3;
    VipsImage *probe = probe_new(*image, bands), *pcs = NULL;
    int code = POLA_OK;

    if (!probe || !is_usable(probe, &pcs)) {
        cli_warn(name, "its colour profile cannot be used: taken as sRGB");
        vips_image_remove(*image, VIPS_META_ICC_NAME);
    } else if (!same_as_srgb(probe)) {
        code = profile_to_srgb(colour, image, pcs, name, err);
    }
    g_clear_object(&pcs);
    g_clear_object(&probe);
    return code;
}

int image_spread(VipsImage **image, struct pola_error *err)
{
    VipsImage *same[] = {*image, *image, *image}, *next = NULL;
    int failed = vips_bandjoin(same, &next, 3, NULL);

    return take(image, next, failed, err);
}

/* Portable float maps hold light, from 0 to 1, which libvips calls sRGB. Linear light has three bands there. */
static int take_light(struct colour *colour, VipsImage **image, struct pola_error *err)
{
    const char *loader;
    int code = POLA_OK;

    if ((*image)->BandFmt != VIPS_FORMAT_FLOAT || vips_image_get_string(*image, VIPS_META_LOADER, &loader) != 0 ||
        !g_str_has_prefix(loader, "ppmload"))
        return POLA_OK;
    colour->spread = (*image)->Bands == 1;
    if (colour->spread)
        code = image_spread(image, err);
    return code == POLA_OK ? retag(image, VIPS_INTERPRETATION_scRGB, err) : code;
}

int colour_in(struct colour *colour, VipsImage **image, const char *name, struct pola_error *err)
{
    VipsImage *own = NULL;
    int failed;
    int code;

    *colour = (struct colour){.bits = (int)vips_format_sizeof((*image)->BandFmt) * 8};
    if ((*image)->Coding == VIPS_CODING_RAD)
        failed = vips_rad2float(*image, &own, NULL);
    else
        failed = vips_copy(*image, &own, NULL); /* its metadata may be changed */
    code = take(image, own, failed, err);
    if (code == POLA_OK && (*image)->Coding == VIPS_CODING_LABQ)
        code = to_space(image, VIPS_INTERPRETATION_RGB16, err);
    if (code == POLA_OK)
        code = check_format(image, err);
    if (code == POLA_OK)
        code = take_light(colour, image, err);
    if (code == POLA_OK)
        code = to_plain(image, name, err);
    if (code == POLA_OK && (*image)->BandFmt != VIPS_FORMAT_FLOAT && vips_image_get_typeof(*image, VIPS_META_ICC_NAME))
        code = convert_profile(colour, image, name, err);
    return code;
}

/* The colour bands of image through Lab into the profile. */
static int restore(const struct colour *colour, VipsImage *image, VipsImage **out, int bits)
{
    VipsImage *pcs = NULL, *tagged = NULL;
    int failed = vips_icc_import(image, &pcs, "input_profile", "srgb", NULL) || vips_copy(pcs, &tagged, NULL);

    if (!failed) {
        vips_image_set_blob_copy(tagged, VIPS_META_ICC_NAME, colour->profile, colour->size);
        failed = vips_icc_export(tagged, out, "depth", bits, NULL);
    }
    g_clear_object(&tagged);
    g_clear_object(&pcs);
    return failed;
}

/* One of the three equal bands, as grey. */
static int gather(VipsImage **image, int bits, struct pola_error *err)
{
    VipsImage *next = NULL;
    int code = bits < 32 ? image_to_bits(image, bits, err) : POLA_OK;

    if (code != POLA_OK)
        return code;
    int failed = vips_extract_band(*image, &next, 0, NULL);
    code = take(image, next, failed, err);
    if (code == POLA_OK && bits < 32)
        code = retag(image, bits == 16 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W, err);
    return code;
}

int colour_to_light(VipsImage **image, struct pola_error *err)
{
    gboolean grey = (*image)->Bands < 3;
    int code = POLA_OK;

    if ((*image)->BandFmt != VIPS_FORMAT_FLOAT)
        code = to_space(image, VIPS_INTERPRETATION_scRGB, err);
    if (code == POLA_OK && grey && (*image)->Bands == 3)
        code = gather(image, 32, err);
    if (code != POLA_OK)
        return code;
    return retag(image, grey ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, err);
}

int colour_out(const struct colour *colour, VipsImage **image, int bits, struct pola_error *err)
{
    VipsImage *rgb = NULL, *alpha = NULL, *next = NULL;
    gboolean has_alpha = (*image)->Bands == 4 || (*image)->Bands == 2;
    int code = POLA_OK, failed;

    if (!colour->profile)
        return colour->spread ? gather(image, bits, err) : POLA_OK;
    if (!has_alpha) {
        failed = restore(colour, *image, &next, bits);
        return take(image, next, failed, err);
    }
    failed = vips_extract_band(*image, &rgb, 0, "n", (*image)->Bands - 1, NULL) ||
             vips_extract_band(*image, &alpha, (*image)->Bands - 1, NULL);
    if (!failed)
        code = image_to_bits(&alpha, bits, err);
    if (!failed && code == POLA_OK) {
        VipsImage *coloured = NULL;
        failed = restore(colour, rgb, &coloured, bits) || vips_bandjoin2(coloured, alpha, &next, NULL);
        g_clear_object(&coloured);
    }
    g_clear_object(&rgb);
    g_clear_object(&alpha);
    return code == POLA_OK ? take(image, next, failed, err) : code;
}

void colour_release(struct colour *colour)
{
    g_free(colour->profile);
    *colour = (struct colour){0};
}
