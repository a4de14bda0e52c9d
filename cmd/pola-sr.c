/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * pola-sr: enlarges images with a PolaSR network. main() parses, then does one job after the other.
 */
#include "cli.h"
#include "engine.h"
#include "enlarge.h"
#include "jobs.h"
#include "models.h"
#include "options.h"
#include "temp.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <vips/vips.h>

static const char usage[] = "IN OUT | IN... -o DIR - enlarge images 2, 3 or 4 times";

static const char description[] =
    "IN and OUT may be '-' for standard input and output. OUT takes save options, as in\n"
    "out.tif[tile,pyramid,compression=deflate], and may be a suffix alone: .png is standard output as PNG.\n"
    "Exit status: 0 all done, 1 an input failed (the others are still done), 2 wrong usage.";

struct own_options {
    int x, width, height;
    double scale;
    gboolean tta;
};

static const struct own_options unset = {.x = G_MININT, .width = G_MININT, .height = G_MININT, .scale = -G_MAXDOUBLE};
static struct own_options own;

static const GOptionEntry own_entries[] = {
    {"times", 'x', 0, G_OPTION_ARG_INT, &own.x, "-x2, -x3, -x4: enlarge that many times (default: 4)", "N"},
    {"scale", 's', 0, G_OPTION_ARG_DOUBLE, &own.scale, "enlarge S times, from 1 to 4, fractions too", "S"},
    {"width", 0, 0, G_OPTION_ARG_INT, &own.width, "enlarge to W pixels across", "W"},
    {"height", 0, 0, G_OPTION_ARG_INT, &own.height, "enlarge to H pixels down; with --width: to exactly both", "H"},
    {"tta", 0, 0, G_OPTION_ARG_NONE, &own.tta, "mean of eight flips and turns: a little better, 8 times slower", NULL},
    {0},
};

/* A wanted size from -x, -s, --width and --height, which exclude each other. */
static int parse_size(struct enlarge_size *size, struct pola_error *err)
{
    gboolean has_x = own.x != unset.x, has_scale = own.scale != unset.scale;
    gboolean has_width = own.width != unset.width, has_height = own.height != unset.height;

    if (has_x && (own.x < 2 || own.x > ENGINE_MAX_SCALE))
        return cli_fail(err, POLA_ERR_ARGUMENT, "-x%d: the networks enlarge 2, 3 or 4 times", own.x);
    if (has_scale && !(own.scale >= 1 && own.scale <= ENGINE_MAX_SCALE))
        return cli_fail(err, POLA_ERR_ARGUMENT, "-s %g: must be from 1 to %d", own.scale, ENGINE_MAX_SCALE);
    if ((has_width && (own.width < 1 || own.width > VIPS_MAX_COORD)) ||
        (has_height && (own.height < 1 || own.height > VIPS_MAX_COORD)))
        return cli_fail(err, POLA_ERR_ARGUMENT, "--width and --height must be from 1 to %d", VIPS_MAX_COORD);
    if (has_x + has_scale + (has_width || has_height) > 1)
        return cli_fail(err, POLA_ERR_ARGUMENT, "-x, -s and --width or --height exclude each other");
    *size = (struct enlarge_size){.scale = has_x       ? own.x
                                           : has_scale ? own.scale
                                                       : 0,
                                  .width = has_width ? own.width : 0,
                                  .height = has_height ? own.height : 0};
    return POLA_OK;
}

static int prepare(const struct jobs *jobs, struct engine *engine, const struct enlarge_size *size,
                   struct pola_error *err)
{
    const struct common_options *o = engine->options;
    pola_sr *sr;
    double need = size->width || size->height ? 1 : size->scale;
    int code = engine_get(engine, &sr, need, o->tile, err);

    if (code == POLA_OK && jobs->directory && !o->dry_run && mkdir(jobs->directory, 0777) != 0 && errno != EEXIST)
        code = cli_fail(err, POLA_ERR_IO, "cannot create directory '%s': %s", jobs->directory, g_strerror(errno));
    return code;
}

static enum cli_exit work(const struct jobs *jobs, struct engine *engine, const struct enlarge_size *size)
{
    enum cli_exit status = CLI_DONE;
    struct pola_error err;

    for (guint i = 0; i < jobs->count; i++) {
        cli_set_subject(jobs->list[i].name, engine->options->lenient);
        if (enlarge(engine, &jobs->list[i], size, &err) != POLA_OK) {
            cli_error(jobs->list[i].name, "%s", err.text);
            status = CLI_FAILED;
        }
        vips_error_clear();
    }
    cli_set_subject(NULL, FALSE);
    return cli_flush_stdout() ? status : CLI_FAILED;
}

static enum cli_exit fail(const struct pola_error *err)
{
    if (err->code == POLA_ERR_ARGUMENT)
        cli_error(NULL, "%s (see %s --help)", err->text, g_get_prgname());
    else
        cli_error(NULL, "%s", err->text);
    return err->code == POLA_ERR_ARGUMENT ? CLI_USAGE : CLI_FAILED;
}

/* Everything that needs the library, between its start and its end. */
static enum cli_exit run(const struct common_options *options, const struct enlarge_size *size)
{
    struct engine engine = {.options = options, .tta = own.tta};
    struct jobs jobs = {0};
    struct pola_error err;

    temp_start_scratch();
    int code = pola_init(&err);
    if (code != POLA_OK)
        return fail(&err);
    vips_concurrency_set(pola_threads());
    vips_cache_set_max(0); /* an input may change between two jobs that name it */
    if (options->list_models)
        models_list(options->models);
    else
        code = jobs_init(&jobs, options, &err);
    if (code == POLA_OK && !options->list_models)
        code = prepare(&jobs, &engine, size, &err);
    enum cli_exit status = code != POLA_OK ? fail(&err) : work(&jobs, &engine, size);
    engine_release(&engine);
    jobs_release(&jobs);
    vips_shutdown();
    return status;
}

int main(int argc, char **argv)
{
    struct common_options options;
    struct enlarge_size size;
    struct pola_error err;
    enum cli_exit status;

    cli_start("pola-sr");
    temp_start();
    own = unset;
    int code = options_parse(&options, argc, argv, usage, description, own_entries, &err);
    if (code == POLA_OK)
        code = parse_size(&size, &err);
    status = code == POLA_OK ? run(&options, &size) : fail(&err);
    options_release(&options);
    return status;
}
