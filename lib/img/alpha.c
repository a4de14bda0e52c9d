/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See alpha.h.
 */
#include "img/alpha.h"

#include <stdint.h>

static int bound(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Where output pixel `at` lies: returns the input pixel left of its centre, w gets the weights of that one's
 * neighbourhood -1..2 (Catmull-Rom, Keys' cubic with a = -1/2). */
static int taps(float w[4], int at, int scale)
{
    int twice = 2 * at + 1 - scale; /* 2 * scale times the position of the centre */
    int left = twice >= 0 ? twice / (2 * scale) : -1;
    float t = (float)(twice - left * 2 * scale) / (float)(2 * scale);

    w[0] = ((-0.5f * t + 1) * t - 0.5f) * t;
    w[1] = (1.5f * t - 2.5f) * t * t + 1;
    w[2] = ((-1.5f * t + 2) * t + 0.5f) * t;
    w[3] = (0.5f * t - 0.5f) * t * t;
    return left;
}

static inline float lesser(float a, float b)
{
    return a < b ? a : b;
}

static inline float greater(float a, float b)
{
    return a > b ? a : b;
}

static inline float cubic(const float w[4], float a, float b, float c, float d)
{
    float low = lesser(lesser(a, b), lesser(c, d)), high = greater(greater(a, b), greater(c, d));
    float v = w[0] * a + w[1] * b + w[2] * c + w[3] * d;

    return v < low ? low : v > high ? high : v;
}

void pi_alpha_enlarge(float *restrict out, int y, const float *restrict plane, int top, int width, int height,
                      int scale, float *restrict line)
{
    const float *row[4];
    float *middle = line + ALPHA_MARGIN;
    float w[4];
    int above = taps(w, y, scale);

    for (int k = 0; k < 4; k++)
        row[k] = plane + (size_t)(bound(above - 1 + k, height) - top) * (size_t)width;
    for (int x = 0; x < width; x++)
        middle[x] = cubic(w, row[0][x], row[1][x], row[2][x], row[3][x]);
    for (int k = 0; k < ALPHA_MARGIN; k++) {
        line[k] = middle[0];
        middle[width + k] = middle[width - 1];
    }
    for (int phase = 0; phase < scale; phase++) {
        const float *at = middle + taps(w, phase, scale); /* of the first pixel with these weights */
        for (int x = 0; x < width; x++)
            out[x * scale + phase] = cubic(w, at[x - 1], at[x], at[x + 1], at[x + 2]);
    }
}

/* What pi_alpha_fill works in: ring numbers and the queue of pixels, both width * height. */
struct fill {
    int width, height;
    int32_t *queue;
    int32_t *ring; /* 0: no colour yet, 1: visible, n: got its colour in round n - 1 */
    int queued;
};

size_t pi_alpha_fill_bytes(int width, int height)
{
    return (size_t)width * (size_t)height * 2 * sizeof(int32_t);
}

/* Sums the colours of the neighbours of pixel i that had one before round `ring`; returns how many. */
static int around(float sum[3], const struct fill *f, const float *rgb, int i, int ring)
{
    int x = i % f->width, y = i / f->width, n = 0;

    sum[0] = sum[1] = sum[2] = 0;
    for (int v = y > 0 ? y - 1 : 0; v <= y + 1 && v < f->height; v++)
        for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < f->width; u++) {
            int j = v * f->width + u;
            if (f->ring[j] == 0 || f->ring[j] >= ring)
                continue;
            for (int c = 0; c < 3; c++)
                sum[c] += rgb[(size_t)j * 3 + c];
            n++;
        }
    return n;
}

/* Appends the neighbours of pixel i that have no colour yet. */
static void enqueue_around(struct fill *f, int i, int ring)
{
    int x = i % f->width, y = i / f->width;

    for (int v = y > 0 ? y - 1 : 0; v <= y + 1 && v < f->height; v++)
        for (int u = x > 0 ? x - 1 : 0; u <= x + 1 && u < f->width; u++) {
            int j = v * f->width + u;
            if (f->ring[j] == 0) {
                f->ring[j] = ring;
                f->queue[f->queued++] = j;
            }
        }
}

int pi_alpha_fill(float *rgb, const float *alpha, size_t stride, int width, int height, void *scratch)
{
    const int pixels = width * height;
    struct fill f = {.width = width, .height = height, .queue = scratch};
    int visible = 0;

    f.ring = f.queue + pixels;
    for (int i = 0; i < pixels; i++) {
        f.ring[i] = alpha[(size_t)(i / width) * stride + (size_t)(i % width)] > 0;
        visible += f.ring[i];
    }
    if (visible == 0 || visible == pixels)
        return visible;
    for (int i = 0; i < pixels; i++)
        if (f.ring[i] == 1)
            enqueue_around(&f, i, 2);
    for (int done = 0; done < f.queued; done++) {
        int i = f.queue[done];
        int ring = f.ring[i];
        float sum[3];
        float n = (float)around(sum, &f, rgb, i, ring);
        for (int c = 0; c < 3; c++)
            rgb[(size_t)i * 3 + c] = sum[c] / n;
        enqueue_around(&f, i, ring + 1);
    }
    return visible;
}
