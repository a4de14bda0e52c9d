/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See sample.h.
 */
#include "img/sample.h"

#include <math.h>
#include <stdint.h>

int pi_sample_bad(int *first, const void *pixels, int n, const struct sample_format *format)
{
    const float *p = pixels;
    int count = 0;

    *first = n;
    if (format->type != SAMPLE_F32)
        return 0;
    for (int i = 0; i < n; i++) {
        bool finite = true;
        for (int b = 0; b < format->bands; b++)
            finite = finite && isfinite(p[(size_t)i * format->bands + b]);
        if (!finite && count++ == 0)
            *first = i;
    }
    return count;
}

static inline float clamp(float v)
{
    v = v > 0 ? v : 0; /* in this form one instruction each */
    return v < 1 ? v : 1;
}

/* IEC 61966-2-1 */
static float gamma_encode(float v)
{
    return v <= 0.0031308f ? 12.92f * v : 1.055f * powf(v, 1 / 2.4f) - 0.055f;
}

static double gamma_decode(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

void pi_sample_curve(float curve[SAMPLE_CURVE])
{
    const int steps = SAMPLE_CURVE - 2;

    for (int i = 0; i <= steps; i++)
        curve[i] = (float)gamma_decode((double)i / steps);
    curve[steps + 1] = curve[steps];
}

static float look_up(const float *curve, float v)
{
    float at = v * (SAMPLE_CURVE - 2);
    int i = (int)at;

    return curve[i] + (at - (float)i) * (curve[i + 1] - curve[i]);
}

/* The two loaders and four stores below differ only in the sample's type. */
#define LOAD(type)                                                                                                     \
    for (int i = 0; i < n; i++) {                                                                                      \
        const type *p = (const type *)pixels + (size_t)i * bands;                                                      \
        for (int c = 0; c < colours; c++)                                                                              \
            colour[(size_t)i * colours + c] = clamp((float)p[c] / white);                                              \
        if (has_alpha)                                                                                                 \
            alpha[i] = (float)p[colours];                                                                              \
    }

void pi_sample_load(float *restrict colour, float *restrict alpha, const void *restrict pixels, int n,
                    const struct sample_format *format)
{
    const int bands = format->bands, colours = pi_sample_colours(format);
    const bool has_alpha = pi_sample_has_alpha(format);
    const float white = format->white;

    switch (format->type) {
    case SAMPLE_U8:
        LOAD(uint8_t);
        break;
    case SAMPLE_U16:
        LOAD(uint16_t);
        break;
    case SAMPLE_F32:
        LOAD(float);
        break;
    }
    if (format->linear)
        for (int i = 0; i < n * colours; i++)
            colour[i] = gamma_encode(colour[i]);
}

/* Whole numbers are clamped as whole numbers, which compilers vectorise; floats they would not. */
static inline int rounded(float v, int white)
{
    int i = (int)(v * (float)white + 0.5f);

    i = i < 0 ? 0 : i;
    return i > white ? white : i;
}

#define STORE(type, value)                                                                                             \
    if (bands == colours) { /* one loop over all samples */                                                            \
        for (int i = 0; i < n * colours; i++) {                                                                        \
            float v = colour[i];                                                                                       \
            ((type *)pixels)[i] = (type)(value);                                                                       \
        }                                                                                                              \
    } else {                                                                                                           \
        for (int i = 0; i < n; i++)                                                                                    \
            for (int c = 0; c < colours; c++) {                                                                        \
                float v = colour[i * colours + c];                                                                     \
                ((type *)pixels)[i * bands + c] = (type)(value);                                                       \
            }                                                                                                          \
    }

void pi_sample_store(void *restrict pixels, const float *restrict colour, int n, const struct sample_format *format,
                     const float *curve)
{
    const int bands = format->bands, colours = pi_sample_colours(format);
    const float white = format->white;

    switch (format->type) {
    case SAMPLE_U8:
        STORE(uint8_t, rounded(v, 255));
        break;
    case SAMPLE_U16:
        STORE(uint16_t, rounded(v, 65535));
        break;
    case SAMPLE_F32:
        if (format->linear) {
            STORE(float, look_up(curve, clamp(v)));
        } else {
            STORE(float, clamp(v) * white);
        }
        break;
    }
}

#define STORE_ALPHA(type, value)                                                                                       \
    for (int i = 0; i < n; i++)                                                                                        \
        ((type *)pixels)[(size_t)(i + 1) * format->bands - 1] = (type)(value);

void pi_sample_store_alpha(void *restrict pixels, const float *restrict alpha, int n,
                           const struct sample_format *format)
{
    switch (format->type) {
    case SAMPLE_U8:
        STORE_ALPHA(uint8_t, alpha[i] + 0.5f);
        break;
    case SAMPLE_U16:
        STORE_ALPHA(uint16_t, alpha[i] + 0.5f);
        break;
    case SAMPLE_F32:
        STORE_ALPHA(float, alpha[i]);
        break;
    }
}
