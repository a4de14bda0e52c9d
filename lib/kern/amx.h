/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The tile configuration that all AMX kernels share: eight tiles of 16 rows of 64 bytes.
 */
#ifndef PI_AMX_H
#define PI_AMX_H

#include <immintrin.h>
#include <stdint.h>

struct amx_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
};

/* At file scope: gcc 12 believes that _tile_loadconfig reads only eight bytes and drops the stores into a local one. */
static const struct amx_config amx_config __attribute__((aligned(64))) = {
    .palette = 1,
    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
    .rows = {16, 16, 16, 16, 16, 16, 16, 16},
};

static inline void amx_begin(void)
{
    _tile_loadconfig(&amx_config);
}

/* Leaves the tiles empty, so that a context switch has nothing to save. */
static inline void amx_end(void)
{
    _tile_release();
}

#endif
