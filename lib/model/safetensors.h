/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Reads the header of a safetensors file that lies in memory. Called by weights.c and by the fuzzer.
 */
#ifndef PI_SAFETENSORS_H
#define PI_SAFETENSORS_H

#include "model/table.h"

/* Fills table (empty, caller's; release it also after a failure) with the tensors and the metadata of the file in
 * data[size], which must outlive it: tensor data are not copied. The file is hostile until proven otherwise; a fault is
 * POLA_ERR_FORMAT and names the tensor. Memory stays within a small multiple of the header's length. */
POLA_NODISCARD int pi_safetensors_load(struct table *table, const unsigned char *data, size_t size,
                                       struct pola_error *err);

#endif
