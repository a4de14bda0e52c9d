/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See safetensors.h. The format: a little-endian 64-bit length, a JSON object of that many bytes that maps names to
 * {"dtype", "shape", "data_offsets"} and "__metadata__" to an object of strings, then the tensors' bytes without gaps.
 *
 * jansson reads the members of that object one at a time, each from a bounded piece of text: read at once, a hostile header
 * of 100 MB such as "[[],[],..." would become gigabytes of JSON nodes.
 */
#include "model/safetensors.h"

#include "base/mem.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH_SIZE    8
#define HEADER_LIMIT   100000000 /* the format's own limit */
#define ENTRY_LIMIT    65536     /* one name or one tensor's description */
#define METADATA_LIMIT 4194304

/* The JSON text of the header and the place reached. */
struct reader {
    const char *text;
    size_t size, at;
    bool metadata_seen;
    struct pola_error *err;
};

static int no_memory(struct pola_error *err)
{
    return pi_err_set(err, POLA_ERR_MEMORY, "not enough memory for the model's table of tensors");
}

static int bad_json(struct reader *r, const char *text)
{
    char shown[JSON_ERROR_TEXT_LENGTH];

    return pi_err_set(r->err, POLA_ERR_FORMAT, "the header is damaged at byte %zu: %s", r->at,
                      pi_printable(shown, sizeof shown, text));
}

static int bad_tensor(struct pola_error *err, const char *name, const char *what)
{
    char shown[WEIGHT_NAME_SHOWN];

    return pi_err_set(err, POLA_ERR_FORMAT, "tensor '%s' %s", pi_printable(shown, sizeof shown, name), what);
}

/* The next character that is not white space, left unread; 0 at the end. */
static char peek(struct reader *r)
{
    while (r->at < r->size && memchr(" \t\r\n", r->text[r->at], 4))
        r->at++;
    return r->at < r->size ? r->text[r->at] : '\0';
}

static int expect(struct reader *r, char wanted)
{
    char text[] = "'?' is missing";

    if (peek(r) == wanted) {
        r->at++;
        return POLA_OK;
    }
    text[1] = wanted;
    return bad_json(r, text);
}

/* Reads one JSON value of at most limit bytes into *out, which must be of the given type. */
static int read_value(json_t **out, struct reader *r, size_t limit, json_type type)
{
    const size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES;
    json_error_t fault = {0}; /* jansson leaves it so when it has no memory */

    peek(r);
    size_t left = r->size - r->at, piece = left < limit ? left : limit;
    json_t *value = json_loadb(r->text + r->at, piece, flags, &fault);
    if (!value) {
        if (json_error_code(&fault) == json_error_out_of_memory || !fault.text[0])
            return no_memory(r->err);
        /* jansson stops at most one character before the end when it runs out of text. */
        if (piece < left && (size_t)fault.position + 4 >= piece)
            return bad_json(r, "an entry is too long");
        r->at += (size_t)fault.position;
        return bad_json(r, fault.text);
    }
    if (json_typeof(value) != type) {
        json_decref(value);
        return bad_json(r, type == JSON_STRING ? "a name is expected" : "an object is expected");
    }
    r->at += (size_t)fault.position; /* jansson sets it on success, too */
    *out = value;
    return POLA_OK;
}

static int read_metadata(struct table *table, json_t *object, struct pola_error *err)
{
    char shown[WEIGHT_NAME_SHOWN];
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (!json_is_string(value))
            return pi_err_set(err, POLA_ERR_FORMAT, "metadata '%s' is not a string",
                              pi_printable(shown, sizeof shown, key));
        if (pi_table_add_meta(table, key, json_string_value(value)) < 0)
            return no_memory(err);
    }
    return POLA_OK;
}

static int read_dtype(struct weight *weight, const json_t *value, struct pola_error *err)
{
    char name[32], text[96];

    if (!json_is_string(value))
        return bad_tensor(err, weight->name, "has no dtype");
    if (pi_dtype_parse(&weight->dtype, json_string_value(value)) == 0)
        return POLA_OK;
    snprintf(text, sizeof text, "has dtype '%s', which is not supported",
             pi_printable(name, sizeof name, json_string_value(value)));
    return bad_tensor(err, weight->name, text);
}

static int read_shape(struct weight *weight, const json_t *value, struct pola_error *err)
{
    if (!json_is_array(value))
        return bad_tensor(err, weight->name, "has no shape");
    if (json_array_size(value) > WEIGHTS_MAX_DIMS)
        return bad_tensor(err, weight->name, "has more than 8 dimensions");
    weight->dims = (int)json_array_size(value);
    for (int i = 0; i < weight->dims; i++) {
        const json_t *size = json_array_get(value, (size_t)i);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return bad_tensor(err, weight->name, "has a dimension that is not a whole number");
        weight->shape[i] = (uint64_t)json_integer_value(size);
    }
    if (pi_weight_measure(weight) < 0)
        return bad_tensor(err, weight->name, "has an impossible size");
    return POLA_OK;
}

/* buffer[size] is the data part of the file. */
static int read_offsets(struct weight *weight, const json_t *value, const unsigned char *buffer, size_t size,
                        struct pola_error *err)
{
    const json_t *first = json_array_get(value, 0), *second = json_array_get(value, 1);
    char text[160];

    if (json_array_size(value) != 2 || !json_is_integer(first) || !json_is_integer(second))
        return bad_tensor(err, weight->name, "has no pair of data offsets");
    json_int_t begin = json_integer_value(first), end = json_integer_value(second);
    if (begin < 0 || end < begin)
        return bad_tensor(err, weight->name, "has data offsets in the wrong order");
    if ((uint64_t)end > size) {
        snprintf(text, sizeof text,
                 "ends at byte %lld of the data, but the file holds only %zu: it is truncated or damaged",
                 (long long)end, size);
        return bad_tensor(err, weight->name, text);
    }
    if ((uint64_t)(end - begin) != weight->bytes) {
        snprintf(text, sizeof text, "has %lld bytes of data, its shape needs %" PRIu64, (long long)(end - begin),
                 weight->bytes);
        return bad_tensor(err, weight->name, text);
    }
    weight->data = buffer + begin;
    return POLA_OK;
}

static int read_tensor(struct table *table, const char *name, const json_t *entry, const unsigned char *buffer,
                       size_t size, struct pola_error *err)
{
    struct weight *weight = pi_table_add(table, name);
    int status;

    if (!weight)
        return no_memory(err);
    if ((status = read_dtype(weight, json_object_get(entry, "dtype"), err)) < 0 ||
        (status = read_shape(weight, json_object_get(entry, "shape"), err)) < 0)
        return status;
    return read_offsets(weight, json_object_get(entry, "data_offsets"), buffer, size, err);
}

/* Reads one member: a name, a colon and a tensor's description or the metadata. */
static int read_member(struct table *table, struct reader *r, const unsigned char *buffer, size_t size)
{
    json_t *name = NULL, *entry = NULL;
    int status;

    if ((status = read_value(&name, r, ENTRY_LIMIT, JSON_STRING)) < 0 || (status = expect(r, ':')) < 0)
        goto done;
    bool metadata = strcmp(json_string_value(name), "__metadata__") == 0;
    if ((status = read_value(&entry, r, metadata ? METADATA_LIMIT : ENTRY_LIMIT, JSON_OBJECT)) < 0)
        goto done;
    if (!metadata)
        status = read_tensor(table, json_string_value(name), entry, buffer, size, r->err);
    else if (r->metadata_seen)
        status = pi_err_set(r->err, POLA_ERR_FORMAT, "the metadata are there twice");
    else
        status = read_metadata(table, entry, r->err);
    r->metadata_seen |= metadata;
done:
    json_decref(entry);
    json_decref(name);
    return status;
}

static int read_header(struct table *table, struct reader *r, const unsigned char *buffer, size_t size)
{
    int status;

    if ((status = expect(r, '{')) < 0)
        return status;
    bool more = peek(r) != '}';
    while (more) {
        if ((status = read_member(table, r, buffer, size)) < 0)
            return status;
        if ((more = peek(r) == ','))
            r->at++;
    }
    if ((status = expect(r, '}')) < 0)
        return status;
    return peek(r) || r->at < r->size ? bad_json(r, "text after the end") : POLA_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct weight *x = *(const struct weight *const *)a, *y = *(const struct weight *const *)b;

    if (x->data != y->data)
        return x->data < y->data ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes); /* empty ones first */
}

/* The tensors must cover buffer[size] exactly: no byte twice, none left over. */
static int check_cover(const struct table *table, const unsigned char *buffer, size_t size, struct pola_error *err)
{
    const struct weight **order = pi_alloc(table->count * sizeof(const struct weight *));
    const unsigned char *reached = buffer;
    int status = POLA_OK;

    if (!order)
        return no_memory(err);
    for (size_t i = 0; i < table->count; i++)
        order[i] = &table->weights[i];
    qsort(order, table->count, sizeof(const struct weight *), by_place);
    for (size_t i = 0; i < table->count && status == POLA_OK; i++) {
        if (order[i]->data < reached)
            status = bad_tensor(err, order[i]->name, "overlaps another one");
        else if (order[i]->data > reached)
            status = bad_tensor(err, order[i]->name, "comes after bytes that belong to no tensor");
        reached = order[i]->data + order[i]->bytes;
    }
    if (status == POLA_OK && reached != buffer + size)
        status = pi_err_set(err, POLA_ERR_FORMAT, "the tensors end at byte %zu of the data, but the file holds %zu",
                            (size_t)(reached - buffer), size);
    pi_free(order);
    return status;
}

static uint64_t little_endian(const unsigned char *p)
{
    uint64_t value = 0;

    for (int i = LENGTH_SIZE; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

int pi_safetensors_load(struct table *table, const unsigned char *data, size_t size, struct pola_error *err)
{
    int status;

    if (size < LENGTH_SIZE)
        return pi_err_set(err, POLA_ERR_FORMAT, "not a safetensors file: it has only %zu bytes", size);
    uint64_t length = little_endian(data);
    size_t rest = size - LENGTH_SIZE;
    if (length > HEADER_LIMIT)
        return pi_err_set(err, POLA_ERR_FORMAT, "not a safetensors file: a header of %" PRIu64 " bytes is more than %d",
                          length, HEADER_LIMIT);
    if (length > rest)
        return pi_err_set(err, POLA_ERR_FORMAT,
                          "the file is truncated: its header has %" PRIu64 " bytes, the file only %zu", length, size);
    const unsigned char *buffer = data + LENGTH_SIZE + length;
    size_t buffer_size = rest - (size_t)length;
    struct reader r = {.text = (const char *)data + LENGTH_SIZE, .size = (size_t)length, .err = err};
    if (length == 0 || r.text[0] != '{')
        return pi_err_set(err, POLA_ERR_FORMAT, "not a safetensors file: its header does not begin with '{'");
    if ((status = read_header(table, &r, buffer, buffer_size)) < 0 || (status = pi_table_sort(table, err)) < 0)
        return status;
    return check_cover(table, buffer, buffer_size, err);
}
