/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Feeds the safetensors parser. Run by libFuzzer (option fuzzing) or, over the corpus, by standalone.c as a normal test.
 */
#include "fuzz.h"

#include "model/safetensors.h"

#include <string.h>

/* A table that the parser accepted must keep its promises: they are what networks build on. */
static void check_table(const struct table *table, const uint8_t *data, size_t size)
{
    uint64_t covered = 0;

    for (size_t i = 0; i < table->count; i++) {
        const struct weight *weight = &table->weights[i];
        FUZZ_CHECK(weight->dims >= 0 && weight->dims <= WEIGHTS_MAX_DIMS);
        FUZZ_CHECK(weight->bytes == weight->count * pi_dtype_size(weight->dtype));
        FUZZ_CHECK(weight->data >= data && weight->bytes <= (uint64_t)(data + size - weight->data));
        FUZZ_CHECK(pi_table_find(table, weight->name) == weight);
        covered += weight->bytes;
    }
    FUZZ_CHECK(covered <= size);
    for (size_t i = 0; i < table->meta_count; i++)
        FUZZ_CHECK(pi_table_meta(table, table->metas[i].key) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pola_error err = {0};
    struct table table = {0};
    char shown[sizeof err.text];

    if (pi_safetensors_load(&table, data, size, &err) == POLA_OK)
        check_table(&table, data, size);
    else /* one printable line */
        FUZZ_CHECK(err.text[0] && strcmp(pi_printable(shown, sizeof shown, err.text), err.text) == 0);
    pi_table_release(&table);
    return 0;
}
