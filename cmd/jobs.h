/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Which input becomes which output, decided and checked for all of them before the first is opened.
 */
#ifndef JOBS_H
#define JOBS_H

#include "options.h"

struct job {
    char *in;      /* a path, or "-" */
    char *name;    /* the same for messages */
    char *out;     /* a path without save options, or "-" */
    char *suffix;  /* the output's format: ".png" */
    char *options; /* save options with their brackets, or NULL */
};

struct jobs {
    struct job *list;
    guint count;
    char *directory; /* to make before the first job; NULL: none */
};

/* From "IN OUT", "IN... -o DIR" and --format. Two inputs for one output are wrong usage. */
POLA_NODISCARD int jobs_init(struct jobs *jobs, const struct common_options *options, struct pola_error *err);
void jobs_release(struct jobs *jobs);

#endif
