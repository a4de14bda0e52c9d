/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See sr.h.
 */
#include "head/sr.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct pola_sr {
    int references, scale;
    struct pola_sr_options options;
};
struct sr_session {
    const pola_sr *sr;
    int width, height;
};

void pola_sr_options_init(struct pola_sr_options *options)
{
    *options = (struct pola_sr_options){.halo = -1};
}
int pola_sr_new(pola_sr **out, pola_model *model, const struct pola_sr_options *options, struct pola_error *err)
{
    *out = calloc(1, sizeof **out);
    (*out)->references = 1;
    (*out)->scale = 4;
    (*out)->options = *options;
    return POLA_OK;
}
pola_sr *pola_sr_ref(pola_sr *sr)
{
    __atomic_add_fetch(&sr->references, 1, __ATOMIC_SEQ_CST);
    return sr;
}
void pola_sr_unref(pola_sr *sr)
{
    if (sr && __atomic_sub_fetch(&sr->references, 1, __ATOMIC_SEQ_CST) == 0)
        free(sr);
}
int pola_sr_scale(const pola_sr *sr)
{
    return sr->scale;
}
int pi_sr_tile(const pola_sr *sr)
{
    return sr->options.tile ? sr->options.tile : 128;
}
int pi_sr_halo(const pola_sr *sr)
{
    return sr->options.halo >= 0 ? sr->options.halo : 8;
}
enum pola_precision pi_sr_precision(const pola_sr *sr)
{
    return POLA_PRECISION_FP32;
}
double pi_sr_macs(const pola_sr *sr, int width, int height)
{
    return 2e5 * width * height;
}
size_t pi_sr_session_bytes(const pola_sr *sr, int width, int height, int workers)
{
    return sizeof(struct sr_session);
}
int pi_sr_session_new(struct sr_session **out, const pola_sr *sr, int width, int height, int workers,
                      struct pola_error *err)
{
    *out = calloc(1, sizeof **out);
    **out = (struct sr_session){sr, width, height};
    return POLA_OK;
}
void pi_sr_session_free(struct sr_session *session)
{
    free(session);
}
int pi_sr_session_run(struct sr_session *session, float *out, const float *in, struct pola_error *err)
{
    int s = session->sr->scale, w = session->width;
    for (int y = 0; y < s * session->height; y++)
        for (int x = 0; x < s * w; x++)
            memcpy(out + ((size_t)y * s * w + x) * 3, in + ((size_t)(y / s) * w + x / s) * 3, 3 * sizeof(float));
    return POLA_OK;
}
