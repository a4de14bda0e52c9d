/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The two sweeps of the PolaFormer++ block over a window. See polablock.h.
 */
#include "net/polablock.h"

#include "base/par.h"
#include "net/rows.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LN_EPS 1e-6f

static int groups_of(int height)
{
    return (height + ROW_GROUP - 1) / ROW_GROUP;
}

static size_t state_floats(const struct block_config *config)
{
    return 2 * (size_t)config->c * (size_t)(config->c / config->heads); /* h * 2d * d */
}

static void layout_rows(struct block_rows *rows, struct arena *arena, const struct block_shape *shape, int width)
{
    size_t c = (size_t)shape->config.c, f = (size_t)shape->config.ffn, w = (size_t)width,
           size = pi_act_size(shape->act);

    rows->norm = pi_arena_cut(arena, pi_row_elements(pi_row_tokens(width), shape->config.c), size);
    rows->qkvg = pi_arena_cut(arena, ROW_BLOCK * 4 * c, sizeof(float));
    rows->k = pi_arena_cut(arena, w * c, size);
    rows->o = pi_arena_cut(arena, w * c, sizeof(float));
    rows->gated = pi_arena_cut(arena, pi_row_elements(ROW_BLOCK, shape->config.c), size);
    rows->delta = pi_arena_cut(arena, ROW_BLOCK * c, sizeof(float));
    rows->hidden = pi_arena_cut(arena, ROW_BLOCK * f, sizeof(float));
    rows->mixed = pi_arena_cut(arena, pi_row_elements(ROW_BLOCK, shape->config.ffn), size);
    for (int i = 0; i < 3; i++) {
        rows->x[i] = pi_arena_cut(arena, w * c, size);
        rows->u[i] = pi_arena_cut(arena, (w + 2) * f, size);
    }
}

void pi_block_window_layout(struct block_window *window, struct arena *arena, const struct block_shape *shape,
                            int width, int height, struct block_rows *rows, int workers)
{
    const struct block_config *config = &shape->config;
    size_t c = (size_t)config->c, w = (size_t)width, h = (size_t)height, size = pi_act_size(shape->act);
    size_t widest = (size_t)(config->ffn > config->c ? config->ffn : config->c);
    size_t positions = (w > h ? w : h) + 1, groups = (size_t)groups_of(height), state = state_floats(config);

    window->width = width;
    window->height = height;
    window->x = pi_arena_cut(arena, h * (w + 2) * c + pi_row_elements(KERN_ROWS, config->c), size);
    window->y = pi_arena_cut(arena, h * w, c * size);
    window->q = pi_arena_cut(arena, h * w, c * size);
    window->g = pi_arena_cut(arena, h * w, c * size);
    window->v = pi_arena_cut(arena, h * (w + 4), c * size);
    window->zeros = pi_arena_cut(arena, w + 4, widest * sizeof(float));
    window->group_kv = pi_arena_cut(arena, groups, state * sizeof(float));
    window->group_mean = pi_arena_cut(arena, groups, 2 * c * sizeof(float));
    window->kv = pi_arena_cut(arena, state, sizeof(float));
    window->mean = pi_arena_cut(arena, 2 * c, sizeof(float));
    window->angles = pi_arena_cut(arena, positions * 2, c / (size_t)config->heads * sizeof(float));
    window->rope.cos_sin = window->angles;
    window->rows = rows;
    window->workers = workers;
    for (int i = 0; i < workers; i++)
        layout_rows(&rows[i], arena, shape, width);
}

/* theta_j = 10000^(-j/(count-1)), both ends of the ladder included; in float32 step by step, as models were trained with. */
static double rope_angle(size_t j, size_t count)
{
    float step = count > 1 ? 1.0f / (float)(count - 1) : 0.0f;
    float exponent = j < count / 2 ? (float)j * step : 1.0f - (float)(count - 1 - j) * step;

    return (double)(1.0f / (float)pow(10000.0, count > 1 ? (double)exponent : 0.0));
}

void pi_block_window_prepare(struct block_window *window, const struct block_shape *shape)
{
    size_t d = (size_t)(shape->config.c / shape->config.heads), count = d / 2;
    size_t positions = (size_t)(window->width > window->height ? window->width : window->height);

    for (size_t position = 0; position < positions; position++)
        for (size_t j = 0; j < count; j++) {
            double angle = (double)position * rope_angle(j, count);
            float *cosine = window->angles + position * 2 * d + 2 * j, *sine = cosine + d;
            cosine[0] = cosine[1] = (float)cos(angle);
            sine[0] = (float)-sin(angle);
            sine[1] = (float)sin(angle);
        }
}

static void *act_at(const void *base, size_t elements, enum act act)
{
    return (unsigned char *)(uintptr_t)base + elements * pi_act_size(act);
}

void *pi_block_window_row(const struct block_window *window, const struct block_shape *shape, int y)
{
    return act_at(window->x, ((size_t)y * ((size_t)window->width + 2) + 1) * (size_t)shape->config.c, shape->act);
}

/* One run of a block: what its jobs share. */
struct run {
    const struct polablock *block;
    const struct block_shape *shape;
    struct block_window *window;
    int rows_per_job;
};

/* Row y of v, token 0; a row of zeros outside the window. */
static const void *value_row(const struct run *run, int y)
{
    const struct block_window *window = run->window;
    size_t c = (size_t)run->shape->config.c, ld = ((size_t)window->width + 4) * c;
    int inside = y >= 0 && y < window->height;

    return act_at(inside ? window->v : window->zeros, (inside ? (size_t)y * ld : 0) + 2 * c, run->shape->act);
}

/* Positions of row y: window->x -> window->y. */
static void positions(const struct run *run, int y)
{
    const struct block_window *window = run->window;
    const struct block_shape *shape = run->shape;
    size_t c = (size_t)shape->config.c, w = (size_t)window->width;
    const void *zeros = act_at(window->zeros, c, shape->act);
    const void *const rows[3] = {
        y > 0 ? pi_block_window_row(window, shape, y - 1) : zeros,
        pi_block_window_row(window, shape, y),
        y + 1 < window->height ? pi_block_window_row(window, shape, y + 1) : zeros,
    };

    shape->kern->dwconv3x3[shape->act](act_at(window->y, (size_t)y * w * c, shape->act), rows, run->block->pos_w,
                                       run->block->pos_b, w, (int)c);
}

/* Tokens of the block of a row that starts at token x. */
static size_t block_tokens(size_t x, size_t width)
{
    return width - x < ROW_BLOCK ? width - x : ROW_BLOCK;
}

static struct pacs_params params_of(const struct run *run)
{
    const struct block_config *config = &run->shape->config;

    return (struct pacs_params){config->heads, config->c / config->heads, run->block->t1, run->block->t2};
}

/* Projects row y: q, v and g go to the window's planes, k to rows->k. */
static void project(const struct run *run, struct block_rows *rows, int y)
{
    const struct block_shape *shape = run->shape;
    const struct kern *kern = shape->kern;
    struct block_window *window = run->window;
    size_t c = (size_t)shape->config.c, w = (size_t)window->width, row = (size_t)y;
    enum act act = shape->act;

    kern->layernorm[act](rows->norm, act_at(window->y, row * w * c, act), run->block->norm1_w, run->block->norm1_b, w,
                         (int)c, LN_EPS);
    for (size_t x = 0; x < w; x += ROW_BLOCK) {
        size_t n = block_tokens(x, w);
        const void *norm = act_at(rows->norm, x * c, act);
        run->block->qkvg.gemm->run(rows->qkvg, 4 * c, &norm, c, n, &run->block->qkvg);
        kern->convert[act](act_at(window->q, (row * w + x) * c, act), c, rows->qkvg, 4 * c, n, (int)c);
        kern->convert[act](act_at(rows->k, x * c, act), c, rows->qkvg + c, 4 * c, n, (int)c);
        kern->convert[act](act_at(window->v, (row * (w + 4) + 2 + x) * c, act), c, rows->qkvg + 2 * c, 4 * c, n,
                           (int)c);
        kern->convert[act](act_at(window->g, (row * w + x) * c, act), c, rows->qkvg + 3 * c, 4 * c, n, (int)c);
    }
}

/* Rows [first, last) of the first sweep: q, v and g of every token, and the KV state of each group of rows. */
static void keys(void *data, int job, int worker)
{
    const struct run *run = data;
    const struct block_shape *shape = run->shape;
    struct block_window *window = run->window;
    struct block_rows *rows = &window->rows[worker];
    size_t c = (size_t)shape->config.c, state = state_floats(&shape->config);
    const struct pacs_params params = params_of(run);
    int first = job * run->rows_per_job, last = first + run->rows_per_job;

    shape->kern->begin();
    for (int y = first; y < last && y < window->height; y++) {
        size_t group = (size_t)y / ROW_GROUP;
        struct pacs_state sums = {window->group_kv + group * state, window->group_mean + group * 2 * c};
        if (y % ROW_GROUP == 0) {
            memset(sums.kv, 0, state * sizeof(float));
            memset(sums.mean, 0, 2 * c * sizeof(float));
        }
        positions(run, y);
        project(run, rows, y);
        shape->kern->pacs_key[shape->act](&sums, rows->k, value_row(run, y), (size_t)window->width, y, &window->rope,
                                          &params);
    }
    shape->kern->end();
}

/* Groups in order: the state of the whole window, as means. */
static void reduce(struct block_window *window, const struct block_shape *shape)
{
    size_t state = state_floats(&shape->config), c = (size_t)shape->config.c;
    float scale = 1.0f / ((float)window->width * (float)window->height);

    memset(window->kv, 0, state * sizeof(float));
    memset(window->mean, 0, 2 * c * sizeof(float));
    for (size_t group = 0; group < (size_t)groups_of(window->height); group++) {
        shape->kern->add(window->kv, window->kv, window->group_kv + group * state, state);
        shape->kern->add(window->mean, window->mean, window->group_mean + group * 2 * c, 2 * c);
    }
    for (size_t i = 0; i < state; i++)
        window->kv[i] *= scale;
    for (size_t i = 0; i < 2 * c; i++)
        window->mean[i] *= scale;
}

/* Attention of row y: out (W, C) = window->y + gamma_1 Attn. */
static void attend(const struct run *run, struct block_rows *rows, void *out, int y)
{
    const struct block_shape *shape = run->shape;
    const struct kern *kern = shape->kern;
    const struct block_window *window = run->window;
    size_t c = (size_t)shape->config.c, w = (size_t)window->width, at = (size_t)y * w * c;
    const struct pacs_params params = params_of(run);
    const struct pacs_state state = {window->kv, window->mean};
    const void *gated = rows->gated;
    enum act act = shape->act;

    kern->pacs_query[act](rows->o, act_at(window->q, at, act), &state, w, y, &window->rope, &params);
    for (size_t x = 0; x < w; x += ROW_BLOCK) {
        size_t n = block_tokens(x, w);
        const void *v[5];
        for (int i = 0; i < 5; i++)
            v[i] = act_at(value_row(run, y - 2 + i), x * c, act);
        kern->lepe_gate[act](rows->gated, rows->o + x * c, v, act_at(window->g, at + x * c, act), run->block->lepe_w,
                             run->block->lepe_b, n, (int)c);
        run->block->proj.gemm->run(rows->delta, c, &gated, c, n, &run->block->proj);
        kern->residual[act](act_at(out, x * c, act), act_at(window->y, at + x * c, act), rows->delta, n * c);
    }
}

/* First half of the feed-forward network for a row: u (W, F) = GELU(fc1(LN(in))). u points at token 0. */
static void expand(const struct run *run, struct block_rows *rows, void *u, const void *in)
{
    const struct block_shape *shape = run->shape;
    size_t c = (size_t)shape->config.c, f = (size_t)shape->config.ffn, w = (size_t)run->window->width;
    enum act act = shape->act;

    shape->kern->layernorm[act](rows->norm, in, run->block->norm2_w, run->block->norm2_b, w, (int)c, LN_EPS);
    for (size_t x = 0; x < w; x += ROW_BLOCK) {
        size_t n = block_tokens(x, w);
        const void *norm = act_at(rows->norm, x * c, act);
        run->block->fc1.gemm->run(rows->hidden, f, &norm, c, n, &run->block->fc1);
        shape->kern->gelu[act](act_at(u, x * f, act), rows->hidden, n * f);
    }
}

/* Second half: out (W, C) = in + gamma_2 fc2(u + DW3x3(u)). u: the three rows around. */
static void contract(const struct run *run, struct block_rows *rows, void *out, const void *in, const void *const u[3])
{
    const struct block_shape *shape = run->shape;
    size_t c = (size_t)shape->config.c, f = (size_t)shape->config.ffn, w = (size_t)run->window->width;
    const void *mixed = rows->mixed;
    enum act act = shape->act;

    for (size_t x = 0; x < w; x += ROW_BLOCK) {
        size_t n = block_tokens(x, w);
        const void *const around[3] = {act_at(u[0], x * f, act), act_at(u[1], x * f, act), act_at(u[2], x * f, act)};
        shape->kern->dwconv3x3[act](rows->mixed, around, run->block->dw_w, run->block->dw_b, n, (int)f);
        run->block->fc2.gemm->run(rows->delta, c, &mixed, f, n, &run->block->fc2);
        shape->kern->residual[act](act_at(out, x * c, act), act_at(in, x * c, act), rows->delta, n * c);
    }
}

/* Rows [first, last) of the second sweep. The depth-wise convolution runs one row behind; the rows just outside are computed
 * here too, so jobs need nothing of each other. */
static void apply(void *data, int job, int worker)
{
    const struct run *run = data;
    const struct block_shape *shape = run->shape;
    struct block_window *window = run->window;
    struct block_rows *rows = &window->rows[worker];
    size_t f = (size_t)shape->config.ffn;
    const void *zeros = act_at(window->zeros, f, shape->act);
    int first = job * run->rows_per_job, last = first + run->rows_per_job;

    if (last > window->height)
        last = window->height;
    shape->kern->begin();
    for (int y = first - 1; y <= last; y++) {
        if (y >= 0 && y < window->height) {
            attend(run, rows, rows->x[(y + 3) % 3], y);
            expand(run, rows, act_at(rows->u[(y + 3) % 3], f, shape->act), rows->x[(y + 3) % 3]);
        }
        if (y <= first)
            continue;
        const void *u[3]; /* rows y-2, y-1, y */
        for (int i = 0; i < 3; i++) {
            int r = y - 2 + i;
            u[i] = r < 0 || r >= window->height ? zeros : act_at(rows->u[(r + 3) % 3], f, shape->act);
        }
        contract(run, rows, pi_block_window_row(window, shape, y - 1), rows->x[(y + 2) % 3], u);
    }
    shape->kern->end();
}

void pi_polablock_run(const struct polablock *block, const struct block_shape *shape, struct block_window *window)
{
    struct run run = {block, shape, window, pi_rows_per_job(window->height, window->workers)};
    int jobs = (window->height + run.rows_per_job - 1) / run.rows_per_job;

    pi_par_at_most(window->workers, jobs, keys, &run);
    reduce(window, shape);
    pi_par_at_most(window->workers, jobs, apply, &run);
}
