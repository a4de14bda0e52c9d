/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Half precisions: all 65536 patterns against values computed with ldexp, and rounding against both neighbours.
 */
#include "unit.h"

#include "tensor/bf16.h"

#include <math.h>
#include <stdlib.h>

/* The value of a pattern with so many exponent and fraction bits. */
static double value_of(unsigned pattern, int exponent_bits, int fraction_bits)
{
    unsigned fraction = pattern & ((1u << fraction_bits) - 1);
    int top = (1 << exponent_bits) - 1, exponent = (int)(pattern >> fraction_bits) & top;
    int bias = top / 2;
    double sign = pattern >> (exponent_bits + fraction_bits) & 1 ? -1 : 1;

    if (exponent == top)
        return fraction ? (double)NAN : sign * HUGE_VAL;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (1u << fraction_bits), exponent - bias - fraction_bits);
}

static void assert_same(float got, double wanted, unsigned pattern)
{
    if (isnan(wanted) ? !isnan(got) : ((double)got != wanted || !signbit(got) != !signbit(wanted)))
        fail_msg("pattern %04x gives %a, expected %a", pattern, (double)got, wanted);
}

static void all_patterns_widen(void **state)
{
    for (unsigned pattern = 0; pattern < 65536; pattern++) {
        assert_same(pi_f16_to_f32((uint16_t)pattern), value_of(pattern, 5, 10), pattern);
        assert_same(pi_bf16_to_f32((uint16_t)pattern), value_of(pattern, 8, 7), pattern);
    }
}

static void bf16_survives_the_round_trip(void **state)
{
    for (unsigned pattern = 0; pattern < 65536; pattern++) {
        int nan = isnan(value_of(pattern, 8, 7));
        unsigned wanted = nan ? pattern | 0x40 : pattern;
        assert_int_equal(pi_f32_to_bf16(pi_bf16_to_f32((uint16_t)pattern)), wanted);
    }
}

static void nan_stays_a_quiet_nan(void **state)
{
    assert_int_equal(pi_f32_to_bf16(pi_f32_from_bits(0x7f800001)), 0x7fc0); /* payload in the low half only */
    assert_int_equal(pi_f32_to_bf16(pi_f32_from_bits(0xff80ffff)), 0xffc0);
    assert_int_equal(pi_f32_to_bf16(pi_f32_from_bits(0x7fffffff)), 0x7fff);
    for (unsigned pattern = 0x7c01; pattern < 0x8000; pattern++)
        assert_true(pi_f32_to_bits(pi_f16_to_f32((uint16_t)pattern)) & 0x400000);
}

/* Between each pattern and the next larger one: just below the middle, the middle, just above. */
static void rounds_to_nearest_even(void **state)
{
    for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000)
        for (unsigned low = 0; low < 0x7f80; low++) {
            uint32_t middle = (sign | low) << 16 | 0x8000;
            unsigned even = low & 1 ? low + 1 : low;
            assert_int_equal(pi_f32_to_bf16(pi_f32_from_bits(middle - 1)), sign | low);
            assert_int_equal(pi_f32_to_bf16(pi_f32_from_bits(middle)), sign | even);
            assert_int_equal(pi_f32_to_bf16(pi_f32_from_bits(middle + 1)), sign | (low + 1));
        }
}

static void nearest_by_distance(void **state)
{
    uint32_t seed = 12345;

    for (int i = 0; i < 100000; i++) {
        seed = seed * 1664525 + 1013904223;
        float value = pi_f32_from_bits(seed);
        if (!isfinite(value))
            continue;
        double got = (double)pi_bf16_to_f32(pi_f32_to_bf16(value));
        double down = (double)pi_f32_from_bits(seed & 0xffff0000),
               up = (double)pi_f32_from_bits((seed & 0xffff0000) + 0x10000);
        double best = fmin(fabs((double)value - down), fabs(up - (double)value));
        if (isfinite(up))
            assert_true(fabs(got - (double)value) == best);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_patterns_widen),    cmocka_unit_test(bf16_survives_the_round_trip),
        cmocka_unit_test(nan_stays_a_quiet_nan), cmocka_unit_test(rounds_to_nearest_even),
        cmocka_unit_test(nearest_by_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
