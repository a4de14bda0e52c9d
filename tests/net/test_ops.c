/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The operators of the PolaFormer++ block, put together from kernels as the network does it, against the official implementation
 * in double precision (golden/README.md): polarity-aware attention step by step, feed-forward network, layer norm, rotary tables.
 */
#include "golden.h"

#include "base/mem.h"
#include "net/polablock.h"
#include "net/rows.h"
#include "tensor/bf16.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of max |expected|. float32: PyTorch's own float32 is within 1e-6, ten times that is allowed. bfloat16: an operand is off by up
 * to 2^-9 of itself, and a feature exp(k) of a key of 4 by four times that, 0.8 %; up to 0.97 % of the largest value was
 * measured, at every level alike, half as much again is allowed. */
static const double bound[ACT_COUNT] = {1e-5, 1.5e-2};

/* A map of h x w tokens of c channels in the type under test, with `halo` tokens of zeros around and room to over-read. */
struct map {
    unsigned char *base;
    size_t h, w, c, halo, size;
};

static void map_init(struct map *map, size_t h, size_t w, size_t c, size_t halo, enum act act)
{
    size_t tokens = (h + 2 * halo) * (w + 2 * halo);

    *map = (struct map){NULL, h, w, c, halo, pi_act_size(act)};
    map->base = pi_alloc((tokens * c + pi_row_elements(KERN_ROWS, (int)c)) * map->size);
    assert_non_null(map->base);
}

/* Token 0 of row y, which may lie in the halo. */
static void *map_row(const struct map *map, int y)
{
    size_t row = (size_t)(y + (int)map->halo);

    return map->base + (row * (map->w + 2 * map->halo) + map->halo) * map->c * map->size;
}

static void map_from_floats(struct map *map, const float *x, size_t ldx, const struct kern *kern, enum act act)
{
    for (size_t y = 0; y < map->h; y++)
        kern->convert[act](map_row(map, (int)y), map->c, x + y * map->w * ldx, ldx, map->w, (int)map->c);
}

static float *map_to_floats(const struct map *map, enum act act)
{
    float *out = malloc(map->h * map->w * map->c * sizeof *out);

    for (size_t y = 0; y < map->h; y++) {
        const void *row = map_row(map, (int)y);
        for (size_t i = 0; i < map->w * map->c; i++)
            out[y * map->w * map->c + i] = act == ACT_BF16 ? pi_bf16_to_f32(((const uint16_t *)row)[i])
                                                           : ((const float *)row)[i];
    }
    return out;
}

/* y (h, w, n) = x W^T + b, row by row. */
static float *linear(const struct map *x, const float *w, const float *b, int n, const struct kern *kern, enum act act)
{
    const struct gemm *gemm = kern->gemm[act];
    struct gemm_weights weights = {gemm, n, (int)x->c, 1, pi_alloc(gemm->bytes(n, (int)x->c, 1))};
    float *y = malloc(x->h * x->w * (size_t)n * sizeof *y);

    gemm->pack(weights.packed, w, b, n, (int)x->c, 1);
    for (size_t row = 0; row < x->h; row++) {
        const void *a = map_row(x, (int)row);
        gemm->run(y + row * x->w * (size_t)n, (size_t)n, &a, x->c, x->w, &weights);
    }
    pi_free(weights.packed);
    return y;
}

/* (n, size^2) taps as (size^2, n). */
static float *taps(const float *w, size_t n, size_t size)
{
    float *out = malloc(n * size * size * sizeof *out);

    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < size * size; t++)
            out[t * n + i] = w[i * size * size + t];
    return out;
}

static float *planes_to_tokens(const float *planes, size_t c, size_t pixels)
{
    float *out = malloc(c * pixels * sizeof *out);

    for (size_t i = 0; i < pixels; i++)
        for (size_t j = 0; j < c; j++)
            out[i * c + j] = planes[j * pixels + i];
    return out;
}

/* The weight that the fill rule gives to a name. */
static float *filled(const char *name, int dims, const uint64_t *shape)
{
    size_t count = 1;

    for (int d = 0; d < dims; d++)
        count *= shape[d];
    float *out = malloc(count * sizeof *out);
    for (size_t i = 0; i < count; i++)
        out[i] = golden_fill(name, i, dims, shape);
    return out;
}

#define SHAPE(...)                                                                                                     \
    (const uint64_t[])                                                                                                 \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static void expect(const char *what, const char *level, enum act act, const float *got, const float *expected,
                   size_t count)
{
    double e = golden_error(got, expected, count);

    printf("%-32s %-10s %s  error %.2e\n", what, level, act == ACT_F32 ? "fp32" : "bf16", e);
    if (!(e <= bound[act]))
        fail_msg("%s at %s: error %.3g is above %.3g", what, level, e, bound[act]);
}

/* ---- attention ----------------------------------------------------------------------------------------------- */

struct attention {
    size_t c, heads, h, w;
    float *qkvg_w, *qkvg_b, *t1, *t2, *lepe_w, *lepe_b, *proj_w, *proj_b;
    const float *angles; /* (positions, 2, d) */
};

/* Every step of it; tokens (h w, c) unless it says otherwise. */
struct steps {
    float *qkvg; /* (h w, 4c) */
    float *mean; /* (heads, 2d) */
    float *kv;   /* (heads, 2d, d) */
    float *o, *lepe, *gated, *y;
};

static void steps_release(struct steps *steps)
{
    free(steps->qkvg), free(steps->mean), free(steps->kv), free(steps->o);
    free(steps->lepe), free(steps->gated), free(steps->y);
}

static void attend(struct steps *steps, const struct map *q, const struct map *k, const struct map *v,
                   const struct attention *a, const struct kern *kern, enum act act)
{
    size_t d = a->c / a->heads, tokens = a->h * a->w;
    const struct rope rope = {a->angles};
    const struct pacs_params params = {(int)a->heads, (int)d, a->t1, a->t2};
    struct pacs_state state = {steps->kv = calloc(2 * a->c * d, sizeof(float)),
                               steps->mean = calloc(2 * a->c, sizeof(float))};

    for (int y = 0; y < (int)a->h; y++)
        kern->pacs_key[act](&state, map_row(k, y), map_row(v, y), a->w, y, &rope, &params);
    for (size_t i = 0; i < 2 * a->c * d; i++)
        state.kv[i] /= (float)tokens;
    for (size_t i = 0; i < 2 * a->c; i++)
        state.mean[i] /= (float)tokens;
    steps->o = malloc(tokens * a->c * sizeof(float));
    for (int y = 0; y < (int)a->h; y++)
        kern->pacs_query[act](steps->o + (size_t)y * a->w * a->c, map_row(q, y), &state, a->w, y, &rope, &params);
}

/* (o + LePE(v)) g */
static float *gate(const float *o, const struct map *v, const struct map *g, const struct attention *a,
                   const struct kern *kern, enum act act)
{
    struct map out;
    float *result;

    map_init(&out, a->h, a->w, a->c, 0, act);
    for (int y = 0; y < (int)a->h; y++) {
        const void *const rows[5] = {map_row(v, y - 2), map_row(v, y - 1), map_row(v, y), map_row(v, y + 1),
                                     map_row(v, y + 2)};
        kern->lepe_gate[act](map_row(&out, y), o + (size_t)y * a->w * a->c, rows, map_row(g, y), a->lepe_w, a->lepe_b,
                             a->w, (int)a->c);
    }
    result = map_to_floats(&out, act);
    pi_free(out.base);
    return result;
}

static void run_attention(struct steps *steps, const float *input, const struct attention *a, const struct kern *kern,
                          enum act act)
{
    struct map x, q, k, v, g, ones, gated;
    struct map *const parts[] = {&q, &k, &v, &g};
    size_t count = a->h * a->w * a->c;
    float *one = malloc(count * sizeof *one), *zero = calloc(count, sizeof *zero);

    for (size_t i = 0; i < count; i++)
        one[i] = 1.0f;
    kern->begin();
    map_init(&x, a->h, a->w, a->c, 0, act);
    map_from_floats(&x, input, a->c, kern, act);
    steps->qkvg = linear(&x, a->qkvg_w, a->qkvg_b, (int)(4 * a->c), kern, act);
    for (size_t i = 0; i < 4; i++) {
        map_init(parts[i], a->h, a->w, a->c, 2, act);
        map_from_floats(parts[i], steps->qkvg + i * a->c, 4 * a->c, kern, act);
    }
    attend(steps, &q, &k, &v, a, kern, act);
    map_init(&ones, a->h, a->w, a->c, 0, act);
    map_from_floats(&ones, one, a->c, kern, act);
    steps->lepe = gate(zero, &v, &ones, a, kern, act);
    steps->gated = gate(steps->o, &v, &g, a, kern, act);
    map_init(&gated, a->h, a->w, a->c, 0, act);
    map_from_floats(&gated, steps->gated, a->c, kern, act);
    steps->y = linear(&gated, a->proj_w, a->proj_b, (int)a->c, kern, act);
    kern->end();
    pi_free(x.base), pi_free(q.base), pi_free(k.base), pi_free(v.base), pi_free(g.base);
    pi_free(ones.base), pi_free(gated.base);
    free(one), free(zero);
}

static void sigmoid(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(1.0 / (1.0 + exp(-(double)x[i])));
}

static void attention_init(struct attention *a, size_t c, size_t heads, size_t h, size_t w)
{
    size_t d = c / heads;

    *a = (struct attention){.c = c, .heads = heads, .h = h, .w = w};
    a->qkvg_w = filled("qkvg.weight", 2, SHAPE(4 * c, c));
    a->qkvg_b = filled("qkvg.bias", 1, SHAPE(4 * c));
    a->t1 = filled("s1", 4, SHAPE(1, heads, 1, 2 * d));
    a->t2 = filled("s2", 4, SHAPE(1, heads, 1, 2 * d));
    float *lepe = filled("lepe.weight", 4, SHAPE(c, 1, 5, 5));
    a->lepe_w = taps(lepe, c, 5);
    a->lepe_b = filled("lepe.bias", 1, SHAPE(c));
    a->proj_w = filled("proj.weight", 2, SHAPE(c, c));
    a->proj_b = filled("proj.bias", 1, SHAPE(c));
    sigmoid(a->t1, 2 * c);
    sigmoid(a->t2, 2 * c);
    free(lepe);
}

static void attention_release(struct attention *a)
{
    free(a->qkvg_w), free(a->qkvg_b), free(a->t1), free(a->t2);
    free(a->lepe_w), free(a->lepe_b), free(a->proj_w), free(a->proj_b);
}

/* The rotary tables that a window makes; *memory is to be freed with pi_free. */
static const float *window_angles(void **memory, size_t c, size_t heads, int w, int h)
{
    struct kern kern;
    struct block_window window;
    struct block_rows rows;
    struct arena arena = {0};

    pi_kern_init(&kern, 0);
    const struct block_shape shape = {{(int)c, (int)heads, (int)c}, &kern, ACT_F32};
    pi_block_window_layout(&window, &arena, &shape, w, h, &rows, 1);
    *memory = pi_alloc(arena.used);
    assert_non_null(*memory);
    arena = (struct arena){.base = *memory};
    pi_block_window_layout(&window, &arena, &shape, w, h, &rows, 1);
    pi_block_window_prepare(&window, &shape);
    return window.rope.cos_sin;
}

/* Golden tensor `name` of the case against got, whose element i of row r is got[r * ld + i]. */
static void expect_golden(const pola_model *golden, const char *label, const char *name, const char *level,
                          enum act act, const float *got, size_t width, size_t ld)
{
    char what[80];
    size_t count;
    float *expected = golden_read(golden, name, &count), *packed = malloc(count * sizeof *packed);

    for (size_t i = 0; i < count; i++)
        packed[i] = got[i / width * ld + i % width];
    snprintf(what, sizeof what, "%s %s", label, name);
    expect(what, level, act, packed, expected, count);
    free(expected);
    free(packed);
}

static const struct {
    const char *name;
    size_t c, heads, h, w;
} attention_cases[] = {
    {"ops_pola_attn_c48h3", 48, 3, 5, 7},
    {"ops_pola_attn_c64h1", 64, 1, 6, 6},
    {"ops_pola_attn_c96h1", 96, 1, 4, 5},
    {"ops_pola_attn_sr_c48h4", 48, 4, 5, 7},
};

static void check_attention(const pola_model *golden, const char *label, const struct attention *a, const float *input,
                            const struct golden_level *level, enum act act)
{
    static const char *const parts[] = {"mid.q", "mid.k", "mid.v", "mid.g"};
    size_t d = a->c / a->heads, c = a->c;
    struct kern kern;
    struct steps steps;

    pi_kern_init(&kern, level->flags);
    run_attention(&steps, input, a, &kern, act);
    for (size_t i = 0; i < 4; i++)
        expect_golden(golden, label, parts[i], level->name, act, steps.qkvg + i * c, c, 4 * c);
    expect_golden(golden, label, "mid.k_mean", level->name, act, steps.mean, 2 * d, 2 * d);
    expect_golden(golden, label, "mid.kv_sim", level->name, act, steps.kv, d / 2, d);
    expect_golden(golden, label, "mid.kv_opp", level->name, act, steps.kv + d / 2, d / 2, d);
    expect_golden(golden, label, "mid.attn", level->name, act, steps.o, c, c);
    expect_golden(golden, label, "mid.lepe", level->name, act, steps.lepe, c, c);
    expect_golden(golden, label, "mid.pre_proj", level->name, act, steps.gated, c, c);
    float *output = golden_read(golden, "output", NULL), *tokens = planes_to_tokens(output, c, a->h * a->w);
    expect("output", level->name, act, steps.y, tokens, c * a->h * a->w);
    free(output), free(tokens);
    steps_release(&steps);
}

static void test_attention(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof attention_cases / sizeof attention_cases[0]; i++) {
        size_t c = attention_cases[i].c, h = attention_cases[i].h, w = attention_cases[i].w;
        pola_model *golden = golden_open(attention_cases[i].name);
        float *planes = golden_read(golden, "input", NULL), *input = planes_to_tokens(planes, c, h * w);
        struct attention a;
        void *memory;
        attention_init(&a, c, attention_cases[i].heads, h, w);
        a.angles = window_angles(&memory, c, a.heads, (int)w, (int)h);
        for (size_t l = 0; l < 5; l++)
            for (int act = 0; golden_has(&golden_levels[l]) && act < ACT_COUNT; act++)
                check_attention(golden, attention_cases[i].name, &a, input, &golden_levels[l], (enum act)act);
        pi_free(memory);
        attention_release(&a);
        free(planes), free(input);
        pola_model_unref(golden);
    }
}

/* ---- the worked example: 2 x 2 tokens of 8 channels, one head, weights from sines ------------------------------ */

static const float example[4][8] = {
    {6.403528f, 8.277990f, -9.647084f, 0.006300f, -0.733622f, 0.295060f, 0.331261f, -0.525789f},
    {-0.234405f, 6.702444f, -11.886235f, -0.006749f, -0.779997f, -0.115139f, 0.395916f, -0.473006f},
    {-5.702667f, 3.492516f, -7.872933f, -0.935926f, 0.033987f, -0.535845f, -0.154224f, -0.526133f},
    {-8.898264f, 1.312842f, -6.682927f, -2.204240f, -0.107956f, -0.825834f, -0.142879f, -0.832994f},
};
/* Its first token when nothing is rotated. */
static const float example_unrotated[8] = {6.403227f,  8.278499f, -9.647043f, 0.006236f,
                                           -0.833174f, 0.322228f, 0.416469f,  -0.559863f};

static void example_init(struct attention *a, float *input)
{
    enum { C = 8 };

    *a = (struct attention){.c = C, .heads = 1, .h = 2, .w = 2};
    a->qkvg_w = malloc(4 * C * C * sizeof(float));
    a->qkvg_b = malloc(4 * C * sizeof(float));
    a->t1 = malloc(2 * C * sizeof(float));
    a->t2 = malloc(2 * C * sizeof(float));
    a->lepe_w = malloc(25 * C * sizeof(float));
    a->lepe_b = malloc(C * sizeof(float));
    a->proj_w = calloc(C * C, sizeof(float));
    a->proj_b = calloc(C, sizeof(float));
    for (int c = 0; c < C; c++) {
        for (int n = 0; n < 4; n++)
            input[n * C + c] = (float)cos(0.4 * (4 * c + n));
        for (int r = 0; r < 4 * C; r++)
            a->qkvg_w[r * C + c] = (float)sin(0.3 * (r + 1) * (c + 1));
        for (int t = 0; t < 25; t++)
            a->lepe_w[t * C + c] = (float)sin(0.11 * (c * 25 + t));
        a->lepe_b[c] = (float)sin(0.7 * c + 2.0);
        a->proj_w[c * C + c] = 1.0f;
    }
    for (int r = 0; r < 4 * C; r++)
        a->qkvg_b[r] = (float)cos(0.5 * r);
    for (int i = 0; i < 2 * C; i++) {
        a->t1[i] = (float)sin(0.7 * i);
        a->t2[i] = (float)sin(0.7 * i + 1.0);
    }
    sigmoid(a->t1, 2 * C);
    sigmoid(a->t2, 2 * C);
}

static void test_example(void **state)
{
    static const float unrotated[2 + 1][2][8] = {{{1, 1, 1, 1, 1, 1, 1, 1}}, {{1, 1, 1, 1, 1, 1, 1, 1}}, {{0}}};
    struct attention a;
    float input[4 * 8];
    void *memory;

    (void)state;
    example_init(&a, input);
    const float *rotated = window_angles(&memory, 8, 1, 2, 2);
    for (size_t l = 0; l < 5; l++)
        for (int act = 0; golden_has(&golden_levels[l]) && act < ACT_COUNT; act++) {
            struct kern kern;
            struct steps steps;
            pi_kern_init(&kern, golden_levels[l].flags);
            a.angles = rotated;
            run_attention(&steps, input, &a, &kern, (enum act)act);
            expect("example", golden_levels[l].name, (enum act)act, steps.y, example[0], 32);
            steps_release(&steps);
            a.angles = unrotated[0][0];
            run_attention(&steps, input, &a, &kern, (enum act)act);
            expect("example, not rotated", golden_levels[l].name, (enum act)act, steps.y, example_unrotated, 8);
            steps_release(&steps);
        }
    pi_free(memory);
    attention_release(&a);
}

/* ---- feed-forward network and layer norm ------------------------------------------------------------------------ */

struct ffn {
    float *fc1_w, *fc1_b, *dw_w, *dw_b, *fc2_w, *fc2_b;
};

static void check_ffn(const pola_model *golden, const float *input, const struct ffn *w,
                      const struct golden_level *level, enum act act)
{
    enum { C = 32, F = 112, H = 5, W = 6 };
    struct kern kern;
    struct map x, u, mixed;

    pi_kern_init(&kern, level->flags);
    kern.begin();
    map_init(&x, H, W, C, 0, act);
    map_init(&u, H, W, F, 1, act);
    map_init(&mixed, H, W, F, 0, act);
    map_from_floats(&x, input, C, &kern, act);
    float *hidden = linear(&x, w->fc1_w, w->fc1_b, F, &kern, act);
    for (int y = 0; y < H; y++)
        kern.gelu[act](map_row(&u, y), hidden + y * W * F, W * F);
    for (int y = 0; y < H; y++) {
        const void *const rows[3] = {map_row(&u, y - 1), map_row(&u, y), map_row(&u, y + 1)};
        kern.dwconv3x3[act](map_row(&mixed, y), rows, w->dw_w, w->dw_b, W, F);
    }
    float *out = linear(&mixed, w->fc2_w, w->fc2_b, C, &kern, act);
    kern.end();
    float *gelu = map_to_floats(&u, act), *fc2_in = map_to_floats(&mixed, act);
    float *planes = golden_read(golden, "mid.gelu_nchw", NULL), *expected = planes_to_tokens(planes, F, H * W);
    expect_golden(golden, "ops_ffn", "mid.fc1", level->name, act, hidden, F, F);
    expect("ops_ffn mid.gelu", level->name, act, gelu, expected, H * W * F);
    expect_golden(golden, "ops_ffn", "mid.fc2_in", level->name, act, fc2_in, F, F);
    free(planes), free(expected);
    planes = golden_read(golden, "output", NULL), expected = planes_to_tokens(planes, C, H * W);
    expect("ops_ffn output", level->name, act, out, expected, H * W * C);
    free(planes), free(expected), free(gelu), free(fc2_in), free(hidden), free(out);
    pi_free(x.base), pi_free(u.base), pi_free(mixed.base);
}

static void test_ffn(void **state)
{
    pola_model *golden = golden_open("ops_ffn");
    float *planes = golden_read(golden, "input", NULL), *input = planes_to_tokens(planes, 32, 30);
    float *dw = filled("dwconv.weight", 4, SHAPE(112, 1, 3, 3));
    struct ffn w = {filled("fc1.weight", 2, SHAPE(112, 32)),
                    filled("fc1.bias", 1, SHAPE(112)),
                    taps(dw, 112, 3),
                    filled("dwconv.bias", 1, SHAPE(112)),
                    filled("fc2.weight", 2, SHAPE(32, 112)),
                    filled("fc2.bias", 1, SHAPE(32))};

    (void)state;
    for (size_t l = 0; l < 5; l++)
        for (int act = 0; golden_has(&golden_levels[l]) && act < ACT_COUNT; act++)
            check_ffn(golden, input, &w, &golden_levels[l], (enum act)act);
    free(planes), free(input), free(dw);
    free(w.fc1_w), free(w.fc1_b), free(w.dw_w), free(w.dw_b), free(w.fc2_w), free(w.fc2_b);
    pola_model_unref(golden);
}

static void test_layernorm(void **state)
{
    enum { C = 24, H = 3, W = 5 };
    pola_model *golden = golden_open("ops_layernorm2d");
    float *planes = golden_read(golden, "input", NULL), *input = planes_to_tokens(planes, C, H * W);
    float *out_planes = golden_read(golden, "output", NULL), *expected = planes_to_tokens(out_planes, C, H * W);
    float *w = filled("norm.weight", 1, SHAPE(C)), *b = filled("norm.bias", 1, SHAPE(C));

    (void)state;
    for (size_t l = 0; l < 5; l++)
        for (int act = 0; golden_has(&golden_levels[l]) && act < ACT_COUNT; act++) {
            struct kern kern;
            struct map x, y;
            pi_kern_init(&kern, golden_levels[l].flags);
            map_init(&x, H, W, C, 0, (enum act)act);
            map_init(&y, H, W, C, 0, (enum act)act);
            map_from_floats(&x, input, C, &kern, (enum act)act);
            kern.layernorm[act](map_row(&y, 0), map_row(&x, 0), w, b, H * W, C, 1e-6f);
            float *got = map_to_floats(&y, (enum act)act);
            expect("ops_layernorm2d output", golden_levels[l].name, (enum act)act, got, expected, H * W * C);
            free(got);
            pi_free(x.base), pi_free(y.base);
        }
    free(planes), free(input), free(out_planes), free(expected), free(w), free(b);
    pola_model_unref(golden);
}

/* ---- rotary tables ------------------------------------------------------------------------------------------- */

/* Beyond 16 frequencies the reference forms the exponents of its float32 ladder in another order. */
static double angle_error(size_t d)
{
    return d <= 32 ? 0.0 : 7e-7;
}

/* The tables of a vector of 2d, `columns` wide, from token 0 of row `first` on. */
static void check_tables(const pola_model *golden, const char *suffix, size_t d, size_t columns, size_t first)
{
    char name[32];
    void *memory;
    size_t count;

    snprintf(name, sizeof name, "output.cos%s", suffix);
    float *cosines = golden_read(golden, name, &count);
    snprintf(name, sizeof name, "output.sin%s", suffix);
    float *sines = golden_read(golden, name, NULL);
    size_t rows = first + count / (2 * d) / columns;
    const float *angles = window_angles(&memory, d, 1, (int)columns, (int)rows);

    for (size_t i = 0; i < count; i++) {
        size_t token = i / (2 * d), channel = i % d, row = first + token / columns, column = token % columns;
        const float *at = angles + (i % (2 * d) < d ? row : column) * 2 * d + channel;
        double sine = (double)at[d] * (channel % 2 ? 1.0 : -1.0);
        double most = 1e-7 + angle_error(d) * (double)(row > column ? row : column);
        if (fabs((double)at[0] - (double)cosines[i]) > most || fabs(sine - (double)sines[i]) > most)
            fail_msg("%s, token %zu, channel %zu: (%.9g, %.9g), expected (%.9g, %.9g)", suffix, token, i % (2 * d),
                     (double)at[0], sine, (double)cosines[i], (double)sines[i]);
    }
    free(cosines), free(sines);
    pi_free(memory);
}

static void test_rope(void **state)
{
    static const size_t widths[] = {12, 16, 24, 32, 48, 64, 96, 128};
    pola_model *golden = golden_open("ops_rope");

    (void)state;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        char name[32];
        void *memory;
        size_t d;
        snprintf(name, sizeof name, "output.angle%zu", widths[i]);
        float *expected = golden_read(golden, name, &d);
        const float *angles = window_angles(&memory, d, 1, 2, 2) + 2 * d; /* position 1 */
        for (size_t j = 0; j < d; j++) {
            double most = 1e-7 + angle_error(d) * (double)expected[j];
            assert_true(fabs((double)angles[j] - cos((double)expected[j])) <= most);
            assert_true(fabs((double)fabsf(angles[d + j]) - sin((double)expected[j])) <= most);
        }
        free(expected);
        pi_free(memory);
    }
    check_tables(golden, "32_5x7", 16, 7, 0);
    check_tables(golden, "64_5x7", 32, 7, 0);
    check_tables(golden, "24_4x3", 12, 3, 0);
    check_tables(golden, "192_3x4", 96, 4, 0);
    check_tables(golden, "64_row300", 32, 2, 300);
    pola_model_unref(golden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_attention), cmocka_unit_test(test_example),
                                       cmocka_unit_test(test_ffn), cmocka_unit_test(test_layernorm),
                                       cmocka_unit_test(test_rope)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
