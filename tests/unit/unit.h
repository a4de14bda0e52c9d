/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * What every unit test includes: cmocka with its prerequisites, error records, files to work on.
 */
#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"

/* Asserts that a call failed with this code and exactly this text. */
#define assert_error(status, err, wanted, wanted_text)                                                                 \
    do {                                                                                                               \
        assert_int_equal(status, wanted);                                                                              \
        assert_int_equal((err).code, wanted);                                                                          \
        assert_string_equal((err).text, wanted_text);                                                                  \
    } while (0)

/* Group setup and teardown: a new, empty working directory; it is removed with the files and directories in it. */
int unit_enter_scratch(void **state);
int unit_leave_scratch(void **state);

void unit_write_file(const char *path, const void *data, size_t size);

/* A safetensors file in malloc'ed memory: the length of header, header, then data[size]; *total gets its size. */
unsigned char *unit_safetensors(size_t *total, const char *header, const void *data, size_t size);

#endif
