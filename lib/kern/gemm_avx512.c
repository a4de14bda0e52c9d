/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Matrix products for AVX-512: 8 tokens by 3 vectors fill 24 of the 32 registers; 48 outputs divide every layer of the shipped
 * models.
 */
#include "kern/simd_avx512.h"

#define ISA(name) name##_avx512
#define MR        8
#define NZ        3
#include "kern/gemm_simd.h"

const struct gemm pi_gemm_f32_avx512 = {
    "gemm.f32.avx512", CPU_AVX2 | CPU_AVX512, MR, NZ *VL, 1, bytes, pack_f32, run_f32};
const struct gemm pi_gemm_bf16_avx512 = {
    "gemm.bf16.avx512", CPU_AVX2 | CPU_AVX512, MR, NZ *VL, 1, bytes, pack_bf16, run_bf16};
