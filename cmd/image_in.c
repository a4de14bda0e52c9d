/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See image_in.h. Names are never given to libvips' "name[options]" parser: everything is read from a descriptor, except
 * formats that only have a loader by name.
 */
#include "image_in.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vips/vips.h>

#define COPY_IN_MEMORY ((guint64)100 << 20) /* a turned image larger than this is kept on disk */
#define DEFLATE_BEST   1032                 /* bytes that one byte of deflated data can stand for at most */

static const char not_an_image[] = "is damaged, or not an image of a kind that libvips can read";

struct opening {
    const char *name;
    const struct input_options *options;
    VipsSource *source;
    const char *loader; /* libvips' name of it */
    gint64 size;        /* of a regular file; -1: not known */
    int fd;             /* kept open when there is no source; else -1 */
    char *fd_path;      /* a name that leads to fd */
};

static int open_descriptor(struct opening *o, struct pola_error *err)
{
    gboolean is_stdin = strcmp(o->name, "-") == 0 || strcmp(o->name, "/dev/stdin") == 0;
    struct stat st;

    o->fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(o->name, O_RDONLY | O_CLOEXEC);
    if (o->fd < 0 || fstat(o->fd, &st) != 0)
        return cli_fail(err, POLA_ERR_IO, "cannot open: %s", g_strerror(errno));
    if (S_ISDIR(st.st_mode))
        return cli_fail(err, POLA_ERR_IO, "is a directory");
    o->size = S_ISREG(st.st_mode) ? (gint64)st.st_size : -1;
    return o->size == 0 ? cli_fail(err, POLA_ERR_FORMAT, "is empty") : POLA_OK;
}

/* A source that has at least one byte: libvips would abort on an empty pipe later. */
static int open_source(struct opening *o, struct pola_error *err)
{
    unsigned char *start;
    int code = open_descriptor(o, err);

    if (code != POLA_OK)
        return code;
    o->source = vips_source_new_from_descriptor(o->fd);
    gint64 n = o->source ? vips_source_sniff_at_most(o->source, &start, 1) : -1;
    if (n < 0)
        return cli_fail_vips(err, "cannot read");
    return n > 0 ? POLA_OK : cli_fail(err, POLA_ERR_FORMAT, "is empty");
}

/* Loaders that want a name get that of our descriptor: what the user's name looks like must not matter to them. */
static int find_loader(struct opening *o, struct pola_error *err)
{
    o->loader = vips_foreign_find_load_source(o->source);
    if (!o->loader && o->size > 0) {
        o->fd_path = g_strdup_printf("/proc/self/fd/%d", o->fd);
        o->loader = vips_foreign_find_load(o->fd_path);
        g_clear_object(&o->source);
    }
    vips_error_clear();
    return o->loader ? POLA_OK : cli_fail(err, POLA_ERR_FORMAT, not_an_image);
}

/* Of a loader with "page" alone, as that of JPEG 2000, pages are the same picture in other sizes. */
static gboolean has_pages(const char *loader)
{
    VipsOperation *op = vips_operation_new(loader);
    gboolean found = op && g_object_class_find_property(G_OBJECT_GET_CLASS(op), "page") &&
                     g_object_class_find_property(G_OBJECT_GET_CLASS(op), "n");

    if (op)
        g_object_unref(op);
    return found;
}

/* Runs the loader for n pages from `page` (-1: all; n 0: the format has none). */
static VipsImage *load(const struct opening *o, int page, int n)
{
    VipsImage *out = NULL;
    VipsFailOn fail_on = o->options->lenient ? VIPS_FAIL_ON_NONE : VIPS_FAIL_ON_TRUNCATED;
    gconstpointer from = o->source ? (gconstpointer)o->source : (gconstpointer)o->fd_path;
    int failed;

    if (n != 0)
        failed = vips_call(o->loader, from, &out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", fail_on, "page", page,
                           "n", n, NULL);
    else
        failed = vips_call(o->loader, from, &out, "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", fail_on, NULL);
    if (failed)
        g_clear_object(&out);
    return out;
}

static int load_failed(const struct opening *o, struct pola_error *err)
{
    if (!strstr(o->loader, "Magick")) /* which takes anything on trial */
        return cli_fail_vips(err, "cannot read");
    vips_error_clear();
    return cli_fail(err, POLA_ERR_FORMAT, not_an_image);
}

/* All pages when they have one size; else the first, and the user is told. NULL: err says why. */
static VipsImage *load_pages(const struct opening *o, struct pola_error *err)
{
    gboolean paged = has_pages(o->loader);
    int wanted = o->options->page;
    VipsImage *first = load(o, 0, paged ? 1 : 0), *image = NULL;
    int pages = first && paged ? vips_image_get_n_pages(first) : 1;

    if (first && wanted > pages) {
        (void)!cli_fail(err, POLA_ERR_FORMAT, "has %d page%s, not page %d", pages, pages > 1 ? "s" : "", wanted);
        g_object_unref(first);
        return NULL;
    }
    if (first && (pages == 1 || wanted == 1))
        return first;
    if (first)
        image = load(o, wanted ? wanted - 1 : 0, wanted ? 1 : -1);
    if (!image && !wanted && first) {
        vips_error_clear();
        cli_warn(o->name, "its %d pages differ in size: only the first is used (--page chooses another)", pages);
        return first;
    }
    g_clear_object(&first);
    if (!image)
        (void)!load_failed(o, err);
    return image;
}

/* A header may promise what the file cannot hold: that would only show after much work, or fill the memory first. */
static int check_size(const struct opening *o, const VipsImage *image, struct pola_error *err)
{
    gint64 pixels = (gint64)image->Xsize * image->Ysize;

    if (o->options->max_pixels > 0 && pixels > o->options->max_pixels)
        return cli_fail(err, POLA_ERR_FORMAT, "has %d x %d pixels, more than --max-pixels allows", image->Xsize,
                        image->Ysize);
    if (o->size > 0 && strstr(o->loader, "Png") && pixels / 8 > o->size * DEFLATE_BEST)
        return cli_fail(err, POLA_ERR_FORMAT,
                        "promises %d x %d pixels, more than its %" G_GINT64_FORMAT " bytes can hold", image->Xsize,
                        image->Ysize, o->size);
    return POLA_OK;
}

/* Decodes *image whole, into memory or, when it is large, into a temporary file that libvips removes. */
static int make_random_access(VipsImage **image, struct pola_error *err)
{
    VipsImage *whole;

    if (VIPS_IMAGE_SIZEOF_IMAGE(*image) <= COPY_IN_MEMORY)
        whole = vips_image_new_memory();
    else
        whole = vips_image_new_temp_file("%s.v");
    if (!whole || vips_image_write(*image, whole)) {
        g_clear_object(&whole);
        return cli_fail_vips(err, "cannot read");
    }
    g_object_unref(*image);
    *image = whole;
    return POLA_OK;
}

static int turn_upright(VipsImage **image, struct pola_error *err)
{
    VipsImage *upright = NULL;
    gboolean turned = vips_image_get_orientation(*image) > 1;

    if (vips_autorot(*image, &upright, NULL))
        return cli_fail_vips(err, "cannot turn it upright");
    if (turned)
        vips_image_remove(upright, "jpeg-thumbnail-data"); /* which stays as it was */
    g_object_unref(*image);
    *image = upright;
    return POLA_OK;
}

/* Turned images are read in another order than the file's; of pages, two may be at work at a time. */
static gboolean needs_random_access(VipsImage *image)
{
    return vips_image_get_orientation(image) > 1 || vips_image_get_page_height(image) < image->Ysize;
}

static void close_fd(gpointer data)
{
    close(GPOINTER_TO_INT(data));
}

int image_in_open(VipsImage **out, const char *name, const struct input_options *options, struct pola_error *err)
{
    struct opening o = {.name = name, .options = options, .fd = -1};
    VipsImage *image = NULL;
    int code = open_source(&o, err);

    *out = NULL;
    if (code == POLA_OK)
        code = find_loader(&o, err);
    if (code == POLA_OK && !(image = load_pages(&o, err)))
        code = err->code;
    if (image && !o.source) { /* it reads from there for as long as it lives */
        g_object_set_data_full(G_OBJECT(image), "pola-fd", GINT_TO_POINTER(o.fd), close_fd);
        o.fd = -1;
    }
    if (code == POLA_OK)
        code = check_size(&o, image, err);
    if (code == POLA_OK && needs_random_access(image))
        code = make_random_access(&image, err);
    if (code == POLA_OK)
        code = turn_upright(&image, err);
    g_clear_object(&o.source);
    g_free(o.fd_path);
    if (o.fd >= 0)
        close(o.fd);
    if (code == POLA_OK)
        *out = image;
    else
        g_clear_object(&image);
    return code;
}
