/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See image_out.h.
 */
#include "image_out.h"

#include "cli.h"
#include "colour.h"
#include "save.h"
#include "temp.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vips/vips.h>

struct format {
    const char *suffixes; /* separated by spaces, with a space at both ends */
    const char *title;
    int max_side; /* pixels; 0: libvips' own limit is the smaller one */
    int bits;     /* the most a sample may have: 8, 16, 32 (float) */
    gboolean alpha, pages;
    const char *defaults; /* save options unless the user says otherwise */
};

/* JPEG: 65535 in the file, but libjpeg stops at 65500. Qualities above libvips' 75: enlarged detail is easily lost. */
static const struct format formats[] = {
    {" .jpg .jpeg .jpe .jfif ", "JPEG", 65500, 8, FALSE, FALSE, "Q=92"},
    {" .png ", "PNG", 0, 16, TRUE, FALSE, NULL},
    {" .webp ", "WebP", 16383, 8, TRUE, TRUE, "Q=90"},
    {" .gif ", "GIF", 65535, 8, TRUE, TRUE, NULL},
    {" .tif .tiff ", "TIFF", 0, 32, TRUE, TRUE, NULL},
    {" .heic .heif ", "HEIF", 16384, 16, TRUE, FALSE, "Q=75"},
    {" .avif ", "HEIF", 16384, 16, TRUE, FALSE, "Q=75,compression=av1"},
    {" .ppm .pgm .pbm .pnm ", "PNM", 0, 16, FALSE, FALSE, NULL},
    {" .pfm ", "PFM", 0, 32, FALSE, FALSE, NULL},
    {" .v .vips ", "VIPS", 0, 32, TRUE, TRUE, NULL},
    {" .dz .szi ", "a tree of tiles", 0, 8, FALSE, FALSE, NULL},
};

static const struct format *find_format(const char *suffix)
{
    char *word = g_strdup_printf(" %s ", suffix);
    const struct format *found = NULL;

    for (size_t i = 0; !found && i < G_N_ELEMENTS(formats); i++)
        if (strstr(formats[i].suffixes, word))
            found = &formats[i];
    g_free(word);
    return found;
}

void output_split(const char *text, char **name, char **options)
{
    const char *open = g_str_has_suffix(text, "]") ? strrchr(text, '[') : NULL;

    *name = open ? g_strndup(text, (gsize)(open - text)) : g_strdup(text);
    *options = open ? g_strdup(open) : NULL;
}

static char *any_suffix(const char *name)
{
    const char *base = strrchr(name, '/');
    const char *dot = strrchr(base ? base : name, '.');

    return dot ? g_ascii_strdown(dot, -1) : NULL;
}

gboolean output_is_unsafe(const char *name)
{
    char *suffix = any_suffix(name);
    gboolean unsafe = suffix && !save_find(suffix) && vips_foreign_find_save(suffix);

    vips_error_clear();
    g_free(suffix);
    return unsafe;
}

char *output_suffix(const char *name)
{
    char *suffix = any_suffix(name);

    if (suffix && !save_find(suffix))
        g_clear_pointer(&suffix, g_free);
    return suffix;
}

/* The file that a name leads to, whether it exists yet or not, and what it is. */
static int resolve(struct output *o, const char *name, struct pola_error *err)
{
    struct stat st;
    mode_t mask = umask(0);

    umask(mask);
    o->mode = (int)(0666 & ~mask);
    if (stat(name, &st) != 0) {
        if (lstat(name, &st) == 0)
            return cli_fail(err, POLA_ERR_IO, "is a symbolic link that leads nowhere");
        o->path = g_strdup(name);
        return POLA_OK;
    }
    if (S_ISDIR(st.st_mode))
        return cli_fail(err, POLA_ERR_IO, "is a directory: use -o for one");
    o->stream = !S_ISREG(st.st_mode);
    char *real = o->stream ? NULL : realpath(name, NULL);
    o->path = g_strdup(real ? real : name);
    free(real);
    if (o->stream)
        return POLA_OK;
    o->mode = (int)(st.st_mode & 0777);
    if (access(o->path, W_OK) != 0) /* renaming would replace it all the same */
        return cli_fail(err, POLA_ERR_IO, "cannot write: %s", g_strerror(errno));
    return POLA_OK;
}

int output_check_directory(const struct output *o, struct pola_error *err)
{
    char *dir = o->path && !o->stream ? g_path_get_dirname(o->path) : NULL;
    struct stat st;
    int code = POLA_OK;

    if (dir && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
        errno = ENOTDIR;
    else if (!dir || access(dir, W_OK | X_OK) == 0)
        errno = 0;
    if (errno) {
        int reason = errno;
        char *clean = cli_printable(dir);
        code = cli_fail(err, POLA_ERR_IO, "cannot write into '%s': %s", clean, g_strerror(reason));
        g_free(clean);
    }
    g_free(dir);
    return code;
}

/* Tile trees are never merged into older ones. */
static int check_tree(const struct output *o, struct pola_error *err)
{
    char *base = g_strndup(o->path, strlen(o->path) - strlen(o->suffix));
    int code = POLA_OK;

    for (const char *const *end = (const char *const[]){"", ".dzi", "_files", NULL}; code == POLA_OK && *end; end++) {
        char *path = g_strconcat(base, *end, NULL);
        if (access(path, F_OK) == 0) {
            char *clean = cli_printable(path);
            code = cli_fail(err, POLA_ERR_IO, "'%s' exists: tiles are not written over it", clean);
            g_free(clean);
        }
        g_free(path);
    }
    g_free(base);
    return code;
}

int output_init(struct output *o, const char *name, const char *suffix, const char *options, struct pola_error *err)
{
    int code = POLA_OK;

    *o = (struct output){.name = g_strdup(strcmp(name, "-") == 0 ? "standard output" : name),
                         .suffix = g_strdup(suffix),
                         .options = g_strdup(options),
                         .format = find_format(suffix)};
    if (strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0) {
        o->stream = TRUE;
        if (isatty(STDOUT_FILENO))
            code = cli_fail(err, POLA_ERR_ARGUMENT, "is a terminal: redirect it");
    } else
        code = resolve(o, name, err);
    if (code == POLA_OK && save_is_tree(o)) {
        if (o->stream)
            code = cli_fail(err, POLA_ERR_ARGUMENT, "a tree of tiles cannot go into a stream: use .dz[container=zip]");
        else
            code = check_tree(o, err);
    }
    return code;
}

void output_release(struct output *o)
{
    g_free(o->name);
    g_free(o->path);
    g_free(o->suffix);
    g_free(o->options);
    *o = (struct output){0};
}

gboolean output_exists(const struct output *o)
{
    return o->path && !o->stream && access(o->path, F_OK) == 0;
}

gboolean output_holds_pages(const struct output *o)
{
    return o->format && o->format->pages;
}

/* Measured: TIFF keeps three rows of its 128-row strips or tiles; a pyramid as many rows as two of them, summed over its levels. */
int output_saver_rows(const struct output *o)
{
    if (!g_str_has_prefix(o->suffix, ".tif"))
        return 0;
    return o->options && strstr(o->options, "pyramid") ? 640 : 384;
}

int output_bits(const struct output *o, int bits)
{
    return MIN(bits, o->format ? o->format->bits : 16);
}

int output_check_size(const struct output *o, gint64 width, gint64 height, struct pola_error *err)
{
    int most = o->format && o->format->max_side ? o->format->max_side : VIPS_MAX_COORD;

    if (width <= most && height <= most)
        return POLA_OK;
    return cli_fail(err, POLA_ERR_FORMAT,
                    "the result would have %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
                    " pixels, and %s holds at most %d a side%s",
                    width, height, o->format ? o->format->title : "an image", most,
                    most < VIPS_MAX_COORD ? ": use .png or .tif" : "");
}

static int flatten(VipsImage **image, struct pola_error *err)
{
    double most = (*image)->BandFmt == VIPS_FORMAT_USHORT ? 65535 : 255;
    double white = (*image)->Type == VIPS_INTERPRETATION_scRGB ? 1 : most;
    VipsArrayDouble *background = vips_array_double_newv(1, white);
    VipsImage *flat = NULL;
    int code = POLA_OK;

    if (vips_flatten(*image, &flat, "background", background, "max_alpha", most, NULL))
        code = cli_fail_vips(err, "cannot flatten its alpha");
    else
        image_replace(image, flat);
    vips_area_unref(VIPS_AREA(background));
    return code;
}

int output_convert(const struct output *o, VipsImage **image, const char *input, struct pola_error *err)
{
    int bits = output_bits(o, (int)vips_format_sizeof((*image)->BandFmt) * 8);
    int code = POLA_OK;

    if (bits < 32)
        code = image_to_bits(image, bits, err);
    if (code == POLA_OK && o->format && !o->format->alpha && vips_image_hasalpha(*image)) {
        code = flatten(image, err);
        if (code == POLA_OK)
            cli_warn(input, "%s holds no alpha: flattened on white", o->format->title);
    }
    if (code == POLA_OK && strcmp(o->suffix, ".pfm") == 0)
        code = colour_to_light(image, err);
    else if (code == POLA_OK && (*image)->Type == VIPS_INTERPRETATION_scRGB && (*image)->Bands == 1)
        code = image_spread(image, err); /* elsewhere light has three bands */
    return code;
}

int output_write(const struct output *o, VipsImage *image, struct pola_error *err)
{
    const char *defaults = o->format ? o->format->defaults : NULL;
    gint64 bytes = (gint64)VIPS_IMAGE_SIZEOF_IMAGE(image);

    /* Classic TIFF ends at 4 GiB; a pyramid adds a third, and compressed data may grow a little. */
    if (o->format && o->format->title[0] == 'T' && bytes > (gint64)2900 << 20 &&
        !(o->options && strstr(o->options, "bigtiff")))
        defaults = "bigtiff";
    return save_image(o, defaults, image, err);
}
