/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Super-resolution as a part of libvips pipelines: pola_sr_image() and the plan for it. Called by programs, and by the
 * VipsOperation in img/vips_srop.c.
 *
 * The band engine is shared by all of libvips' threads under one lock: whoever first needs rows that are not there
 * computes a whole band with all of our threads, the others wait and copy. Input rows are read through the region that
 * libvips gave the computing thread, so regions never change threads.
 */
#include "img/vips_sr.h"

#include "img/band.h"
#include "img/vips_colour.h"

#include "head/sr.h"

#include <stdlib.h>
#include <string.h>

/* One image being enlarged. Owned by the output image, dies with it. */
struct stream {
    GMutex lock;
    pola_sr *sr;
    VipsImage *in; /* in the engine's format */
    struct band_spec spec;
    struct band *band;      /* NULL until someone wants pixels */
    struct pola_error told; /* the last fault that libvips' error buffer got */
};

/* The calling thread's way to the input, for one call of the engine. */
struct reader {
    VipsRegion *region;
    VipsImage *out;
};

static int read_rows(void *data, void *rows, int top, int count, struct pola_error *err)
{
    const struct reader *reader = data;
    VipsRegion *region = reader->region;
    VipsRect rect = {.left = 0, .top = top, .width = region->im->Xsize, .height = count};
    const size_t bytes = VIPS_IMAGE_SIZEOF_LINE(region->im);

    if (vips_region_prepare(region, &rect))
        return pi_err_set(err, POLA_ERR_IO, "%s", ""); /* libvips has said why */
    for (int y = 0; y < count; y++)
        memcpy((unsigned char *)rows + (size_t)y * bytes, VIPS_REGION_ADDR(region, 0, top + y), bytes);
    return POLA_OK;
}

static bool stopped(void *data)
{
    const struct reader *reader = data;
    VipsImage *progress = reader->out->progress_signal;

    return vips_image_iskilled(reader->out) || (progress && vips_image_iskilled(progress));
}

/* Many threads wait for the same rows or the next ones: each is refused, but as long as the reader has not taken notice of
 * the first fault, no other is added. */
static void complain(struct stream *stream, const struct pola_error *err)
{
    if (!err->text[0] || (stream->told.text[0] && strstr(vips_error_buffer(), stream->told.text)))
        return;
    stream->told = *err;
    vips_error("pola_sr", "%s", err->text);
}

static int generate(VipsRegion *out, void *seq, void *a, void *b, gboolean *stop)
{
    struct stream *stream = b;
    struct reader reader = {.region = seq, .out = out->im};
    const struct band_source source = {.read = read_rows, .stopped = stopped, .data = &reader};
    const VipsRect *r = &out->valid;
    struct pola_error err;
    int status = POLA_OK;

    g_mutex_lock(&stream->lock);
    if (!stream->band)
        status = pi_band_new(&stream->band, &stream->spec, &err);
    if (status == POLA_OK)
        status = pi_band_rows(stream->band, VIPS_REGION_ADDR(out, r->left, r->top), VIPS_REGION_LSKIP(out), r->left,
                              r->top, r->width, r->height, &source, &err);
    if (status < 0)
        complain(stream, &err);
    g_mutex_unlock(&stream->lock);
    return status < 0 ? -1 : 0;
}

/* libvips has finished a pass over the image: what is held can be computed again should there be another. */
static void minimise(VipsImage *image, struct stream *stream)
{
    g_mutex_lock(&stream->lock);
    pi_band_free(stream->band);
    stream->band = NULL;
    g_mutex_unlock(&stream->lock);
}

static void stream_free(void *data)
{
    struct stream *stream = data;

    pi_band_free(stream->band);
    if (stream->in)
        g_object_unref(stream->in);
    pola_sr_unref(stream->sr);
    g_mutex_clear(&stream->lock);
    free(stream);
}

/* Finished rows to keep for threads that lag behind. libvips' writers have two buffers of n_lines rows, so that two
 * threads can be 2 * n_lines apart; its own line caches double that for what lies between, and so do we. */
static int history(void)
{
    VipsImage *image = vips_image_new();
    int tile_width, tile_height, lines = 256;

    if (image) {
        image->dhint = VIPS_DEMAND_STYLE_SMALLTILE;
        vips_get_tile_size(image, &tile_width, &tile_height, &lines);
        g_object_unref(image);
    }
    return 4 * lines;
}

/* Size, resolution and page height of the output; all else is as in the input. */
static void set_header(VipsImage *out, VipsImage *in, int scale)
{
    out->Xsize = in->Xsize * scale;
    out->Ysize = in->Ysize * scale;
    out->Xres = in->Xres * scale;
    out->Yres = in->Yres * scale;
    out->Xoffset = out->Yoffset = 0;
    if (vips_image_get_typeof(in, VIPS_META_PAGE_HEIGHT))
        vips_image_set_int(out, VIPS_META_PAGE_HEIGHT, vips_image_get_page_height(in) * scale);
}

/* *out (given): in, which has the engine's format, enlarged. Reasons for failure go to libvips' error buffer. */
static int enlarge(VipsImage *in, VipsImage **out, pola_sr *sr, const struct sample_format *format)
{
    const int scale = pola_sr_scale(sr);
    struct stream *stream = calloc(1, sizeof *stream);
    VipsImage *image = vips_image_new();

    if (!stream || !image) {
        vips_error("pola_sr", "out of memory");
        free(stream);
        if (image)
            g_object_unref(image);
        return -1;
    }
    g_mutex_init(&stream->lock);
    stream->sr = pola_sr_ref(sr);
    stream->in = g_object_ref(in);
    stream->spec = (struct band_spec){
        .sr = sr, .width = in->Xsize, .height = in->Ysize, .format = *format, .history = history(), .fade = -1};
    g_object_set_data_full(G_OBJECT(image), "pola-sr-stream", stream, stream_free);
    g_signal_connect(image, "minimise", G_CALLBACK(minimise), stream);
    if (vips_image_pipelinev(image, VIPS_DEMAND_STYLE_FATSTRIP, in, NULL))
        goto fail;
    set_header(image, in, scale);
    if (vips_image_generate(image, vips_start_one, generate, vips_stop_one, in, stream))
        goto fail;
    *out = image;
    return 0;
fail:
    g_object_unref(image);
    return -1;
}

int pi_vips_sr(VipsImage *in, VipsImage **out, pola_sr *sr)
{
    const int scale = pola_sr_scale(sr);
    struct sample_format format;
    struct colour_origin origin;
    VipsImage *pixels = NULL, *large = NULL;
    int status = -1;

    if (in->Xsize > VIPS_MAX_COORD / scale || in->Ysize > VIPS_MAX_COORD / scale) {
        vips_error("pola_sr", "%d x %d pixels are too many to be enlarged %d times: libvips has at most %d in a row",
                   in->Xsize, in->Ysize, scale, VIPS_MAX_COORD);
        return -1;
    }
    if (vips_image_pio_input(in) || pi_colour_open(in, &pixels, &format, &origin))
        return -1;
    if (enlarge(pixels, &large, sr, &format) == 0)
        status = pi_colour_close(large, out, &origin);
    g_object_unref(pixels);
    if (large)
        g_object_unref(large);
    return status;
}

/* Moves libvips' error text, which may have several lines, to err. */
static int take_vips_error(struct pola_error *err, enum pola_status code)
{
    char *text = vips_error_buffer_copy();

    g_strchomp(text);
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ';';
    int status = pi_err_set(err, code, "%s", text);
    g_free(text);
    return status;
}

int pola_sr_image(VipsImage *in, VipsImage **out, pola_sr *sr, struct pola_error *err)
{
    VipsImage *image;

    *out = NULL;
    if (pi_vips_sr(in, &image, sr))
        return take_vips_error(err, POLA_ERR_FORMAT);
    *out = image;
    return POLA_OK;
}

static int make_plan(struct pola_sr_plan *plan, const pola_sr *sr, int width, int height,
                     const struct sample_format *format, struct pola_error *err)
{
    const struct band_spec spec = {
        .sr = sr, .width = width, .height = height, .format = *format, .history = history(), .fade = -1};
    struct band_plan band;

    if (pi_band_plan(&band, &spec, err) < 0)
        return err->code;
    *plan = (struct pola_sr_plan){.scale = pola_sr_scale(sr),
                                  .tile = pi_sr_tile(sr),
                                  .halo = pi_sr_halo(sr),
                                  .columns = band.columns,
                                  .rows = band.rows,
                                  .precision = pi_sr_precision(sr),
                                  .memory = band.memory,
                                  .macs = pi_sr_macs(sr, band.width, band.height) * band.columns * band.rows};
    return POLA_OK;
}

int pola_sr_plan(struct pola_sr_plan *plan, const pola_sr *sr, int width, int height, struct pola_error *err)
{
    const struct sample_format format = {.type = SAMPLE_U8, .bands = 3, .white = 255};

    return make_plan(plan, sr, width, height, &format, err);
}

int pola_sr_plan_image(struct pola_sr_plan *plan, const pola_sr *sr, VipsImage *in, struct pola_error *err)
{
    struct sample_format format;
    struct colour_origin origin;
    VipsImage *pixels;

    if (pi_colour_open(in, &pixels, &format, &origin))
        return take_vips_error(err, POLA_ERR_FORMAT);
    g_object_unref(pixels);
    return make_plan(plan, sr, in->Xsize, in->Ysize, &format, err);
}
