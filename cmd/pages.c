/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See pages.h.
 */
#include "pages.h"

#include "cli.h"
#include "colour.h"

#include <string.h>
#include <vips/vips.h>

#define JOIN_LAG 1024 /* rows behind a page after which vips_arrayjoin() lets go of it */

void pages_of(struct pages *pages, VipsImage *image)
{
    int height = vips_image_get_page_height(image);

    *pages = (struct pages){.count = image->Ysize / height,
                            .width = image->Xsize,
                            .height = height,
                            .xres = image->Xres,
                            .yres = image->Yres};
}

static int cut_page(const struct pages *p, VipsImage *image, int i, VipsImage **page, struct pola_error *err)
{
    if (vips_crop(image, page, 0, i * p->height, p->width, p->height, NULL))
        return cli_fail_vips(err, "cannot take its pages apart");
    vips_image_remove(*page, VIPS_META_PAGE_HEIGHT);
    return POLA_OK;
}

int pages_first(const struct pages *p, VipsImage *image, VipsImage **page, struct pola_error *err)
{
    return cut_page(p, image, 0, page, err);
}

/* Lanczos3, down only. Alpha weighs the colours, else those of transparent pixels would show at edges. */
static int resize(VipsImage *in, VipsImage **out, double across, double down)
{
    VipsImage *t[4] = {NULL};
    int failed;

    if (!vips_image_hasalpha(in))
        return vips_resize(in, out, across, "vscale", down, NULL);
    failed = vips_premultiply(in, &t[0], NULL) || vips_resize(t[0], &t[1], across, "vscale", down, NULL) ||
             vips_unpremultiply(t[1], &t[2], NULL);
    if (!failed && vips_band_format_isint(in->BandFmt))
        failed = vips_rint(t[2], &t[3], NULL) || vips_cast(t[3], out, in->BandFmt, NULL);
    else if (!failed)
        *out = g_object_ref(t[2]);
    for (size_t i = 0; i < G_N_ELEMENTS(t); i++)
        g_clear_object(&t[i]);
    return failed;
}

/* Marked as sequential, so that vips_arrayjoin() lets go of what a page held once it is behind. */
static int mark(VipsImage **image, struct pola_error *err)
{
    VipsImage *next = NULL;

    if (vips_copy(*image, &next, NULL))
        return cli_fail_vips(err, "cannot join its pages");
    vips_image_set_int(next, VIPS_META_SEQUENTIAL, 1);
    image_replace(image, next);
    return POLA_OK;
}

static int enlarge_page(const struct pages *p, VipsImage *page, VipsImage **out, pola_sr *sr, struct pola_error *err)
{
    VipsImage *large = NULL;
    int code = pola_sr_image(page, &large, sr, err);

    if (code != POLA_OK)
        return code;
    if (large->Xsize == p->out_width && large->Ysize == p->out_height) {
        *out = large;
        return POLA_OK;
    }
    if (resize(large, out, (double)p->out_width / large->Xsize, (double)p->out_height / large->Ysize))
        code = cli_fail_vips(err, "cannot resize");
    g_object_unref(large);
    return code;
}

int pages_enlarge(const struct pages *p, VipsImage **image, pola_sr *sr, struct pola_error *err)
{
    VipsImage **done = g_new0(VipsImage *, p->count);
    VipsImage *joined = NULL;
    int code = POLA_OK;

    for (int i = 0; code == POLA_OK && i < p->count; i++) {
        VipsImage *page = NULL;
        code = cut_page(p, *image, i, &page, err);
        if (code == POLA_OK)
            code = enlarge_page(p, page, &done[i], sr, err);
        if (code == POLA_OK && p->count > 1)
            code = mark(&done[i], err);
        g_clear_object(&page);
    }
    if (code == POLA_OK && p->count == 1)
        joined = g_object_ref(done[0]);
    else if (code == POLA_OK && vips_arrayjoin(done, &joined, p->count, "across", 1, NULL))
        code = cli_fail_vips(err, "cannot join its pages");
    for (int i = 0; i < p->count; i++)
        g_clear_object(&done[i]);
    g_free(done);
    if (code == POLA_OK)
        image_replace(image, joined);
    return code;
}

int pages_at_work(const struct pages *p)
{
    gint64 at_once = 2 + JOIN_LAG / p->out_height;

    return (int)MIN(p->count, at_once);
}

/* What the pixels mean, and how they stand on pages, is not the kind of metadata that --strip is about. */
static gboolean is_needed(const char *field)
{
    static const char *const needed[] = {
        VIPS_META_ICC_NAME, VIPS_META_PAGE_HEIGHT, VIPS_META_N_PAGES,        "delay", "loop", "gif-delay",
        "gif-loop",         "background",          VIPS_META_RESOLUTION_UNIT};

    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++)
        if (strcmp(field, needed[i]) == 0)
            return TRUE;
    return FALSE;
}

static void strip_fields(VipsImage *image)
{
    char **fields = vips_image_get_fields(image);

    for (size_t i = 0; fields && fields[i]; i++)
        if (!is_needed(fields[i]))
            vips_image_remove(image, fields[i]);
    g_strfreev(fields);
}

int pages_finish(const struct pages *p, VipsImage **image, gboolean strip, struct pola_error *err)
{
    VipsImage *next = NULL;
    double across = (double)p->out_width / p->width, down = (double)p->out_height / p->height;

    if (vips_copy(*image, &next, "xres", p->xres * across, "yres", p->yres * down, NULL))
        return cli_fail_vips(err, "cannot finish");
    if (strip)
        strip_fields(next);
    if (p->count > 1)
        vips_image_set_int(next, VIPS_META_PAGE_HEIGHT, (int)p->out_height);
    else
        vips_image_remove(next, VIPS_META_PAGE_HEIGHT);
    vips_image_remove(next, VIPS_META_SEQUENTIAL);
    vips_image_set_int(next, VIPS_META_N_PAGES, p->count);
    image_replace(image, next);
    return POLA_OK;
}
