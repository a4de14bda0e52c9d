/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Where a result goes: a file that appears under its name when it is complete, a stream, or a directory of tiles. What the
 * format cannot hold is converted, or refused before the work starts.
 */
#ifndef IMAGE_OUT_H
#define IMAGE_OUT_H

#include "pola.h"

#include <glib.h>

struct _VipsImage;
struct format; /* what we know of a file format, see image_out.c */

struct output {
    char *name;                  /* for messages */
    char *path;                  /* the file after symbolic links; NULL: standard output */
    char *suffix;                /* ".png" */
    char *options;               /* "[compression=9]", or NULL */
    const struct format *format; /* NULL: nothing known about it */
    gboolean stream;             /* not a regular file: written as it comes */
    int mode;                    /* permissions of the file to come */
};

/* Splits "name[options]" as users write it for OUT. *options is NULL when there are none. Both are given. */
void output_split(const char *text, char **name, char **options);

/* The suffix of name, lower case, if images can be saved as that; else NULL. Given. */
char *output_suffix(const char *name);

/* TRUE for the suffix of a format that libvips writes, but without telling when that goes wrong: none of ours. */
gboolean output_is_unsafe(const char *name);

/* Finds out where the output leads and whether that can be written to. name "-" is standard output. suffix says the format
 * (with its dot), options (may be NULL) how to save. All are borrowed. */
POLA_NODISCARD int output_init(struct output *output, const char *name, const char *suffix, const char *options,
                               struct pola_error *err);
void output_release(struct output *output);

/* Checks that files can be made beside the output. */
POLA_NODISCARD int output_check_directory(const struct output *output, struct pola_error *err);

gboolean output_exists(const struct output *output);
gboolean output_holds_pages(const struct output *output);

/* Bits a sample, at most bits, that the format holds: 8, 16, or 32 for float. */
int output_bits(const struct output *output, int bits);

/* Rows of the output that the saver itself holds. */
int output_saver_rows(const struct output *output);

/* Refuses a size that the format cannot hold. */
POLA_NODISCARD int output_check_size(const struct output *output, gint64 width, gint64 height, struct pola_error *err);

/* Replaces *image by what the format holds: alpha flattened on white, fewer bits. */
POLA_NODISCARD int output_convert(const struct output *output, struct _VipsImage **image, const char *input,
                                  struct pola_error *err);

/* Computes and writes image. On failure nothing is left, and what was there before is as it was. */
POLA_NODISCARD int output_write(const struct output *output, struct _VipsImage *image, struct pola_error *err);

#endif
