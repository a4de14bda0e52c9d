/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The super-resolution head: a PolaSR network with the tile settings of its model, and sessions that run windows of one
 * size. Called by pola_sr_run() and, window by window, by the libvips operation in img/vips_sr.c.
 */
#ifndef PI_HEAD_SR_H
#define PI_HEAD_SR_H

#include "base/err.h"

/* Scratch memory for windows of exactly width x height pixels, worked on by one caller at a time. */
struct sr_session;

/* Bytes one session will hold, workers threads inside it included; 0 when the size is impossible. */
size_t pi_sr_session_bytes(const pola_sr *sr, int width, int height, int workers);

/* workers: how many threads may work inside one run (1 when the caller already runs windows side by side). */
POLA_NODISCARD int pi_sr_session_new(struct sr_session **out, const pola_sr *sr, int width, int height, int workers,
                                     struct pola_error *err);
void pi_sr_session_free(struct sr_session *session); /* NULL is fine */

/* Runs the network, with self-ensemble when asked for.
 *   out  (s*height, s*width, 3)  float, clamped to [0,1]
 *   in   (height, width, 3)      float sRGB in [0,1]
 * POLA_ERR_NUMERIC when a result is not finite. Bit-identical for every number of workers. */
POLA_NODISCARD int pi_sr_session_run(struct sr_session *session, float *out, const float *in, struct pola_error *err);

/* Window and halo in use: from the options, else from the model's metadata, else the library's defaults. */
int pi_sr_tile(const pola_sr *sr);
int pi_sr_halo(const pola_sr *sr);
enum pola_precision pi_sr_precision(const pola_sr *sr);

/* Multiply-adds of one window of width x height pixels. */
double pi_sr_macs(const pola_sr *sr, int width, int height);

#endif
