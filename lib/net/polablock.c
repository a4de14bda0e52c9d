/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The two sweeps of the PolaFormer++ block over a window. See polablock.h.
 */
#include "net/polablock.h"

#include "base/par.h"
#include "net/rows.h"

#include <math.h>
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
    size_t act_c = pi_row_elements(pi_row_tokens(width), shape->config.c);
    size_t act_f = pi_row_elements(pi_row_tokens(width), shape->config.ffn);

    rows->norm = pi_arena_cut(arena, act_c, size);
    rows->qkvg = pi_arena_cut(arena, w * 4 * c, sizeof(float));
    rows->o = pi_arena_cut(arena, w * c, sizeof(float));
    rows->gated = pi_arena_cut(arena, act_c, size);
    rows->hidden = pi_arena_cut(arena, w * f, sizeof(float));
    rows->mixed = pi_arena_cut(arena, act_f, size);
    for (int i = 0; i < 3; i++) {
        rows->x[i] = pi_arena_cut(arena, w * c, sizeof(float));
        rows->u[i] = pi_arena_cut(arena, (w + 2) * f, size);
    }
}

void pi_block_window_layout(struct block_window *window, struct arena *arena, const struct block_shape *shape,
                            int width, int height, struct block_rows *rows, int workers)
{
    const struct block_config *config = &shape->config;
    size_t c = (size_t)config->c, w = (size_t)width, h = (size_t)height, size = pi_act_size(shape->act);
    size_t widest = (size_t)(config->ffn > config->c ? config->ffn : config->c);
    size_t positions = w > h ? w : h, groups = (size_t)groups_of(height), state = state_floats(config);

    window->width = width;
    window->height = height;
    window->x = pi_arena_cut(arena, h * (w + 2), c * sizeof(float));
    window->y = pi_arena_cut(arena, h * w, c * sizeof(float));
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

/* theta_j = 10000^(-j/(d/2-1)), rounded to float32 as the reference stores it; both ends of the ladder included. */
void pi_block_window_prepare(struct block_window *window, const struct block_shape *shape)
{
    size_t d = (size_t)(shape->config.c / shape->config.heads), count = d / 2;
    size_t positions = (size_t)(window->width > window->height ? window->width : window->height);

    for (size_t position = 0; position < positions; position++)
        for (size_t j = 0; j < count; j++) {
            double exponent = count > 1 ? (double)j / (double)(count - 1) : 0.0;
            double angle = (double)position * (double)(float)pow(10000.0, -exponent);
            float *cosine = window->angles + position * 2 * d + 2 * j, *sine = cosine + d;
            cosine[0] = cosine[1] = (float)cos(angle);
            sine[0] = (float)-sin(angle);
            sine[1] = (float)sin(angle);
        }
}

float *pi_block_window_row(const struct block_window *window, const struct block_shape *shape, int y)
{
    return window->x + ((size_t)y * ((size_t)window->width + 2) + 1) * (size_t)shape->config.c;
}

/* One run of a block: what its jobs share. */
struct run {
    const struct polablock *block;
    const struct block_shape *shape;
    struct block_window *window;
    int rows_per_job;
};

static void *act_at(void *base, size_t elements, enum act act)
{
    return (unsigned char *)base + elements * pi_act_size(act);
}

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
    const float *zeros = (const float *)window->zeros + c;
    const float *rows[3] = {
        y > 0 ? pi_block_window_row(window, shape, y - 1) : zeros,
        pi_block_window_row(window, shape, y),
        y + 1 < window->height ? pi_block_window_row(window, shape, y + 1) : zeros,
    };

    shape->kern->dwconv3x3_f32(window->y + (size_t)y * w * c, rows, run->block->pos_w, run->block->pos_b, w, (int)c);
}

static struct pacs_params params_of(const struct run *run)
{
    const struct block_config *config = &run->shape->config;

    return (struct pacs_params){config->heads, config->c / config->heads, run->block->t1, run->block->t2};
}

/* Rows [first, last) of the first sweep: q, v and g of every token, and the KV state of each group of rows. */
static void keys(void *data, int job, int worker)
{
    const struct run *run = data;
    const struct block_shape *shape = run->shape;
    const struct kern *kern = shape->kern;
    struct block_window *window = run->window;
    struct block_rows *rows = &window->rows[worker];
    size_t c = (size_t)shape->config.c, w = (size_t)window->width, state = state_floats(&shape->config);
    const struct pacs_params params = params_of(run);
    enum act act = shape->act;
    int first = job * run->rows_per_job, last = first + run->rows_per_job;

    for (int y = first; y < last && y < window->height; y++) {
        size_t row = (size_t)y, group = row / ROW_GROUP;
        struct pacs_state sums = {window->group_kv + group * state, window->group_mean + group * 2 * c};
        if (y % ROW_GROUP == 0) {
            memset(sums.kv, 0, state * sizeof(float));
            memset(sums.mean, 0, 2 * c * sizeof(float));
        }
        positions(run, y);
        kern->layernorm[act](rows->norm, window->y + row * w * c, run->block->norm1_w, run->block->norm1_b, w, (int)c,
                             LN_EPS);
        run->block->qkvg.gemm->run(rows->qkvg, 4 * c, (const void *const[]){rows->norm}, c, w, &run->block->qkvg);
        kern->pacs_key[act](&sums, rows->qkvg + c, rows->qkvg + 2 * c, 4 * c, w, y, &window->rope, &params);
        kern->convert[act](act_at(window->q, row * w * c, act), c, rows->qkvg, 4 * c, w, (int)c);
        kern->convert[act](act_at(window->v, (row * (w + 4) + 2) * c, act), c, rows->qkvg + 2 * c, 4 * c, w, (int)c);
        kern->convert[act](act_at(window->g, row * w * c, act), c, rows->qkvg + 3 * c, 4 * c, w, (int)c);
    }
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

/* Attention of row y: x (W, C) = window->y + gamma_1 Attn. */
static void attend(const struct run *run, struct block_rows *rows, float *x, int y)
{
    const struct block_shape *shape = run->shape;
    const struct kern *kern = shape->kern;
    const struct block_window *window = run->window;
    size_t c = (size_t)shape->config.c, w = (size_t)window->width, at = (size_t)y * w * c;
    const struct pacs_params params = params_of(run);
    const struct pacs_state state = {window->kv, window->mean};
    enum act act = shape->act;
    const void *const v[5] = {value_row(run, y - 2), value_row(run, y - 1), value_row(run, y), value_row(run, y + 1),
                              value_row(run, y + 2)};

    kern->pacs_query[act](rows->o, act_at(window->q, at, act), &state, w, y, &window->rope, &params);
    kern->lepe_gate[act](rows->gated, rows->o, v, act_at(window->g, at, act), run->block->lepe_w, run->block->lepe_b, w,
                         (int)c);
    run->block->proj.gemm->run(rows->o, c, (const void *const[]){rows->gated}, c, w, &run->block->proj);
    kern->add(x, window->y + at, rows->o, w * c);
}

/* First half of the feed-forward network for row y: u (W, F) = GELU(fc1(LN(x))). u points at token 0. */
static void expand(const struct run *run, struct block_rows *rows, void *u, const float *x)
{
    const struct block_shape *shape = run->shape;
    size_t c = (size_t)shape->config.c, f = (size_t)shape->config.ffn, w = (size_t)run->window->width;
    enum act act = shape->act;

    shape->kern->layernorm[act](rows->norm, x, run->block->norm2_w, run->block->norm2_b, w, (int)c, LN_EPS);
    run->block->fc1.gemm->run(rows->hidden, f, (const void *const[]){rows->norm}, c, w, &run->block->fc1);
    shape->kern->gelu[act](u, rows->hidden, w * f);
}

/* Second half: out (W, C) = x + gamma_2 fc2(u + DW3x3(u)). u: the three rows around. */
static void contract(const struct run *run, struct block_rows *rows, float *out, const float *x, const void *const u[3])
{
    const struct block_shape *shape = run->shape;
    size_t c = (size_t)shape->config.c, f = (size_t)shape->config.ffn, w = (size_t)run->window->width;

    shape->kern->dwconv3x3[shape->act](rows->mixed, u, run->block->dw_w, run->block->dw_b, w, (int)f);
    run->block->fc2.gemm->run(rows->o, c, (const void *const[]){rows->mixed}, f, w, &run->block->fc2);
    shape->kern->add(out, x, rows->o, w * c);
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
}

void pi_polablock_run(const struct polablock *block, const struct block_shape *shape, struct block_window *window)
{
    struct run run = {block, shape, window, pi_rows_per_job(window->height, window->workers)};
    int jobs = (window->height + run.rows_per_job - 1) / run.rows_per_job;

    pi_par_at_most(window->workers, jobs, keys, &run);
    reduce(window, shape);
    pi_par_at_most(window->workers, jobs, apply, &run);
}
