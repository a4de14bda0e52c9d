#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Writes the hand-made part of the corpus: small safetensors files, good ones and one for each rule of the format that
# they break. What the fuzzer found lies beside them under names that are hashes.
import os
import struct

out = os.path.join(os.path.dirname(os.path.abspath(__file__)), "safetensors")


def tensor(dtype, shape, begin, end):
    return '{"dtype":"%s","shape":%s,"data_offsets":[%s,%s]}' % (dtype, shape, begin, end)


def write(name, header, data=0, length=None, raw=None):
    if isinstance(header, str):
        header = header.encode()
    body = struct.pack("<Q", len(header) if length is None else length) + header + bytes(data)
    with open(os.path.join(out, name), "wb") as f:
        f.write(body if raw is None else raw)


f4 = tensor("F32", "[1]", 0, 4)
dtypes = [("F64", 8), ("I64", 8), ("F32", 4), ("I32", 4), ("F16", 2), ("BF16", 2), ("I16", 2), ("I8", 1), ("U8", 1), ("BOOL", 1)]
at, parts = 0, []
for dtype, size in dtypes:
    parts.append('"%s":%s' % (dtype.lower(), tensor(dtype, "[2,1]", at, at + 2 * size)))
    at += 2 * size

os.makedirs(out, exist_ok=True)
write("good-all-types", '{"__metadata__":{"pola.arch":"polasr"},' + ",".join(parts) + "}   ", at)
write("good-empty", "{}")
write("good-empty-tensors", '{"a":%s,"b":%s,"c":%s}' % (tensor("F32", "[0,3]", 4, 4), f4, tensor("F32", "[0]", 0, 0)), 4)
write("good-scalar", '{"s":%s}' % tensor("F32", "[]", 0, 4), 4)
write("good-escapes", '{"\\u00e9\\ud83d\\ude00\\n\\"":%s,"__metadata__":{"k":"\\t\\\\"}}' % f4, 4)
write("good-many", "{" + ",".join('"t%d":%s' % (i * 7 % 40, tensor("U8", "[1]", i, i + 1)) for i in range(40)) + "}", 40)
write("bad-0-bytes", "", raw=b"")
write("bad-7-bytes", "", raw=b"\2\0\0\0\0\0\0")
write("bad-8-bytes", "")
write("bad-length-huge", "{}", length=2**64 - 1)
write("bad-length-over-limit", "{}", length=100000001)
write("bad-length-over-file", "{}", length=3)
write("bad-length-short", '{"a":%s}' % f4, 4, length=20)
write("bad-png", "", raw=b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1")
write("bad-zip", "", raw=b"PK\3\4\x14\0\0\0\0\0")
write("bad-array", "[]")
write("bad-leading-space", " {}")
write("bad-trailing-text", "{}{}")
write("bad-trailing-data", '{"a":%s}' % f4, 5)
write("bad-nul", b'{"a\0":{}}')
write("bad-escaped-nul", '{"a\\u0000":{}}')
write("bad-utf8", b'{"\xff\xc0\x80":{}}')
write("bad-surrogate", '{"\\ud800":{}}')
write("bad-deep", '{"a":' + "[" * 3000)
write("bad-deep-object", '{"a":' * 3000)
write("bad-duplicate", '{"a":%s,"a":%s}' % (f4, tensor("F32", "[1]", 4, 8)), 8)
write("bad-duplicate-escaped", '{"a":%s,"\\u0061":%s}' % (f4, tensor("F32", "[1]", 4, 8)), 8)
write("bad-duplicate-field", '{"a":{"dtype":"F32","dtype":"F16"}}')
write("bad-duplicate-metadata", '{"__metadata__":{},"__metadata__":{}}')
write("bad-metadata-number", '{"__metadata__":{"a":1}}')
write("bad-metadata-array", '{"__metadata__":[]}')
write("bad-dtype", '{"a":%s}' % tensor("F8_E4M3", "[4]", 0, 4), 4)
write("bad-dtype-number", '{"a":{"dtype":1}}')
write("bad-no-shape", '{"a":{"dtype":"F32"}}')
write("bad-no-offsets", '{"a":{"dtype":"F32","shape":[1]}}', 4)
write("bad-9-dims", '{"a":%s}' % tensor("F32", "[1,1,1,1,1,1,1,1,1]", 0, 4), 4)
write("bad-negative-dim", '{"a":%s}' % tensor("F32", "[-1]", 0, 4), 4)
write("bad-real-dim", '{"a":%s}' % tensor("F32", "[1.0]", 0, 4), 4)
write("bad-huge-dim", '{"a":%s}' % tensor("F32", "[99999999999999999999]", 0, 4), 4)
write("bad-product", '{"a":%s}' % tensor("F32", "[4294967296,4294967296]", 0, 0))
write("bad-product-bytes", '{"a":%s}' % tensor("F64", "[2305843009213693952]", 0, 0))
write("bad-offsets-order", '{"a":%s}' % tensor("F32", "[1]", 4, 0), 4)
write("bad-offsets-negative", '{"a":%s}' % tensor("F32", "[1]", -4, 0), 4)
write("bad-offsets-three", '{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}}', 8)
write("bad-offsets-outside", '{"a":%s}' % tensor("F32", "[1]", 4, 8), 4)
write("bad-offsets-wrap", '{"a":%s}' % tensor("F32", "[1]", 2**63 - 5, 2**63 - 1), 4)
write("bad-size", '{"a":%s}' % tensor("F32", "[2]", 0, 4), 4)
write("bad-overlap", '{"a":%s,"b":%s}' % (f4, tensor("F32", "[1]", 2, 6)), 6)
write("bad-same-place", '{"a":%s,"b":%s}' % (f4, f4), 4)
write("bad-empty-inside", '{"a":%s,"b":%s}' % (tensor("F32", "[2]", 0, 8), tensor("F32", "[0]", 4, 4)), 8)
write("bad-hole", '{"a":%s,"b":%s}' % (f4, tensor("F32", "[1]", 8, 12)), 12)
write("bad-hole-first", '{"a":%s}' % tensor("F32", "[1]", 4, 8), 8)
