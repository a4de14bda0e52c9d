/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See fake_sr.h.
 */
#include "fake_sr.h"

#include "base/mem.h"

#include <stdlib.h>

struct sr_session {
    pola_sr *sr;
    int width, height;
};

pola_sr *fake_sr_new(int scale, int tile, int halo, enum fake_mode mode)
{
    pola_sr *sr = calloc(1, sizeof *sr);

    assert_non_null(sr);
    sr->references = 1;
    sr->scale = scale;
    sr->tile = tile;
    sr->halo = halo;
    sr->mode = mode;
    return sr;
}

void pola_sr_options_init(struct pola_sr_options *options)
{
    *options = (struct pola_sr_options){.halo = -1};
}

int pola_sr_new(pola_sr **out, pola_model *model, const struct pola_sr_options *options, struct pola_error *err)
{
    *out = fake_sr_new(4, options->tile ? options->tile : 32, options->halo >= 0 ? options->halo : 4, FAKE_NEAREST);
    return POLA_OK;
}

pola_sr *pola_sr_ref(pola_sr *sr)
{
    atomic_fetch_add(&sr->references, 1);
    return sr;
}

void pola_sr_unref(pola_sr *sr)
{
    if (sr && atomic_fetch_sub(&sr->references, 1) == 1)
        free(sr);
}

int pola_sr_scale(const pola_sr *sr)
{
    return sr->scale;
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
    return POLA_PRECISION_FP32;
}

double pi_sr_macs(const pola_sr *sr, int width, int height)
{
    return (double)width * height;
}

size_t pi_sr_session_bytes(const pola_sr *sr, int width, int height, int workers)
{
    return sizeof(struct sr_session);
}

int pi_sr_session_new(struct sr_session **out, const pola_sr *sr, int width, int height, int workers,
                      struct pola_error *err)
{
    *out = pi_alloc(sizeof **out);
    if (!*out)
        return pi_err_set(err, POLA_ERR_MEMORY, "out of memory");
    **out = (struct sr_session){(pola_sr *)sr, width, height};
    atomic_fetch_add(&(*out)->sr->sessions, 1);
    return POLA_OK;
}

void pi_sr_session_free(struct sr_session *session)
{
    if (session)
        atomic_fetch_sub(&session->sr->sessions, 1);
    pi_free(session);
}

static float blurred(const struct sr_session *session, const float *in, int x, int y, int c)
{
    float sum = 0;
    int n = 0;

    for (int v = y - 1; v <= y + 1; v++)
        for (int u = x - 1; u <= x + 1; u++)
            if (v >= 0 && v < session->height && u >= 0 && u < session->width) {
                sum += in[((size_t)v * (size_t)session->width + (size_t)u) * 3 + (size_t)c];
                n++;
            }
    return sum / (float)n;
}

static float value(const struct sr_session *session, const float *in, int x, int y, int c)
{
    const int scale = session->sr->scale, width = session->width;
    const float pixel = in[((size_t)(y / scale) * (size_t)width + (size_t)(x / scale)) * 3 + (size_t)c];

    switch (session->sr->mode) {
    case FAKE_PLACE:
        return 0.5f * pixel + 0.3f * (float)x / (float)(scale * width) +
               0.2f * (float)y / (float)(scale * session->height);
    case FAKE_BLUR:
        return blurred(session, in, x / scale, y / scale, c);
    default:
        return pixel;
    }
}

int pi_sr_session_run(struct sr_session *session, float *out, const float *in, struct pola_error *err)
{
    const int width = session->sr->scale * session->width, height = session->sr->scale * session->height;

    atomic_fetch_add(&session->sr->windows, 1);
    for (int i = 0; session->sr->mode == FAKE_FUSSY && i < session->width * session->height; i++)
        if (in[3 * i] >= 1)
            return pi_err_set(err, POLA_ERR_NUMERIC, "the result is not finite");
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < 3; c++)
                out[((size_t)y * (size_t)width + (size_t)x) * 3 + (size_t)c] = value(session, in, x, y, c);
    return POLA_OK;
}

int pola_sr_run(const pola_sr *sr, float *out, const float *in, int width, int height, struct pola_error *err)
{
    struct sr_session session = {(pola_sr *)sr, width, height};

    return pi_sr_session_run(&session, out, in, err);
}
