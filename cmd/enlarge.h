/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * What pola-sr does with one input: open, network, exact size, write.
 */
#ifndef ENLARGE_H
#define ENLARGE_H

#include "engine.h"
#include "jobs.h"

/* How large results become. All 0: the model's own scale. */
struct enlarge_size {
    double scale;
    int width, height; /* one alone keeps the proportions; both fit exactly */
};

POLA_NODISCARD int enlarge(struct engine *engine, const struct job *job, const struct enlarge_size *size,
                           struct pola_error *err);

#endif
