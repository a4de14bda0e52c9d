/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Error records: text, prefix, cutting, and names made printable.
 */
#include "unit.h"

#include <stdio.h>
#include <string.h>

static void set_writes_code_and_text(void **state)
{
    struct pola_error err;
    int status = pi_err_set(&err, POLA_ERR_IO, "cannot open '%s' (%d)", "a", 7);

    assert_error(status, err, POLA_ERR_IO, "cannot open 'a' (7)");
}

static void set_cuts_long_text(void **state)
{
    struct pola_error err;
    char longer[3000];

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    int status = pi_err_set(&err, POLA_ERR_FORMAT, "%s", longer);
    assert_int_equal(status, POLA_ERR_FORMAT);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, longer, sizeof err.text - 1);
}

static void prefix_goes_in_front(void **state)
{
    struct pola_error err;
    int status = pi_err_set(&err, POLA_ERR_MODEL, "tensor 'a' is missing");

    status = pi_err_prefix(&err, "model '%s'", "x.safetensors");
    assert_error(status, err, POLA_ERR_MODEL, "model 'x.safetensors': tensor 'a' is missing");
}

static void prefix_keeps_percent_signs(void **state)
{
    struct pola_error err;
    int status = pi_err_set(&err, POLA_ERR_MODEL, "%s", "100%s %n");

    status = pi_err_prefix(&err, "%s", "%d");
    assert_error(status, err, POLA_ERR_MODEL, "%d: 100%s %n");
}

static void prefix_cuts_the_end(void **state)
{
    struct pola_error err;
    char longer[1000];

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    int status = pi_err_set(&err, POLA_ERR_MODEL, "%s", longer);
    status = pi_err_prefix(&err, "%s", "0123456789012345678901234567890123456789");
    assert_int_equal(status, POLA_ERR_MODEL);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "0123456789012345678901234567890123456789: xxx", 45);
}

static void prefix_too_long_is_left_out(void **state)
{
    struct pola_error err;
    char longer[2000];

    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    int status = pi_err_set(&err, POLA_ERR_IO, "cause");
    status = pi_err_prefix(&err, "%s", longer);
    assert_error(status, err, POLA_ERR_IO, "cause");
}

static void assert_printable(const char *text, const char *wanted)
{
    char out[256];

    assert_ptr_equal(pi_printable(out, sizeof out, text), out);
    assert_string_equal(out, wanted);
}

static void printable_keeps_plain_text(void **state)
{
    assert_printable("", "");
    assert_printable("a b'c\"~", "a b'c\"~");
    assert_printable("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82",
                     "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x99\x82");
}

static void printable_replaces_controls(void **state)
{
    assert_printable("a\nb\tc\rd\x1b[31m\x7f", "a?b?c?d?[31m?");
    assert_printable("\xc2\x9b"
                     "31m",
                     "?31m"); /* the C1 control that begins an escape sequence */
    assert_printable("\xc2\xa0", "\xc2\xa0");
}

static void printable_replaces_invalid_utf8(void **state)
{
    assert_printable("\x80", "?");                /* continuation without a start */
    assert_printable("\xc3", "?");                /* ends too early */
    assert_printable("\xc3(", "?(");              /* not a continuation */
    assert_printable("\xc0\xaf", "??");           /* overlong */
    assert_printable("\xe0\x80\xaf", "???");      /* overlong */
    assert_printable("\xed\xa0\x80", "???");      /* surrogate */
    assert_printable("\xf4\x90\x80\x80", "????"); /* above U+10FFFF */
    assert_printable("\xff\xfe", "??");
}

static void printable_fits_and_keeps_characters_whole(void **state)
{
    char out[8];

    for (size_t size = 1; size <= sizeof out; size++) {
        memset(out, '#', sizeof out);
        pi_printable(out, size, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac");
        assert_int_equal(strlen(out), (size - 1) / 3 * 3);
        for (size_t i = size; i < sizeof out; i++)
            assert_int_equal(out[i], '#');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_writes_code_and_text),
        cmocka_unit_test(set_cuts_long_text),
        cmocka_unit_test(prefix_goes_in_front),
        cmocka_unit_test(prefix_keeps_percent_signs),
        cmocka_unit_test(prefix_cuts_the_end),
        cmocka_unit_test(prefix_too_long_is_left_out),
        cmocka_unit_test(printable_keeps_plain_text),
        cmocka_unit_test(printable_replaces_controls),
        cmocka_unit_test(printable_replaces_invalid_utf8),
        cmocka_unit_test(printable_fits_and_keeps_characters_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
