/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Matrix products for AVX2: 6 tokens by 2 vectors fill 12 of the 16 registers.
 */
#include "kern/simd_avx2.h"

#define ISA(name) name##_avx2
#define MR        6
#define NZ        2
#include "kern/gemm_simd.h"

const struct gemm pi_gemm_f32_avx2 = {"gemm.f32.avx2", CPU_AVX2, MR, NZ *VL, 1, bytes, pack_f32, run_f32};
const struct gemm pi_gemm_bf16_avx2 = {"gemm.bf16.avx2", CPU_AVX2, MR, NZ *VL, 1, bytes, pack_bf16, run_bf16};
