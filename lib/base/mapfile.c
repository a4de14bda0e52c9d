/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See mapfile.h.
 */
#define _GNU_SOURCE
#include "base/mapfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int io_error(struct pola_error *err, const char *what, int number)
{
    char text[128];

    return pi_err_set(err, POLA_ERR_IO, "%s: %s", what, strerror_r(number, text, sizeof text));
}

static const char *kind_name(mode_t mode)
{
    return S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

static int check(const struct stat *st, uint64_t limit, struct pola_error *err)
{
    if (!S_ISREG(st->st_mode))
        return pi_err_set(err, POLA_ERR_IO, "this is %s, not a regular file", kind_name(st->st_mode));
    if (st->st_size <= 0)
        return pi_err_set(err, POLA_ERR_IO, "the file is empty");
    uint64_t size = (uint64_t)st->st_size;
    if (size > limit || size > PTRDIFF_MAX)
        return pi_err_set(err, POLA_ERR_IO, "the file has %" PRIu64 " bytes, at most %" PRIu64 " are read", size,
                          limit < PTRDIFF_MAX ? limit : (uint64_t)PTRDIFF_MAX);
    return POLA_OK;
}

int pi_mapfile_open(struct mapfile *map, const char *path, uint64_t limit, struct pola_error *err)
{
    struct stat st;
    int status;

    *map = (struct mapfile){0};
    /* O_NONBLOCK: opening a FIFO must not wait for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return io_error(err, "cannot open", errno);
    if (fstat(fd, &st) < 0) {
        status = io_error(err, "cannot stat", errno);
        goto done;
    }
    if ((status = check(&st, limit, err)) < 0)
        goto done;
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        status = io_error(err, "cannot map", errno);
        goto done;
    }
    map->data = data;
    map->size = (size_t)st.st_size;
done:
    close(fd);
    return status;
}

void pi_mapfile_close(struct mapfile *map)
{
    if (map->data)
        munmap((void *)(uintptr_t)map->data, map->size);
    *map = (struct mapfile){0};
}
