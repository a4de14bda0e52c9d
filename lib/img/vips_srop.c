/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The VipsOperation "pola_sr": finds and opens the model, then does what pola_sr_image() does. Called by libvips on behalf
 * of any program that knows the operation by name, such as vips, pyvips or our own commands.
 */
#include "img/vips_sr.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    VipsOperation parent_instance;
    VipsImage *in, *out;
    char *model, *precision;
    int scale, tile, halo;
    gboolean tta;
} PolaSr;

typedef VipsOperationClass PolaSrClass;

GType pi_vips_srop_get_type(void);
G_DEFINE_TYPE(PolaSr, pi_vips_srop, VIPS_TYPE_OPERATION)

static int get_options(struct pola_sr_options *options, const PolaSr *op, struct pola_error *err)
{
    static const char *const names[] = {"auto", "fp32", "bf16"}; /* enum pola_precision */

    pola_sr_options_init(options);
    options->tile = op->tile;
    options->halo = op->halo;
    options->tta = op->tta;
    for (int i = 0; i < 3; i++)
        if (strcmp(op->precision, names[i]) == 0) {
            options->precision = (enum pola_precision)i;
            return POLA_OK;
        }
    return pi_err_set(err, POLA_ERR_ARGUMENT, "unknown precision '%s': use auto, fp32 or bf16", op->precision);
}

static int open_network(pola_sr **out, const PolaSr *op, struct pola_error *err)
{
    struct pola_sr_options options;
    pola_model *model = NULL;
    char *path = NULL;
    int status;

    *out = NULL;
    if ((status = get_options(&options, op, err)) == POLA_OK &&
        (status = pola_model_find(&path, op->model, NULL, err)) == POLA_OK &&
        (status = pola_model_open(&model, path, err)) == POLA_OK)
        status = pola_sr_new(out, model, &options, err);
    pola_model_unref(model);
    free(path);
    if (status == POLA_OK && op->scale != 0 && op->scale != pola_sr_scale(*out)) {
        status = pi_err_set(err, POLA_ERR_ARGUMENT, "model '%s' enlarges %d times, not %d", op->model,
                            pola_sr_scale(*out), op->scale);
        pola_sr_unref(*out);
        *out = NULL;
    }
    return status;
}

static int build(VipsObject *object)
{
    PolaSr *op = (PolaSr *)object;
    struct pola_error err;
    VipsImage *image;
    pola_sr *sr;

    if (VIPS_OBJECT_CLASS(pi_vips_srop_parent_class)->build(object))
        return -1;
    if (open_network(&sr, op, &err) < 0) {
        vips_error("pola_sr", "%s", err.text);
        return -1;
    }
    int failed = pi_vips_sr(op->in, &image, sr);
    pola_sr_unref(sr);
    if (failed)
        return -1;
    g_object_set(object, "out", image, NULL); /* takes our reference */
    return 0;
}

static void pi_vips_srop_class_init(PolaSrClass *class)
{
    GObjectClass *gobject_class = G_OBJECT_CLASS(class);
    VipsObjectClass *object_class = VIPS_OBJECT_CLASS(class);
    VipsOperationClass *operation_class = VIPS_OPERATION_CLASS(class);
    const VipsArgumentFlags optional = VIPS_ARGUMENT_OPTIONAL_INPUT;

    gobject_class->set_property = vips_object_set_property;
    gobject_class->get_property = vips_object_get_property;
    object_class->nickname = "pola_sr";
    object_class->description = "enlarge an image with a super-resolution network";
    object_class->build = build;
    /* Not cached: the model's file may change between two calls, and libvips would keep the weights in memory. */
    operation_class->flags = VIPS_OPERATION_SEQUENTIAL | VIPS_OPERATION_NOCACHE;

    VIPS_ARG_IMAGE(class, "in", 1, "Input", "Input image", VIPS_ARGUMENT_REQUIRED_INPUT, G_STRUCT_OFFSET(PolaSr, in));
    VIPS_ARG_IMAGE(class, "out", 2, "Output", "Output image", VIPS_ARGUMENT_REQUIRED_OUTPUT,
                   G_STRUCT_OFFSET(PolaSr, out));
    VIPS_ARG_STRING(class, "model", 3, "Model", "Name or path of the model", VIPS_ARGUMENT_REQUIRED_INPUT,
                    G_STRUCT_OFFSET(PolaSr, model), NULL);
    VIPS_ARG_INT(class, "scale", 4, "Scale", "Enlarge this many times; 0: as the model does", optional,
                 G_STRUCT_OFFSET(PolaSr, scale), 0, 64, 0);
    VIPS_ARG_INT(class, "tile", 5, "Tile", "Side of the window that the network sees; 0: from the model", optional,
                 G_STRUCT_OFFSET(PolaSr, tile), 0, 65536, 0);
    VIPS_ARG_INT(class, "halo", 6, "Halo", "Pixels of a window shared with its neighbour; -1: from the model", optional,
                 G_STRUCT_OFFSET(PolaSr, halo), -1, 32768, -1);
    VIPS_ARG_STRING(class, "precision", 7, "Precision", "Arithmetic: auto, fp32 or bf16", optional,
                    G_STRUCT_OFFSET(PolaSr, precision), "auto");
    VIPS_ARG_BOOL(class, "tta", 8, "Self-ensemble", "Mean over eight flips and turns, eight times the work", optional,
                  G_STRUCT_OFFSET(PolaSr, tta), FALSE);
}

static void pi_vips_srop_init(PolaSr *op)
{
    op->halo = -1;
    op->precision = g_strdup("auto");
}

void pi_vips_sr_register(void)
{
    if (g_type_from_name("PolaSr") == 0)
        pi_vips_srop_get_type();
}
