/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Stored samples to floats and back: nothing is lost, nothing leaves its range.
 */
#include "fake_sr.h"

#include "img/sample.h"

#include <math.h>
#include <string.h>

static const struct sample_format u8 = {.type = SAMPLE_U8, .bands = 1, .white = 255};
static const struct sample_format u16 = {.type = SAMPLE_U16, .bands = 1, .white = 65535};

static void integers_survive(void **state)
{
    for (int v = 0; v < 256; v++) {
        uint8_t in = (uint8_t)v, out = 0;
        float f;
        pi_sample_load(&f, NULL, &in, 1, &u8);
        pi_sample_store(&out, &f, 1, &u8, NULL);
        assert_int_equal(out, v);
    }
    for (int v = 0; v < 65536; v++) {
        uint16_t in = (uint16_t)v, out = 0;
        float f;
        pi_sample_load(&f, NULL, &in, 1, &u16);
        pi_sample_store(&out, &f, 1, &u16, NULL);
        assert_int_equal(out, v);
    }
}

static void results_are_rounded_and_clamped(void **state)
{
    const float in[] = {-0.5f, 0, 0.5f / 255 - 1e-5f, 0.5f / 255 + 1e-5f, 1, 1.5f};
    const uint8_t wanted[] = {0, 0, 0, 1, 255, 255};
    uint8_t out[6];

    pi_sample_store(out, in, 6, &u8, NULL);
    assert_memory_equal(out, wanted, sizeof wanted);
}

static void bands_stay_apart(void **state)
{
    const struct sample_format rgba = {.type = SAMPLE_U8, .bands = 4, .white = 255};
    const struct sample_format ga = {.type = SAMPLE_U16, .bands = 2, .white = 65535};
    const uint8_t in8[] = {1, 2, 3, 4, 250, 251, 252, 253};
    const uint16_t in16[] = {1000, 2000, 60000, 65535};
    uint8_t out8[8];
    uint16_t out16[4];
    float colour[6], alpha[2];

    pi_sample_load(colour, alpha, in8, 2, &rgba);
    assert_true(alpha[0] == 4 && alpha[1] == 253);
    pi_sample_store(out8, colour, 2, &rgba, NULL);
    pi_sample_store_alpha(out8, alpha, 2, &rgba);
    assert_memory_equal(in8, out8, sizeof in8);
    pi_sample_load(colour, alpha, in16, 2, &ga);
    assert_true(alpha[0] == 2000 && alpha[1] == 65535);
    pi_sample_store(out16, colour, 2, &ga, NULL);
    pi_sample_store_alpha(out16, alpha, 2, &ga);
    assert_memory_equal(in16, out16, sizeof in16);
}

static void linear_light_is_seen_as_srgb(void **state)
{
    const struct sample_format linear = {.type = SAMPLE_F32, .bands = 1, .white = 1, .linear = true};
    static float curve[SAMPLE_CURVE];
    const float known[][2] = {{0, 0}, {0.0021f, 0.027132f}, {0.2140411f, 0.5f}, {1, 1}, {7, 1}, {-1, 0}};

    for (int i = 0; i < 6; i++) {
        float f;
        pi_sample_load(&f, NULL, &known[i][0], 1, &linear);
        assert_true(fabsf(f - known[i][1]) < 1e-6f);
    }
    pi_sample_curve(curve);
    for (int i = 0; i <= 100000; i++) {
        float v = (float)i / 100000, f, back;
        pi_sample_load(&f, NULL, &v, 1, &linear);
        pi_sample_store(&back, &f, 1, &linear, curve);
        assert_true(fabsf(back - v) < 4e-7f);
    }
}

static void odd_numbers_are_counted(void **state)
{
    const struct sample_format rgba = {.type = SAMPLE_F32, .bands = 4, .white = 1};
    float pixels[5 * 4] = {0};
    int first;

    assert_int_equal(pi_sample_bad(&first, pixels, 5, &rgba), 0);
    assert_int_equal(first, 5);
    pixels[2 * 4] = pixels[2 * 4 + 1] = NAN;
    pixels[4 * 4 + 3] = -INFINITY;
    assert_int_equal(pi_sample_bad(&first, pixels, 5, &rgba), 2);
    assert_int_equal(first, 2);
    assert_int_equal(pi_sample_bad(&first, pixels, 5, &u8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_survive),        cmocka_unit_test(results_are_rounded_and_clamped),
        cmocka_unit_test(bands_stay_apart),        cmocka_unit_test(linear_light_is_seen_as_srgb),
        cmocka_unit_test(odd_numbers_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
