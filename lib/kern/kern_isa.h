/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Names that the translation units of lib/kern share. Nothing inline may come from outside: code compiled for one
 * instruction set must not be what the linker keeps for all.
 */
#ifndef PI_KERN_ISA_H
#define PI_KERN_ISA_H

#include "base/cpu.h"
#include "kern/kern.h"

/* For bodies whose shape arguments are constants in each caller. */
#define INLINE static inline __attribute__((always_inline))

/* Before a loop over an array of registers: unrolled completely, at most n turns. */
#define PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define UNROLL(n) PRAGMA(clang loop unroll(full))
#else
#define UNROLL(n) PRAGMA(GCC unroll n)
#endif

extern const struct gemm pi_gemm_f32_scalar, pi_gemm_bf16_scalar;
extern const struct gemm pi_gemm_f32_avx2, pi_gemm_bf16_avx2;
extern const struct gemm pi_gemm_f32_avx512, pi_gemm_bf16_avx512;
extern const struct gemm pi_gemm_bf16_avx512bf16;
extern const struct gemm pi_gemm_bf16_amx;

/* Each fills in the entries of its operation. */
void pi_norm_scalar(struct kern *kern);
void pi_act_scalar(struct kern *kern);
void pi_dwconv_scalar(struct kern *kern);
void pi_pacs_scalar(struct kern *kern);

void pi_norm_avx2(struct kern *kern);
void pi_act_avx2(struct kern *kern);
void pi_dwconv_avx2(struct kern *kern);
void pi_pacs_avx2(struct kern *kern);

void pi_norm_avx512(struct kern *kern);
void pi_act_avx512(struct kern *kern);
void pi_dwconv_avx512(struct kern *kern);
void pi_pacs_avx512(struct kern *kern);

void pi_norm_avx512bf16(struct kern *kern);
void pi_act_avx512bf16(struct kern *kern);
void pi_dwconv_avx512bf16(struct kern *kern);
void pi_pacs_avx512bf16(struct kern *kern);

void pi_pacs_amx(struct kern *kern);
void pi_begin_amx(void);
void pi_end_amx(void);

/* What a higher level falls back to for shapes it does not handle. */
void pi_pacs_key_bf16_avx2(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                           const struct rope *rope, const struct pacs_params *params);
void pi_pacs_query_bf16_avx2(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                             const struct rope *rope, const struct pacs_params *params);
void pi_pacs_key_bf16_avx512(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                             const struct rope *rope, const struct pacs_params *params);
void pi_pacs_query_bf16_avx512(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                               const struct rope *rope, const struct pacs_params *params);
void pi_pacs_key_bf16_avx512bf16(struct pacs_state *state, const void *k, const void *v, size_t m, int row,
                                 const struct rope *rope, const struct pacs_params *params);
void pi_pacs_query_bf16_avx512bf16(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                                   const struct rope *rope, const struct pacs_params *params);

#endif
