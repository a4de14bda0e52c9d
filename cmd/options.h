/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The options that all commands share, the way they are written (-t4 as well as -t 4), and sizes such as 1.5G.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "pola.h"

#include <glib.h>

struct common_options {
    char *output, *format;                    /* -o, --format */
    char *model, *models;                     /* -m, --models */
    char *memory_text, *cpu, *precision_text; /* --memory, --cpu, --precision */
    int threads, tile, halo, page;            /* -t; --tile 0: from the model; --halo -1: same; --page 0: every page */
    gint64 max_pixels;                        /* --max-pixels; 0: no limit */
    gboolean list_models, skip_existing, dry_run;
    gboolean strip, lenient;
    gboolean quiet, verbose, progress, version;
    char **rest; /* what is left: inputs and output */

    guint64 memory; /* memory_text in bytes; 0: no limit */
    enum pola_precision precision;
};

/* Parses argv (borrowed; not changed) with the command's own entries besides the common ones, checks the ranges of the
 * common values, and carries out what concerns the whole process: verbosity, progress, cpu, threads. --help and --version
 * print and end the process. Wrong usage is POLA_ERR_ARGUMENT. */
POLA_NODISCARD int options_parse(struct common_options *options, int argc, char **argv, const char *usage,
                                 const char *description, const GOptionEntry *own, struct pola_error *err);

void options_release(struct common_options *options);

#endif
