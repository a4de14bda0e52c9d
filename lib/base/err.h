/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Writing error records. Who detects a fault writes the text; who forwards it may add one prefix at a layer border.
 */
#ifndef PI_ERR_H
#define PI_ERR_H

#include "pola.h"

/* Writes code and text into err and returns code, so that `return pi_err_set(err, ...)` reads well. */
POLA_NODISCARD int pi_err_set(struct pola_error *err, enum pola_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text of err and returns its code. */
POLA_NODISCARD int pi_err_prefix(struct pola_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Copies text into out (size bytes, always terminated) so that it stays one printable line: control characters and
 * invalid UTF-8 become '?'. For names that come from outside. Returns out. */
const char *pi_printable(char *out, size_t size, const char *text);

#endif
