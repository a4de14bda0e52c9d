/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * A regular file mapped for reading. Used by the model loaders, whose tensors stay in the mapping.
 * Another process that shortens the file while it is mapped makes a later read raise SIGBUS. We accept that, as every
 * program that maps files does: replace a model by renaming a new file over it, never by writing into it.
 */
#ifndef PI_MAPFILE_H
#define PI_MAPFILE_H

#include "base/err.h"

struct mapfile {
    const unsigned char *data; /* size bytes, read only; NULL when not open */
    size_t size;               /* at least 1 */
};

/* Maps all of path (borrowed). POLA_ERR_IO when it is missing, unreadable, empty, larger than limit bytes or no regular
 * file: a FIFO or a device is refused without waiting for it. The text does not name the file: the caller prefixes it. */
POLA_NODISCARD int pi_mapfile_open(struct mapfile *map, const char *path, uint64_t limit, struct pola_error *err);

/* Unmaps; a map that is all zero or closed already is fine. */
void pi_mapfile_close(struct mapfile *map);

#endif
