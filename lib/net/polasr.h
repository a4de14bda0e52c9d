/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The PolaSR super-resolution network (lib/net/README.md): conv_first, D PolaFormer++ blocks at full resolution, a convolution
 * with the long shortcut, then a convolution and pixel shuffle onto the nearest-neighbour enlargement of the input. Used by
 * head/sr.c.
 */
#ifndef PI_POLASR_H
#define PI_POLASR_H

#include "base/err.h"
#include "kern/kern.h"

struct polasr_config {
    int scale, dim, depth, heads, ffn;
};

/* Weights, packed for the kernels. Immutable, shared by any number of sessions. */
struct polasr;

/* Reads pola.scale, dim, depth, heads and ffn_ratio from the model's metadata, checks and packs every tensor. */
POLA_NODISCARD int pi_polasr_new(struct polasr **out, const pola_model *model, const struct kern *kern, enum act act,
                                 struct pola_error *err);
void pi_polasr_free(struct polasr *net); /* NULL is fine */

const struct polasr_config *pi_polasr_config(const struct polasr *net);

/* The kernels it runs on. */
const struct kern *pi_polasr_kern(const struct polasr *net);

/* Multiply-adds for one pixel of input. */
double pi_polasr_macs(const struct polasr *net);

/* Memory for windows of width x height pixels on which up to workers threads work. */
struct polasr_session;

/* Bytes of a session; 0 when the size is impossible. */
size_t pi_polasr_session_bytes(const struct polasr *net, int width, int height, int workers);
POLA_NODISCARD int pi_polasr_session_new(struct polasr_session **out, const struct polasr *net, int width, int height,
                                         int workers, struct pola_error *err);
void pi_polasr_session_free(struct polasr_session *session); /* NULL is fine */

/* out (s*height, s*width, 3), not clamped; in (height, width, 3) in [0,1]. */
void pi_polasr_session_run(struct polasr_session *session, float *out, const float *in);

#endif
