/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The module that libvips loads when it starts, so that every program that uses it knows our operations.
 */
#include "pola.h"

#include <vips/vips.h>

#include <gmodule.h>

G_MODULE_EXPORT const char *g_module_check_init(GModule *module);

const char *g_module_check_init(GModule *module)
{
    static struct pola_error err;

    return pola_init(&err) == POLA_OK ? NULL : err.text;
}
