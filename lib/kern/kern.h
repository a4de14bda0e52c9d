/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Contracts of the compute kernels, and the table through which networks call them. A kernel works on one row of an image:
 * m tokens of c channels each. It cannot fail: shapes are checked when a network is made.
 *
 * "act" buffers hold the operands of matrix products, in the element type of the precision in use: float32 or bfloat16.
 * A token of an act or float row starts c elements after the one before it unless an ld argument says otherwise.
 *
 * Over-reads. gemm->run may read rows of A up to m rounded up to KERN_ROWS, and each row up to k rounded up to KERN_COLS;
 * what lies there is multiplied by zero or thrown away, so it must be readable and finite. pacs_key may read the angles of one
 * position beyond the last token, which must be finite too. Everything else stays inside.
 *
 * Scalar C (*_scalar.c) is the specification; other variants agree with it within the rounding that tests/kern states. The
 * result for a token does not depend on m or on the tokens beside it, so any split of the work gives the same bits.
 */
#ifndef PI_KERN_H
#define PI_KERN_H

#include <stddef.h>

#define KERN_ROWS     32
#define KERN_COLS     32
#define KERN_MAX_HEAD 128 /* largest width d of an attention head */

enum act { ACT_F32 = 0, ACT_BF16 = 1, ACT_COUNT = 2 };

struct gemm_weights;

/* Matrix product with packed weights: y = bias + sum over s < segs of A_s W_s^T. A linear layer has one segment; a 3x3
 * convolution has three, one for each row of the image around the output row, with k = 3c and lda = c: a token and its
 * neighbours left and right lie side by side. The packer and the kernel that understands it are one record. */
struct gemm {
    const char *name;
    unsigned needs; /* enum cpu_flag */
    int mr, nr, kr; /* tokens, outputs and inputs of its inner tile */
    size_t (*bytes)(int n, int k, int segs);
    /* w (segs, n, k), bias (n) or NULL. packed: bytes(n, k, segs), aligned to a cache line. */
    void (*pack)(void *packed, const float *w, const float *bias, int n, int k, int segs);
    /* y (m, n) float with rows ldy apart; a[s]: act (m, k) with rows lda apart, lda < k allowed. */
    void (*run)(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w);
};

struct gemm_weights {
    const struct gemm *gemm;
    int n, k, segs;
    void *packed;
};

/* Rotary tables of one window (lib/net/README.md): d/2 angles theta_j = 10000^(-j/(d/2-1)). Rotating the pairs of f (d) at a
 * position is f cos + swap(f) sin, where swap exchanges the two of each pair. Rows and columns share the table. */
struct rope {
    const float *cos_sin; /* (positions, 2, d): cosines, each twice; then sines, each twice, signs -, + */
};

/* The state of polarity-aware linear attention (lib/net/README.md), for h heads of width d:
 *   kv    (h, 2d, d)  sum or mean over tokens of K'_n v_n^T, keys rotated
 *   mean  (h, 2d)     sum or mean over tokens of K_n, keys not rotated */
struct pacs_state {
    float *kv, *mean;
};

/* exp-minus-one temperatures, after the sigmoid: t1 (h, 2d) same-sign, t2 (h, 2d) opposite-sign stream. */
struct pacs_params {
    int heads, d;
    const float *t1, *t2;
};

struct kern {
    unsigned flags; /* what it was made for */

    /* A thread calls begin before its first kernel of a job and end after its last: matrix units want setting up, and while they
     * are in use every context switch must save them. */
    void (*begin)(void);
    void (*end)(void);

    const struct gemm *gemm[ACT_COUNT];

    /* y act = layer norm over c of x act, times w plus b (biased variance). */
    void (*layernorm[ACT_COUNT])(void *y, const void *x, const float *w, const float *b, size_t m, int c, float eps);

    /* y act = x; rows ldy and ldx apart. */
    void (*convert[ACT_COUNT])(void *y, size_t ldy, const float *x, size_t ldx, size_t m, int c);

    /* y act = exact GELU of x, x 0.5 (1 + erf(x / sqrt 2)), n values. */
    void (*gelu[ACT_COUNT])(void *y, const float *x, size_t n);

    /* y = a + b, n floats; y may be a or b. */
    void (*add)(float *y, const float *a, const float *b, size_t n);

    /* y act = a act + b float, n values; y may be a. */
    void (*residual[ACT_COUNT])(void *y, const void *a, const float *b, size_t n);

    /* Clamps n floats to [0,1]. Returns nonzero when all were within +-limit before; NaN is not. */
    int (*clamp)(float *y, size_t n, float limit);

    /* Depth-wise 3x3 with its shortcut: y = x + b + conv(x). rows[0..2]: the rows above, at and below, each pointing at token
     * 0 with one readable token before it and one after its last. w (9, c), tap-major. */
    void (*dwconv3x3[ACT_COUNT])(void *y, const void *const rows[3], const float *w, const float *b, size_t m, int c);

    /* Depth-wise 5x5 (LePE), added to the attention's output and gated: y act = (o + b + conv(v)) g. rows[0..4]: act rows of v,
     * two readable tokens before and after. w (25, c). g act (m, c). */
    void (*lepe_gate[ACT_COUNT])(void *y, const float *o, const void *const rows[5], const void *g, const float *w,
                                 const float *b, size_t m, int c);

    /* Adds one row of keys and values, tokens (row, 0..m-1), to state. k, v act (m, c), heads side by side. [ACT_BF16] may round
     * features to bfloat16; sums are float32. */
    void (*pacs_key[ACT_COUNT])(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                                const struct rope *rope, const struct pacs_params *params);

    /* o (m, c) float: both streams of one row of queries against a finished state (means). q act (m, c). */
    void (*pacs_query[ACT_COUNT])(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                                  const struct rope *rope, const struct pacs_params *params);

    /* Pixel shuffle onto the nearest-neighbour enlargement (lib/net/README.md), not clamped: y, the first of scale output rows
     * (scale * m pixels of 3, rows ldy floats apart), from u (m, 3 scale^2) and x (m, 3). */
    void (*shuffle)(float *y, size_t ldy, const float *u, const float *x, size_t m, int scale);
};

/* Fills in the table for a CPU with these flags (enum cpu_flag): scalar first, then overrides upward. Pure. */
void pi_kern_init(struct kern *kern, unsigned flags);

#endif
