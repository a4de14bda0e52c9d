/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Guarded buffers and their contents. See kcheck.h.
 */
#include "kcheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tensor/bf16.h"

enum { SLOTS = 40, SLOT_BYTES = 1 << 20, GUARD_BYTES = 1 << 16, BORDER = 512, PATTERN = 0xff };

static struct slot {
    unsigned char *data;
    size_t size;
} slots[SLOTS];
static int used;

/* Where slot i ends and its guard begins. */
static unsigned char *slot_end(int i)
{
    static unsigned char *base;
    const size_t each = SLOT_BYTES + GUARD_BYTES;

    if (!base) {
        base = mmap(NULL, SLOTS * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (base == MAP_FAILED) {
            perror("mmap");
            exit(1);
        }
        for (size_t j = 0; j < SLOTS; j++)
            if (mprotect(base + j * each + SLOT_BYTES, GUARD_BYTES, PROT_NONE)) {
                perror("mprotect");
                exit(1);
            }
    }
    return base + (size_t)i * each + SLOT_BYTES;
}

void *kc_buffer(struct kcheck *kc, size_t size, size_t alignment)
{
    if (used == SLOTS || size > SLOT_BYTES / 2) {
        fprintf(stderr, "kcheck: a case wants too many or too large buffers\n");
        exit(1);
    }
    unsigned char *end = slot_end(used);
    if (kc->bench) { /* cache lines of their own sets, as an allocator would place them */
        alignment = 64;
        end -= used * (4096 + 5 * 64);
    }
    unsigned char *data = end - (size + alignment - 1) / alignment * alignment;
    memset(data - BORDER, PATTERN, (size_t)(end - data) + BORDER);
    slots[used++] = (struct slot){data, size};
    return data;
}

void kc_buffers_reset(void)
{
    used = 0;
}

static int holds_pattern(const unsigned char *from, const unsigned char *to)
{
    while (from < to)
        if (*from++ != PATTERN)
            return 0;
    return 1;
}

int kc_buffers_intact(void)
{
    for (int i = 0; i < used; i++) {
        const struct slot *s = &slots[i];
        if (!holds_pattern(s->data - BORDER, s->data) || !holds_pattern(s->data + s->size, slot_end(i)))
            return 0;
    }
    return 1;
}

void kc_gaps(struct kcheck *kc, const void *y, size_t rows, size_t n, size_t ld, size_t size)
{
    const unsigned char *p = y;

    for (size_t i = 0; i + 1 < rows; i++)
        if (!holds_pattern(p + (i * ld + n) * size, p + (i + 1) * ld * size))
            kc_fail(kc, "wrote after row %zu", i);
}

size_t kc_size(const struct kcheck *kc)
{
    return kc->act == ACT_BF16 ? sizeof(uint16_t) : sizeof(float);
}

void *kc_elements(struct kcheck *kc, size_t count)
{
    return kc_buffer(kc, count * kc_size(kc), kc_size(kc));
}

float *kc_random_floats(struct kcheck *kc, size_t count, double low, double high)
{
    float *p = kc_floats(kc, count);

    for (size_t i = 0; i < count; i++)
        p[i] = (float)kc_uniform(kc, low, high);
    return p;
}

void *kc_random_elements(struct kcheck *kc, size_t count, double low, double high)
{
    void *p = kc_elements(kc, count);

    for (size_t i = 0; i < count; i++)
        kc_put(kc, p, i, kc_uniform(kc, low, high));
    return p;
}

double kc_get(const struct kcheck *kc, const void *p, size_t i)
{
    return (double)(kc->act == ACT_BF16 ? pi_bf16_to_f32(((const uint16_t *)p)[i]) : ((const float *)p)[i]);
}

void kc_put(const struct kcheck *kc, void *p, size_t i, double value)
{
    if (kc->act == ACT_BF16)
        ((uint16_t *)p)[i] = pi_f32_to_bf16((float)value);
    else
        ((float *)p)[i] = (float)value;
}

void *kc_at(const struct kcheck *kc, const void *p, ptrdiff_t i)
{
    return (unsigned char *)(uintptr_t)p + i * (ptrdiff_t)kc_size(kc);
}

void kc_unusual(struct kcheck *kc, void *p, size_t i, size_t c, double scale)
{
    static const int kinds[] = {0, 1, 0, 2, 0, 3, 0};
    int kind = kinds[i % 7];

    for (size_t j = 0; j < c; j++) {
        double value = kc_get(kc, p, j);
        kc_put(kc, p, j, kind == 0 ? value : kind == 1 ? 0.0 : kind == 2 ? value * 0x1p-130 : value * scale);
    }
    (void)kc;
}
