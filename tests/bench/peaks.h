/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * What one core of this machine can do at best, for bench_kern.
 */
#ifndef PEAKS_H
#define PEAKS_H

double peaks_now(void); /* seconds of a monotonic clock */

/* Multiply-adds per second of TDPBF16PS with all operands in registers, over a few milliseconds. After pi_cpu_detect() has found
 * CPU_AMX. Only where the build knows AMX. */
double peaks_amx(void);

/* Bytes read plus bytes written per second by memcpy between buffers larger than any cache. 0: no memory for them. */
double peaks_copy(void);

#endif
