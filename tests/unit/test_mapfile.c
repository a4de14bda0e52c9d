/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Mapped files, and everything that is not one.
 */
#include "unit.h"

#include "base/mapfile.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void maps_the_whole_file(void **state)
{
    struct mapfile map;
    struct pola_error err;
    static unsigned char bytes[10000];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    unit_write_file("file", bytes, sizeof bytes);
    assert_int_equal(pi_mapfile_open(&map, "file", sizeof bytes, &err), POLA_OK);
    assert_int_equal(map.size, sizeof bytes);
    assert_memory_equal(map.data, bytes, sizeof bytes);
    pi_mapfile_close(&map);
    assert_null(map.data);
    pi_mapfile_close(&map);
}

static void leaves_no_descriptor_open(void **state)
{
    struct mapfile map;
    struct pola_error err;
    int before = open("/dev/null", O_RDONLY);

    close(before);
    unit_write_file("one", "x", 1);
    assert_int_equal(pi_mapfile_open(&map, "one", 1, &err), POLA_OK);
    assert_int_equal(pi_mapfile_open(&(struct mapfile){0}, ".", 1, &err), POLA_ERR_IO);
    int after = open("/dev/null", O_RDONLY);
    assert_int_equal(after, before);
    close(after);
    pi_mapfile_close(&map);
}

static void follows_symbolic_links(void **state)
{
    struct mapfile map;
    struct pola_error err;

    unit_write_file("target", "abc", 3);
    assert_int_equal(symlink("target", "link"), 0);
    assert_int_equal(pi_mapfile_open(&map, "link", 100, &err), POLA_OK);
    assert_memory_equal(map.data, "abc", 3);
    pi_mapfile_close(&map);
}

static void assert_refused(const char *path, const char *text)
{
    struct mapfile map;
    struct pola_error err;

    assert_error(pi_mapfile_open(&map, path, 1000, &err), err, POLA_ERR_IO, text);
    assert_null(map.data);
    assert_int_equal(map.size, 0);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(address.sun_path, path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

static void refuses_what_is_no_file(void **state)
{
    assert_int_equal(mkdir("directory", 0700), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_int_equal(symlink("nowhere", "dangling"), 0);
    unit_write_file("empty", "", 0);
    make_socket("socket");
    assert_refused("missing", "cannot open: No such file or directory");
    assert_refused("dangling", "cannot open: No such file or directory");
    assert_refused("empty/x", "cannot open: Not a directory");
    assert_refused("", "cannot open: No such file or directory");
    assert_refused("directory", "this is a directory, not a regular file");
    assert_refused("fifo", "this is a pipe, not a regular file");
    assert_refused("socket", "cannot open: No such device or address");
    assert_refused("/dev/zero", "this is a device, not a regular file");
    assert_refused("empty", "the file is empty");
}

static void refuses_a_file_without_permission(void **state)
{
    if (geteuid() == 0)
        skip();
    unit_write_file("secret", "x", 1);
    assert_int_equal(chmod("secret", 0), 0);
    assert_refused("secret", "cannot open: Permission denied");
}

static void keeps_to_the_limit(void **state)
{
    struct mapfile map;
    struct pola_error err;

    unit_write_file("three", "abc", 3);
    assert_int_equal(pi_mapfile_open(&map, "three", 3, &err), POLA_OK);
    pi_mapfile_close(&map);
    assert_error(pi_mapfile_open(&map, "three", 2, &err), err, POLA_ERR_IO, "the file has 3 bytes, at most 2 are read");
}

static void sparse_giants_are_refused_without_reading(void **state)
{
    int fd = open("giant", O_CREAT | O_WRONLY, 0600);

    assert_true(fd >= 0);
    int made = ftruncate(fd, (off_t)1 << 40);
    close(fd);
    if (made < 0)
        skip();
    assert_refused("giant", "the file has 1099511627776 bytes, at most 1000 are read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_the_whole_file),
        cmocka_unit_test(leaves_no_descriptor_open),
        cmocka_unit_test(follows_symbolic_links),
        cmocka_unit_test(refuses_what_is_no_file),
        cmocka_unit_test(refuses_a_file_without_permission),
        cmocka_unit_test(keeps_to_the_limit),
        cmocka_unit_test(sparse_giants_are_refused_without_reading),
    };
    return cmocka_run_group_tests(tests, unit_enter_scratch, unit_leave_scratch);
}
