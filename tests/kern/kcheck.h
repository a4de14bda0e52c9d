/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The frame of the kernel tests: CPU levels, cases, random data, guarded buffers, comparisons, timing. Each check_<op>.c
 * compares the kernels of one operation with plain loops in double precision, written there. kcheck.c has main().
 *
 * A buffer ends where an unreadable page begins, so a kernel that reads or writes too far is caught in the act; the bytes before
 * it, and what a stride leaves between rows of an output, hold a pattern that must stay. The pattern is a NaN in every type.
 */
#ifndef KCHECK_H
#define KCHECK_H

#include <stddef.h>
#include <stdint.h>

#include "kern/kern.h"

#define UNIT_F32  0x1p-24 /* half a last place, relative */
#define UNIT_BF16 0x1p-8
#define TINY_F32  0x1p-126 /* what hardware may take for zero is smaller */

enum level { LEVEL_SCALAR, LEVEL_AVX2, LEVEL_AVX512, LEVEL_AVX512BF16, LEVEL_AMX, LEVELS };

struct kcheck {
    struct kern kern; /* of the level under test */
    enum level level;
    enum act act;
    uint64_t seed, random; /* of the run; of the case */
    int quick, bench;
    const char *op;
    char shape[128]; /* of the case, for its report */
    int failed;
    long cases, turn, failures;
};

/* One operation: check runs its cases at one level and type; bench times its kernels at the shipped models' shapes. */
struct op {
    const char *name;
    void (*check)(struct kcheck *kc);
    void (*bench)(struct kcheck *kc);
};

extern const struct op kc_gemm, kc_norm, kc_act_op, kc_dwconv, kc_pacs;

/* Runs body(kc, arg) as the case that the format describes, with random numbers of its own and fresh buffers. A fatal signal
 * inside fails the case. With --quick only every 16th case runs. */
void kc_case(struct kcheck *kc, void (*body)(struct kcheck *kc, const void *arg), const void *arg, const char *format,
             ...) __attribute__((format(printf, 4, 5)));

/* Fails the case: one line, of its first fault only. */
void kc_fail(struct kcheck *kc, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Uniform in [low, high), and in [0, n). */
double kc_uniform(struct kcheck *kc, double low, double high);
size_t kc_below(struct kcheck *kc, size_t n);

/* ---- buffers (kbuffer.c) ------------------------------------------------------------------------------------- */

/* size bytes holding the pattern; valid until the case ends. alignment: up to 64. */
void *kc_buffer(struct kcheck *kc, size_t size, size_t alignment);

static inline float *kc_floats(struct kcheck *kc, size_t count)
{
    return kc_buffer(kc, count * sizeof(float), sizeof(float));
}

/* count elements of kc->act's type. */
void *kc_elements(struct kcheck *kc, size_t count);

/* The same, filled with random values in [low, high) that the type has. */
float *kc_random_floats(struct kcheck *kc, size_t count, double low, double high);
void *kc_random_elements(struct kcheck *kc, size_t count, double low, double high);

/* Element i of such a buffer; put rounds. at: the address of element i. */
double kc_get(const struct kcheck *kc, const void *p, size_t i);
void kc_put(const struct kcheck *kc, void *p, size_t i, double value);
void *kc_at(const struct kcheck *kc, const void *p, ptrdiff_t i);
size_t kc_size(const struct kcheck *kc);

/* Makes token i (c elements from p) one of: as it is, all zero, denormal, large (scale times as large). */
void kc_unusual(struct kcheck *kc, void *p, size_t i, size_t c, double scale);

/* For kc_case: forgets all buffers; says whether the pattern around each is as it was. */
void kc_buffers_reset(void);
int kc_buffers_intact(void);

/* ---- comparisons --------------------------------------------------------------------------------------------- */

/* |got - expected| <= bound for element j of token i. */
void kc_close(struct kcheck *kc, const char *what, size_t i, size_t j, double got, double expected, double bound);

/* The same for element `at` of an act buffer, whose rounding is allowed on top. */
void kc_close_act(struct kcheck *kc, const char *what, size_t i, size_t j, const void *y, size_t at, double expected,
                  double bound);

/* The same bits. */
void kc_same(struct kcheck *kc, const char *what, const void *a, const void *b, size_t size);

/* What lies between rows (n of ld elements, size bytes each) still holds the pattern. */
void kc_gaps(struct kcheck *kc, const void *y, size_t rows, size_t n, size_t ld, size_t size);

/* Prints what one token costs in run(data), the best of many. */
void kc_time(struct kcheck *kc, const char *name, void (*run)(struct kcheck *kc, void *data), void *data,
             size_t tokens);

#endif
