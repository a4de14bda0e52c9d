/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Splitting the rows of a window among workers, and the padding that the kernels' over-reads ask for.
 */
#ifndef PI_ROWS_H
#define PI_ROWS_H

#include "kern/kern.h"

/* Tokens of a row that go through a chain of kernels together, so that what passes between them stays in the first-level cache. */
#define ROW_BLOCK KERN_ROWS

#define ROW_GROUP 8 /* rows whose KV state is summed together; a split never cuts a group */

/* Tokens to reserve for a row of width tokens that a matrix product reads. */
static inline size_t pi_row_tokens(int width)
{
    return ((size_t)width + KERN_ROWS - 1) / KERN_ROWS * KERN_ROWS + 2;
}

/* Elements to reserve for a row of tokens x c. */
static inline size_t pi_row_elements(size_t tokens, int c)
{
    return tokens * (size_t)c + KERN_COLS;
}

static inline size_t pi_act_size(enum act act)
{
    return act == ACT_BF16 ? 2 : 4;
}

/* Rows of one job: one job a worker, since each does up to four rows of its neighbours too. */
static inline int pi_rows_per_job(int height, int workers)
{
    int jobs = workers;
    int rows = (height + jobs - 1) / jobs;
    return (rows + ROW_GROUP - 1) / ROW_GROUP * ROW_GROUP;
}

#endif
