/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The safetensors parser: good files, every way in which a file can be wrong, large headers, failing allocations.
 */
#include "unit.h"

#include "base/mem.h"
#include "model/safetensors.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char zeros[256];

static const char two_tensors[] = "{\"__metadata__\":{\"pola.arch\":\"polasr\",\"k\":\"\"},"
                                  " \"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[6,30]},\n"
                                  " \"b\":{\"dtype\":\"BF16\",\"shape\":[3],\"data_offsets\":[0,6]}}   ";

static void reads_tensors_and_metadata(void **state)
{
    struct pola_error err;
    struct table table = {0};
    size_t size;
    unsigned char *file = unit_safetensors(&size, two_tensors, zeros, 30);

    assert_int_equal(pi_safetensors_load(&table, file, size, &err), POLA_OK);
    assert_int_equal(table.count, 2);
    const struct weight *w = pi_table_find(&table, "w"), *b = pi_table_find(&table, "b");
    assert_non_null(w);
    assert_int_equal(w->dtype, WEIGHT_F32);
    assert_int_equal(w->dims, 2);
    assert_int_equal(w->shape[0], 2);
    assert_int_equal(w->shape[1], 3);
    assert_int_equal(w->count, 6);
    assert_int_equal(w->bytes, 24);
    assert_ptr_equal(w->data, file + size - 24);
    assert_non_null(b);
    assert_int_equal(b->dtype, WEIGHT_BF16);
    assert_ptr_equal(b->data, file + size - 30);
    assert_null(pi_table_find(&table, "a"));
    assert_null(pi_table_find(&table, "wx"));
    assert_string_equal(pi_table_meta(&table, "pola.arch"), "polasr");
    assert_string_equal(pi_table_meta(&table, "k"), "");
    assert_null(pi_table_meta(&table, "pola"));
    pi_table_release(&table);
    free(file);
}

/* Loads a file with this header and size bytes of zeros; true when it is good. */
static int load(const char *header, size_t size, struct pola_error *err)
{
    struct table table = {0};
    size_t total;
    unsigned char *file = unit_safetensors(&total, header, zeros, size);
    int status = pi_safetensors_load(&table, file, total, err);

    pi_table_release(&table);
    free(file);
    return status;
}

#define TENSOR(dtype, shape, offsets) "{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define F32(shape, offsets)           TENSOR("\"F32\"", shape, offsets)

static void unusual_files_are_good(void **state)
{
    static const struct {
        const char *header;
        size_t size;
    } good[] = {
        {"{}", 0},
        {"{ \t\r\n}  \n", 0},
        {"{\"__metadata__\":{}}", 0},
        {"{\"s\":" F32("[]", "[0,4]") "}", 4},
        {"{\"e\":" F32("[0]", "[0,0]") "}", 0},
        {"{\"e\":" F32("[3,0,2]", "[4,4]") ",\"s\":" F32("[1]", "[0,4]") ",\"f\":" F32("[0]", "[0,0]") "}", 4},
        {"{\"d\":" F32("[1,1,1,1,1,1,1,1]", "[0,4]") "}", 4},
        {"{\"\":" F32("[]", "[0,4]") "}", 4},
        {"{\"gr\\u00fc\xc3\x9f\":" F32("[]", "[0,4]") "}", 4},
        {"{\"more\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"note\":[1,{}]}}", 4},
        {"{\"f64\":" TENSOR("\"F64\"", "[1]", "[0,8]") ",\"i64\":" TENSOR(
             "\"I64\"", "[1]",
             "[8,16]") ",\"i32\":" TENSOR("\"I32\"", "[1]",
                                          "[16,20]") ",\"f16\":" TENSOR("\"F16\"", "[1]",
                                                                        "[20,22]") ",\"i16\":" TENSOR("\"I16\"", "[1]",
                                                                                                      "[22,24]") ",\"i8"
                                                                                                                 "\""
                                                                                                                 ":" TENSOR("\"I8\"", "[1]", "[24,25]") ",\"u8\":" TENSOR(
                                                                                                                     "\"U8\"",
                                                                                                                     "["
                                                                                                                     "1"
                                                                                                                     "]",
                                                                                                                     "["
                                                                                                                     "2"
                                                                                                                     "5"
                                                                                                                     ","
                                                                                                                     "2"
                                                                                                                     "6"
                                                                                                                     "]") ",\"bool\":" TENSOR("\"BOOL\"",
                                                                                                                                              "[1]",
                                                                                                                                              "[26,27]") "}",
         27},
    };
    struct pola_error err;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (load(good[i].header, good[i].size, &err) != POLA_OK)
            fail_msg("%s: %s", good[i].header, err.text);
}

/* Where wanted ends in '*' the rest is jansson's. */
static int matches(const char *text, const char *wanted)
{
    size_t n = strlen(wanted);

    return wanted[n - 1] == '*' ? strncmp(text, wanted, n - 1) == 0 && strlen(text) > n : strcmp(text, wanted) == 0;
}

static void broken_headers_are_explained(void **state)
{
    static const struct {
        const char *header;
        size_t size;
        const char *text;
    } broken[] = {
        {"", 0, "not a safetensors file: its header does not begin with '{'"},
        {" {}", 0, "not a safetensors file: its header does not begin with '{'"},
        {"[]", 0, "not a safetensors file: its header does not begin with '{'"},
        {"{", 0, "the header is damaged at byte 1: *"},
        {"{}{}", 0, "the header is damaged at byte 2: text after the end"},
        {"{} x", 0, "the header is damaged at byte 3: text after the end"},
        {"{\"a\"}", 0, "the header is damaged at byte 4: ':' is missing"},
        {"{\"a\":}", 0, "the header is damaged at byte 6: *"},
        {"{\"a\":1}", 0, "the header is damaged at byte 5: an object is expected"},
        {"{\"a\":[]}", 0, "the header is damaged at byte 5: an object is expected"},
        {"{\"a\":\"\"}", 0, "the header is damaged at byte 5: an object is expected"},
        {"{\"a\":null}", 0, "the header is damaged at byte 5: an object is expected"},
        {"{1:{}}", 0, "the header is damaged at byte 1: a name is expected"},
        {"{,}", 0, "the header is damaged at byte 2: *"},
        {"{\"__metadata__\":{},}", 0, "the header is damaged at byte 20: *"},
        {"{\"__metadata__\":{} \"a\":1}", 0, "the header is damaged at byte 19: '}' is missing"},
        {"{\"__metadata__\":{}", 0, "the header is damaged at byte 18: '}' is missing"},
        {"{\"__metadata__\":[]}", 0, "the header is damaged at byte 16: an object is expected"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "metadata 'a' is not a string"},
        {"{\"__metadata__\":{\"a\\n\":{}}}", 0, "metadata 'a?' is not a string"},
        {"{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}", 0, "the header is damaged at byte 27: *"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "the metadata are there twice"},
        {"{\"a\\u0000b\":{}}", 0, "the header is damaged at byte 11: *"},
        {"{\"\xff\":{}}", 0, "the header is damaged at byte 2: *"},
        {"{\"a\":{}}", 0, "tensor 'a' has no dtype"},
        {"{\"a\":{\"dtype\":4}}", 0, "tensor 'a' has no dtype"},
        {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "the header is damaged at byte 27: *"},
        {"{\"a\":{\"dtype\":\"F8_E4M3\"}}", 0, "tensor 'a' has dtype 'F8_E4M3', which is not supported"},
        {"{\"a\":{\"dtype\":\"f32\"}}", 0, "tensor 'a' has dtype 'f32', which is not supported"},
        {"{\"a\":{\"dtype\":\"\\n\\u001b[2J\"}}", 0, "tensor 'a' has dtype '??[2J', which is not supported"},
        {"{\"a\":{\"dtype\":\"F32\"}}", 0, "tensor 'a' has no shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":4}}", 0, "tensor 'a' has no shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":{}}}", 0, "tensor 'a' has no shape"},
        {"{\"a\":" F32("[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, "tensor 'a' has more than 8 dimensions"},
        {"{\"a\":" F32("[-1]", "[0,4]") "}", 4, "tensor 'a' has a dimension that is not a whole number"},
        {"{\"a\":" F32("[1.0]", "[0,4]") "}", 4, "tensor 'a' has a dimension that is not a whole number"},
        {"{\"a\":" F32("[\"1\"]", "[0,4]") "}", 4, "tensor 'a' has a dimension that is not a whole number"},
        {"{\"a\":" F32("[[1]]", "[0,4]") "}", 4, "tensor 'a' has a dimension that is not a whole number"},
        {"{\"a\":" F32("[4294967296,4294967296]", "[0,0]") "}", 0, "tensor 'a' has an impossible size"},
        {"{\"a\":" F32("[9223372036854775807,2]", "[0,0]") "}", 0, "tensor 'a' has an impossible size"},
        {"{\"a\":" F32("[4611686018427387904]", "[0,0]") "}", 0, "tensor 'a' has an impossible size"},
        {"{\"a\":" F32("[9223372036854775808]", "[0,0]") "}", 0, "the header is damaged at byte 48: *"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "tensor 'a' has no pair of data offsets"},
        {"{\"a\":" F32("[1]", "4") "}", 4, "tensor 'a' has no pair of data offsets"},
        {"{\"a\":" F32("[1]", "[]") "}", 4, "tensor 'a' has no pair of data offsets"},
        {"{\"a\":" F32("[1]", "[0]") "}", 4, "tensor 'a' has no pair of data offsets"},
        {"{\"a\":" F32("[1]", "[0,4,4]") "}", 4, "tensor 'a' has no pair of data offsets"},
        {"{\"a\":" F32("[1]", "[0,\"4\"]") "}", 4, "tensor 'a' has no pair of data offsets"},
        {"{\"a\":" F32("[1]", "[0.0,4]") "}", 4, "tensor 'a' has no pair of data offsets"},
        {"{\"a\":" F32("[1]", "[-4,0]") "}", 4, "tensor 'a' has data offsets in the wrong order"},
        {"{\"a\":" F32("[1]", "[4,0]") "}", 4, "tensor 'a' has data offsets in the wrong order"},
        {"{\"a\":" F32("[1]", "[0,4]") "}", 3,
         "tensor 'a' ends at byte 4 of the data, but the file holds only 3: it is truncated or damaged"},
        {"{\"a\":" F32("[1]", "[9223372036854775803,9223372036854775807]") "}", 4,
         "tensor 'a' ends at byte 9223372036854775807 of the data, but the file holds only 4: it is truncated or "
         "damaged"},
        {"{\"a\":" F32("[2]", "[0,4]") "}", 4, "tensor 'a' has 4 bytes of data, its shape needs 8"},
        {"{\"a\":" F32("[0]", "[0,4]") "}", 4, "tensor 'a' has 4 bytes of data, its shape needs 0"},
        {"{\"a\":" F32("[1]", "[0,4]") ",\"a\":" F32("[1]", "[4,8]") "}", 8, "tensor 'a' is there twice"},
        {"{\"a\":" F32("[1]", "[0,4]") ",\"\\u0061\":" F32("[1]", "[4,8]") "}", 8, "tensor 'a' is there twice"},
        {"{\"a\":" F32("[1]", "[0,4]") ",\"b\":" F32("[1]", "[0,4]") "}", 4, "tensor 'b' overlaps another one"},
        {"{\"a\":" F32("[2]", "[0,8]") ",\"b\":" F32("[1]", "[6,10]") "}", 10, "tensor 'b' overlaps another one"},
        {"{\"a\":" F32("[3]", "[0,12]") ",\"b\":" F32("[0]", "[4,4]") "}", 12, "tensor 'b' overlaps another one"},
        {"{\"a\":" F32("[1]", "[4,8]") "}", 8, "tensor 'a' comes after bytes that belong to no tensor"},
        {"{\"a\":" F32("[1]", "[0,4]") ",\"b\":" F32("[1]", "[5,9]") "}", 9,
         "tensor 'b' comes after bytes that belong to no tensor"},
        {"{\"a\":" F32("[1]", "[0,4]") "}", 7, "the tensors end at byte 4 of the data, but the file holds 7"},
        {"{}", 1, "the tensors end at byte 0 of the data, but the file holds 1"},
        {"{\"a\\n\\u009b\xc3\xa4\":" F32("[1]", "[4,0]") "}", 4,
         "tensor 'a??\xc3\xa4' has data offsets in the wrong order"},
    };
    struct pola_error err;

    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        if (load(broken[i].header, broken[i].size, &err) != POLA_ERR_FORMAT)
            fail_msg("%s: no fault was found", broken[i].header);
        if (!matches(err.text, broken[i].text))
            fail_msg("%s: '%s', expected '%s'", broken[i].header, err.text, broken[i].text);
    }
}

static void refuse(const void *data, size_t size, const char *text)
{
    struct pola_error err;
    struct table table = {0};
    unsigned char *file = malloc(size + 1); /* exactly sized for the sanitizers, but never NULL */

    memcpy(file, data, size);
    assert_error(pi_safetensors_load(&table, file, size, &err), err, POLA_ERR_FORMAT, text);
    pi_table_release(&table);
    free(file);
}

static void other_files_are_refused(void **state)
{
    refuse("", 0, "not a safetensors file: it has only 0 bytes");
    refuse("\2\0\0\0\0\0\0", 7, "not a safetensors file: it has only 7 bytes");
    refuse("\0\0\0\0\0\0\0\0", 8, "not a safetensors file: its header does not begin with '{'");
    refuse("\2\0\0\0\0\0\0\0{", 9, "the file is truncated: its header has 2 bytes, the file only 9");
    refuse("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10,
           "not a safetensors file: a header of 18446744073709551615 bytes is more than 100000000");
    refuse("\x01\xe1\xf5\x05\0\0\0\0{}", 10,
           "not a safetensors file: a header of 100000001 bytes is more than 100000000");
    refuse("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16,
           "not a safetensors file: a header of 727905341920923785 bytes is more than 100000000");
}

static void every_truncation_is_refused(void **state)
{
    size_t size;
    unsigned char *file = unit_safetensors(&size, two_tensors, zeros, 30);

    for (size_t n = 0; n < size; n++) {
        struct pola_error err;
        struct table table = {0};
        unsigned char *part = malloc(n ? n : 1);
        memcpy(part, file, n);
        assert_int_equal(pi_safetensors_load(&table, part, n, &err), POLA_ERR_FORMAT);
        pi_table_release(&table);
        free(part);
    }
    free(file);
}

/* Every byte of the header replaced by others: must be good or refused, and never read outside (sanitizers watch). */
static void damaged_bytes_do_no_harm(void **state)
{
    static const unsigned char values[] = {0, ' ', '"', ',', '0', '9', ':', '[', '\\', ']', '{', '}', 0x80, 0xff};
    size_t size, refused = 0;
    unsigned char *file = unit_safetensors(&size, two_tensors, zeros, 30);

    for (size_t at = 0; at < size - 30; at++) {
        unsigned char keep = file[at];
        for (size_t v = 0; v < sizeof values; v++) {
            struct pola_error err;
            struct table table = {0};
            file[at] = values[v];
            refused += pi_safetensors_load(&table, file, size, &err) < 0;
            pi_table_release(&table);
        }
        file[at] = keep;
    }
    assert_true(refused > size);
    free(file);
}

static char *repeat(const char *before, const char *piece, size_t times, const char *after)
{
    size_t n = strlen(piece), b = strlen(before);
    char *text = malloc(b + n * times + strlen(after) + 1);

    memcpy(text, before, b);
    for (size_t i = 0; i < times; i++)
        memcpy(text + b + i * n, piece, n);
    strcpy(text + b + n * times, after);
    return text;
}

static void assert_long_refused(char *header, const char *text)
{
    struct pola_error err;

    assert_int_equal(load(header, 0, &err), POLA_ERR_FORMAT);
    if (!matches(err.text, text))
        fail_msg("'%s', expected '%s'", err.text, text);
    free(header);
}

static void endless_entries_are_refused(void **state)
{
    assert_long_refused(repeat("{\"", "x", 100000, "\":{}}"), "the header is damaged at byte 1: an entry is too long");
    assert_long_refused(repeat("{\"", "\xe2\x82\xac", 40000, "\":{}}"),
                        "the header is damaged at byte 1: an entry is too long");
    assert_long_refused(repeat("{\"a\":{\"b\":[", "[],", 100000, "0]}}"),
                        "the header is damaged at byte 5: an entry is too long");
    assert_long_refused(repeat("{\"__metadata__\":{\"a\":[", "0,", 3000000, "0]}}"),
                        "the header is damaged at byte 16: an entry is too long");
    assert_long_refused(repeat("{\"a\":", "[", 60000, "}"), "the header is damaged at byte 2054: *");
    assert_long_refused(repeat("{\"a\":", "[", 1000, "}"), "the header is damaged at byte 1006: *");
    assert_long_refused(repeat("{", " ", 1000000, "\"a\":{}}"), "tensor 'a' has no dtype");
}

static void long_names_are_cut_in_messages(void **state)
{
    struct pola_error err;
    char *header = repeat("{\"", "x", 5000, "\":{}}"), wanted[256];

    snprintf(wanted, sizeof wanted, "tensor '%.*s' has no dtype", WEIGHT_NAME_SHOWN - 1, header + 2);
    assert_error(load(header, 0, &err), err, POLA_ERR_FORMAT, wanted);
    free(header);
}

static void many_tensors_are_read(void **state)
{
    enum { MANY = 20000 };
    struct pola_error err;
    struct table table = {0};
    size_t size, used = 0;
    char *header = malloc(MANY * 80), name[32];

    for (unsigned i = 0; i < MANY; i++) { /* names in neither order */
        unsigned k = i * 7919 % MANY;
        used += (size_t)sprintf(header + used, "%c\"t%u\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[%u,%u]}",
                                i ? ',' : '{', k, i, i + 1);
    }
    strcpy(header + used, "}");
    void *data = calloc(MANY, 1);
    unsigned char *file = unit_safetensors(&size, header, data, MANY);
    assert_int_equal(pi_safetensors_load(&table, file, size, &err), POLA_OK);
    assert_int_equal(table.count, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        sprintf(name, "t%u", i * 7919 % MANY);
        assert_ptr_equal(pi_table_find(&table, name)->data, file + size - MANY + i);
    }
    pi_table_release(&table);
    free(file);
    free(data);
    free(header);
}

static void every_allocation_may_fail(void **state)
{
    size_t size;
    unsigned char *file = unit_safetensors(&size, two_tensors, zeros, 30);
    int status = POLA_ERR_MEMORY;
    long n;

    for (n = 1; status != POLA_OK; n++) {
        struct pola_error err;
        struct table table = {0};
        pi_alloc_fail_at(n);
        status = pi_safetensors_load(&table, file, size, &err);
        pi_alloc_fail_at(0);
        pi_table_release(&table);
        if (status != POLA_OK)
            assert_error(status, err, POLA_ERR_MEMORY, "not enough memory for the model's table of tensors");
    }
    assert_true(n > 4); /* names, table, metadata, order */
    free(file);
}

static long json_left;

static void *failing_malloc(size_t size)
{
    return json_left-- == 0 ? NULL : malloc(size);
}

/* jansson's own allocations: refused for whatever reason jansson gives, without leak or crash. */
static void every_json_allocation_may_fail(void **state)
{
    size_t size;
    unsigned char *file = unit_safetensors(&size, two_tensors, zeros, 30);
    int status = -1;
    long n;

    json_set_alloc_funcs(failing_malloc, free);
    for (n = 0; status != POLA_OK; n++) {
        struct pola_error err;
        struct table table = {0};
        json_left = n;
        status = pi_safetensors_load(&table, file, size, &err);
        assert_true(status == POLA_OK || status == POLA_ERR_MEMORY || status == POLA_ERR_FORMAT);
        pi_table_release(&table);
    }
    json_set_alloc_funcs(malloc, free);
    assert_true(n > 10);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_tensors_and_metadata),     cmocka_unit_test(unusual_files_are_good),
        cmocka_unit_test(broken_headers_are_explained),   cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(every_truncation_is_refused),    cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(endless_entries_are_refused),    cmocka_unit_test(long_names_are_cut_in_messages),
        cmocka_unit_test(many_tensors_are_read),          cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_json_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
