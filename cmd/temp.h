/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Outputs under construction. They live beside their target under a hidden name until they are complete; whatever stops
 * the process before that (a failure, SIGINT, SIGTERM, SIGHUP, a closed pipe) leaves nothing of them.
 */
#ifndef TEMP_H
#define TEMP_H

#include "pola.h"

#include <glib.h>

/* How hidden names begin. */
#define TEMP_PREFIX ".pola-"

/* Before any thread exists: a thread of its own takes the signals from now on. */
void temp_start(void);

/* Before libvips starts: gives its own temporary files a directory within $TMPDIR that goes away however we end. Where
 * there can be none they stay in $TMPDIR itself. */
void temp_start_scratch(void);

/* Makes a new file in directory dir whose hidden name ends in suffix (or in $TMPDIR, dir NULL). *path and *fd are given. */
POLA_NODISCARD int temp_file(char **path, int *fd, const char *dir, const char *suffix, struct pola_error *err);

/* Makes a new empty directory in dir. *path is given. */
POLA_NODISCARD int temp_dir(char **path, const char *dir, struct pola_error *err);

/* Moves the complete, synced file (or everything in the directory) to its place. path is taken, even on failure. */
POLA_NODISCARD int temp_commit(char *path, const char *target, struct pola_error *err);
POLA_NODISCARD int temp_commit_dir(char *path, const char *target_dir, struct pola_error *err);

/* Removes it. path is taken; NULL is fine. */
void temp_discard(char *path);

/* Removes everything under construction and dies of signal number sig. */
G_NORETURN void temp_die(int sig);

#endif
