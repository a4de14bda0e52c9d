/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Stands in for libFuzzer: gives every file of the directories named on the command line to a fuzz target, in the order of
 * names. A crash or a failed check ends it; so does a directory without files.
 */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>

static void run_file(const char *path)
{
    FILE *f = fopen(path, "rb");

    if (!f || fseek(f, 0, SEEK_END) < 0) {
        perror(path);
        exit(1);
    }
    long size = ftell(f);
    rewind(f);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1); /* of exactly that size: the sanitizers see its end */
    if (size < 0 || !data || fread(data, 1, (size_t)size, f) != (size_t)size) {
        perror(path);
        exit(1);
    }
    fclose(f);
    printf("%s\n", path);
    fflush(stdout); /* so that a crash can be seen to belong to this file */
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int run_directory(const char *dir)
{
    struct dirent **entries = NULL;
    int count = scandir(dir, &entries, is_visible, alphasort);
    char path[4096];

    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        run_file(path);
        free(entries[i]);
    }
    free(entries);
    return count;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s DIRECTORY...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++)
        if (run_directory(argv[i]) <= 0) {
            fprintf(stderr, "%s: no files\n", argv[i]);
            return 1;
        }
    return 0;
}
