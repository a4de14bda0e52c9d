/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See peaks.h.
 */
#include "peaks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double peaks_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double peaks_copy(void)
{
    enum { BYTES = 256 << 20, PART = 64 << 20 };
    static unsigned char *from, *to; /* kept: fresh pages would be timed otherwise */
    static size_t at;

    if (!from) {
        from = malloc(BYTES);
        to = malloc(BYTES);
        if (!from || !to) {
            free(from);
            free(to);
            from = NULL;
            return 0;
        }
        memset(from, 1, BYTES);
        memset(to, 2, BYTES);
    }
    double start = peaks_now();
    memcpy(to + at, from + at, PART);
    double seconds = peaks_now() - start;
    at = (at + PART) % BYTES;
    return 2.0 * PART / seconds;
}
