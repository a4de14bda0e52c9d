/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * What pola_sr_new() refuses and how it says so: models of another kind, incomplete, misshapen, damaged; options out of range;
 * memory running out at any point.
 */
#include "golden.h"
#include "unit.h"

#include "base/mem.h"
#include "head/sr.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH "m.safetensors"
#define METADATA(arch, scale, dim, depth, heads, ratio)                                                                \
    "{" arch "\"pola.scale\":" scale ",\"pola.dim\":" dim ",\"pola.depth\":" depth ",\"pola.heads\":" heads            \
    ",\"pola.ffn_ratio\":" ratio "}"
#define ARCH "\"pola.arch\":\"polasr\","
#define GOOD METADATA(ARCH, "\"2\"", "\"8\"", "\"1\"", "\"2\"", "\"2.0\"")

static struct golden_tensor tensors[40];
static size_t count;

static int setup(void **state)
{
    count = golden_polasr(tensors, &(struct golden_polasr){2, 8, 1, 2, 16});
    return unit_enter_scratch(state);
}

static size_t index_of(const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(tensors[i].name, name) != 0)
        i++;
    assert_true(i < count);
    return i;
}

/* pola_sr_new() from this model with these options must fail like this. */
static void refuse_options(pola_model *model, const struct pola_sr_options *options, int code, const char *text)
{
    struct pola_error err = {0};
    pola_sr *sr = (pola_sr *)&err;

    assert_error(pola_sr_new(&sr, model, options, &err), err, code, text);
    assert_null(sr);
    pola_model_unref(model);
}

static void refuse(pola_model *model, const char *text)
{
    struct pola_sr_options options;

    pola_sr_options_init(&options);
    refuse_options(model, &options, POLA_ERR_MODEL, text);
}

static void test_metadata(void **state)
{
    static const struct {
        const char *metadata, *text;
    } cases[] = {
        {METADATA("", "\"2\"", "\"8\"", "\"1\"", "\"2\"", "\"2.0\""),
         "not a super-resolution model: its metadata have no pola.arch, expected pola.arch 'polasr'"},
        {METADATA("\"pola.arch\":\"polaformer\\n\",", "\"2\"", "\"8\"", "\"1\"", "\"2\"", "\"2.0\""),
         "not a super-resolution model: its metadata say pola.arch 'polaformer?', expected pola.arch 'polasr'"},
        {"{\"pola.arch\":\"polasr\"}", "metadata 'pola.scale' is missing"},
        {METADATA(ARCH, "\"0\"", "\"8\"", "\"1\"", "\"2\"", "\"2.0\""),
         "metadata 'pola.scale' is '0', expected a whole number from 1 to 8"},
        {METADATA(ARCH, "\"9\"", "\"8\"", "\"1\"", "\"2\"", "\"2.0\""),
         "metadata 'pola.scale' is '9', expected a whole number from 1 to 8"},
        {METADATA(ARCH, "\"two\"", "\"8\"", "\"1\"", "\"2\"", "\"2.0\""),
         "metadata 'pola.scale' is 'two', expected a whole number from 1 to 8"},
        {METADATA(ARCH, "\"2\"", "\"1025\"", "\"1\"", "\"2\"", "\"2.0\""),
         "metadata 'pola.dim' is '1025', expected a whole number from 1 to 1024"},
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"-1\"", "\"2\"", "\"2.0\""),
         "metadata 'pola.depth' is '-1', expected a whole number from 1 to 256"},
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"1\"", "\"2.5\"", "\"2.0\""),
         "metadata 'pola.heads' is '2.5', expected a whole number from 1 to 512"},
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"1\"", "\"2\"", "\"1e99\""),
         "metadata 'pola.ffn_ratio' is '1e99', expected a number from 0.01 to 64"},
        /* numbers in range that the kernels cannot run */
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"1\"", "\"3\"", "\"2.0\""), "3 heads do not divide width 8"},
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"1\"", "\"8\"", "\"2.0\""), "head width 1 is not an even number up to 128"},
        {METADATA(ARCH, "\"2\"", "\"1024\"", "\"1\"", "\"2\"", "\"2.0\""),
         "head width 512 is not an even number up to 128"},
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"1\"", "\"2\"", "\"0.1\""),
         "feed-forward width 0 is not between 1 and 8192"},
        {METADATA(ARCH, "\"2\"", "\"1024\"", "\"1\"", "\"8\"", "\"64\""),
         "feed-forward width 65536 is not between 1 and 8192"},
        /* numbers that are not those of the tensors */
        {METADATA(ARCH, "\"2\"", "\"16\"", "\"1\"", "\"2\"", "\"2.0\""),
         "tensor 'conv_first.weight' is [8, 3, 3, 3], expected [16, 3, 3, 3]"},
        {METADATA(ARCH, "\"3\"", "\"8\"", "\"1\"", "\"2\"", "\"2.0\""),
         "tensor 'upsample.weight' is [12, 8, 3, 3], expected [27, 8, 3, 3]"},
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"2\"", "\"2\"", "\"2.0\""), "tensor 'blocks.1.pos.weight' is missing"},
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"1\"", "\"4\"", "\"2.0\""),
         "tensor 'blocks.0.attn.s1' is [1, 2, 1, 8], expected [1, 4, 1, 4]"},
        {METADATA(ARCH, "\"2\"", "\"8\"", "\"1\"", "\"2\"", "\"3\""),
         "tensor 'blocks.0.ffn.fc1.weight' is [16, 8], expected [24, 8]"},
    };
    char text[256];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(text, sizeof text, "model '" PATH "': %s", cases[i].text);
        refuse(golden_model(PATH, cases[i].metadata, tensors, count), text);
    }
}

static void test_missing_tensor(void **state)
{
    struct golden_tensor fewer[40];
    char text[256];

    for (size_t missing = 0; missing < count; missing++) {
        memcpy(fewer, tensors, missing * sizeof *fewer);
        memcpy(fewer + missing, tensors + missing + 1, (count - missing - 1) * sizeof *fewer);
        snprintf(text, sizeof text, "model '" PATH "': tensor '%s' is missing", tensors[missing].name);
        refuse(golden_model(PATH, GOOD, fewer, count - 1), text);
    }
}

/* "[8, 3, 3, 3]", its first dimension longer by `more`. */
static const char *shape_text(char out[80], const struct golden_tensor *t, uint64_t more)
{
    int used = snprintf(out, 80, "[%llu", (unsigned long long)(t->shape[0] + more));

    for (int i = 1; i < t->dims; i++)
        used += snprintf(out + used, 80 - (size_t)used, ", %llu", (unsigned long long)t->shape[i]);
    snprintf(out + used, 80 - (size_t)used, "]");
    return out;
}

static void test_wrong_shape(void **state)
{
    struct golden_tensor changed[40];
    char text[256], is[80], expected[80];

    for (size_t i = 0; i < count; i++) {
        memcpy(changed, tensors, sizeof changed);
        changed[i].shape[0]++;
        snprintf(text, sizeof text, "model '" PATH "': tensor '%s' is %s, expected %s", tensors[i].name,
                 shape_text(is, &tensors[i], 1), shape_text(expected, &tensors[i], 0));
        refuse(golden_model(PATH, GOOD, changed, count), text);
    }
    memcpy(changed, tensors, sizeof changed); /* ones count: a 1x1 convolution is no linear layer */
    size_t i = index_of("blocks.0.attn.proj.weight");
    changed[i] = (struct golden_tensor){tensors[i].name, 4, {8, 8, 1, 1}};
    refuse(golden_model(PATH, GOOD, changed, count),
           "model '" PATH "': tensor 'blocks.0.attn.proj.weight' is [8, 8, 1, 1], expected [8, 8]");
}

/* The good model with one value changed. */
static pola_model *patched(const char *name, size_t element, float value)
{
    pola_model *model = golden_model(PATH, GOOD, tensors, count);
    struct pola_error err;
    FILE *file = fopen(PATH, "r+b");
    uint64_t header;
    size_t offset = element;

    pola_model_unref(model);
    assert_int_equal(fread(&header, sizeof header, 1, file), 1);
    for (size_t i = 0; i < index_of(name); i++) {
        size_t n = 1;
        for (int d = 0; d < tensors[i].dims; d++)
            n *= tensors[i].shape[d];
        offset += n;
    }
    fseek(file, (long)(8 + header + offset * sizeof value), SEEK_SET);
    assert_int_equal(fwrite(&value, sizeof value, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    if (pola_model_open(&model, PATH, &err) != POLA_OK)
        fail_msg("%s", err.text);
    return model;
}

static void test_not_finite(void **state)
{
    refuse(patched("upsample.weight", 3, (float)NAN),
           "model '" PATH "': tensor 'upsample.weight' holds a value that is not finite (element 3)");
    refuse(patched("blocks.0.gamma_2", 7, -(float)INFINITY),
           "model '" PATH "': tensor 'blocks.0.gamma_2' holds a value that is not finite (element 7)");
}

/* A damaged weight that is finite gets past loading; the result does not get out. */
static void test_huge(void **state)
{
    static const char *const names[] = {"conv_first.weight", "conv_after_body.weight", "upsample.bias",
                                        "blocks.0.pos.weight", "blocks.0.ffn.fc2.bias"};
    float in[7 * 5 * 3], out[4 * 7 * 5 * 3];

    for (size_t i = 0; i < 7 * 5 * 3; i++)
        in[i] = (float)(i % 9) / 8.0f;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int precision = POLA_PRECISION_FP32; precision <= POLA_PRECISION_BF16; precision++) {
            struct pola_sr_options options;
            struct pola_error err = {0};
            pola_sr *sr;
            pola_model *model = patched(names[i], 4, 1e30f);
            pola_sr_options_init(&options);
            options.precision = (enum pola_precision)precision;
            assert_int_equal(pola_sr_new(&sr, model, &options, &err), POLA_OK);
            assert_error(pola_sr_run(sr, out, in, 7, 5, &err), err, POLA_ERR_NUMERIC,
                         "the network's result is not finite");
            pola_sr_unref(sr);
            pola_model_unref(model);
        }
}

static void test_options(void **state)
{
    static const struct {
        int tile, halo;
        const char *text;
    } cases[] = {
        {15, -1, "tile 15 is not between 16 and 4096"},
        {-1, -1, "tile -1 is not between 16 and 4096"},
        {4097, -1, "tile 4097 is not between 16 and 4096"},
        {32, 13, "halo 13 is too wide for tile 32: at most 12"},
        {16, 5, "halo 5 is too wide for tile 16: at most 4"},
        {0, 2000, "halo 2000 is too wide for tile 128: at most 60"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct pola_sr_options options;
        pola_sr_options_init(&options);
        options.tile = cases[i].tile;
        options.halo = cases[i].halo;
        refuse_options(golden_model(PATH, GOOD, tensors, count), &options, POLA_ERR_ARGUMENT, cases[i].text);
    }
}

static void test_tile_metadata(void **state)
{
    static const char head[] = "{\"pola.scale\":\"2\",\"pola.dim\":\"8\",\"pola.depth\":\"1\",\"pola.heads\":\"2\","
                               "\"pola.ffn_ratio\":\"2.0\",\"pola.arch\":\"polasr\",";
    char metadata[512];
    struct pola_sr_options options;
    struct pola_error err;
    pola_sr *sr;

    snprintf(metadata, sizeof metadata, "%s\"pola.tile\":\"48\",\"pola.halo\":\"6\"}", head);
    pola_model *model = golden_model(PATH, metadata, tensors, count);
    pola_sr_options_init(&options);
    for (int tile = 0; tile <= 20; tile += 20) { /* the model's; with a halo cut down for a small window */
        options.tile = tile;
        assert_int_equal(pola_sr_new(&sr, model, &options, &err), POLA_OK);
        assert_int_equal(pi_sr_tile(sr), tile ? tile : 48);
        assert_int_equal(pi_sr_halo(sr), tile ? 5 : 6);
        assert_int_equal(pola_sr_scale(sr), 2);
        pola_sr_unref(sr);
    }
    pola_model_unref(model);
    snprintf(metadata, sizeof metadata, "%s\"pola.tile\":\"8\"}", head);
    options.tile = 0;
    refuse_options(golden_model(PATH, metadata, tensors, count), &options, POLA_ERR_MODEL,
                   "metadata 'pola.tile' is '8', expected a whole number from 16 to 4096");
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Calls make(data) with the n-th allocation failing, for every n until nothing fails any more; make says whether it succeeded and
 * asserts that it failed cleanly. Each failure is repeated, so that a leak of one smallest block would show through what malloc
 * keeps for later. Returns the number of allocations. */
static long fail_each_allocation(int (*make)(const void *data), const void *data)
{
    enum { REPEATS = 64 };

    for (long n = 1;; n++) {
        size_t before = 0;
        for (int i = 0; i < REPEATS; i++) {
            pi_alloc_fail_at(n);
            int done = make(data);
            pi_alloc_fail_at(0);
            if (done)
                return n - 1;
            if (i == 0)
                before = mallinfo2().uordblks;
        }
        assert_true(mallinfo2().uordblks < before + (REPEATS - 1) * PI_ALIGN);
    }
}

static int make_sr(const void *data)
{
    struct pola_sr_options options;
    struct pola_error err = {0};
    pola_sr *sr = (pola_sr *)&err;

    pola_sr_options_init(&options);
    int status = pola_sr_new(&sr, (pola_model *)(uintptr_t)data, &options, &err);
    pola_sr_unref(sr);
    if (status == POLA_OK)
        return 1;
    assert_int_equal(status, POLA_ERR_MEMORY);
    assert_int_equal(err.code, POLA_ERR_MEMORY);
    assert_non_null(strstr(err.text, "no memory for the"));
    assert_null(sr);
    return 0;
}

static void test_new_without_memory(void **state)
{
    pola_model *model = golden_model(PATH, GOOD, tensors, count);

    assert_true(fail_each_allocation(make_sr, model) >= 4); /* the object, the network, its blocks, their memory */
    pola_model_unref(model);
}

struct window {
    const pola_sr *sr;
    int width, height;
};

static int make_session(const void *data)
{
    const struct window *window = data;
    struct pola_error err = {0};
    struct sr_session *session = (struct sr_session *)&err;
    int status = pi_sr_session_new(&session, window->sr, window->width, window->height, 2, &err);

    pi_sr_session_free(session);
    if (status == POLA_OK)
        return 1;
    assert_int_equal(status, POLA_ERR_MEMORY);
    assert_non_null(strstr(err.text, "no memory for a window of"));
    assert_null(session);
    return 0;
}

/* Also what one call does with memory that runs out under it. */
static int run_once(const void *data)
{
    static float in[9 * 9 * 3], out[4 * 9 * 9 * 3];
    const struct window *window = data;
    struct pola_error err = {0};
    int status = pola_sr_run(window->sr, out, in, window->width, window->height, &err);

    if (status == POLA_OK)
        return 1;
    assert_int_equal(status, POLA_ERR_MEMORY);
    return 0;
}

static void test_session_without_memory(void **state)
{
    pola_model *model = golden_model(PATH, GOOD, tensors, count);
    struct pola_sr_options options;
    struct pola_error err;

    pola_sr_options_init(&options);
    for (options.tta = 0; options.tta < 2; options.tta++)
        for (int height = 5; height <= 9; height += 4) { /* self-ensemble keeps a second session unless square */
            struct window window = {NULL, 9, height};
            pola_sr *sr;
            assert_int_equal(pola_sr_new(&sr, model, &options, &err), POLA_OK);
            window.sr = sr;
            long allocations = fail_each_allocation(make_session, &window);
            assert_int_equal(allocations >= 4, 1);
            assert_int_equal(fail_each_allocation(run_once, &window), allocations);
            pola_sr_unref(sr);
        }
    pola_model_unref(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_missing_tensor),
        cmocka_unit_test(test_wrong_shape),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_tile_metadata),
        cmocka_unit_test(test_new_without_memory),
        cmocka_unit_test(test_session_without_memory),
    };

    return cmocka_run_group_tests(tests, setup, unit_leave_scratch);
}
