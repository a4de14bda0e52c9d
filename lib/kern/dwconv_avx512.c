/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Depth-wise convolutions for AVX-512.
 */
#include "kern/simd_avx512.h"

#define ISA(name) name##_avx512
#include "kern/dwconv_simd.h"
