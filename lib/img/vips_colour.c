/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See vips_colour.h. What libvips calls sRGB, RGB16, b-w, grey16 and scRGB the engine reads as it is, at full depth; all
 * else goes through vips_colourspace, by sRGB when it has 8 bits and by linear float (scRGB) when it has more. 8 and 16
 * bit samples are full-range whatever the interpretation says; other numbers have the range of their interpretation.
 */
#include "img/vips_colour.h"

/* Each step replaces *image by its result, or leaves it when there is nothing to do: libvips' operation cache would keep
 * what a needless operation refers to. */
static int take(VipsImage **image, VipsImage *next)
{
    g_object_unref(*image);
    *image = next;
    return 0;
}

static int decode(VipsImage **image)
{
    VipsImage *next;

    if ((*image)->Coding == VIPS_CODING_NONE)
        return 0;
    return vips_image_decode(*image, &next) ? -1 : take(image, next);
}

static int encode(VipsImage **image, VipsCoding coding)
{
    VipsImage *next;

    return vips_image_encode(*image, &next, coding) ? -1 : take(image, next);
}

static int convert(VipsImage **image, VipsInterpretation from, VipsInterpretation to)
{
    VipsImage *next;

    return vips_colourspace(*image, &next, to, "source_space", from, NULL) ? -1 : take(image, next);
}

static int cast(VipsImage **image, VipsBandFormat format)
{
    VipsImage *next;

    if ((*image)->BandFmt == format)
        return 0;
    return vips_cast(*image, &next, format, NULL) ? -1 : take(image, next);
}

static int label(VipsImage **image, VipsInterpretation type)
{
    VipsImage *next;

    if ((*image)->Type == type)
        return 0;
    return vips_copy(*image, &next, "interpretation", type, NULL) ? -1 : take(image, next);
}

/* What the numbers mean: libvips' own guess, except that three bands called grey are colours. */
static VipsInterpretation meaning(const VipsImage *image)
{
    VipsInterpretation type = vips_image_guess_interpretation(image);

    if (image->Bands > 2 && type == VIPS_INTERPRETATION_B_W)
        return VIPS_INTERPRETATION_sRGB;
    if (image->Bands > 2 && type == VIPS_INTERPRETATION_GREY16)
        return VIPS_INTERPRETATION_RGB16;
    return type;
}

/* Brings the samples to one of the engine's types. */
static int set_samples(VipsImage **image, VipsInterpretation type, struct sample_format *format)
{
    bool deep = type == VIPS_INTERPRETATION_RGB16 || type == VIPS_INTERPRETATION_GREY16;
    VipsBandFormat to = (*image)->BandFmt;

    if (vips_band_format_isfloat(to))
        to = VIPS_FORMAT_FLOAT;
    else if (to != VIPS_FORMAT_UCHAR && to != VIPS_FORMAT_USHORT)
        to = deep ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR;
    *format = (struct sample_format){.bands = (*image)->Bands, .linear = type == VIPS_INTERPRETATION_scRGB};
    if (to == VIPS_FORMAT_UCHAR) {
        format->type = SAMPLE_U8;
        format->white = 255;
    } else if (to == VIPS_FORMAT_USHORT) {
        format->type = SAMPLE_U16;
        format->white = 65535;
    } else {
        format->type = SAMPLE_F32;
        format->white = format->linear ? 1 : deep ? 65535 : 255;
    }
    return cast(image, to);
}

int pi_colour_open(VipsImage *in, VipsImage **out, struct sample_format *format, struct colour_origin *origin)
{
    VipsImage *image = g_object_ref(in);
    VipsInterpretation type;

    *origin = (struct colour_origin){.type = in->Type, .format = in->BandFmt, .coding = in->Coding};
    if (decode(&image))
        goto fail;
    type = meaning(image);
    if (vips_band_format_iscomplex(image->BandFmt)) {
        vips_error("pola_sr", "complex numbers are not a picture");
        goto fail;
    }
    switch (type) {
    case VIPS_INTERPRETATION_MULTIBAND:
        vips_error("pola_sr", "%d bands are not a picture: grey or RGB, with or without alpha, are", image->Bands);
        goto fail;
    case VIPS_INTERPRETATION_B_W:
    case VIPS_INTERPRETATION_GREY16:
    case VIPS_INTERPRETATION_sRGB:
    case VIPS_INTERPRETATION_RGB:
    case VIPS_INTERPRETATION_RGB16:
    case VIPS_INTERPRETATION_scRGB:
        break;
    default: {
        VipsInterpretation by = image->BandFmt == VIPS_FORMAT_UCHAR ? VIPS_INTERPRETATION_sRGB
                                                                    : VIPS_INTERPRETATION_scRGB;
        origin->type = type;
        origin->converted = true;
        if (convert(&image, type, by))
            goto fail;
        type = by;
    }
    }
    if (image->Bands > 4) {
        vips_error("pola_sr", "%d bands are not a picture: grey or RGB, with or without alpha, are", image->Bands);
        goto fail;
    }
    if (set_samples(&image, type, format))
        goto fail;
    *out = image;
    return 0;
fail:
    g_object_unref(image);
    return -1;
}

int pi_colour_close(VipsImage *in, VipsImage **out, const struct colour_origin *origin)
{
    VipsImage *image = g_object_ref(in);

    if (origin->converted && convert(&image, image->Type, origin->type))
        goto fail;
    if (origin->coding != VIPS_CODING_NONE) {
        if (encode(&image, origin->coding))
            goto fail;
    } else if (cast(&image, origin->format) || label(&image, origin->type)) {
        goto fail;
    }
    *out = image;
    return 0;
fail:
    g_object_unref(image);
    return -1;
}
