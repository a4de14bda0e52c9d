/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See par.h.
 */
#define _GNU_SOURCE
#include "base/par.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static atomic_int chosen;

/* CPU quota of this process' cgroup in cores, rounded up; 0 when there is none. */
static int cgroup_cores(void)
{
    long long quota = 0, period = 0;
    FILE *f = fopen("/sys/fs/cgroup/cpu.max", "re"); /* version 2: "max 100000" or "150000 100000" */

    if (f) {
        if (fscanf(f, "%lld %lld", &quota, &period) != 2)
            quota = period = 0;
        fclose(f);
    } else if ((f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re"))) { /* version 1: -1 when there is none */
        if (fscanf(f, "%lld", &quota) != 1)
            quota = 0;
        fclose(f);
        if ((f = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re"))) {
            if (fscanf(f, "%lld", &period) != 1)
                period = 0;
            fclose(f);
        }
    }
    return quota > 0 && period > 0 && quota < period * 4096 ? (int)((quota + period - 1) / period) : 0;
}

int pi_par_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t mask;

    if (sched_getaffinity(0, sizeof mask, &mask) == 0)
        cores = CPU_COUNT(&mask);
    int quota = cgroup_cores();
    if (quota > 0 && quota < cores)
        cores = quota;
    return cores < 1 ? 1 : (int)cores;
}

void pi_par_set(int threads)
{
    atomic_store(&chosen, threads < 0 ? 0 : threads);
}

int pi_par_threads(void)
{
    int threads = atomic_load(&chosen);

    if (threads == 0) {
        threads = pi_par_cores();
        atomic_store(&chosen, threads);
    }
    return threads;
}

void pi_par_at_most(int workers, int count, void (*job)(void *data, int i, int worker), void *data)
{
#ifdef _OPENMP
    int threads = workers < count ? workers : count;

    if (threads > 1 && !omp_in_parallel()) {
        atomic_int next = 0;
        /* One thread more than there is work for, which ends at once. libgomp lets threads that wait spin for milliseconds unless
         * there are more of them than cores; with several commands side by side that took half of the time. */
#pragma omp parallel num_threads(threads + 1)
        {
            int worker = omp_get_thread_num(), i;
            while (worker < threads && (i = atomic_fetch_add(&next, 1)) < count)
                job(data, i, worker);
        }
        return;
    }
#endif
    for (int i = 0; i < count; i++)
        job(data, i, 0);
}

void pi_par_for(int count, void (*job)(void *data, int i, int worker), void *data)
{
    pi_par_at_most(pi_par_threads(), count, job, data);
}
