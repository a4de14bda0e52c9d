/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The part of pola.h that belongs to no task: version, start, CPU and threads. Called by programs.
 */
#include "base/cpu.h"
#include "base/err.h"
#include "base/par.h"
#include "img/vips_sr.h"

#include <string.h>
#include <vips/vips.h>

#define TEXT_OF(x)                        #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *pola_version(void)
{
    return VERSION_TEXT(POLA_VERSION_MAJOR, POLA_VERSION_MINOR, POLA_VERSION_PATCH);
}

int pola_init(struct pola_error *err)
{
    if (VIPS_INIT("pola")) {
        char *text = vips_error_buffer_copy();
        g_strchomp(text);
        int status = pi_err_set(err, POLA_ERR_IO, "cannot start libvips: %s", text);
        g_free(text);
        return status;
    }
    pi_vips_sr_register();
    return POLA_OK;
}

int pola_cpu_cap(const char *name, struct pola_error *err)
{
    return pi_cpu_cap(name, err);
}

const char *pola_cpu_name(void)
{
    return pi_cpu_name(pi_cpu_flags());
}

void pola_threads_set(int threads)
{
    pi_par_set(threads);
}

int pola_threads(void)
{
    return pi_par_threads();
}
