/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Checked sizes, aligned memory, the arena and the failure hook.
 */
#include "unit.h"

#include "base/mem.h"

#include <stdlib.h>

static void sizes_overflow(void **state)
{
    size_t n = 1;

    assert_true(pi_size_mul(&n, SIZE_MAX / 3, 3));
    assert_int_equal(n, SIZE_MAX / 3 * 3);
    assert_false(pi_size_mul(&n, SIZE_MAX / 2 + 1, 2));
    assert_true(pi_size_mul(&n, SIZE_MAX, 0));
    assert_int_equal(n, 0);
    assert_true(pi_size_add(&n, SIZE_MAX - 1, 1));
    assert_int_equal(n, SIZE_MAX);
    assert_false(pi_size_add(&n, SIZE_MAX, 1));
}

static void align_rounds_up(void **state)
{
    assert_int_equal(pi_align_up(0), 0);
    assert_int_equal(pi_align_up(1), PI_ALIGN);
    assert_int_equal(pi_align_up(PI_ALIGN), PI_ALIGN);
    assert_int_equal(pi_align_up(PI_ALIGN + 1), 2 * PI_ALIGN);
}

static void alloc_is_aligned_and_zeroed(void **state)
{
    for (size_t size = 0; size < 300; size += 7) {
        unsigned char *p = pi_alloc(size);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % PI_ALIGN, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(p[i], 0);
        pi_free(p);
    }
    pi_free(NULL);
}

static void impossible_sizes_are_refused(void **state)
{
    assert_null(pi_alloc(SIZE_MAX));
    assert_null(pi_alloc(SIZE_MAX - PI_ALIGN + 1));
}

static void only_the_nth_allocation_fails(void **state)
{
    void *p[4];

    pi_alloc_fail_at(3);
    for (int i = 0; i < 4; i++)
        p[i] = pi_alloc(1);
    assert_non_null(p[0]);
    assert_non_null(p[1]);
    assert_null(p[2]);
    assert_non_null(p[3]);
    for (int i = 0; i < 4; i++)
        pi_free(p[i]);
    pi_alloc_fail_at(1);
    pi_alloc_fail_at(0);
    p[0] = pi_alloc(1);
    assert_non_null(p[0]);
    pi_free(p[0]);
}

static void arena_measures_what_it_cuts(void **state)
{
    struct arena arena = {0};

    for (int pass = 0; pass < 2; pass++) {
        unsigned char *a = pi_arena_cut(&arena, 3, 5), *b = pi_arena_cut(&arena, 0, 8),
                      *c = pi_arena_cut(&arena, 65, 1);
        assert_int_equal(arena.used, PI_ALIGN + 2 * PI_ALIGN);
        assert_false(arena.overflow);
        if (pass == 0) {
            assert_null(a);
            assert_null(b);
            assert_null(c);
            arena = (struct arena){.base = pi_alloc(arena.used)};
        } else {
            assert_ptr_equal(a, arena.base);
            assert_ptr_equal(c, arena.base + PI_ALIGN);
            assert_int_equal((uintptr_t)c % PI_ALIGN, 0);
        }
    }
    pi_free(arena.base);
}

static void arena_notices_overflow(void **state)
{
    struct arena product = {0}, sum = {0};

    assert_null(pi_arena_cut(&product, SIZE_MAX / 2, 3));
    assert_true(product.overflow);
    assert_int_equal(product.used, 0);
    assert_null(pi_arena_cut(&sum, SIZE_MAX / 4 - 1000, 1));
    assert_false(sum.overflow);
    assert_null(pi_arena_cut(&sum, 2000, 1));
    assert_true(sum.overflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_overflow),
        cmocka_unit_test(align_rounds_up),
        cmocka_unit_test(alloc_is_aligned_and_zeroed),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(only_the_nth_allocation_fails),
        cmocka_unit_test(arena_measures_what_it_cuts),
        cmocka_unit_test(arena_notices_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
