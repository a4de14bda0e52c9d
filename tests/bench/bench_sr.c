/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Super-resolution from memory to memory, timed: what speed.py compares with PyTorch. One process has one instruction set and
 * one number of threads and works when it is told to, so that contestants can take turns.
 *
 * usage: bench_sr MODEL LEVEL THREADS WIDTH HEIGHT
 *
 * First a line "ready COLUMNS ROWS WINDOW_WIDTH WINDOW_HEIGHT" (of the tiling), then for every line of standard input one run and
 * its seconds. Status 77 when this CPU has no such level.
 */
#include "base/err.h"
#include "img/tile.h"
#include "head/sr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <vips/vips.h>

enum { NO_SUCH_LEVEL = 77 };

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Soft shading, edges and grain, as in a photograph. Speed does not depend on what the picture shows. */
static VipsImage *picture(int width, int height)
{
    size_t size = (size_t)width * (size_t)height * 3;
    unsigned char *pixels = g_malloc(size);
    uint32_t random = 1;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++) {
                double shade = 128 + 60 * sin(x * 0.013 + c) + 40 * cos(y * 0.021 - c);
                double edge = (x / 37 + y / 53) % 2 ? 20 : -20;
                random = random * 1664525 + 1013904223;
                *pixels++ = (unsigned char)(shade + edge + (double)(random >> 29));
            }
    return vips_image_new_from_memory(pixels - size, size, width, height, 3, VIPS_FORMAT_UCHAR);
}

/* Seconds of one run, below 0 when it failed. */
static double run_once(VipsImage *in, pola_sr *sr, struct pola_error *err)
{
    VipsImage *out;
    double start = now();
    size_t size;

    if (pola_sr_image(in, &out, sr, err) < 0)
        return -1;
    void *pixels = vips_image_write_to_memory(out, &size);
    double seconds = now() - start;
    g_object_unref(out);
    if (!pixels) {
        snprintf(err->text, sizeof err->text, "%s", vips_error_buffer());
        return -1;
    }
    g_free(pixels);
    return seconds;
}

static int serve(VipsImage *in, pola_sr *sr, struct pola_error *err)
{
    char line[64];

    while (fgets(line, sizeof line, stdin)) {
        double seconds = run_once(in, sr, err);
        if (seconds < 0)
            return -1;
        printf("%.6f\n", seconds);
        fflush(stdout);
    }
    return 0;
}

static int open_sr(pola_sr **sr, const char *path, struct pola_error *err)
{
    struct pola_sr_options options;
    pola_model *model;

    if (pola_model_open(&model, path, err) < 0)
        return err->code;
    pola_sr_options_init(&options);
    int status = pola_sr_new(sr, model, &options, err);
    pola_model_unref(model);
    return status;
}

static int ready(const pola_sr *sr, int width, int height, struct pola_error *err)
{
    struct pola_sr_plan plan;
    struct tile_axis across, down;

    if (pola_sr_plan(&plan, sr, width, height, err) < 0)
        return -1;
    pi_tile_axis_init(&across, width, plan.scale, plan.tile, plan.halo, pi_tile_fade(plan.halo, plan.scale));
    pi_tile_axis_init(&down, height, plan.scale, plan.tile, plan.halo, pi_tile_fade(plan.halo, plan.scale));
    printf("ready %d %d %d %d\n", plan.columns, plan.rows, across.window, down.window);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    struct pola_error err = {0};
    pola_sr *sr = NULL;

    if (argc != 6) {
        fprintf(stderr, "usage: bench_sr MODEL LEVEL THREADS WIDTH HEIGHT\n");
        return 2;
    }
    int width = atoi(argv[4]), height = atoi(argv[5]);
    if (pola_cpu_cap(argv[2], &err) < 0)
        return NO_SUCH_LEVEL;
    if (pola_init(&err) < 0)
        goto fail;
    pola_threads_set(atoi(argv[3]));
    vips_concurrency_set(atoi(argv[3]));
    VipsImage *in = picture(width, height);
    if (open_sr(&sr, argv[1], &err) < 0 || ready(sr, width, height, &err) < 0 || serve(in, sr, &err) < 0)
        goto fail;
    pola_sr_unref(sr);
    g_object_unref(in);
    return 0;
fail:
    fprintf(stderr, "bench_sr: %s\n", err.text);
    return 1;
}
