/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Checked sizes and aligned memory. Every size that depends on input goes through pi_size_mul/add before it is used.
 */
#ifndef PI_MEM_H
#define PI_MEM_H

#include <stdbool.h>
#include <stddef.h>

#define PI_ALIGN 64 /* a cache line, an AVX-512 register, a tile row */

/* *out = a * b or a + b; false when it does not fit. */
static inline bool pi_size_mul(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool pi_size_add(size_t *out, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, out);
}

/* n rounded up to a multiple of PI_ALIGN. n is at most SIZE_MAX - PI_ALIGN. */
static inline size_t pi_align_up(size_t n)
{
    return (n + PI_ALIGN - 1) & ~(size_t)(PI_ALIGN - 1);
}

/* Zeroed memory of size bytes (at least one), aligned to PI_ALIGN; NULL when there is none. Release with pi_free,
 * which is free() for those outside the library. */
void *pi_alloc(size_t size);
void pi_free(void *p); /* NULL is fine */

/* Makes the n-th pi_alloc from now fail, once (0: never). For tests. */
void pi_alloc_fail_at(long n);

/* One block from which a plan's buffers are cut. First "measure" with base NULL, then allocate `used` bytes and cut again:
 * the same calls give the same offsets, so plan and memory cannot disagree. */
struct arena {
    unsigned char *base; /* NULL while measuring */
    size_t used;         /* bytes cut so far */
    bool overflow;       /* a size did not fit: the plan is impossible */
};

/* count * size bytes, aligned to PI_ALIGN, zeroed; NULL while measuring. */
void *pi_arena_cut(struct arena *arena, size_t count, size_t size);

#endif
