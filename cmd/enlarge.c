/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See enlarge.h. The pipeline is put together from libvips operations and runs when it is written.
 */
#include "enlarge.h"

#include "cli.h"
#include "colour.h"
#include "footprint.h"
#include "image_in.h"
#include "image_out.h"
#include "pages.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vips/vips.h>

/* One input on its way through. */
struct passage {
    struct engine *engine;
    const struct job *job;
    struct output output;
    struct colour colour;
    struct pages pages;
    VipsImage *image;
    pola_sr *sr; /* borrowed */
    struct pola_sr_plan plan;
    guint64 expected; /* bytes of memory */
    double need;      /* the factor that the network must reach; 0: its own */
};

/* The size of a page of the result. */
static int find_size(struct passage *p, const struct enlarge_size *size, struct pola_error *err)
{
    double w = p->pages.width, h = p->pages.height;
    double to_w = size->width, to_h = size->height;

    if (size->width || size->height) {
        to_w = to_w > 0 ? to_w : round(w * to_h / h);
        to_h = to_h > 0 ? to_h : round(h * to_w / w);
        p->need = MAX(to_w / w, to_h / h);
        if (size->width == 0 || size->height == 0) /* the rounded side must not ask for more than the given one */
            p->need = size->width ? size->width / w : size->height / h;
        if (p->need < 1)
            return cli_fail(err, POLA_ERR_FORMAT, "is larger than asked for: %.0f x %.0f pixels", w, h);
    } else if (size->scale > 0) {
        p->need = size->scale;
        to_w = round(w * size->scale);
        to_h = round(h * size->scale);
    }
    int code = engine_get(p->engine, &p->sr, p->need, p->engine->options->tile, err);
    if (code != POLA_OK)
        return code;
    double most = pola_sr_scale(p->sr);
    p->pages.out_width = (gint64)CLAMP(to_w > 0 ? to_w : w * most, 1, w * most);
    p->pages.out_height = (gint64)CLAMP(to_h > 0 ? to_h : h * most, 1, h * most);
    return POLA_OK;
}

static int open_input(struct passage *p, struct pola_error *err)
{
    const struct common_options *o = p->engine->options;
    struct input_options options = {.page = o->page, .lenient = o->lenient, .max_pixels = o->max_pixels};
    int code = image_in_open(&p->image, p->job->in, &options, err);

    if (code == POLA_OK)
        code = colour_in(&p->colour, &p->image, p->job->name, err);
    if (code != POLA_OK)
        return code;
    pages_of(&p->pages, p->image);
    if (p->pages.count > 1 && !output_holds_pages(&p->output)) {
        cli_warn(p->job->name, "%s holds no pages: only the first of %d is used", p->output.suffix + 1, p->pages.count);
        p->pages.count = 1;
    }
    return code;
}

static int check_memory(const struct passage *p, struct pola_error *err)
{
    guint64 machine = footprint_machine();

    if (machine == 0 || p->expected <= machine)
        return POLA_OK;
    return cli_fail(err, POLA_ERR_MEMORY, "needs about %.1f GB of memory and this machine has %.1f GB",
                    (double)p->expected / 0x1p30, (double)machine / 0x1p30);
}

static int make_plan(struct passage *p, struct pola_error *err)
{
    int bits = output_bits(&p->output, p->colour.bits);
    VipsImage *page = NULL;
    guint64 other = footprint_other(p->image, p->pages.out_width, p->image->Bands * (bits / 8),
                                    output_saver_rows(&p->output));
    int code = output_check_size(&p->output, p->pages.out_width, p->pages.out_height * p->pages.count, err);

    if (code == POLA_OK)
        code = pages_first(&p->pages, p->image, &page, err);
    if (code == POLA_OK)
        code = engine_plan(p->engine, &p->sr, &p->plan, p->need, page, pages_at_work(&p->pages), other, &p->expected,
                           err);
    g_clear_object(&page);
    return code == POLA_OK ? check_memory(p, err) : code;
}

static char *describe(const struct passage *p)
{
    static const char *const precision[] = {"auto", "fp32", "bf16"};
    char *in = cli_printable(p->job->name), *out = cli_printable(p->output.name);
    char *text =
        g_strdup_printf("'%s' %d x %d, %d page%s -> '%s' (%s) %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                        ": model %s, kernels %s, %s, tile %d, halo %d, windows %d x %d, threads %d, expecting %.0f MB",
                        in, p->pages.width, p->pages.height, p->pages.count, p->pages.count > 1 ? "s" : "", out,
                        p->output.suffix + 1, p->pages.out_width, p->pages.out_height, engine_name(p->engine, p->need),
                        pola_cpu_name(), precision[p->plan.precision], p->plan.tile, p->plan.halo, p->plan.columns,
                        p->plan.rows, pola_threads(), (double)p->expected / 1048576);
    g_free(in);
    g_free(out);
    return text;
}

static int run(struct passage *p, struct pola_error *err)
{
    double pixels = (double)p->pages.width * p->pages.height * p->pages.count;
    gint64 start = g_get_monotonic_time();
    int bits = output_bits(&p->output, p->colour.bits);
    int code = pages_enlarge(&p->pages, &p->image, p->sr, err);

    if (code == POLA_OK)
        code = colour_out(&p->colour, &p->image, bits, err);
    if (code == POLA_OK)
        code = output_convert(&p->output, &p->image, p->job->name, err);
    if (code == POLA_OK)
        code = pages_finish(&p->pages, &p->image, p->engine->options->strip, err);
    if (code != POLA_OK)
        return code;
    progress_follow(p->image, p->job->name, pixels);
    code = output_write(&p->output, p->image, err);
    progress_erase();
    double seconds = (double)(g_get_monotonic_time() - start) / 1e6;
    if (code == POLA_OK)
        cli_info(p->job->name, "took %.2f s, %.3f Mpx/s, peak memory %.0f MB", seconds, pixels / seconds / 1e6,
                 (double)footprint_peak() / 1048576);
    return code;
}

/* The output is checked before the input is opened: what cannot be written need not be read. */
static int pass(struct passage *p, const struct enlarge_size *size, struct pola_error *err)
{
    const struct common_options *o = p->engine->options;
    int code = output_init(&p->output, p->job->out, p->job->suffix, p->job->options, err);

    if (code == POLA_OK && !o->dry_run)
        code = output_check_directory(&p->output, err);
    if (code != POLA_OK) {
        char *text = g_strdup(err->text), *name = cli_printable(p->output.name);
        code = cli_fail(err, err->code, "output '%s': %s", name, text);
        g_free(name);
        g_free(text);
        return code;
    }
    if (o->skip_existing && output_exists(&p->output)) {
        cli_info(p->job->name, "skipped: '%s' exists", p->output.name);
        return POLA_OK;
    }
    code = open_input(p, err);
    if (code == POLA_OK)
        code = find_size(p, size, err);
    if (code == POLA_OK)
        code = make_plan(p, err);
    if (code != POLA_OK)
        return code;
    char *text = describe(p);
    if (o->dry_run)
        puts(text);
    else
        cli_info(NULL, "%s", text);
    g_free(text);
    return o->dry_run ? POLA_OK : run(p, err);
}

int enlarge(struct engine *engine, const struct job *job, const struct enlarge_size *size, struct pola_error *err)
{
    struct passage p = {.engine = engine, .job = job};
    int code = pass(&p, size, err);

    g_clear_object(&p.image);
    colour_release(&p.colour);
    output_release(&p.output);
    return code;
}
