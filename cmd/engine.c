/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See engine.h.
 */
#include "engine.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE_STEP 16 /* between the tiles that --memory tries */

static int slot_for(const struct engine *engine, double need)
{
    if (engine->options->model)
        return 0;
    return need == 0 ? ENGINE_MAX_SCALE : MAX(2, (int)ceil(need - 1e-9));
}

static int open_model(struct engine *engine, int slot, struct pola_error *err)
{
    struct loaded *l = &engine->loaded[slot];
    const struct common_options *o = engine->options;
    char *path = NULL;
    int code;

    l->name = slot == 0 ? g_strdup(o->model) : g_strdup_printf("pola-sr-x%d", slot);
    code = pola_model_find(&path, l->name, o->models, err);
    if (code == POLA_OK)
        code = pola_model_open(&l->model, path, err);
    if (code == POLA_ERR_ARGUMENT) /* about the model, not about how we were called */
        code = err->code = POLA_ERR_IO;
    free(path);
    if (code != POLA_OK)
        g_clear_pointer(&l->name, g_free);
    return code;
}

int engine_get(struct engine *engine, pola_sr **sr, double need, int tile, struct pola_error *err)
{
    int slot = slot_for(engine, need);
    struct loaded *l = slot <= ENGINE_MAX_SCALE ? &engine->loaded[slot] : NULL;
    struct pola_sr_options options;
    int code = POLA_OK;

    if (!l)
        return cli_fail(err, POLA_ERR_ARGUMENT, "%.4g times the size is more than the models reach: at most %d", need,
                        ENGINE_MAX_SCALE);
    if (!l->model)
        code = open_model(engine, slot, err);
    if (code == POLA_OK && (!l->sr || l->tile != tile)) {
        pola_sr_unref(l->sr);
        l->sr = NULL;
        l->tile = tile;
        pola_sr_options_init(&options);
        options.precision = engine->options->precision;
        options.tile = tile;
        options.halo = engine->options->halo;
        options.tta = engine->tta;
        code = pola_sr_new(&l->sr, l->model, &options, err);
    }
    if (code != POLA_OK)
        return code;
    if (pola_sr_scale(l->sr) < need - 1e-9)
        return cli_fail(err, POLA_ERR_ARGUMENT, "model '%s' enlarges %d times, not %.4g: choose another", l->name,
                        pola_sr_scale(l->sr), need);
    *sr = l->sr;
    return POLA_OK;
}

const char *engine_name(const struct engine *engine, double need)
{
    return engine->loaded[slot_for(engine, need)].name;
}

/* What engine_plan() looks for, and how. */
struct search {
    struct engine *engine;
    double need;
    struct _VipsImage *image;
    guint64 copies, other;
};

/* The bytes that it takes with this tile. */
static int try_tile(const struct search *s, int tile, pola_sr **sr, struct pola_sr_plan *plan, guint64 *bytes,
                    struct pola_error *err)
{
    int code = engine_get(s->engine, sr, s->need, tile, err);

    if (code == POLA_OK)
        code = pola_sr_plan_image(plan, *sr, s->image, err);
    if (code == POLA_OK)
        *bytes = plan->memory * s->copies + s->other;
    return code;
}

int engine_plan(struct engine *engine, pola_sr **sr, struct pola_sr_plan *plan, double need, struct _VipsImage *image,
                int copies, guint64 other, guint64 *expected, struct pola_error *err)
{
    const struct search search = {
        .engine = engine, .need = need, .image = image, .copies = (guint64)copies, .other = other};
    guint64 limit = engine->options->memory;
    int code = try_tile(&search, engine->options->tile, sr, plan, expected, err);

    if (code != POLA_OK || limit == 0 || *expected <= limit)
        return code;
    int best = 0, low = 1, high = plan->tile / TILE_STEP - 1; /* steps, both ends still possible */
    guint64 least = *expected;
    while (low <= high) {
        int middle = (low + high) / 2;
        struct pola_error ignored;
        int tried = try_tile(&search, middle * TILE_STEP, sr, plan, expected, &ignored);
        if (tried == POLA_OK)
            least = MIN(least, *expected);
        if (tried == POLA_OK && *expected <= limit)
            best = middle;
        if (tried != POLA_OK || best == middle) /* too small for the network, or it fits: try larger ones */
            low = middle + 1;
        else
            high = middle - 1;
    }
    if (best > 0)
        return try_tile(&search, best * TILE_STEP, sr, plan, expected, err);
    return cli_fail(err, POLA_ERR_MEMORY, "needs at least %.0f MB, more than --memory allows",
                    ceil((double)least / 1048576));
}

void engine_release(struct engine *engine)
{
    for (size_t i = 0; i < G_N_ELEMENTS(engine->loaded); i++) {
        pola_sr_unref(engine->loaded[i].sr);
        pola_model_unref(engine->loaded[i].model);
        g_free(engine->loaded[i].name);
    }
}
