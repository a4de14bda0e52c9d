/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Finds models by name and lists them. Called by the commands through pola.h and by the libvips operations.
 */
#define _GNU_SOURCE
#include "model/manifest.h"

#include "base/err.h"
#include "base/mem.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SUFFIX ".safetensors"

static const char *const fixed_places[] = {POLA_MODELS_DIR, POLA_BUILD_MODELS_DIR};

#define FIXED (int)(sizeof fixed_places / sizeof fixed_places[0])

void pi_places_init(struct places *places, const char *dir)
{
    *places = (struct places){.dir = dir, .rest = getenv("POLA_MODELS")};
}

bool pi_places_next(struct places *places, const char **dir, size_t *length)
{
    *length = 0;
    if (places->dir) {
        *dir = places->dir;
        *length = strlen(*dir);
        places->dir = NULL;
    }
    while (*length == 0 && places->rest) {
        const char *colon = strchr(places->rest, ':');
        *dir = places->rest;
        *length = colon ? (size_t)(colon - places->rest) : strlen(places->rest);
        places->rest = colon ? colon + 1 : NULL;
    }
    if (*length == 0 && places->fixed < FIXED) {
        *dir = fixed_places[places->fixed++];
        *length = strlen(*dir);
    }
    return *length > 0;
}

/* "DIR/NAME" followed by suffix; NULL: no memory. */
static char *join(const char *dir, size_t length, const char *name, const char *suffix)
{
    size_t name_length = strlen(name), suffix_length = strlen(suffix);
    char *path = pi_alloc(length + 1 + name_length + suffix_length + 1);

    if (!path)
        return NULL;
    memcpy(path, dir, length);
    path[length] = '/';
    memcpy(path + length + 1, name, name_length);
    memcpy(path + length + 1 + name_length, suffix, suffix_length + 1);
    return path;
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool ends(const char *name, const char *suffix)
{
    size_t n = strlen(name), s = strlen(suffix);

    return n > s && strcmp(name + n - s, suffix) == 0;
}

static bool is_path(const char *name)
{
    return strchr(name, '/') || ends(name, SUFFIX) || ends(name, ".pth") || ends(name, ".pt");
}

static int no_memory(struct pola_error *err)
{
    return pi_err_set(err, POLA_ERR_MEMORY, "not enough memory to look for a model");
}

/* "no model 'NAME' in 'A', 'B'", with "..." for the places that no longer fit. */
static int not_found(const char *name, const char *dir, struct pola_error *err)
{
    char shown[128], list[768], piece[256], place[240];
    struct places places;
    const char *start;
    size_t length, used = 0;

    pi_places_init(&places, dir);
    list[0] = '\0';
    while (pi_places_next(&places, &start, &length)) {
        size_t n = length < sizeof piece - 1 ? length : sizeof piece - 1;
        memcpy(piece, start, n);
        piece[n] = '\0';
        pi_printable(place, sizeof place, piece);
        if (used + strlen(place) + 8 > sizeof list) {
            memcpy(list + used, ", ...", 6);
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'", used ? ", " : "", place);
    }
    return pi_err_set(err, POLA_ERR_IO, "no model '%s' in %s", pi_printable(shown, sizeof shown, name), list);
}

int pola_model_find(char **path, const char *name, const char *dir, struct pola_error *err)
{
    struct places places;
    const char *start;
    size_t length;

    *path = NULL;
    if (!*name)
        return pi_err_set(err, POLA_ERR_ARGUMENT, "the name of the model is empty");
    if (is_path(name)) {
        length = strlen(name) + 1;
        if (!(*path = pi_alloc(length)))
            return no_memory(err);
        memcpy(*path, name, length);
        return POLA_OK;
    }
    pi_places_init(&places, dir);
    while (pi_places_next(&places, &start, &length)) {
        char *candidate = join(start, length, name, SUFFIX);
        if (!candidate)
            return no_memory(err);
        if (is_file(candidate)) {
            *path = candidate;
            return POLA_OK;
        }
        pi_free(candidate);
    }
    return not_found(name, dir, err);
}

static int is_model_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && ends(entry->d_name, SUFFIX);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Whether one of the first `count` places has a model file of that name. */
static bool seen_before(const char *dir, int count, const char *name)
{
    struct places places;
    const char *start;
    size_t length;
    bool seen = false;

    pi_places_init(&places, dir);
    while (!seen && count-- > 0 && pi_places_next(&places, &start, &length)) {
        char *path = join(start, length, name, "");
        seen = path && is_file(path);
        pi_free(path);
    }
    return seen;
}

void pola_model_each(const char *dir, void (*visit)(const char *path, void *data), void *data)
{
    struct places places;
    const char *start;
    size_t length;

    pi_places_init(&places, dir);
    for (int place = 0; pi_places_next(&places, &start, &length); place++) {
        struct dirent **entries = NULL;
        char *folder = join(start, length, "", "");
        int count = folder ? scandir(folder, &entries, is_model_name, by_bytes) : 0;
        pi_free(folder);
        for (int i = 0; i < count; i++) {
            char *path = join(start, length, entries[i]->d_name, "");
            if (path && is_file(path) && !seen_before(dir, place, entries[i]->d_name))
                visit(path, data);
            pi_free(path);
            free(entries[i]);
        }
        free(entries);
    }
}
