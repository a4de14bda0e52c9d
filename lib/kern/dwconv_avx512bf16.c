/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Depth-wise convolutions for AVX-512-BF16.
 */
#define SIMD_BF16_HARDWARE
#include "kern/simd_avx512.h"

#define ISA(name) name##_avx512bf16
#include "kern/dwconv_simd.h"
