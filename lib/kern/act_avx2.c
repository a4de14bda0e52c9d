/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Elementwise kernels for AVX2.
 */
#include "kern/simd_avx2.h"

#define ISA(name) name##_avx2
#include "kern/act_simd.h"
