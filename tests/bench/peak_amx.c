/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See peaks.h.
 */
#include "peaks.h"

#include "kern/amx.h"

double peaks_amx(void)
{
    enum { ROUNDS = 100000, MACS = 16 * 16 * 32 };
    double start;

    amx_begin();
    _tile_zero(4);
    _tile_zero(5);
    _tile_zero(6);
    _tile_zero(7);
    start = peaks_now();
    for (int i = 0; i < ROUNDS; i++) { /* four sums in turn, so that none waits for itself */
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    double seconds = peaks_now() - start;
    amx_end();
    return 4.0 * ROUNDS * MACS / seconds;
}
