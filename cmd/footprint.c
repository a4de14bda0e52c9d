/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See footprint.h. The numbers of rows are libvips' own: what a sink buffers and what a sequential loader keeps.
 */
#include "footprint.h"

#include "pola.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vips/vips.h>

static guint64 resident(void)
{
    unsigned long total = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f) {
        if (fscanf(f, "%lu %lu", &total, &pages) != 2)
            pages = 0;
        fclose(f);
    }
    return (guint64)pages * (guint64)sysconf(_SC_PAGESIZE);
}

guint64 footprint_other(VipsImage *in, gint64 out_width, int out_pel, int saver_rows)
{
    int tile_width, tile_height, lines;
    guint64 row_in = VIPS_IMAGE_SIZEOF_LINE(in), row_out = (guint64)out_width * (guint64)out_pel;

    vips_get_tile_size(in, &tile_width, &tile_height, &lines);
    return resident() + row_in * (guint64)lines + row_out * (2 * (guint64)lines + (guint64)saver_rows);
}

guint64 footprint_peak(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_SELF, &usage) == 0 ? (guint64)usage.ru_maxrss * 1024 : 0;
}

guint64 footprint_machine(void)
{
    guint64 machine = (guint64)MAX(0, sysconf(_SC_PHYS_PAGES)) * (guint64)sysconf(_SC_PAGESIZE);
    unsigned long long group = 0;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "re"); /* "max" when there is no limit */

    if (f) {
        if (fscanf(f, "%llu", &group) != 1)
            group = 0;
        fclose(f);
    }
    return group > 0 && group < machine ? group : machine;
}
