/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The search for models: order of places, paths, listing, the text when nothing is found; and the shipped models open.
 */
#include "unit.h"

#include "base/mem.h"
#include "model/manifest.h"
#include "model/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void touch(const char *path)
{
    unit_write_file(path, "x", 1);
}

/* a: one, two; b: two, three, and things that are no models */
static int make_places(void **state)
{
    if (unit_enter_scratch(state) < 0)
        return -1;
    mkdir("a", 0700);
    mkdir("b", 0700);
    touch("a/two.safetensors");
    touch("a/one.safetensors");
    touch("b/three.safetensors");
    touch("b/two.safetensors");
    touch("b/four.pth");
    touch("b/.hidden.safetensors");
    touch("b/.safetensors");
    touch("b/readme.md");
    mkdir("b/one.safetensors", 0700);
    mkdir("b/directory.safetensors", 0700);
    return symlink("nowhere", "b/dangling.safetensors") || symlink("../a/one.safetensors", "b/link.safetensors");
}

static void assert_places(const char *dir, const char *models, const char *const *wanted)
{
    struct places places;
    const char *start;
    size_t length;

    setenv("POLA_MODELS", models, 1);
    pi_places_init(&places, dir);
    for (int i = 0; wanted[i]; i++) {
        assert_true(pi_places_next(&places, &start, &length));
        assert_int_equal(length, strlen(wanted[i]));
        assert_memory_equal(start, wanted[i], length);
    }
    for (int i = 0; i < 2; i++) { /* the installed directory and the build tree */
        assert_true(pi_places_next(&places, &start, &length));
        assert_int_equal(start[0], '/');
    }
    assert_false(pi_places_next(&places, &start, &length));
    assert_false(pi_places_next(&places, &start, &length));
}

static void places_come_in_order(void **state)
{
    assert_places("d", "e:f", (const char *[]){"d", "e", "f", NULL});
    assert_places(NULL, "e", (const char *[]){"e", NULL});
    assert_places("d", "", (const char *[]){"d", NULL});
    assert_places("", "::e::f:", (const char *[]){"e", "f", NULL});
    assert_places(NULL, ":", (const char *[]){NULL});
}

static void assert_found(const char *name, const char *dir, const char *wanted)
{
    struct pola_error err;
    char *path = NULL;

    if (pola_model_find(&path, name, dir, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(path, wanted);
    free(path);
}

static void names_are_looked_up(void **state)
{
    setenv("POLA_MODELS", "nowhere:b", 1);
    assert_found("two", "a", "a/two.safetensors");
    assert_found("two", NULL, "b/two.safetensors");
    assert_found("three", "a", "b/three.safetensors");
    assert_found("link", "a", "b/link.safetensors");
    setenv("POLA_MODELS", "b:a", 1);
    assert_found("one", NULL, "a/one.safetensors"); /* the directory of that name in b is no model */
}

static void paths_are_left_alone(void **state)
{
    assert_found("./two", "a", "./two");
    assert_found("/x/y", "a", "/x/y");
    assert_found("two.safetensors", "a", "two.safetensors");
    assert_found("m.pth", "a", "m.pth");
    assert_found("m.pt", "a", "m.pt");
}

static void shipped_models_are_found_and_open(void **state)
{
    static const char *const names[] = {"pola-sr-x2", "pola-sr-x3", "pola-sr-x4"};

    unsetenv("POLA_MODELS");
    for (size_t i = 0; i < 3; i++) {
        struct pola_error err;
        pola_model *model = NULL;
        char *path = NULL;
        int scale = 0;
        if (pola_model_find(&path, names[i], SOURCE_MODELS, &err) < 0 || pola_model_open(&model, path, &err) < 0)
            fail_msg("%s", err.text);
        assert_string_equal(pola_model_meta(model, "pola.arch"), "polasr");
        assert_int_equal(pi_weights_meta_int(model, &scale, "pola.scale", 2, 4, 0, &err), POLA_OK);
        assert_int_equal(scale, 2 + (int)i);
        assert_true(pola_model_parameters(model) > 0);
        pola_model_unref(model);
        free(path);
    }
}

static void the_error_lists_the_places(void **state)
{
    struct pola_error err;
    char *path = (char *)&err;

    setenv("POLA_MODELS", "b:c\n", 1);
    assert_int_equal(pola_model_find(&path, "no\tsuch", "a", &err), POLA_ERR_IO);
    assert_null(path);
    assert_memory_equal(err.text, "no model 'no?such' in 'a', 'b', 'c?', '/", 39);
    assert_error(pola_model_find(&path, "", "a", &err), err, POLA_ERR_ARGUMENT, "the name of the model is empty");
}

static void many_long_places_are_cut_in_the_error(void **state)
{
    struct pola_error err;
    char *path = NULL, models[20000];

    for (size_t i = 0; i < sizeof models - 1; i++)
        models[i] = i % 500 == 499 ? ':' : 'p';
    models[sizeof models - 1] = '\0';
    setenv("POLA_MODELS", models, 1);
    assert_int_equal(pola_model_find(&path, models, NULL, &err), POLA_ERR_IO);
    assert_true(strlen(err.text) < sizeof err.text - 1);
    assert_string_equal(err.text + strlen(err.text) - 5, ", ...");
    unsetenv("POLA_MODELS");
}

static void paths_of_4000_characters_work(void **state)
{
    char dir[4001], wanted[4100];

    memset(dir, '/', 4000);
    memcpy(dir, "./a", 3);
    dir[4000] = '\0';
    snprintf(wanted, sizeof wanted, "%s/one.safetensors", dir);
    setenv("POLA_MODELS", dir, 1);
    assert_found("one", NULL, wanted);
    assert_found("one", dir, wanted);
}

struct seen {
    size_t used;
    char text[8192];
};

static void note(const char *path, void *data)
{
    struct seen *seen = data;

    if (path[0] != '/')
        seen->used += (size_t)snprintf(seen->text + seen->used, sizeof seen->text - seen->used, "%s\n", path);
}

static void listing_is_sorted_and_without_repeats(void **state)
{
    struct seen seen = {0};

    setenv("POLA_MODELS", "b:a:nowhere", 1);
    pola_model_each("a", note, &seen);
    assert_string_equal(seen.text, "a/one.safetensors\na/two.safetensors\nb/link.safetensors\nb/three.safetensors\n");
    seen = (struct seen){0};
    pola_model_each(NULL, note, &seen);
    assert_string_equal(seen.text, "b/link.safetensors\nb/three.safetensors\nb/two.safetensors\na/one.safetensors\n");
}

static void every_allocation_may_fail(void **state)
{
    struct pola_error err;
    struct seen seen;
    int status = POLA_ERR_MEMORY;
    char *path = NULL;

    setenv("POLA_MODELS", "nowhere:b", 1);
    for (long n = 1; status != POLA_OK; n++) {
        pi_alloc_fail_at(n);
        status = pola_model_find(&path, "three", "a", &err);
        pi_alloc_fail_at(n);
        seen.used = 0;
        pola_model_each("a", note, &seen);
        pi_alloc_fail_at(0);
        assert_true(status == POLA_OK || (status == POLA_ERR_MEMORY && !path));
        assert_true(n < 100);
    }
    free(path);
    pi_alloc_fail_at(1);
    assert_int_equal(pola_model_find(&path, "a/b", NULL, &err), POLA_ERR_MEMORY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_come_in_order),          cmocka_unit_test(names_are_looked_up),
        cmocka_unit_test(paths_are_left_alone),          cmocka_unit_test(shipped_models_are_found_and_open),
        cmocka_unit_test(the_error_lists_the_places),    cmocka_unit_test(many_long_places_are_cut_in_the_error),
        cmocka_unit_test(paths_of_4000_characters_work), cmocka_unit_test(listing_is_sorted_and_without_repeats),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_places, unit_leave_scratch);
}
