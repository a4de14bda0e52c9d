/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See sr.h.
 */
#include "head/sr.h"

#include "base/cpu.h"
#include "base/mem.h"
#include "base/par.h"
#include "model/weights.h"
#include "net/polasr.h"

#include <stdatomic.h>
#include <string.h>

/* Of models that do not say. */
enum { DEFAULT_TILE = 128, DEFAULT_HALO = 8 };

enum { MIN_TILE = 16, MAX_TILE = 4096, MIN_STEP = 8, MAX_SIDE = 1 << 20 };

struct pola_sr {
    atomic_int references;
    pola_model *model;
    struct polasr *net;
    enum pola_precision precision;
    int tile, halo, tta;
};

void pola_sr_options_init(struct pola_sr_options *options)
{
    *options = (struct pola_sr_options){.halo = -1};
}

static int choose_tile(pola_sr *sr, const struct pola_sr_options *options, struct pola_error *err)
{
    int status, tile, halo;

    if ((status = pi_weights_meta_int(sr->model, &tile, "pola.tile", MIN_TILE, MAX_TILE, DEFAULT_TILE, err)) !=
            POLA_OK ||
        (status = pi_weights_meta_int(sr->model, &halo, "pola.halo", 0, MAX_TILE / 2, DEFAULT_HALO, err)) != POLA_OK)
        return status;
    if (options->tile != 0)
        tile = options->tile;
    if (tile < MIN_TILE || tile > MAX_TILE)
        return pi_err_set(err, POLA_ERR_ARGUMENT, "tile %d is not between %d and %d", tile, MIN_TILE, MAX_TILE);
    if (options->halo >= 0)
        halo = options->halo;
    else if (halo > tile / 4)
        halo = tile / 4;
    if (halo > (tile - MIN_STEP) / 2)
        return pi_err_set(err, POLA_ERR_ARGUMENT, "halo %d is too wide for tile %d: at most %d", halo, tile,
                          (tile - MIN_STEP) / 2);
    sr->tile = tile;
    sr->halo = halo;
    return POLA_OK;
}

/* bfloat16 where the CPU multiplies it in hardware. */
static enum pola_precision choose_precision(enum pola_precision asked, unsigned flags)
{
    if (asked != POLA_PRECISION_AUTO)
        return asked;
    return flags & (CPU_AVX512BF16 | CPU_AMX) ? POLA_PRECISION_BF16 : POLA_PRECISION_FP32;
}

static int open_net(pola_sr *sr, unsigned flags, struct pola_error *err)
{
    const char *arch = pola_model_meta(sr->model, "pola.arch");
    enum act act = sr->precision == POLA_PRECISION_BF16 ? ACT_BF16 : ACT_F32;
    struct kern kern;

    if (!arch || strcmp(arch, "polasr") != 0) {
        char name[64];
        return pi_err_set(err, POLA_ERR_MODEL,
                          "not a super-resolution model: its metadata %s%s%s, expected pola.arch 'polasr'",
                          arch ? "say pola.arch '" : "have no pola.arch",
                          arch ? pi_printable(name, sizeof name, arch) : "", arch ? "'" : "");
    }
    pi_kern_init(&kern, flags);
    return pi_polasr_new(&sr->net, sr->model, &kern, act, err);
}

int pola_sr_new(pola_sr **out, pola_model *model, const struct pola_sr_options *options, struct pola_error *err)
{
    pola_sr *sr = pi_alloc(sizeof *sr);
    unsigned flags = pi_cpu_flags();
    int status;

    *out = NULL;
    if (!sr)
        return pi_err_set(err, POLA_ERR_MEMORY, "no memory for the network");
    sr->references = 1;
    sr->model = pola_model_ref(model);
    sr->tta = options->tta != 0;
    sr->precision = choose_precision(options->precision, flags);
    status = choose_tile(sr, options, err);
    if (status == POLA_OK && (status = open_net(sr, flags, err)) != POLA_OK) {
        char path[512];
        status = pi_err_prefix(err, "model '%s'", pi_printable(path, sizeof path, pi_weights_path(model)));
    }
    if (status != POLA_OK) {
        pola_sr_unref(sr);
        return status;
    }
    *out = sr;
    return POLA_OK;
}

pola_sr *pola_sr_ref(pola_sr *sr)
{
    atomic_fetch_add(&sr->references, 1);
    return sr;
}

void pola_sr_unref(pola_sr *sr)
{
    if (!sr || atomic_fetch_sub(&sr->references, 1) != 1)
        return;
    pi_polasr_free(sr->net);
    pola_model_unref(sr->model);
    pi_free(sr);
}

int pola_sr_scale(const pola_sr *sr)
{
    return pi_polasr_config(sr->net)->scale;
}

int pi_sr_tile(const pola_sr *sr)
{
    return sr->tile;
}

int pi_sr_halo(const pola_sr *sr)
{
    return sr->halo;
}

enum pola_precision pi_sr_precision(const pola_sr *sr)
{
    return sr->precision;
}

double pi_sr_macs(const pola_sr *sr, int width, int height)
{
    return pi_polasr_macs(sr->net) * width * height * (sr->tta ? 8 : 1);
}

/* With self-ensemble: turned copies of the input and the output, and a session for windows that lie on their side. */
struct sr_session {
    const pola_sr *sr;
    int width, height, workers;
    struct polasr_session *upright, *sideways; /* sideways is upright when the window is square */
    float *in, *out;                           /* (height, width, 3), (s*height, s*width, 3) */
};

static int sizes(const pola_sr *sr, int width, int height, size_t *in, size_t *out)
{
    size_t s = (size_t)pola_sr_scale(sr);

    return width >= 1 && height >= 1 && width <= MAX_SIDE && height <= MAX_SIDE &&
           pi_size_mul(in, (size_t)width * 3 * sizeof(float), (size_t)height) && pi_size_mul(out, *in, s * s);
}

size_t pi_sr_session_bytes(const pola_sr *sr, int width, int height, int workers)
{
    size_t in, out, total;

    if (!sizes(sr, width, height, &in, &out))
        return 0;
    size_t upright = pi_polasr_session_bytes(sr->net, width, height, workers);
    if (!sr->tta || upright == 0)
        return upright;
    size_t sideways = width == height ? 0 : pi_polasr_session_bytes(sr->net, height, width, workers);
    if (width != height && sideways == 0)
        return 0;
    return pi_size_add(&total, upright, sideways) && pi_size_add(&total, total, in) && pi_size_add(&total, total, out)
               ? total
               : 0;
}

int pi_sr_session_new(struct sr_session **out, const pola_sr *sr, int width, int height, int workers,
                      struct pola_error *err)
{
    struct sr_session *session = pi_alloc(sizeof *session);
    size_t in_bytes, out_bytes;
    int status;

    *out = NULL;
    if (!session || !sizes(sr, width, height, &in_bytes, &out_bytes)) {
        pi_free(session);
        return pi_err_set(err, POLA_ERR_MEMORY, "no memory for a window of %dx%d pixels", width, height);
    }
    *session = (struct sr_session){.sr = sr, .width = width, .height = height, .workers = workers};
    if ((status = pi_polasr_session_new(&session->upright, sr->net, width, height, workers, err)) != POLA_OK)
        goto fail;
    if (sr->tta) {
        session->sideways = session->upright;
        if (width != height &&
            (status = pi_polasr_session_new(&session->sideways, sr->net, height, width, workers, err)) != POLA_OK)
            goto fail;
        if (!(session->in = pi_alloc(in_bytes)) || !(session->out = pi_alloc(out_bytes))) {
            status = pi_err_set(err, POLA_ERR_MEMORY, "no memory for a window of %dx%d pixels", width, height);
            goto fail;
        }
    }
    *out = session;
    return POLA_OK;

fail:
    pi_sr_session_free(session);
    return status;
}

void pi_sr_session_free(struct sr_session *session)
{
    if (!session)
        return;
    if (session->sideways != session->upright)
        pi_polasr_session_free(session->sideways);
    pi_polasr_session_free(session->upright);
    pi_free(session->in);
    pi_free(session->out);
    pi_free(session);
}

/* The eight turns of a square: bit 0 mirrors columns, bit 1 rows, bit 2 then exchanges rows and columns. */
enum { MIRROR_X = 1, MIRROR_Y = 2, TRANSPOSE = 4, TURNS = 8 };

/* Where pixel (x, y) of a width x height image goes under a turn, as an index of the turned image. */
static inline size_t turned(size_t x, size_t y, size_t width, size_t height, int turn)
{
    if (turn & MIRROR_X)
        x = width - 1 - x;
    if (turn & MIRROR_Y)
        y = height - 1 - y;
    return turn & TRANSPOSE ? x * height + y : y * width + x;
}

static void turn_input(float *out, const float *in, size_t width, size_t height, int turn)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            memcpy(out + turned(x, y, width, height, turn) * 3, in + (y * width + x) * 3, 3 * sizeof *out);
}

/* sum += the result, turned back. */
static void add_turned(float *sum, const float *result, size_t width, size_t height, int turn)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            for (size_t c = 0; c < 3; c++)
                sum[(y * width + x) * 3 + c] += result[turned(x, y, width, height, turn) * 3 + c];
}

/* Mean over all turns, summed in their order. */
static void run_ensemble(struct sr_session *session, float *out, const float *in)
{
    size_t s = (size_t)pola_sr_scale(session->sr), w = (size_t)session->width, h = (size_t)session->height;

    memset(out, 0, w * s * h * s * 3 * sizeof *out);
    for (int turn = 0; turn < TURNS; turn++) {
        turn_input(session->in, in, w, h, turn);
        pi_polasr_session_run(turn & TRANSPOSE ? session->sideways : session->upright, session->out, session->in);
        add_turned(out, session->out, w * s, h * s, turn);
    }
    for (size_t i = 0; i < w * s * h * s * 3; i++)
        out[i] *= 1.0f / TURNS;
}

/* No trained network strays this far from [0,1]: a model whose weights are damaged but finite does. */
#define SANE 1e4f

/* One pass over the result by rows: clamp, and note what is not sane. */
struct clamping {
    const struct kern *kern;
    float *out;
    size_t row; /* floats */
    atomic_int strayed;
};

static void clamp_row(void *data, int y, int worker)
{
    struct clamping *clamping = data;

    if (!clamping->kern->clamp(clamping->out + (size_t)y * clamping->row, clamping->row, SANE))
        atomic_store(&clamping->strayed, 1);
}

int pi_sr_session_run(struct sr_session *session, float *out, const float *in, struct pola_error *err)
{
    int s = pola_sr_scale(session->sr);
    struct clamping clamping = {
        .kern = pi_polasr_kern(session->sr->net), .out = out, .row = (size_t)session->width * (size_t)s * 3};

    if (session->sr->tta)
        run_ensemble(session, out, in);
    else
        pi_polasr_session_run(session->upright, out, in);
    pi_par_at_most(session->workers, session->height * s, clamp_row, &clamping);
    if (clamping.strayed)
        return pi_err_set(err, POLA_ERR_NUMERIC, "the network's result is not finite");
    return POLA_OK;
}

int pola_sr_run(const pola_sr *sr, float *out, const float *in, int width, int height, struct pola_error *err)
{
    struct sr_session *session;
    int status;

    if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE)
        return pi_err_set(err, POLA_ERR_ARGUMENT, "%dx%d is not an image size", width, height);
    if ((status = pi_sr_session_new(&session, sr, width, height, pi_par_threads(), err)) != POLA_OK)
        return status;
    status = pi_sr_session_run(session, out, in, err);
    pi_sr_session_free(session);
    return status;
}
