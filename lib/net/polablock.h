/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The PolaFormer++ block (lib/net/README.md) in its linear-attention form:
 *
 *     x += DW3x3(x);  x += gamma_1 Attn(LN(x));  x += gamma_2 FFN(LN(x))
 *
 * Attention needs a sum over all tokens before any output exists, so a block makes two sweeps over the rows of a window, each
 * fused so that a row stays in the caches from one step to the next:
 *
 *     keys:   positions -> norm -> qkvg projection -> PaCS features -> KV state of the row's group
 *     apply:  query against the state -> LePE and gate -> projection -> norm -> fc1 -> GELU -> depth-wise -> fc2
 *
 * Sums over tokens run over fixed groups of rows in a fixed order: results do not depend on threads. Used by every network
 * that is made of these blocks.
 */
#ifndef PI_POLABLOCK_H
#define PI_POLABLOCK_H

#include "base/err.h"
#include "base/mem.h"
#include "kern/kern.h"

struct block_config {
    int c, heads, ffn; /* width C, heads h (d = C/h), feed-forward width F */
};

/* What all blocks of a network share. */
struct block_shape {
    struct block_config config;
    const struct kern *kern;
    enum act act;
};

/* Weights of one block, ready for the kernels. */
struct polablock {
    float *pos_w, *pos_b;         /* (9, C), (C) */
    float *norm1_w, *norm1_b;     /* (C) */
    float *lepe_w, *lepe_b;       /* (25, C), (C) */
    float *t1, *t2;               /* (h, 2d): sigmoid(s1), sigmoid(s2) */
    float *norm2_w, *norm2_b;     /* (C) */
    float *dw_w, *dw_b;           /* (9, F), (F) */
    struct gemm_weights qkvg;     /* C -> 4C */
    struct gemm_weights proj;     /* C -> C, times gamma_1 */
    struct gemm_weights fc1, fc2; /* C -> F; F -> C, times gamma_2 */
};

/* Cuts the block's buffers from arena. */
void pi_polablock_layout(struct polablock *block, struct arena *arena, const struct block_shape *shape);

/* Fills them from the tensors prefix + "pos.weight" and so on. scratch: pi_polablock_scratch(shape) floats. */
POLA_NODISCARD int pi_polablock_load(struct polablock *block, const struct block_shape *shape, const pola_model *model,
                                     const char *prefix, float *scratch, struct pola_error *err);
size_t pi_polablock_scratch(const struct block_shape *shape);

/* POLA_ERR_MODEL unless the kernels can run this configuration. */
POLA_NODISCARD int pi_block_config_check(const struct block_config *config, struct pola_error *err);

/* Multiply-adds of one block for one token. */
double pi_polablock_macs(const struct block_config *config);

/* Row buffers of one worker. act rows are padded for the kernels' over-reads. */
struct block_rows {
    void *norm;    /* act (W, C) */
    float *qkvg;   /* (ROW_BLOCK, 4C) */
    void *k;       /* act (W, C) */
    float *o;      /* (W, C): attention */
    float *delta;  /* (ROW_BLOCK, C): what a projection adds to the residual */
    void *gated;   /* act (ROW_BLOCK, C) */
    void *x[3];    /* act (W, C): the residual after attention, rows y-1, y, y+1 in turn */
    float *hidden; /* (ROW_BLOCK, F) */
    void *u[3];    /* act (W + 2, F): GELU(fc1), the same rows; first and last token zero */
    void *mixed;   /* act (ROW_BLOCK, F): after the depth-wise convolution */
};

/* Buffers of one window of width x height tokens, shared by all blocks of a network. */
struct block_window {
    int width, height;
    void *x;           /* act (H, W + 2, C): input and output of a block; first and last token of a row zero */
    void *y;           /* act (H, W, C): after the positions */
    void *q, *g;       /* act (H, W, C) */
    void *v;           /* act (H, W + 4, C): two zero tokens on each side */
    void *zeros;       /* a row of zeros, long enough for any of the above */
    float *group_kv;   /* (groups, h, 2d, d) */
    float *group_mean; /* (groups, h, 2d) */
    float *kv, *mean;  /* (h, 2d, d), (h, 2d): the finished state */
    float *angles;     /* (max(W, H), 2, d) */
    struct rope rope;
    struct block_rows *rows; /* (workers) */
    int workers;
};

/* Cuts the window's buffers (all but rows) from arena; rows: workers entries of the caller, whose buffers are cut too. */
void pi_block_window_layout(struct block_window *window, struct arena *arena, const struct block_shape *shape,
                            int width, int height, struct block_rows *rows, int workers);

/* Fills in the rotary tables. After the memory is there. */
void pi_block_window_prepare(struct block_window *window, const struct block_shape *shape);

/* Row y of window->x: act, token 0. Readable as kern.h asks of rows that a matrix product reads. */
void *pi_block_window_row(const struct block_window *window, const struct block_shape *shape, int y);

/* window->x = block(window->x). */
void pi_polablock_run(const struct polablock *block, const struct block_shape *shape, struct block_window *window);

#endif
