/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Parallel loops: every job once, workers not shared, one level at a time. Assertions stay outside the jobs: cmocka's
 * must not be left from another thread.
 */
#include "unit.h"

#include "base/par.h"

#include <stdatomic.h>
#include <string.h>

#define JOBS    1000
#define WORKERS 64

struct tally {
    atomic_int runs[JOBS];
    atomic_int busy[WORKERS]; /* a worker is inside a job */
    atomic_int wrong;         /* a worker out of range or shared */
    int threads;
};

static void count_job(void *data, int i, int worker)
{
    struct tally *tally = data;

    atomic_fetch_add(&tally->runs[i], 1);
    if (worker < 0 || worker >= tally->threads) {
        atomic_fetch_add(&tally->wrong, 1);
        return;
    }
    if (atomic_exchange(&tally->busy[worker], 1))
        atomic_fetch_add(&tally->wrong, 1);
    for (volatile int spin = 0; spin < 100; spin++)
        ;
    atomic_store(&tally->busy[worker], 0);
}

static void every_job_runs_once(void **state)
{
    static struct tally tally;
    const int threads[] = {1, 2, 7, 64}, counts[] = {0, 1, 2, 7, JOBS};

    for (size_t t = 0; t < 4; t++)
        for (size_t c = 0; c < 5; c++) {
            memset(&tally, 0, sizeof tally);
            tally.threads = threads[t];
            pi_par_set(threads[t]);
            assert_int_equal(pi_par_threads(), threads[t]);
            pi_par_for(counts[c], count_job, &tally);
            for (int i = 0; i < JOBS; i++)
                assert_int_equal(tally.runs[i], i < counts[c]);
            assert_int_equal(tally.wrong, 0);
        }
    pi_par_set(0);
}

struct nest {
    atomic_int runs, foreign;
    int last[4];
    atomic_int disorder;
};

struct inner {
    struct nest *nest;
    int outer;
};

static void inner_job(void *data, int i, int worker)
{
    struct inner *inner = data;
    struct nest *nest = inner->nest;

    atomic_fetch_add(&nest->runs, 1);
    if (worker != 0)
        atomic_fetch_add(&nest->foreign, 1);
    if (i != nest->last[inner->outer]++)
        atomic_fetch_add(&nest->disorder, 1);
}

static void outer_job(void *data, int i, int worker)
{
    struct inner inner = {data, i};

    pi_par_for(50, inner_job, &inner);
}

static void nested_loops_run_in_order(void **state)
{
    struct nest nest = {0};

    pi_par_set(4);
    pi_par_for(4, outer_job, &nest);
    pi_par_set(0);
    assert_int_equal(nest.runs, 200);
    assert_int_equal(nest.foreign, 0);
    assert_int_equal(nest.disorder, 0);
}

static void threads_default_to_the_cores(void **state)
{
    assert_true(pi_par_cores() >= 1);
    pi_par_set(3);
    pi_par_set(0);
    assert_int_equal(pi_par_threads(), pi_par_cores());
    pi_par_set(-5);
    assert_int_equal(pi_par_threads(), pi_par_cores());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_runs_once),
        cmocka_unit_test(nested_loops_run_in_order),
        cmocka_unit_test(threads_default_to_the_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
