/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The only place that knows OpenMP. Work is cut into numbered jobs whose results do not depend on who runs them.
 */
#ifndef PI_PAR_H
#define PI_PAR_H

/* Cores this process may use: affinity mask and cgroup CPU quota. At least 1. */
int pi_par_cores(void);

/* Threads for parallel work (0: pi_par_cores()). */
void pi_par_set(int threads);
int pi_par_threads(void);

/* Runs job(data, i, worker) for i in [0, count) on at most workers threads; worker is in [0, workers) and no two jobs that run
 * at the same time share it. Inside a job it runs the jobs one after the other with worker 0: one level of parallelism at a
 * time. */
void pi_par_at_most(int workers, int count, void (*job)(void *data, int i, int worker), void *data);

/* The same on at most pi_par_threads() threads. */
void pi_par_for(int count, void (*job)(void *data, int i, int worker), void *data);

#endif
