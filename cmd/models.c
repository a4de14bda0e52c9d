/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See models.h.
 */
#include "models.h"

#include "cli.h"

#include <stdio.h>
#include <string.h>

static void print_model(const char *path, void *data)
{
    char *base = g_path_get_basename(path);
    struct pola_error err;
    pola_model *model;

    if (g_str_has_suffix(base, ".safetensors"))
        base[strlen(base) - strlen(".safetensors")] = '\0';
    if (pola_model_open(&model, path, &err) == POLA_OK) {
        const char *scale = pola_model_meta(model, "pola.scale");
        printf("%s\tx%s\t%" G_GUINT64_FORMAT " parameters\t%s\n", base, scale ? scale : "?",
               (guint64)pola_model_parameters(model), path);
        pola_model_unref(model);
    } else {
        cli_warn(path, "%s", err.text);
    }
    g_free(base);
}

void models_list(const char *dir)
{
    pola_model_each(dir, print_model, NULL);
}
