/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See polasr.h.
 */
#include "net/polasr.h"

#include "base/par.h"
#include "model/weights.h"
#include "net/polablock.h"
#include "net/rows.h"

#include <stdio.h>
#include <string.h>

static const float mean_rgb[3] = {0.4488f, 0.4371f, 0.4040f};

struct polasr {
    struct polasr_config config;
    struct block_shape shape;
    struct kern kern;
    struct gemm_weights first; /* 3x3, 3 -> C, always float32: it sees the pixels themselves */
    struct gemm_weights after; /* 3x3, C -> C */
    struct gemm_weights up;    /* 3x3, C -> 3 scale^2 */
    struct polablock *blocks;  /* (depth) */
    void *memory;
};

static void layout_conv(struct gemm_weights *w, struct arena *arena, const struct gemm *gemm, int n, int channels)
{
    *w = (struct gemm_weights){gemm, n, 3 * channels, 3, NULL};
    w->packed = pi_arena_cut(arena, 1, gemm->bytes(n, 3 * channels, 3));
}

static void layout(struct polasr *net, struct arena *arena)
{
    const struct polasr_config *config = &net->config;
    const struct gemm *gemm = net->kern.gemm[net->shape.act];

    layout_conv(&net->first, arena, net->kern.gemm[ACT_F32], config->dim, 3);
    layout_conv(&net->after, arena, gemm, config->dim, config->dim);
    layout_conv(&net->up, arena, gemm, 3 * config->scale * config->scale, config->dim);
    for (int i = 0; i < config->depth; i++)
        pi_polablock_layout(&net->blocks[i], arena, &net->shape);
}

/* Convolution weight (n, c, 3, 3) as three segments (3, n, 3c): the rows of the window, then the three tokens side by side. */
static int load_conv(struct gemm_weights *w, const pola_model *model, const char *name, float *scratch,
                     struct pola_error *err)
{
    size_t n = (size_t)w->n, c = (size_t)w->k / 3;
    float *weight = scratch, *segments = weight + n * c * 9, *bias = segments + n * c * 9;
    char tensor[64];
    int status;

    snprintf(tensor, sizeof tensor, "%s.weight", name);
    if ((status = pi_weights_read(model, weight, tensor, 4, (const uint64_t[]){n, c, 3, 3}, err)) != POLA_OK)
        return status;
    snprintf(tensor, sizeof tensor, "%s.bias", name);
    if ((status = pi_weights_read(model, bias, tensor, 1, (const uint64_t[]){n}, err)) != POLA_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < c; j++)
            for (size_t dy = 0; dy < 3; dy++)
                for (size_t dx = 0; dx < 3; dx++)
                    segments[(dy * n + i) * 3 * c + dx * c + j] = weight[((i * c + j) * 3 + dy) * 3 + dx];
    w->gemm->pack(w->packed, segments, bias, w->n, w->k, 3);
    return POLA_OK;
}

static int load(struct polasr *net, const pola_model *model, float *scratch, struct pola_error *err)
{
    int status;

    if ((status = load_conv(&net->first, model, "conv_first", scratch, err)) != POLA_OK ||
        (status = load_conv(&net->after, model, "conv_after_body", scratch, err)) != POLA_OK ||
        (status = load_conv(&net->up, model, "upsample", scratch, err)) != POLA_OK)
        return status;
    for (int i = 0; i < net->config.depth; i++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "blocks.%d.", i);
        if ((status = pi_polablock_load(&net->blocks[i], &net->shape, model, prefix, scratch, err)) != POLA_OK)
            return status;
    }
    return POLA_OK;
}

static size_t scratch_floats(const struct polasr *net)
{
    size_t c = (size_t)net->config.dim, s = (size_t)net->config.scale, outputs = c > 3 * s * s ? c : 3 * s * s;
    size_t conv = outputs * c * 18 + outputs, block = pi_polablock_scratch(&net->shape);

    return conv > block ? conv : block;
}

static int read_config(struct polasr_config *config, const pola_model *model, struct pola_error *err)
{
    double ratio;
    int status;

    if ((status = pi_weights_meta_int(model, &config->scale, "pola.scale", 1, 8, 0, err)) != POLA_OK ||
        (status = pi_weights_meta_int(model, &config->dim, "pola.dim", 1, 1024, 0, err)) != POLA_OK ||
        (status = pi_weights_meta_int(model, &config->depth, "pola.depth", 1, 256, 0, err)) != POLA_OK ||
        (status = pi_weights_meta_int(model, &config->heads, "pola.heads", 1, 512, 0, err)) != POLA_OK ||
        (status = pi_weights_meta_double(model, &ratio, "pola.ffn_ratio", 0.01, 64.0, 0.0, err)) != POLA_OK)
        return status;
    config->ffn = (int)(ratio * config->dim);
    return pi_block_config_check(&(struct block_config){config->dim, config->heads, config->ffn}, err);
}

int pi_polasr_new(struct polasr **out, const pola_model *model, const struct kern *kern, enum act act,
                  struct pola_error *err)
{
    struct polasr *net = NULL;
    struct arena arena = {0};
    float *scratch = NULL;
    struct polasr_config config;
    int status;

    *out = NULL;
    if ((status = read_config(&config, model, err)) != POLA_OK)
        return status;
    status = POLA_ERR_MEMORY;
    if (!(net = pi_alloc(sizeof *net)))
        goto fail;
    net->config = config;
    net->kern = *kern;
    net->shape = (struct block_shape){{config.dim, config.heads, config.ffn}, &net->kern, act};
    if (!(net->blocks = pi_alloc((size_t)config.depth * sizeof *net->blocks)))
        goto fail;
    layout(net, &arena);
    if (arena.overflow || !(net->memory = pi_alloc(arena.used)) ||
        !(scratch = pi_alloc(scratch_floats(net) * sizeof(float))))
        goto fail;
    arena = (struct arena){.base = net->memory};
    layout(net, &arena);
    if ((status = load(net, model, scratch, err)) != POLA_OK)
        goto fail;
    pi_free(scratch);
    *out = net;
    return POLA_OK;

fail:
    if (status == POLA_ERR_MEMORY)
        status = pi_err_set(err, POLA_ERR_MEMORY, "no memory for the weights");
    pi_free(scratch);
    pi_polasr_free(net);
    return status;
}

void pi_polasr_free(struct polasr *net)
{
    if (!net)
        return;
    pi_free(net->memory);
    pi_free(net->blocks);
    pi_free(net);
}

const struct polasr_config *pi_polasr_config(const struct polasr *net)
{
    return &net->config;
}

const struct kern *pi_polasr_kern(const struct polasr *net)
{
    return &net->kern;
}

double pi_polasr_macs(const struct polasr *net)
{
    double c = net->config.dim, s = net->config.scale;

    return 27 * c + net->config.depth * pi_polablock_macs(&net->shape.config) + 9 * c * c + 9 * c * 3 * s * s;
}

/* Row buffers of one worker for the head and tail of the network. */
struct polasr_rows {
    void *deep[3];  /* act (W + 2, C): conv_after_body plus conv_first, rows y-1, y, y+1 in turn, zero at both ends */
    float *sum;     /* (W, C) */
    float *shallow; /* (W, C): conv_first */
    float *up;      /* (W, 3 s^2) */
};

struct polasr_session {
    const struct polasr *net;
    struct block_window window;
    struct block_rows *block_rows; /* (workers) */
    struct polasr_rows *rows;      /* (workers) */
    float *centred;                /* (H + 2, W + 2, 3): input minus mean, zero around; padded for over-reads */
    void *zeros;                   /* act (W + 2, C) */
    void *memory;
    int rows_per_job;
    /* of the current run */
    float *out;
    const float *in;
};

/* Floats from one row of centred to the next. */
static size_t centred_ld(const struct polasr_session *session)
{
    return ((size_t)session->window.width + 2) * 3;
}

static void layout_session(struct polasr_session *session, struct arena *arena, int width, int height, int workers)
{
    const struct polasr *net = session->net;
    size_t c = (size_t)net->config.dim, s = (size_t)net->config.scale, w = (size_t)width,
           size = pi_act_size(net->shape.act);
    size_t padded = pi_row_elements(pi_row_tokens(width), net->config.dim);

    pi_block_window_layout(&session->window, arena, &net->shape, width, height, session->block_rows, workers);
    for (int i = 0; i < workers; i++) {
        struct polasr_rows *rows = &session->rows[i];
        for (int r = 0; r < 3; r++)
            rows->deep[r] = pi_arena_cut(arena, padded, size);
        rows->sum = pi_arena_cut(arena, w * c, sizeof(float));
        rows->shallow = pi_arena_cut(arena, w * c, sizeof(float));
        rows->up = pi_arena_cut(arena, w * 3 * s * s, sizeof(float));
    }
    session->centred = pi_arena_cut(arena, ((size_t)height + 2) * (w + 2) * 3 + (KERN_ROWS + 2) * 3 + KERN_COLS,
                                    sizeof(float));
    session->zeros = pi_arena_cut(arena, padded, size);
}

/* A session without its buffers; *bytes is what they take, 0 when that is impossible. NULL when there is no memory. */
static struct polasr_session *plan(size_t *bytes, const struct polasr *net, int width, int height, int workers)
{
    struct polasr_session *session = pi_alloc(sizeof *session);
    struct arena arena = {0};

    if (!session)
        return NULL;
    session->net = net;
    session->rows_per_job = pi_rows_per_job(height, workers);
    session->block_rows = pi_alloc((size_t)workers * sizeof *session->block_rows);
    session->rows = pi_alloc((size_t)workers * sizeof *session->rows);
    if (!session->block_rows || !session->rows) {
        pi_polasr_session_free(session);
        return NULL;
    }
    layout_session(session, &arena, width, height, workers);
    *bytes = arena.overflow ? 0 : arena.used;
    return session;
}

size_t pi_polasr_session_bytes(const struct polasr *net, int width, int height, int workers)
{
    size_t bytes = 0;

    pi_polasr_session_free(plan(&bytes, net, width, height, workers));
    return bytes;
}

int pi_polasr_session_new(struct polasr_session **out, const struct polasr *net, int width, int height, int workers,
                          struct pola_error *err)
{
    size_t bytes = 0;
    struct polasr_session *session = plan(&bytes, net, width, height, workers);

    *out = NULL;
    if (!session || bytes == 0 || !(session->memory = pi_alloc(bytes))) {
        pi_polasr_session_free(session);
        return pi_err_set(err, POLA_ERR_MEMORY, "no memory for a window of %dx%d pixels (%zu MiB)", width, height,
                          bytes >> 20);
    }
    struct arena arena = {.base = session->memory};
    layout_session(session, &arena, width, height, workers);
    pi_block_window_prepare(&session->window, &net->shape);
    *out = session;
    return POLA_OK;
}

void pi_polasr_session_free(struct polasr_session *session)
{
    if (!session)
        return;
    pi_free(session->memory);
    pi_free(session->rows);
    pi_free(session->block_rows);
    pi_free(session);
}

/* centred = in - mean, with its frame of zeros (which the arena's zeroed memory already has). */
static void centre(struct polasr_session *session)
{
    size_t w = (size_t)session->window.width, ld = centred_ld(session);

    for (size_t y = 0; y < (size_t)session->window.height; y++)
        for (size_t x = 0; x < w; x++)
            for (size_t c = 0; c < 3; c++)
                session->centred[(y + 1) * ld + (x + 1) * 3 + c] = session->in[(y * w + x) * 3 + c] - mean_rgb[c];
}

/* out (W, C) = conv_first, row y. */
static void shallow_row(const struct polasr_session *session, float *out, int y)
{
    const struct polasr *net = session->net;
    size_t ld = centred_ld(session);
    const float *above = session->centred + (size_t)y * ld;
    const void *const rows[3] = {above, above + ld, above + 2 * ld};

    net->first.gemm->run(out, (size_t)net->config.dim, rows, 3, (size_t)session->window.width, &net->first);
}

static void head(void *data, int job, int worker)
{
    struct polasr_session *session = data;
    const struct block_shape *shape = &session->net->shape;
    struct polasr_rows *rows = &session->rows[worker];
    size_t c = (size_t)shape->config.c, w = (size_t)session->window.width;
    int first = job * session->rows_per_job, last = first + session->rows_per_job;

    for (int y = first; y < last && y < session->window.height; y++) {
        shallow_row(session, rows->shallow, y);
        shape->kern->convert[shape->act](pi_block_window_row(&session->window, shape, y), c, rows->shallow, c, w,
                                         (int)c);
    }
}

/* The token before token 0 of a padded act row. */
static void *before(void *row, const struct block_shape *shape)
{
    return (unsigned char *)row - (size_t)shape->config.c * pi_act_size(shape->act);
}

/* deep row y = conv_after_body + conv_first. */
static void deep_row(const struct polasr_session *session, struct polasr_rows *rows, int y)
{
    const struct polasr *net = session->net;
    const struct block_shape *shape = &net->shape;
    size_t c = (size_t)shape->config.c, w = (size_t)session->window.width;
    unsigned char *to = rows->deep[y % 3];
    const void *body[3];

    for (int i = 0; i < 3; i++) {
        int r = y - 1 + i;
        body[i] = r < 0 || r >= session->window.height ? session->zeros
                                                       : before(pi_block_window_row(&session->window, shape, r), shape);
    }
    net->after.gemm->run(rows->sum, c, body, c, w, &net->after);
    shallow_row(session, rows->shallow, y);
    shape->kern->add(rows->sum, rows->sum, rows->shallow, w * c);
    shape->kern->convert[shape->act](to + c * pi_act_size(shape->act), c, rows->sum, c, w, (int)c);
}

/* Output rows of input row y; deep rows y-1, y, y+1 are in the ring. */
static void output_rows(const struct polasr_session *session, struct polasr_rows *rows, int y)
{
    const struct polasr *net = session->net;
    size_t c = (size_t)net->config.dim, w = (size_t)session->window.width, s = (size_t)net->config.scale;
    const void *deep[3];

    for (int i = 0; i < 3; i++) {
        int r = y - 1 + i;
        deep[i] = r < 0 || r >= session->window.height ? session->zeros : rows->deep[r % 3];
    }
    net->up.gemm->run(rows->up, 3 * s * s, deep, c, w, &net->up);
    net->kern.shuffle(session->out + (size_t)y * s * s * w * 3, s * w * 3, rows->up, session->in + (size_t)y * w * 3, w,
                      (int)s);
}

/* Deep rows run one row ahead of the output; those just outside the job are computed here too. */
static void tail(void *data, int job, int worker)
{
    struct polasr_session *session = data;
    struct polasr_rows *rows = &session->rows[worker];
    int height = session->window.height;
    int first = job * session->rows_per_job, last = first + session->rows_per_job;

    if (last > height)
        last = height;
    session->net->kern.begin();
    for (int y = first - 1; y <= last; y++) {
        if (y >= 0 && y < height)
            deep_row(session, rows, y);
        if (y > first)
            output_rows(session, rows, y - 1);
    }
    session->net->kern.end();
}

void pi_polasr_session_run(struct polasr_session *session, float *out, const float *in)
{
    const struct polasr *net = session->net;
    int workers = session->window.workers;
    int jobs = (session->window.height + session->rows_per_job - 1) / session->rows_per_job;

    session->out = out;
    session->in = in;
    centre(session);
    pi_par_at_most(workers, jobs, head, session);
    for (int i = 0; i < net->config.depth; i++)
        pi_polablock_run(&net->blocks[i], &net->shape, &session->window);
    pi_par_at_most(workers, jobs, tail, session);
}
