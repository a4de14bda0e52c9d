/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Models as networks see them: opening, references, checked reading of tensors and of metadata.
 */
#include "unit.h"

#include "base/mem.h"
#include "model/weights.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char header[] =
    "{\"__metadata__\":{\"int\":\"48\",\"real\":\"2.5\",\"big\":\"99999999999999999999\",\"word\":\"a\\nb\","
    "\"empty\":\"\",\"infinite\":\"1e999\",\"trail\":\"4 x\",\"minus\":\"-3\"},"
    "\"f32\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
    "\"f16\":{\"dtype\":\"F16\",\"shape\":[3],\"data_offsets\":[8,14]},"
    "\"bf16\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[14,18]},"
    "\"nan\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[18,26]},"
    "\"inf\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[26,28]},"
    "\"scalar\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[28,32]},"
    "\"none\":{\"dtype\":\"F32\",\"shape\":[0,4],\"data_offsets\":[32,32]},"
    "\"whole\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[32,40]}}";

static const unsigned char data[40] = {
    0,    0,    0x80, 0x3f, 0,    0,    0x20, 0xc0,                   /* f32: 1, -2.5 */
    0,    0x3c, 1,    0,    0xff, 0xfb,                               /* f16: 1, 2^-24, -65504 */
    0x80, 0x3f, 0,    0x80,                                           /* bf16: 1, -0 */
    0,    0,    0,    0,    1,    0,    0x80, 0x7f,                   /* nan: 0, a signalling NaN */
    0,    0xfc, 0,    0,    0,    0x40, 1,    0,    0, 0, 0, 0, 0, 0, /* inf: -inf; scalar: 2; whole: 1 */
};

static pola_model *open_model(void)
{
    struct pola_error err;
    pola_model *model = NULL;
    size_t size;
    unsigned char *file = unit_safetensors(&size, header, data, sizeof data);

    unit_write_file("m.safetensors", file, size);
    free(file);
    if (pola_model_open(&model, "m.safetensors", &err) < 0)
        fail_msg("%s", err.text);
    return model;
}

static void opens_and_counts(void **state)
{
    pola_model *model = open_model();

    assert_int_equal(pola_model_parameters(model), 2 + 3 + 2 + 2 + 1 + 1 + 0 + 1);
    assert_string_equal(pola_model_meta(model, "int"), "48");
    assert_null(pola_model_meta(model, "absent"));
    assert_string_equal(pi_weights_path(model), "m.safetensors");
    assert_int_equal(pi_weights_count(model), 8);
    for (size_t i = 1; i < 8; i++)
        assert_true(strcmp(pi_weights_at(model, i - 1)->name, pi_weights_at(model, i)->name) < 0);
    assert_ptr_equal(pi_weights_find(model, "bf16"), pi_weights_at(model, 0));
    assert_null(pi_weights_find(model, "f"));
    pola_model_unref(model);
    pola_model_unref(NULL);
}

static void lives_until_the_last_reference(void **state)
{
    pola_model *model = open_model();

    assert_ptr_equal(pola_model_ref(model), model);
    pola_model_unref(model);
    assert_int_equal(unlink("m.safetensors"), 0); /* the mapping stays */
    assert_string_equal(pola_model_meta(model, "int"), "48");
    pola_model_unref(model);
}

static void reads_every_float_type(void **state)
{
    pola_model *model = open_model();
    struct pola_error err;
    float out[4];

    assert_int_equal(pi_weights_read(model, out, "f32", 2, (uint64_t[]){2, 1}, &err), POLA_OK);
    assert_true(out[0] == 1.0f && out[1] == -2.5f);
    assert_int_equal(pi_weights_read(model, out, "f16", 1, (uint64_t[]){3}, &err), POLA_OK);
    assert_true(out[0] == 1.0f && out[1] == 0x1p-24f && out[2] == -65504.0f);
    assert_int_equal(pi_weights_read(model, out, "bf16", 1, (uint64_t[]){2}, &err), POLA_OK);
    assert_true(out[0] == 1.0f && out[1] == 0.0f && signbit(out[1]));
    assert_int_equal(pi_weights_read(model, out, "scalar", 0, NULL, &err), POLA_OK);
    assert_true(out[0] == 2.0f);
    out[0] = 7;
    assert_int_equal(pi_weights_read(model, out, "none", 2, (uint64_t[]){0, 4}, &err), POLA_OK);
    assert_true(out[0] == 7.0f);
    pola_model_unref(model);
}

static void unfit_tensors_are_named(void **state)
{
    pola_model *model = open_model();
    struct pola_error err;
    float out[8];

    assert_error(pi_weights_read(model, out, "f3", 1, (uint64_t[]){2}, &err), err, POLA_ERR_MODEL,
                 "tensor 'f3' is missing");
    assert_error(pi_weights_read(model, out, "f32", 2, (uint64_t[]){2, 48}, &err), err, POLA_ERR_MODEL,
                 "tensor 'f32' is [2, 1], expected [2, 48]");
    assert_error(pi_weights_read(model, out, "f32", 1, (uint64_t[]){2}, &err), err, POLA_ERR_MODEL,
                 "tensor 'f32' is [2, 1], expected [2]");
    assert_error(pi_weights_read(model, out, "f32", 3, (uint64_t[]){2, 1, 1}, &err), err, POLA_ERR_MODEL,
                 "tensor 'f32' is [2, 1], expected [2, 1, 1]");
    assert_error(pi_weights_read(model, out, "scalar", 1, (uint64_t[]){1}, &err), err, POLA_ERR_MODEL,
                 "tensor 'scalar' is [], expected [1]");
    assert_error(pi_weights_read(model, out, "whole", 1, (uint64_t[]){1}, &err), err, POLA_ERR_MODEL,
                 "tensor 'whole' has dtype I64, expected F32, F16 or BF16");
    assert_error(pi_weights_read(model, out, "nan", 1, (uint64_t[]){2}, &err), err, POLA_ERR_MODEL,
                 "tensor 'nan' holds a value that is not finite (element 1)");
    assert_error(pi_weights_read(model, out, "inf", 1, (uint64_t[]){1}, &err), err, POLA_ERR_MODEL,
                 "tensor 'inf' holds a value that is not finite (element 0)");
    pola_model_unref(model);
}

static void longest_shapes_fit_the_message(void **state)
{
    const uint64_t m = UINT64_MAX;
    struct pola_error err;
    pola_model *model = open_model();
    float out[2];

    assert_error(pi_weights_read(model, out, "f32", 8, (uint64_t[]){m, m, m, m, m, m, m, m}, &err), err, POLA_ERR_MODEL,
                 "tensor 'f32' is [2, 1], expected [18446744073709551615, 18446744073709551615, 18446744073709551615, "
                 "18446744073709551615, 18446744073709551615, 18446744073709551615, 18446744073709551615, "
                 "18446744073709551615]");
    pola_model_unref(model);
}

static void whole_numbers_are_checked(void **state)
{
    pola_model *model = open_model();
    struct pola_error err;
    int out = -1;

    assert_int_equal(pi_weights_meta_int(model, &out, "int", 1, 48, 0, &err), POLA_OK);
    assert_int_equal(out, 48);
    assert_int_equal(pi_weights_meta_int(model, &out, "minus", -3, 0, 0, &err), POLA_OK);
    assert_int_equal(out, -3);
    assert_int_equal(pi_weights_meta_int(model, &out, "absent", 1, 48, 7, &err), POLA_OK);
    assert_int_equal(out, 7);
    assert_error(pi_weights_meta_int(model, &out, "absent", 1, 48, 0, &err), err, POLA_ERR_MODEL,
                 "metadata 'absent' is missing");
    assert_error(pi_weights_meta_int(model, &out, "int", 1, 47, 0, &err), err, POLA_ERR_MODEL,
                 "metadata 'int' is '48', expected a whole number from 1 to 47");
    assert_error(pi_weights_meta_int(model, &out, "word", 1, 47, 0, &err), err, POLA_ERR_MODEL,
                 "metadata 'word' is 'a?b', expected a whole number from 1 to 47");
    const char *bad[] = {"real", "big", "empty", "infinite", "trail"};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(pi_weights_meta_int(model, &out, bad[i], 1, 100, 7, &err), POLA_ERR_MODEL);
    assert_int_equal(out, 7); /* untouched by failures */
    pola_model_unref(model);
}

static void numbers_are_checked(void **state)
{
    pola_model *model = open_model();
    struct pola_error err;
    double out = -1;

    assert_int_equal(pi_weights_meta_double(model, &out, "real", 1, 2.5, 0, &err), POLA_OK);
    assert_true(out == 2.5);
    assert_int_equal(pi_weights_meta_double(model, &out, "int", 1, 100, 0, &err), POLA_OK);
    assert_true(out == 48);
    assert_int_equal(pi_weights_meta_double(model, &out, "absent", 1, 100, 1.5, &err), POLA_OK);
    assert_true(out == 1.5);
    assert_error(pi_weights_meta_double(model, &out, "absent", 1, 100, 0, &err), err, POLA_ERR_MODEL,
                 "metadata 'absent' is missing");
    assert_error(pi_weights_meta_double(model, &out, "real", 3, 8, 0, &err), err, POLA_ERR_MODEL,
                 "metadata 'real' is '2.5', expected a number from 3 to 8");
    const char *bad[] = {"word", "empty", "infinite", "trail"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pi_weights_meta_double(model, &out, bad[i], -1e300, 1e300, 7, &err), POLA_ERR_MODEL);
    assert_true(out == 1.5);
    pola_model_unref(model);
}

/* Programs that follow the user's locale must read "2.5" all the same. */
static void numbers_know_no_locale(void **state)
{
    pola_model *model = open_model();
    struct pola_error err;
    double out = 0;

    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        print_message("no locale with a decimal comma is installed\n");
    int status = pi_weights_meta_double(model, &out, "real", 1, 3, 0, &err);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(status, POLA_OK);
    assert_true(out == 2.5);
    pola_model_unref(model);
}

static void assert_not_opened(const char *path, enum pola_status code, const char *text)
{
    struct pola_error err;
    pola_model *model = (pola_model *)&err;

    assert_error(pola_model_open(&model, path, &err), err, code, text);
    assert_null(model);
}

static void files_that_are_no_models(void **state)
{
    static const char lfs[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    static const char page[] = "<!DOCTYPE html><html></html>";

    unit_write_file("empty", "", 0);
    unit_write_file("zip", "PK\003\004 and so on", 14);
    unit_write_file("lfs.safetensors", lfs, sizeof lfs - 1);
    unit_write_file("page", page, sizeof page - 1);
    unit_write_file("a\nb", "12345678x", 9);
    assert_int_equal(mkdir("dir", 0700), 0);
    assert_not_opened("missing", POLA_ERR_IO, "model 'missing': cannot open: No such file or directory");
    assert_not_opened("dir", POLA_ERR_IO, "model 'dir': this is a directory, not a regular file");
    assert_not_opened("empty", POLA_ERR_IO, "model 'empty': the file is empty");
    assert_not_opened("zip", POLA_ERR_FORMAT,
                      "model 'zip': this is a zip archive, as PyTorch writes: convert it to safetensors");
    assert_not_opened("lfs.safetensors", POLA_ERR_FORMAT,
                      "model 'lfs.safetensors': this is a Git LFS pointer, not the model: run 'git lfs pull'");
    assert_not_opened(
        "page", POLA_ERR_FORMAT,
        "model 'page': not a safetensors file: a header of 5789751444030890300 bytes is more than 100000000");
    assert_not_opened(
        "a\nb", POLA_ERR_FORMAT,
        "model 'a?b': not a safetensors file: a header of 4050765991979987505 bytes is more than 100000000");
}

static void long_paths_keep_their_end(void **state)
{
    struct pola_error err;
    pola_model *model = NULL;
    char path[3000];

    memset(path, '/', sizeof path);
    path[0] = '.';
    strcpy(path + sizeof path - 18, "missing-one.model");
    assert_int_equal(pola_model_open(&model, path, &err), POLA_ERR_IO);
    assert_memory_equal(err.text, "model '...//", 12);
    assert_non_null(strstr(err.text, "///missing-one.model': cannot open: No such file or directory"));
    pola_model_unref(open_model());
    memcpy(path + sizeof path - 18, "////m.safetensors", 18);
    assert_int_equal(pola_model_open(&model, path, &err), POLA_OK);
    assert_non_null(strstr(pi_weights_path(model), "m.safetensors"));
    pola_model_unref(model);
}

static void every_allocation_may_fail(void **state)
{
    struct pola_error err;
    pola_model *model = open_model();
    int status = POLA_ERR_MEMORY;

    pola_model_unref(model);
    for (long n = 1; status != POLA_OK; n++) {
        pi_alloc_fail_at(n);
        status = pola_model_open(&model, "m.safetensors", &err);
        pi_alloc_fail_at(0);
        assert_true(n < 100);
        if (status == POLA_OK)
            break;
        assert_int_equal(status, POLA_ERR_MEMORY);
        assert_null(model);
    }
    pola_model_unref(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_and_counts),
        cmocka_unit_test(lives_until_the_last_reference),
        cmocka_unit_test(reads_every_float_type),
        cmocka_unit_test(unfit_tensors_are_named),
        cmocka_unit_test(longest_shapes_fit_the_message),
        cmocka_unit_test(whole_numbers_are_checked),
        cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(numbers_know_no_locale),
        cmocka_unit_test(files_that_are_no_models),
        cmocka_unit_test(long_paths_keep_their_end),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, unit_enter_scratch, unit_leave_scratch);
}
