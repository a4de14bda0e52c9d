/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * One row of windows: cut out, run through the network, mixed with the neighbours, stored. Called by img/band.c.
 *
 * Windows run side by side, one thread each, as long as every thread has one; the few that remain have all threads inside
 * the network, one after the other. Each output pixel comes from at most two windows in either direction, mixed in an order
 * that does not depend on which was ready first. So the bytes do not depend on the number of threads.
 */
#include "img/alpha.h"
#include "img/bandstate.h"

#include "base/par.h"

#include <string.h>

/* Work that is handed out piece by piece to all lanes. */
struct task {
    struct band *band;
    const struct band_source *source;
    void (*step)(struct band *band, struct lane *lane, int row, int i);
    int row;
    int count;
    atomic_int taken;
};

static void drain(void *data, int job, int worker)
{
    struct task *task = data;
    struct band *band = task->band;
    int i;

    while (!atomic_load(&band->stop) && (i = atomic_fetch_add(&task->taken, 1)) < task->count) {
        task->step(band, &band->lanes[job], task->row, i);
        if (worker == 0 && task->source->stopped(task->source->data))
            atomic_store(&band->stop, true);
    }
}

static void share(struct band *band, int row, int count, void (*step)(struct band *, struct lane *, int, int),
                  const struct band_source *source)
{
    struct task task = {.band = band, .source = source, .step = step, .row = row, .count = count};

    pi_par_for(band->lane_count, drain, &task);
}

/* Copies window (i, row) of the input, mirrored beyond the image's edges; grey becomes three equal colours. False: nothing in it is
 * visible. */
static bool load_window(struct band *band, struct lane *lane, int row, int i)
{
    const int width = band->across.window, height = band->down.window, colours = band->colours;
    const int left = pi_tile_start(&band->across, i), top = pi_tile_start(&band->down, row);

    for (int y = 0; y < height; y++) {
        size_t held = (size_t)(pi_tile_mirror(top + y, band->spec.height) - band->in_top) * (size_t)band->spec.width;
        float *to = lane->in + (size_t)y * (size_t)width * 3;
        for (int x = 0; x < width; x++, to += 3) {
            size_t at = held + (size_t)pi_tile_mirror(left + x, band->spec.width);
            const float *from = band->colour + at * (size_t)colours;
            to[0] = from[0];
            to[1] = from[colours == 3 ? 1 : 0];
            to[2] = from[colours == 3 ? 2 : 0];
            if (band->alpha)
                lane->alpha[(size_t)y * (size_t)width + (size_t)x] = band->alpha[at];
        }
    }
    return !band->alpha || pi_alpha_fill(lane->in, lane->alpha, (size_t)width, width, height, lane->fill) > 0;
}

/* The network's three outputs for a grey image become their mean, in place. */
static void average(float *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pixels[i] = (pixels[3 * i] + pixels[3 * i + 1] + pixels[3 * i + 2]) / 3;
}

/* Takes n finished pixels of output row y, from column x on, as far as this band's columns are concerned: mixes them with
 * the band before, stores them, or keeps them for the band after. */
static void emit(struct band *band, struct lane *lane, int row, int y, int x, int n, const float *pixels)
{
    const int colours = band->colours, values = n * colours;
    const size_t width = (size_t)band->scale * (size_t)band->spec.width;
    const int begin = pi_tile_begin(&band->down, row), end = pi_tile_begin(&band->down, row + 1);

    if (y >= end) {
        float *kept = band->carry + ((size_t)(y - end) * width + (size_t)x) * (size_t)colours;
        memcpy(kept, pixels, (size_t)values * sizeof *kept);
        return;
    }
    if (row > 0 && y < begin + band->down.fade) { /* after a jump these rows are not handed out */
        const float *before = band->carry + ((size_t)(y - begin) * width + (size_t)x) * (size_t)colours;
        float weight = band->down_weights[y - begin];
        for (int k = 0; k < values; k++)
            lane->line[k] = pi_tile_mix(before[k], pixels[k], weight);
        pixels = lane->line;
    }
    size_t at = (size_t)(y % band->ring_rows) * width + (size_t)x;
    pi_sample_store(band->ring + at * pi_sample_pixel_bytes(&band->spec.format), pixels, n, &band->spec.format,
                    band->curve);
}

/* The fade into column i >= 1, as window i - 1 or window i sees it (whose first output pixel is left, top), meets the view
 * of the other. Whoever comes first leaves its own, the second mixes both and hands them on. */
static void meet(struct band *band, struct lane *lane, int row, int i, int left, int top, bool later)
{
    const int fade = band->across.fade, x = pi_tile_begin(&band->across, i), last = pi_band_reach(band, row);
    const int begin = pi_tile_begin(&band->down, row);
    const size_t colours = (size_t)band->colours, width = (size_t)fade * colours;
    const size_t pitch = (size_t)band->scale * (size_t)band->across.window * colours;
    const float *mine = lane->out + (size_t)(begin - top) * pitch + (size_t)(x - left) * colours;
    float *edge = band->edges + (size_t)(i - 1) * (size_t)band->edge_rows * width;

    mtx_lock(&band->meeting);
    bool second = band->met[i - 1];
    for (int y = begin; y < last && !second; y++)
        memcpy(edge + (size_t)(y - begin) * width, mine + (size_t)(y - begin) * pitch, width * sizeof *edge);
    band->met[i - 1] = true;
    mtx_unlock(&band->meeting);
    for (int y = begin; y < last && second; y++, mine += pitch, edge += width) {
        for (size_t k = 0, column = 0; k < width; column++)
            for (const size_t end = k + colours; k < end; k++) {
                float weight = band->across_weights[column];
                edge[k] = later ? pi_tile_mix(edge[k], mine[k], weight) : pi_tile_mix(mine[k], edge[k], weight);
            }
        emit(band, lane, row, y, x, fade, edge);
    }
}

/* Hands on what window (i, row) says. */
static void place_window(struct band *band, struct lane *lane, int row, int i)
{
    const int scale = band->scale;
    const int left = scale * pi_tile_start(&band->across, i), top = scale * pi_tile_start(&band->down, row);
    const int begin = pi_tile_begin(&band->across, i) + (i > 0 ? band->across.fade : 0);
    const int end = pi_tile_begin(&band->across, i + 1), last = pi_band_reach(band, row);
    const size_t colours = (size_t)band->colours, pitch = (size_t)scale * (size_t)band->across.window * colours;

    for (int y = pi_tile_begin(&band->down, row); y < last; y++)
        emit(band, lane, row, y, begin, end - begin,
             lane->out + (size_t)(y - top) * pitch + (size_t)(begin - left) * colours);
    if (band->across.fade > 0 && i > 0)
        meet(band, lane, row, i, left, top, true);
    if (band->across.fade > 0 && i < band->across.count - 1)
        meet(band, lane, row, i + 1, left, top, false);
}

static void run_window(struct band *band, struct lane *lane, struct sr_session *session, int row, int i)
{
    const size_t pixels = (size_t)band->scale * (size_t)band->across.window * (size_t)band->scale *
                          (size_t)band->down.window;
    struct pola_error err;

    if (!load_window(band, lane, row, i)) {
        memset(lane->out, 0, pixels * 3 * sizeof *lane->out);
    } else if (pi_sr_session_run(session, lane->out, lane->in, &err) < 0) {
        if (lane->failed < 0 || i < lane->failed) {
            lane->failed = i;
            lane->err = err;
        }
        return;
    }
    if (band->colours == 1)
        average(lane->out, pixels);
    place_window(band, lane, row, i);
}

static void step_window(struct band *band, struct lane *lane, int row, int i)
{
    run_window(band, lane, lane->session, row, i);
}

static void step_alpha(struct band *band, struct lane *lane, int row, int i)
{
    const int width = band->spec.width, y = pi_tile_begin(&band->down, row) + i;
    const size_t out_width = (size_t)band->scale * (size_t)width;
    const struct sample_format *format = &band->spec.format;

    pi_alpha_enlarge(lane->line, y, band->alpha, band->in_top, width, band->spec.height, band->scale,
                     lane->line + out_width);
    pi_sample_store_alpha(band->ring + (size_t)(y % band->ring_rows) * out_width * pi_sample_pixel_bytes(format),
                          lane->line, (int)out_width, format);
}

/* The fault of the leftmost window, whoever ran it. */
static int first_failure(const struct band *band, int row, struct pola_error *err)
{
    const struct lane *first = NULL;

    for (int i = 0; i < band->lane_count; i++) {
        const struct lane *lane = &band->lanes[i];
        if (lane->failed >= 0 && (!first || lane->failed < first->failed))
            first = lane;
    }
    if (!first)
        return POLA_OK;
    *err = first->err;
    return pi_err_prefix(err, "window of %d x %d pixels at (%d, %d)", band->across.window, band->down.window,
                         pi_tile_start(&band->across, first->failed), pi_tile_start(&band->down, row));
}

int pi_window_row(struct band *band, int row, const struct band_source *source, struct pola_error *err)
{
    for (int i = 0; i < band->lane_count; i++)
        band->lanes[i].failed = -1;
    memset(band->met, 0, (size_t)band->across.count * sizeof *band->met);
    share(band, row, band->plan.alone, step_window, source);
    for (int i = band->plan.alone; i < band->across.count && !atomic_load(&band->stop); i++) {
        run_window(band, &band->lanes[0], band->wide, row, i);
        if (source->stopped(source->data))
            atomic_store(&band->stop, true);
    }
    if (first_failure(band, row, err) < 0)
        return err->code;
    if (band->alpha)
        share(band, row, pi_tile_begin(&band->down, row + 1) - pi_tile_begin(&band->down, row), step_alpha, source);
    if (atomic_load(&band->stop))
        return pi_err_set(err, POLA_ERR_IO, "stopped");
    return POLA_OK;
}
