/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * What this CPU and its operating system can run, and how far the user lets us use it.
 */
#ifndef PI_CPU_H
#define PI_CPU_H

#include "base/err.h"

/* Each level includes the ones before it. */
enum cpu_flag {
    CPU_AVX2 = 1,       /* AVX2, FMA, F16C */
    CPU_AVX512 = 2,     /* F, BW, DQ, VL */
    CPU_AVX512BF16 = 4, /* VDPBF16PS, VCVTNEPS2BF16 */
    CPU_AMX = 8         /* AMX-TILE, AMX-BF16 */
};

/* Flags of the hardware, without any cap. Asks the kernel for the AMX state once. */
unsigned pi_cpu_detect(void);

/* Flags in use: detected, capped by pi_cpu_cap() or else by $POLA_CPU (an unknown name there caps nothing; the command
 * line checks it). */
unsigned pi_cpu_flags(void);

/* Caps at the named level ("auto": none). POLA_ERR_ARGUMENT when the name is unknown or the CPU lacks it. */
POLA_NODISCARD int pi_cpu_cap(const char *name, struct pola_error *err);

/* The name of the best level in flags; static. */
const char *pi_cpu_name(unsigned flags);

/* All flags up to the named level in *flags; false when the name is unknown. */
int pi_cpu_parse(unsigned *flags, const char *name);

#endif
