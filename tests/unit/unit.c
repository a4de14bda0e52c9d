/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See unit.h.
 */
#define _GNU_SOURCE
#include "unit.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch[256];

int unit_enter_scratch(void **state)
{
    const char *base = getenv("TMPDIR");

    snprintf(scratch, sizeof scratch, "%s/pola-unit-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(scratch) && chdir(scratch) == 0 ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
    return remove(path);
}

int unit_leave_scratch(void **state)
{
    if (chdir("/") < 0)
        return -1;
    return nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

void unit_write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

unsigned char *unit_safetensors(size_t *total, const char *header, const void *data, size_t size)
{
    size_t length = strlen(header);
    unsigned char *file = malloc(8 + length + size);

    assert_non_null(file);
    for (int i = 0; i < 8; i++)
        file[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(file + 8, header, length);
    if (size)
        memcpy(file + 8 + length, data, size);
    *total = 8 + length + size;
    return file;
}
