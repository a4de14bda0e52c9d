/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * How every command speaks: one line a message on stderr, three exit statuses, nothing but the product on stdout.
 */
#ifndef CLI_H
#define CLI_H

#include "pola.h"

#include <glib.h>

enum cli_exit {
    CLI_DONE = 0,
    CLI_FAILED = 1, /* an input failed; the others were still done */
    CLI_USAGE = 2   /* wrong usage; nothing was done */
};

enum cli_level { CLI_QUIET = -1, CLI_NORMAL = 0, CLI_VERBOSE = 1 };

/* First call of main(), before any thread exists: the program's name, and warnings of libraries kept off stderr. */
void cli_start(const char *program);

void cli_set_level(enum cli_level level);
enum cli_level cli_level(void);

/* "program: 'name': text", name NULL for none. Errors always, warnings unless quiet, information when verbose. */
void cli_error(const char *name, const char *format, ...) G_GNUC_PRINTF(2, 3);
void cli_warn(const char *name, const char *format, ...) G_GNUC_PRINTF(2, 3);
void cli_info(const char *name, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The input that warnings of libraries are about from now on (borrowed until the next call; NULL: none). The first one of
 * each input is shown when `show` is set, all different ones when verbose, none otherwise. */
void cli_set_subject(const char *name, gboolean show);

/* Writes code and text into err and returns code. */
POLA_NODISCARD int cli_fail(struct pola_error *err, enum pola_status code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* The same from libvips' error buffer, which is emptied: "what: its most useful line" (what may be NULL). */
POLA_NODISCARD int cli_fail_vips(struct pola_error *err, const char *what);

/* text as one printable line of UTF-8: control characters and invalid bytes become '?'. Given: g_free() it. */
char *cli_printable(const char *text);

/* Flushes stdout; a failure is reported. */
gboolean cli_flush_stdout(void);

/* Puts all of data on fd. false with errno set when that is impossible. */
gboolean cli_write_all(int fd, const void *data, size_t size);

#endif
