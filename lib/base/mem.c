/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See mem.h.
 */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_long fail_at;

void pi_alloc_fail_at(long n)
{
    atomic_store(&fail_at, n);
}

void *pi_alloc(size_t size)
{
    if (atomic_load(&fail_at) > 0 && atomic_fetch_sub(&fail_at, 1) == 1)
        return NULL;
    if (size > SIZE_MAX - PI_ALIGN)
        return NULL;
    size_t rounded = pi_align_up(size ? size : 1);
    void *p = aligned_alloc(PI_ALIGN, rounded);
    if (p)
        memset(p, 0, rounded);
    return p;
}

void pi_free(void *p)
{
    free(p);
}

void *pi_arena_cut(struct arena *arena, size_t count, size_t size)
{
    size_t bytes, end;

    if (!pi_size_mul(&bytes, count, size) || bytes > SIZE_MAX / 4 ||
        !pi_size_add(&end, arena->used, pi_align_up(bytes)) || end > SIZE_MAX / 4) {
        arena->overflow = true;
        return NULL;
    }
    void *p = arena->base ? arena->base + arena->used : NULL;
    arena->used = end;
    return p;
}
