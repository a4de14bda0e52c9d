/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * What --list-models prints, for every command.
 */
#ifndef MODELS_H
#define MODELS_H

/* One line on stdout for each model found, in dir (may be NULL) first: name, scale, parameters, path. */
void models_list(const char *dir);

#endif
