/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Polarity-aware linear attention with AMX.
 */
#include "kern/kern_isa.h"

void pi_pacs_amx(struct kern *kern)
{
    (void)kern;
}
