/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * The choice of kernels: scalar first, then overrides upward, as far as flags and the build allow.
 */
#include "kern/kern_isa.h"

#include <string.h>

void pi_kern_init(struct kern *kern, unsigned flags)
{
    memset(kern, 0, sizeof *kern);
    kern->flags = flags;
    kern->gemm[ACT_F32] = &pi_gemm_f32_scalar;
    kern->gemm[ACT_BF16] = &pi_gemm_bf16_scalar;
    pi_norm_scalar(kern);
    pi_act_scalar(kern);
    pi_dwconv_scalar(kern);
    pi_pacs_scalar(kern);
#ifdef PI_HAVE_X86
    if (!(flags & CPU_AVX2))
        return;
    kern->gemm[ACT_F32] = &pi_gemm_f32_avx2;
    kern->gemm[ACT_BF16] = &pi_gemm_bf16_avx2;
    pi_norm_avx2(kern);
    pi_act_avx2(kern);
    pi_dwconv_avx2(kern);
    pi_pacs_avx2(kern);
    if (!(flags & CPU_AVX512))
        return;
    kern->gemm[ACT_F32] = &pi_gemm_f32_avx512;
    kern->gemm[ACT_BF16] = &pi_gemm_bf16_avx512;
    pi_norm_avx512(kern);
    pi_act_avx512(kern);
    pi_dwconv_avx512(kern);
    pi_pacs_avx512(kern);
    if (!(flags & CPU_AVX512BF16))
        return;
    kern->gemm[ACT_BF16] = &pi_gemm_bf16_avx512bf16;
    pi_norm_avx512bf16(kern);
    pi_act_avx512bf16(kern);
    pi_dwconv_avx512bf16(kern);
    pi_pacs_avx512bf16(kern);
    if (!(flags & CPU_AMX))
        return;
    kern->gemm[ACT_BF16] = &pi_gemm_bf16_amx;
    pi_pacs_amx(kern);
    kern->begin = pi_begin_amx;
    kern->end = pi_end_amx;
#endif
}
