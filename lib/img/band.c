/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See band.h. This half plans and owns the memory, fetches input rows, and decides which band is computed next; the
 * windows of a band are img/window.c's.
 */
#include "img/alpha.h"
#include "img/bandstate.h"

#include "base/mem.h"
#include "base/par.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define READ_ROWS 16 /* rows asked for at once: enough to be cheap, few enough to be small */

int pi_band_reach(const struct band *band, int row)
{
    int end = pi_tile_begin(&band->down, row + 1);

    return row < band->down.count - 1 ? end + band->down.fade : end;
}

/* Output rows that the tallest band finishes. */
static int tallest(const struct tile_axis *down)
{
    int most = 0;

    for (int i = 0; i < down->count; i++) {
        int rows = pi_tile_begin(down, i + 1) - pi_tile_begin(down, i);
        if (rows > most)
            most = rows;
    }
    return most;
}

/* Geometry: everything that follows from spec and thread count by arithmetic alone. */
static int set_up(struct band *band, const struct band_spec *spec, struct pola_error *err)
{
    const int scale = pola_sr_scale(spec->sr), tile = pi_sr_tile(spec->sr), halo = pi_sr_halo(spec->sr);
    const int threads = pi_par_threads();
    const int fade = spec->fade < 0 ? pi_tile_fade(halo, scale) : spec->fade;

    if (halo < 0 || tile < 1 || halo > (tile - 1) / 2)
        return pi_err_set(err, POLA_ERR_ARGUMENT, "tile %d has no room for a halo of %d on each side", tile, halo);
    if (spec->width < 1 || spec->height < 1 || spec->width > INT_MAX / 4 / scale || spec->height > INT_MAX / 4 / scale)
        return pi_err_set(err, POLA_ERR_ARGUMENT, "cannot enlarge %d x %d pixels %d times", spec->width, spec->height,
                          scale);
    band->spec = *spec;
    band->scale = scale;
    band->colours = pi_sample_colours(&spec->format);
    band->margin = pi_sample_has_alpha(&spec->format) ? ALPHA_MARGIN : 0;
    pi_tile_axis_init(&band->across, spec->width, scale, tile, halo, fade);
    pi_tile_axis_init(&band->down, spec->height, scale, tile, halo, fade);
    if ((int64_t)scale * band->across.window * scale * band->down.window > INT_MAX / 4)
        return pi_err_set(err, POLA_ERR_ARGUMENT, "tile %d is too large", tile);

    const int columns = band->across.count;
    band->lane_count = columns >= threads ? threads : 1;
    band->plan = (struct band_plan){.columns = columns,
                                    .rows = band->down.count,
                                    .width = band->across.window,
                                    .height = band->down.window,
                                    .alone = columns / threads * threads};
    band->in_rows = band->down.window + 2 * band->margin;
    band->edge_rows = tallest(&band->down) + band->down.fade;
    int64_t rows = (int64_t)tallest(&band->down) + spec->history;
    band->ring_rows = rows < (int64_t)scale * spec->height ? (int)rows : scale * spec->height;
    return POLA_OK;
}

static void cut_lane(struct band *band, struct arena *arena, struct lane *lane)
{
    const size_t pixels = (size_t)band->across.window * (size_t)band->down.window;
    const size_t scale = (size_t)band->scale;
    size_t line = scale * (size_t)band->across.window * 3;

    lane->in = pi_arena_cut(arena, pixels * 3, sizeof(float));
    lane->out = pi_arena_cut(arena, pixels * scale * scale * 3, sizeof(float));
    if (band->margin > 0) {
        lane->alpha = pi_arena_cut(arena, pixels, sizeof(float));
        lane->fill = pi_arena_cut(arena, 1, pi_alpha_fill_bytes(band->across.window, band->down.window));
        size_t whole = (scale + 1) * (size_t)band->spec.width + 2 * ALPHA_MARGIN;
        line = line > whole ? line : whole;
    }
    lane->line = pi_arena_cut(arena, line, sizeof(float));
}

/* Cuts all buffers, first to measure (lanes may then be one that stands for all), then for real. */
static void cut(struct band *band, struct arena *arena, struct lane *lanes)
{
    const struct sample_format *format = &band->spec.format;
    const size_t width = (size_t)band->spec.width, out_width = (size_t)band->scale * width;
    const size_t colours = (size_t)band->colours, in_rows = (size_t)band->in_rows;
    size_t edges = (size_t)(band->across.count - 1) * (size_t)band->edge_rows * (size_t)band->across.fade * colours;

    band->raw = pi_arena_cut(arena, READ_ROWS * width, pi_sample_pixel_bytes(format));
    band->colour = pi_arena_cut(arena, in_rows * width * colours, sizeof(float));
    if (band->margin > 0)
        band->alpha = pi_arena_cut(arena, in_rows * width, sizeof(float));
    band->edges = pi_arena_cut(arena, edges, sizeof(float));
    band->met = pi_arena_cut(arena, (size_t)band->across.count, sizeof(bool));
    band->carry = pi_arena_cut(arena, (size_t)band->down.fade * out_width * colours, sizeof(float));
    band->ring = pi_arena_cut(arena, (size_t)band->ring_rows * out_width, pi_sample_pixel_bytes(format));
    band->across_weights = pi_arena_cut(arena, (size_t)band->across.fade, sizeof(float));
    band->down_weights = pi_arena_cut(arena, (size_t)band->down.fade, sizeof(float));
    if (format->linear)
        band->curve = pi_arena_cut(arena, SAMPLE_CURVE, sizeof(float));
    for (int i = 0; i < band->lane_count; i++)
        cut_lane(band, arena, lanes ? &lanes[i] : &(struct lane){0});
}

/* Adds the sessions to what the arena measured. */
static int measure(struct band *band, struct pola_error *err)
{
    const pola_sr *sr = band->spec.sr;
    const int width = band->across.window, height = band->down.window, threads = pi_par_threads();
    struct arena arena = {0};
    size_t bytes, sessions = 0;

    cut(band, &arena, NULL);
    bytes = arena.used;
    if (band->plan.alone > 0) {
        size_t one = pi_sr_session_bytes(sr, width, height, 1);
        if (one == 0 || !pi_size_mul(&sessions, one, (size_t)band->lane_count))
            goto impossible;
    }
    if (band->plan.alone < band->across.count) {
        size_t wide = pi_sr_session_bytes(sr, width, height, threads);
        if (wide == 0 || !pi_size_add(&sessions, sessions, wide))
            goto impossible;
    }
    if (arena.overflow || !pi_size_add(&bytes, bytes, sessions))
        goto impossible;
    band->block_bytes = arena.used;
    band->plan.memory = bytes + sizeof *band + (size_t)band->lane_count * sizeof *band->lanes;
    return POLA_OK;
impossible:
    return pi_err_set(err, POLA_ERR_MEMORY, "windows of %d x %d pixels do not fit the address space", width, height);
}

int pi_band_plan(struct band_plan *plan, const struct band_spec *spec, struct pola_error *err)
{
    struct band band = {0};

    if (set_up(&band, spec, err) < 0 || measure(&band, err) < 0)
        return err->code;
    *plan = band.plan;
    return POLA_OK;
}

static int make_sessions(struct band *band, struct pola_error *err)
{
    const pola_sr *sr = band->spec.sr;
    const int width = band->across.window, height = band->down.window;

    for (int i = 0; band->plan.alone > 0 && i < band->lane_count; i++)
        if (pi_sr_session_new(&band->lanes[i].session, sr, width, height, 1, err) < 0)
            return err->code;
    if (band->plan.alone < band->across.count)
        return pi_sr_session_new(&band->wide, sr, width, height, pi_par_threads(), err);
    return POLA_OK;
}

int pi_band_new(struct band **out, const struct band_spec *spec, struct pola_error *err)
{
    struct band *band = pi_alloc(sizeof *band);
    struct arena arena = {0};

    *out = NULL;
    if (!band)
        return pi_err_set(err, POLA_ERR_MEMORY, "out of memory");
    if (mtx_init(&band->meeting, mtx_plain) != thrd_success) {
        pi_free(band);
        return pi_err_set(err, POLA_ERR_MEMORY, "out of memory");
    }
    if (set_up(band, spec, err) < 0 || measure(band, err) < 0)
        goto fail;
    band->lanes = pi_alloc((size_t)band->lane_count * sizeof *band->lanes);
    band->block = pi_alloc(band->block_bytes);
    if (!band->lanes || !band->block) {
        (void)!pi_err_set(err, POLA_ERR_MEMORY, "out of memory: %zu MB are needed for windows of %d x %d pixels",
                          band->plan.memory >> 20, band->across.window, band->down.window);
        goto fail;
    }
    arena.base = band->block;
    cut(band, &arena, band->lanes);
    if (make_sessions(band, err) < 0)
        goto fail;
    pi_tile_weights(&band->across, band->across_weights);
    pi_tile_weights(&band->down, band->down_weights);
    if (band->curve)
        pi_sample_curve(band->curve);
    band->failed = -1; /* next is 0: the first band has no predecessor */
    *out = band;
    return POLA_OK;
fail:
    pi_band_free(band);
    return err->code;
}

void pi_band_free(struct band *band)
{
    if (!band)
        return;
    pi_sr_session_free(band->wide);
    for (int i = 0; band->lanes && i < band->lane_count; i++)
        pi_sr_session_free(band->lanes[i].session);
    pi_free(band->block);
    pi_free(band->lanes);
    mtx_destroy(&band->meeting);
    pi_free(band);
}

/* Appends the input rows [in_end, end) to those held. */
static int fetch(struct band *band, int end, const struct band_source *source, struct pola_error *err)
{
    const struct sample_format *format = &band->spec.format;
    const int width = band->spec.width, from = band->in_end;
    int64_t bad = 0;
    int bad_x = 0, bad_y = 0;

    while (band->in_end < end) {
        int count = end - band->in_end < READ_ROWS ? end - band->in_end : READ_ROWS;
        if (source->read(source->data, band->raw, band->in_end, count, err) < 0)
            return err->code;
        for (int i = 0; i < count; i++, band->in_end++) {
            const unsigned char *row = band->raw + (size_t)i * (size_t)width * pi_sample_pixel_bytes(format);
            size_t at = (size_t)(band->in_end - band->in_top) * (size_t)width;
            int first, found = pi_sample_bad(&first, row, width, format);
            if (found > 0 && bad == 0) {
                bad_x = first;
                bad_y = band->in_end;
            }
            bad += found;
            pi_sample_load(band->colour + at * (size_t)band->colours, band->alpha ? band->alpha + at : NULL, row, width,
                           format);
        }
    }
    if (bad == 0)
        return POLA_OK;
    band->in_end = band->in_top = 0;
    return pi_err_set(err, POLA_ERR_NUMERIC, "pixel (%d, %d) is not finite; rows %d to %d have %lld such pixels", bad_x,
                      bad_y, from, end - 1, (long long)bad);
}

/* Holds the input rows that band `row` needs, keeping those that are there already. */
static int hold_input(struct band *band, int row, const struct band_source *source, struct pola_error *err)
{
    const size_t width = (size_t)band->spec.width;
    int top = pi_tile_start(&band->down, row) - band->margin;
    int end = top + band->in_rows;

    if (top < 0)
        top = 0;
    if (end > band->spec.height)
        end = band->spec.height;
    if (top < band->in_top || top >= band->in_end) {
        band->in_top = band->in_end = top;
    } else {
        size_t skip = (size_t)(top - band->in_top) * width, keep = (size_t)(band->in_end - top) * width;
        size_t colours = (size_t)band->colours;
        memmove(band->colour, band->colour + skip * colours, keep * colours * sizeof(float));
        if (band->alpha)
            memmove(band->alpha, band->alpha + skip, keep * sizeof(float));
        band->in_top = top;
    }
    return fetch(band, end, source, err);
}

/* Computes band `row`, which continues what is held (row == next) or starts anew. */
static int compute(struct band *band, int row, const struct band_source *source, struct pola_error *err)
{
    const int begin = pi_tile_begin(&band->down, row), end = pi_tile_begin(&band->down, row + 1);

    if (row == band->failed) {
        *err = band->failure;
        return err->code;
    }
    atomic_store(&band->stop, false);
    if (row != band->next) /* without its predecessor the fade into this band is not known */
        band->low = band->high = row > 0 ? begin + band->down.fade : 0;
    if (band->low < end - band->ring_rows)
        band->low = end - band->ring_rows;
    if (hold_input(band, row, source, err) < 0 || pi_window_row(band, row, source, err) < 0) {
        bool stopped = atomic_load(&band->stop);
        if (!stopped && err->code != POLA_ERR_MEMORY) {
            band->failed = row; /* others wait for these rows: they need not try again */
            band->failure = *err;
        }
        band->next = -1;
        return err->code;
    }
    band->high = end;
    band->next = row + 1;
    return POLA_OK;
}

/* The band to compute on the way to output row y. Small gaps are filled, because a slower reader will come for them and
 * the input may not go back; a large one is jumped over, to the band itself or, where it fades in, to the one before. */
static int choose(const struct band *band, int y)
{
    int row = pi_tile_find(&band->down, y);

    if (band->next >= 0 && y >= band->low && (row <= band->next || y - band->high <= band->spec.history))
        return band->next;
    return row > 0 && y < pi_tile_begin(&band->down, row) + band->down.fade ? row - 1 : row;
}

/* Computes bands until output row y is held. */
static int hold_output(struct band *band, int y, const struct band_source *source, struct pola_error *err)
{
    while (y < band->low || y >= band->high)
        if (compute(band, choose(band, y), source, err) < 0)
            return err->code;
    return POLA_OK;
}

int pi_band_rows(struct band *band, void *out, size_t stride, int left, int top, int width, int height,
                 const struct band_source *source, struct pola_error *err)
{
    const size_t pixel = pi_sample_pixel_bytes(&band->spec.format);
    const size_t out_width = (size_t)band->scale * (size_t)band->spec.width;
    unsigned char *to = out;

    for (int y = top; y < top + height; y++, to += stride) {
        if (hold_output(band, y, source, err) < 0)
            return err->code;
        size_t at = (size_t)(y % band->ring_rows) * out_width + (size_t)left;
        memcpy(to, band->ring + at * pixel, (size_t)width * pixel);
    }
    return POLA_OK;
}
