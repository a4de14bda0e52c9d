/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Names and caps of instruction sets. The cap lives as long as the process: the test of the environment comes first.
 */
#include "unit.h"

#include "base/cpu.h"

#include <stdlib.h>

static const char *const names[] = {"scalar", "avx2", "avx512", "avx512bf16", "amx"};

static void every_level_includes_the_ones_before(void **state)
{
    unsigned before = 0, flags = 0;

    for (int i = 0; i < 5; i++, before = flags) {
        assert_true(pi_cpu_parse(&flags, names[i]));
        assert_int_equal(flags & before, before);
        assert_true(i == 0 || flags != before);
        assert_string_equal(pi_cpu_name(flags), names[i]);
    }
}

static void unknown_names_are_refused(void **state)
{
    unsigned flags = 77;

    assert_false(pi_cpu_parse(&flags, ""));
    assert_false(pi_cpu_parse(&flags, "AVX2"));
    assert_false(pi_cpu_parse(&flags, "avx"));
    assert_false(pi_cpu_parse(&flags, "avx512 "));
    assert_int_equal(flags, 77);
    assert_true(pi_cpu_parse(&flags, "auto"));
    assert_string_equal(pi_cpu_name(flags), "amx");
}

static void a_gap_ends_the_levels(void **state)
{
    assert_string_equal(pi_cpu_name(CPU_AVX512), "scalar");
    assert_string_equal(pi_cpu_name(CPU_AVX2 | CPU_AMX), "avx2");
}

static void environment_caps(void **state)
{
    unsigned all = pi_cpu_detect();

    assert_int_equal(pi_cpu_detect(), all);
    setenv("POLA_CPU", "scalar", 1);
    assert_int_equal(pi_cpu_flags(), 0);
    setenv("POLA_CPU", "avx2", 1);
    assert_int_equal(pi_cpu_flags(), all & CPU_AVX2);
    setenv("POLA_CPU", "nonsense", 1);
    assert_int_equal(pi_cpu_flags(), all);
    unsetenv("POLA_CPU");
    assert_int_equal(pi_cpu_flags(), all);
}

static void call_wins_over_environment(void **state)
{
    struct pola_error err;

    setenv("POLA_CPU", "auto", 1);
    assert_int_equal(pi_cpu_cap("scalar", &err), POLA_OK);
    assert_int_equal(pi_cpu_flags(), 0);
    setenv("POLA_CPU", "scalar", 1);
    assert_int_equal(pi_cpu_cap("auto", &err), POLA_OK);
    assert_int_equal(pi_cpu_flags(), pi_cpu_detect());
    unsetenv("POLA_CPU");
}

static void cap_refuses_what_is_unknown(void **state)
{
    struct pola_error err;

    assert_error(pi_cpu_cap("sse\n9", &err), err, POLA_ERR_ARGUMENT,
                 "unknown cpu 'sse?9': use auto, scalar, avx2, avx512, avx512bf16 or amx");
}

static void cap_refuses_what_is_absent(void **state)
{
    struct pola_error err;
    unsigned flags;

    for (int i = 0; i < 5; i++) {
        assert_true(pi_cpu_parse(&flags, names[i]));
        int wanted = flags & ~pi_cpu_detect() ? POLA_ERR_ARGUMENT : POLA_OK;
        assert_int_equal(pi_cpu_cap(names[i], &err), wanted);
        if (wanted == POLA_OK)
            assert_int_equal(pi_cpu_flags(), flags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_includes_the_ones_before),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(a_gap_ends_the_levels),
        cmocka_unit_test(environment_caps),
        cmocka_unit_test(call_wins_over_environment),
        cmocka_unit_test(cap_refuses_what_is_unknown),
        cmocka_unit_test(cap_refuses_what_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
