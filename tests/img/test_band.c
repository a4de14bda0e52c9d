/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The band engine: tiled equals untiled, whatever the size, format, number of threads and order of requests; the input is
 * read once from top to bottom; failures are told where and once.
 */
#include "fake_sr.h"

#include "base/mem.h"
#include "base/par.h"
#include "img/alpha.h"
#include "img/band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE 16
#define HALO 3
#define STEP (TILE - 2 * HALO)

/* An image in memory, its engine, and what the engine asked for. */
struct rig {
    pola_sr *sr;
    struct band_spec spec;
    struct band *band;
    struct band_source source;
    unsigned char *pixels;
    size_t row_bytes;
    int next;       /* the row that comes next when reading from top to bottom */
    int jumps;      /* times another row was asked for */
    int broken_row; /* reading it fails; -1: none */
    int patience;   /* times "stopped" is denied; -1: always */
};

static int read_rows(void *data, void *rows, int top, int count, struct pola_error *err)
{
    struct rig *rig = data;

    assert_true(top >= 0 && count > 0 && top + count <= rig->spec.height);
    if (rig->broken_row >= top && rig->broken_row < top + count)
        return pi_err_set(err, POLA_ERR_IO, "row %d is broken", rig->broken_row);
    rig->jumps += top != rig->next;
    rig->next = top + count;
    memcpy(rows, rig->pixels + (size_t)top * rig->row_bytes, (size_t)count * rig->row_bytes);
    return POLA_OK;
}

static bool stopped(void *data)
{
    struct rig *rig = data;

    if (rig->patience < 0)
        return false;
    return rig->patience-- == 0;
}

static unsigned noise(unsigned i)
{
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i ^= i >> 4;
    i *= 0x27d4eb2d;
    return i ^ (i >> 15);
}

/* Noise, except that alpha is never 0, so that no colour is replaced. */
static void paint(struct rig *rig)
{
    const struct sample_format *format = &rig->spec.format;
    const size_t samples = (size_t)rig->spec.width * (size_t)rig->spec.height * (size_t)format->bands;

    for (size_t i = 0; i < samples; i++) {
        unsigned v = noise((unsigned)i);
        if (format->bands % 2 == 0 && i % (size_t)format->bands == (size_t)format->bands - 1)
            v |= 1;
        if (format->type == SAMPLE_U8)
            rig->pixels[i] = (unsigned char)v;
        else if (format->type == SAMPLE_U16)
            ((uint16_t *)rig->pixels)[i] = (uint16_t)v;
        else
            ((float *)rig->pixels)[i] = (float)(v % 1001) / 1000 * format->white;
    }
}

static struct sample_format format_of(enum sample_type type, int bands)
{
    static const float white[] = {255, 65535, 1};

    return (struct sample_format){.type = type, .bands = bands, .white = white[type]};
}

static void rig_init(struct rig *rig, pola_sr *sr, int width, int height, struct sample_format format)
{
    *rig = (struct rig){.sr = sr, .broken_row = -1, .patience = -1};
    rig->spec =
        (struct band_spec){.sr = sr, .width = width, .height = height, .format = format, .history = 40, .fade = -1};
    rig->source = (struct band_source){.read = read_rows, .stopped = stopped, .data = rig};
    rig->row_bytes = (size_t)width * pi_sample_pixel_bytes(&format);
    rig->pixels = malloc((size_t)height * rig->row_bytes);
    assert_non_null(rig->pixels);
    paint(rig);
}

static void rig_open(struct rig *rig)
{
    struct pola_error err;

    assert_int_equal(pi_band_new(&rig->band, &rig->spec, &err), POLA_OK);
    rig->next = rig->jumps = 0;
}

static void rig_close(struct rig *rig)
{
    pi_band_free(rig->band);
    rig->band = NULL;
    assert_int_equal(rig->sr->sessions, 0);
}

static void rig_release(struct rig *rig)
{
    rig_close(rig);
    free(rig->pixels);
    pola_sr_unref(rig->sr);
}

static size_t out_row_bytes(const struct rig *rig)
{
    return (size_t)rig->sr->scale * rig->row_bytes;
}

/* Copies a rectangle of the output to its place in a whole output. */
static int ask(struct rig *rig, unsigned char *whole, int left, int top, int width, int height, struct pola_error *err)
{
    size_t at = (size_t)top * out_row_bytes(rig) + (size_t)left * pi_sample_pixel_bytes(&rig->spec.format);

    return pi_band_rows(rig->band, whole + at, out_row_bytes(rig), left, top, width, height, &rig->source, err);
}

/* The whole output, `rows` rows at a time from the top; free() it. */
static unsigned char *run(struct rig *rig, int rows)
{
    const int width = rig->sr->scale * rig->spec.width, height = rig->sr->scale * rig->spec.height;
    unsigned char *whole = calloc((size_t)height, out_row_bytes(rig));
    struct pola_error err;

    assert_non_null(whole);
    rig_open(rig);
    for (int y = 0; y < height; y += rows)
        assert_int_equal(ask(rig, whole, 0, y, width, rows < height - y ? rows : height - y, &err), POLA_OK);
    assert_int_equal(rig->jumps, 0);
    assert_int_equal(rig->next, rig->spec.height);
    rig_close(rig);
    return whole;
}

/* Colours repeated scale times, alpha enlarged as a whole plane. */
static unsigned char *untiled(const struct rig *rig)
{
    const struct sample_format *format = &rig->spec.format;
    const int scale = rig->sr->scale, width = rig->spec.width, height = rig->spec.height;
    const size_t pixel = pi_sample_pixel_bytes(format), row = out_row_bytes(rig);
    unsigned char *whole = malloc((size_t)(scale * height) * row);
    float *alpha = malloc((size_t)width * (size_t)height * sizeof *alpha),
          *line = malloc(sizeof(float) * ((size_t)width + 2 * ALPHA_MARGIN));
    float *large = malloc((size_t)scale * (size_t)width * sizeof *large), colour[3];

    for (int i = 0; i < width * height; i++)
        pi_sample_load(colour, &alpha[i], rig->pixels + (size_t)i * pixel, 1, format);
    for (int y = 0; y < scale * height; y++) {
        for (int x = 0; x < scale * width; x++)
            memcpy(whole + (size_t)y * row + (size_t)x * pixel,
                   rig->pixels + (size_t)(y / scale) * rig->row_bytes + (size_t)(x / scale) * pixel, pixel);
        if (!pi_sample_has_alpha(format))
            continue;
        pi_alpha_enlarge(large, y, alpha, 0, width, height, scale, line);
        pi_sample_store_alpha(whole + (size_t)y * row, large, scale * width, format);
    }
    free(large);
    free(line);
    free(alpha);
    return whole;
}

static void check_exact(int width, int height, struct sample_format format, int scale, int tile, int halo)
{
    struct rig rig;

    rig_init(&rig, fake_sr_new(scale, tile, halo, FAKE_NEAREST), width, height, format);
    unsigned char *tiled = run(&rig, 7), *wanted = untiled(&rig);
    assert_memory_equal(tiled, wanted, (size_t)(scale * height) * out_row_bytes(&rig));
    free(tiled);
    free(wanted);
    rig_release(&rig);
}

static const int sizes[] = {1, 2, TILE - 1, TILE, TILE + 1, TILE + STEP - 1, TILE + STEP, TILE + STEP + 1, 53};
#define SIZES ((int)(sizeof sizes / sizeof sizes[0]))

static void tiled_equals_untiled(void **state)
{
    const int threads[] = {1, 2, 7};

    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++) {
            pi_par_set(threads[(i + j) % 3]);
            check_exact(sizes[i], sizes[j], format_of(SAMPLE_U8, 1 + (i + j) % 4), 2 + (i + 2 * j) % 3, TILE, HALO);
        }
    check_exact(1, 500, format_of(SAMPLE_U8, 3), 4, TILE, HALO);
    check_exact(500, 1, format_of(SAMPLE_U8, 3), 4, TILE, HALO);
    pi_par_set(0);
}

static void all_formats(void **state)
{
    for (int type = SAMPLE_U8; type <= SAMPLE_F32; type++)
        for (int bands = 1; bands <= 4; bands++)
            if (type != SAMPLE_F32 || bands > 2) /* the mean of three equal floats may differ in the last bit */
                check_exact(45, 38, format_of(type, bands), 3, TILE, HALO);
}

static void all_tiles(void **state)
{
    for (int tile = 1; tile <= 20; tile++)
        for (int halo = 0; 2 * halo < tile; halo++)
            check_exact(41, 43, format_of(SAMPLE_U8, 4), 2, tile, halo);
}

/* A network whose windows all disagree, so that each seam counts. */
static void rig_init_place(struct rig *rig, int bands)
{
    rig_init(rig, fake_sr_new(3, TILE, HALO, FAKE_PLACE), 57, 83, format_of(SAMPLE_U16, bands));
}

static void threads_do_not_matter(void **state)
{
    const int threads[] = {2, 3, 5, 7, 16};
    struct rig rig;

    rig_init_place(&rig, 4);
    pi_par_set(1);
    unsigned char *one = run(&rig, 11);
    for (int t = 0; t < 5; t++) {
        pi_par_set(threads[t]);
        unsigned char *many = run(&rig, 11);
        assert_memory_equal(one, many, (size_t)(3 * 83) * out_row_bytes(&rig));
        free(many);
    }
    pi_par_set(0);
    free(one);
    rig_release(&rig);
}

/* The number of threads may change while an engine lives. */
static void threads_may_change(void **state)
{
    struct rig rig;
    struct pola_error err;

    rig_init_place(&rig, 3);
    unsigned char *wanted = run(&rig, 11), *got = calloc((size_t)(3 * 83), out_row_bytes(&rig));
    pi_par_set(2);
    rig_open(&rig);
    for (int y = 0; y < 3 * 83; y++) {
        pi_par_set(1 + y % 9);
        assert_int_equal(ask(&rig, got, 0, y, 3 * 57, 1, &err), POLA_OK);
    }
    pi_par_set(0);
    assert_memory_equal(wanted, got, (size_t)(3 * 83) * out_row_bytes(&rig));
    free(got);
    free(wanted);
    rig_release(&rig);
}

static void order_does_not_matter(void **state)
{
    const int width = 3 * 57, height = 3 * 83;
    struct rig rig;
    struct pola_error err;

    rig_init_place(&rig, 4);
    unsigned char *wanted = run(&rig, 11), *got = calloc((size_t)height, out_row_bytes(&rig));
    rig_open(&rig);
    for (int y = height - 1; y >= 0; y--) /* bottom up */
        assert_int_equal(ask(&rig, got, 0, y, width, 1, &err), POLA_OK);
    assert_memory_equal(wanted, got, (size_t)height * out_row_bytes(&rig));
    for (unsigned i = 0; i < 60; i++) { /* anywhere */
        int left = (int)(noise(4 * i) % (unsigned)width), top = (int)(noise(4 * i + 1) % (unsigned)height);
        int w = 1 + (int)(noise(4 * i + 2) % (unsigned)(width - left));
        int h = 1 + (int)(noise(4 * i + 3) % (unsigned)(height - top));
        memset(got, 0, (size_t)height * out_row_bytes(&rig));
        assert_int_equal(ask(&rig, got, left, top, w, h, &err), POLA_OK);
        for (int y = top; y < top + h; y++) {
            size_t at = (size_t)y * out_row_bytes(&rig) + (size_t)left * 8;
            assert_memory_equal(wanted + at, got + at, (size_t)w * 8);
        }
    }
    free(got);
    free(wanted);
    rig_release(&rig);
}

/* Readers within the history of each other never make the engine go back or run a window twice. */
static void laggards_are_served(void **state)
{
    const int height = 3 * 83;
    struct rig rig;
    struct pola_error err;

    rig_init_place(&rig, 1);
    unsigned char *wanted = run(&rig, 11), *got = calloc((size_t)height, out_row_bytes(&rig));
    int windows = rig.sr->windows;
    rig.spec.history = 100; /* several bands */
    rig_open(&rig);
    for (int y = 0; y < height; y += 100) /* the last strip of every 100 rows first */
        for (int part = 9; part >= 0; part--) {
            int top = y + part * 10;
            if (top < height)
                assert_int_equal(ask(&rig, got, 0, top, 3 * 57, height - top < 10 ? height - top : 10, &err), POLA_OK);
        }
    assert_memory_equal(wanted, got, (size_t)height * out_row_bytes(&rig));
    assert_int_equal(rig.jumps, 0);
    assert_int_equal(rig.sr->windows, 2 * windows);
    free(got);
    free(wanted);
    rig_release(&rig);
}

/* Without any history, and with a fade as long as a band, each row is still reached. */
static void no_history(void **state)
{
    const int height = 3 * 83;
    struct rig rig;
    struct pola_error err;

    rig_init(&rig, fake_sr_new(3, 12, 4, FAKE_PLACE), 20, 83, format_of(SAMPLE_U8, 3));
    rig.spec.history = 0;
    unsigned char *wanted = run(&rig, 11), *got = calloc((size_t)height, out_row_bytes(&rig));
    rig_open(&rig);
    for (int i = 0; i < height; i++) {
        int y = i * 100 % height; /* 100 and 249 have no common divisor */
        assert_int_equal(ask(&rig, got, 0, y, 60, 1, &err), POLA_OK);
    }
    assert_memory_equal(wanted, got, (size_t)height * out_row_bytes(&rig));
    free(got);
    free(wanted);
    rig_release(&rig);
}

/* Rows far below are reached without computing what lies above. */
static void large_gaps_are_skipped(void **state)
{
    struct rig rig;
    struct pola_error err;

    rig_init(&rig, fake_sr_new(2, TILE, HALO, FAKE_NEAREST), 20, 2000, format_of(SAMPLE_U8, 3));
    unsigned char *wanted = untiled(&rig), *got = calloc(4000, out_row_bytes(&rig));
    rig_open(&rig);
    assert_int_equal(ask(&rig, got, 0, 3000, 40, 1, &err), POLA_OK);
    assert_memory_equal(wanted + 3000 * out_row_bytes(&rig), got + 3000 * out_row_bytes(&rig), 40 * 3);
    assert_true(rig.sr->windows <= 4);
    free(got);
    free(wanted);
    rig_release(&rig);
}

/* Where two windows fade into each other, the result goes smoothly from one to the other. */
static void fade_is_smooth(void **state)
{
    struct rig rig;

    rig_init(&rig, fake_sr_new(1, 40, 10, FAKE_PLACE), 60, 1, format_of(SAMPLE_F32, 3));
    memset(rig.pixels, 0, rig.row_bytes);
    float *out = (float *)run(&rig, 1);
    /* Windows at 0 and 20 say 0.3 * x / 40 and 0.3 * (x - 20) / 40; they fade in [20, 40). */
    for (int x = 0; x < 60; x++) {
        float left = 0.3f * (float)x / 40, right = 0.3f * ((float)x - 20) / 40;
        if (x < 20)
            assert_true(out[3 * x] == left);
        else if (x < 40)
            assert_true(out[3 * x] < left && out[3 * x] > right);
        else
            assert_true(out[3 * x] == right);
        assert_true(x == 0 || fabsf(out[3 * x] - out[3 * (x - 1)]) < 0.3f / 40 + 0.15f * 1.6f / 20);
    }
    free(out);
    rig_release(&rig);
}

static void memory_does_not_grow_with_height(void **state)
{
    pola_sr *sr = fake_sr_new(4, 128, 8, FAKE_NEAREST);
    struct band_spec spec = {
        .sr = sr, .width = 4096, .height = 1000, .format = format_of(SAMPLE_U8, 3), .history = 512, .fade = -1};
    struct band_plan low, high;
    struct pola_error err;

    pi_par_set(2);
    assert_int_equal(pi_band_plan(&low, &spec, &err), POLA_OK);
    spec.height += 112 * 1000; /* windows may be a few rows taller: the tile is the limit */
    assert_int_equal(pi_band_plan(&high, &spec, &err), POLA_OK);
    pi_par_set(0);
    assert_true(high.memory < low.memory + low.memory / 20);
    assert_true(low.memory < 100000000);
    assert_int_equal(low.columns, 37);
    assert_int_equal(low.rows, 9);
    assert_int_equal(low.alone, 36);
    pola_sr_unref(sr);
}

static void impossible_plans(void **state)
{
    pola_sr *sr = fake_sr_new(4, 16, 8, FAKE_NEAREST);
    struct band_spec spec = {.sr = sr, .width = 50, .height = 50, .format = format_of(SAMPLE_U8, 3), .fade = -1};
    struct band_plan plan;
    struct pola_error err;

    assert_int_equal(pi_band_plan(&plan, &spec, &err), POLA_ERR_ARGUMENT);
    assert_string_equal(err.text, "tile 16 has no room for a halo of 8 on each side");
    sr->tile = 1 << 20;
    spec.width = spec.height = 1 << 20;
    assert_int_equal(pi_band_plan(&plan, &spec, &err), POLA_ERR_ARGUMENT);
    assert_string_equal(err.text, "tile 1048576 is too large");
    spec.width = 1 << 30;
    assert_int_equal(pi_band_plan(&plan, &spec, &err), POLA_ERR_ARGUMENT);
    pola_sr_unref(sr);
}

static void no_memory(void **state)
{
    struct rig rig;
    struct pola_error err;
    long n = 0;
    int status;

    rig_init_place(&rig, 4);
    pi_par_set(4);
    do {
        pi_alloc_fail_at(++n);
        status = pi_band_new(&rig.band, &rig.spec, &err);
        pi_alloc_fail_at(0);
        if (status < 0) {
            assert_int_equal(err.code, POLA_ERR_MEMORY);
            assert_null(rig.band);
            assert_int_equal(rig.sr->sessions, 0);
        }
    } while (status < 0);
    assert_int_equal(n, 9); /* engine, lanes, buffers, four sessions for one thread, one for all, and success */
    pi_par_set(0);
    rig_release(&rig);
}

/* A window that fails is named; the threads that wait for the same rows are refused without another try. */
static void failing_window(void **state)
{
    unsigned char row[3 * 57 * 8];
    struct rig rig;
    struct pola_error err;

    rig_init(&rig, fake_sr_new(2, TILE, HALO, FAKE_FUSSY), 57, 83, format_of(SAMPLE_U8, 3));
    memset(rig.pixels, 100, 83 * rig.row_bytes);
    rig.pixels[30 * rig.row_bytes + 3 * 40] = 255; /* pixel (40, 30): in windows at 27 and 36, 20 and 30 down */
    for (int threads = 1; threads <= 3; threads++) {
        pi_par_set(threads);
        rig_open(&rig);
        assert_int_equal(pi_band_rows(rig.band, row, sizeof row, 0, 0, 10, 1, &rig.source, &err), POLA_OK);
        assert_int_equal(pi_band_rows(rig.band, row, sizeof row, 0, 55, 10, 1, &rig.source, &err), POLA_ERR_NUMERIC);
        assert_string_equal(err.text, "window of 15 x 16 pixels at (27, 20): the result is not finite");
        int windows = rig.sr->windows;
        assert_int_equal(pi_band_rows(rig.band, row, sizeof row, 0, 60, 10, 1, &rig.source, &err), POLA_ERR_NUMERIC);
        assert_string_equal(err.text, "window of 15 x 16 pixels at (27, 20): the result is not finite");
        assert_int_equal(rig.sr->windows, windows);
        assert_int_equal(pi_band_rows(rig.band, row, sizeof row, 0, 2 * 83 - 1, 10, 1, &rig.source, &err), POLA_OK);
        rig_close(&rig);
    }
    pi_par_set(0);
    rig_release(&rig);
}

static void pixels_that_are_no_numbers(void **state)
{
    float row[4 * 57 * 2];
    struct rig rig;
    struct pola_error err;

    rig_init(&rig, fake_sr_new(2, TILE, HALO, FAKE_NEAREST), 57, 83, format_of(SAMPLE_F32, 4));
    ((float *)rig.pixels)[(40 * 57 + 12) * 4 + 1] = NAN;
    ((float *)rig.pixels)[(41 * 57 + 3) * 4 + 3] = INFINITY;
    rig_open(&rig);
    for (int i = 0; i < 2; i++) {
        int status = pi_band_rows(rig.band, row, sizeof row, 0, 70, 57, 1, &rig.source, &err);
        assert_int_equal(status, POLA_ERR_NUMERIC);
        assert_string_equal(err.text, "pixel (12, 40) is not finite; rows 38 to 47 have 2 such pixels");
    }
    rig_release(&rig);
}

static void broken_source(void **state)
{
    unsigned char row[3 * 57 * 2];
    struct rig rig;
    struct pola_error err;

    rig_init(&rig, fake_sr_new(2, TILE, HALO, FAKE_NEAREST), 57, 300, format_of(SAMPLE_U8, 3));
    rig.broken_row = 77;
    rig_open(&rig);
    assert_int_equal(pi_band_rows(rig.band, row, sizeof row, 0, 150, 10, 1, &rig.source, &err), POLA_ERR_IO);
    assert_string_equal(err.text, "row 77 is broken");
    assert_int_equal(pi_band_rows(rig.band, row, sizeof row, 0, 500, 114, 1, &rig.source, &err), POLA_OK);
    for (int x = 0; x < 114; x++)
        assert_int_equal(row[3 * x], rig.pixels[250 * rig.row_bytes + 3 * (size_t)(x / 2)]);
    rig_release(&rig);
}

/* A stopped engine says so, and works again for whoever asks afterwards. */
static void stop_and_go_on(void **state)
{
    struct rig rig;
    struct pola_error err;

    rig_init_place(&rig, 2);
    unsigned char *wanted = run(&rig, 11), *got = calloc(3 * 83, out_row_bytes(&rig));
    rig_open(&rig);
    pi_par_set(1); /* with more, the calling thread may have little to do and ask less often */
    for (int patience = 20; patience >= 0; patience--) {
        rig.patience = patience;
        assert_int_equal(ask(&rig, got, 0, 0, 3 * 57, 3 * 83, &err), POLA_ERR_IO);
        assert_string_equal(err.text, "stopped");
    }
    pi_par_set(0);
    rig.patience = -1;
    assert_int_equal(ask(&rig, got, 0, 0, 3 * 57, 3 * 83, &err), POLA_OK);
    assert_memory_equal(wanted, got, (size_t)(3 * 83) * out_row_bytes(&rig));
    free(got);
    free(wanted);
    rig_release(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiled_equals_untiled),
        cmocka_unit_test(all_formats),
        cmocka_unit_test(all_tiles),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(threads_may_change),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(laggards_are_served),
        cmocka_unit_test(no_history),
        cmocka_unit_test(large_gaps_are_skipped),
        cmocka_unit_test(fade_is_smooth),
        cmocka_unit_test(memory_does_not_grow_with_height),
        cmocka_unit_test(impossible_plans),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(failing_window),
        cmocka_unit_test(pixels_that_are_no_numbers),
        cmocka_unit_test(broken_source),
        cmocka_unit_test(stop_and_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
