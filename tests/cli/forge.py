#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Makes the inputs of the command tests that nothing else can make: forge.py KIND OUT [ARGUMENTS]. Standard library only.
# Called by the cases as `forge`.
import struct
import sys
import zlib


def pixel(x, y):
    """A colourful picture without symmetry."""
    return (x * 5 + y) % 256, (y * 6 + x // 3) % 256, (x * x // 7 + y * y // 5) % 256


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))


def png(path, width, height, depth, colour, rows, extra=b'', data=None):
    if data is None:
        data = zlib.compress(b''.join(b'\0' + row for row in rows))
    with open(path, 'wb') as f:
        f.write(b'\x89PNG\r\n\x1a\n')
        f.write(chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, depth, colour, 0, 0, 0)))
        f.write(extra + chunk(b'IDAT', data) + chunk(b'IEND', b''))


def rows_of(width, height, of):
    return [b''.join(of(x, y) for x in range(width)) for y in range(height)]


def rgb(path, width=48, height=36, extra=b''):
    width, height = int(width), int(height)
    png(path, width, height, 8, 2, rows_of(width, height, lambda x, y: bytes(pixel(x, y))), extra)


def grey(path, width=48, height=36, extra=b''):
    width, height = int(width), int(height)
    png(path, width, height, 8, 0, rows_of(width, height, lambda x, y: bytes(pixel(x, y)[:1])), extra)


def flat(path, r, g, b, a, width=24, height=20):
    """One colour; a is alpha."""
    png(path, width, height, 8, 6, rows_of(width, height, lambda x, y: bytes((int(r), int(g), int(b), int(a)))))


def disc(path):
    """A red disc on transparent green."""
    def of(x, y):
        inside = (x - 24) ** 2 + (y - 18) ** 2 < 144
        return bytes((255, 0, 0, 255) if inside else (0, 255, 0, 0))
    png(path, 48, 36, 8, 6, rows_of(48, 36, of))


def rgb16(path):
    png(path, 48, 36, 16, 2, rows_of(48, 36, lambda x, y: struct.pack('>3H', x * 1300 + y, y * 1700 + x, x * y * 30)))


def grey16(path):
    png(path, 48, 36, 16, 0, rows_of(48, 36, lambda x, y: struct.pack('>H', x * 1300 + y * 7)))


def grey_alpha(path):
    png(path, 48, 36, 8, 4, rows_of(48, 36, lambda x, y: bytes((pixel(x, y)[0], y * 7))))


def palette(path):
    """Four colours, one of them transparent and one half so."""
    colours = bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 200, 100, 50])
    extra = chunk(b'PLTE', colours) + chunk(b'tRNS', bytes([0, 128, 255, 255]))
    png(path, 48, 36, 8, 3, rows_of(48, 36, lambda x, y: bytes([x // 12 % 4])), extra)


def bilevel(path):
    png(path, 48, 36, 1, 0, [bytes([0xaa if y % 2 else 0xf0] * 6) for y in range(36)])


def ramp(path, width=64):
    """Grey, exactly 3 per pixel to the right."""
    width = int(width)
    png(path, width, 12, 8, 0, rows_of(width, 12, lambda x, y: bytes([3 * x + 20])))


def exif_block(orientation):
    return b'II*\0' + struct.pack('<IHHHIHHI', 8, 1, 0x112, 3, 1, orientation, 0, 0)


def turned(path, orientation):
    """The picture of `rgb`, stored as a camera held in that way would."""
    n, width, height = int(orientation), 48, 36
    across = {1: lambda u, v: (u, v), 2: lambda u, v: (width - 1 - u, v),
              3: lambda u, v: (width - 1 - u, height - 1 - v), 4: lambda u, v: (u, height - 1 - v),
              5: lambda u, v: (v, u), 6: lambda u, v: (width - 1 - v, u),
              7: lambda u, v: (width - 1 - v, height - 1 - u), 8: lambda u, v: (v, height - 1 - u)}[n]
    w, h = (width, height) if n < 5 else (height, width)
    png(path, w, h, 8, 2, rows_of(w, h, lambda u, v: bytes(pixel(*across(u, v)))), chunk(b'eXIf', exif_block(n)))


def icc_grey(gamma):
    """A minimal profile for grey of that gamma."""
    def fixed(value):
        return struct.pack('>i', round(value * 65536))
    white = b'XYZ \0\0\0\0' + fixed(0.9642) + fixed(1) + fixed(0.8249)
    curve = b'curv\0\0\0\0' + struct.pack('>IH', 1, round(gamma * 256)) + b'\0\0'
    text = b'desc\0\0\0\0' + struct.pack('>I', 5) + b'grey\0' + bytes(78 + 3)
    rights = b'text\0\0\0\0' + b'none\0\0\0\0'
    tags = [(b'wtpt', white), (b'kTRC', curve), (b'desc', text), (b'cprt', rights)]
    table, body, offset = struct.pack('>I', len(tags)), b'', 128 + 4 + 12 * len(tags)
    for name, data in tags:
        data += bytes(-len(data) % 4)
        table += name + struct.pack('>II', offset + len(body), len(data))
        body += data
    size = offset + len(body)
    header = struct.pack('>I', size) + b'lcms' + struct.pack('>I', 0x02100000) + b'mntrGRAYXYZ '
    header += struct.pack('>6H', 2020, 1, 1, 0, 0, 0) + b'acsp' + bytes(28) + fixed(0.9642) + fixed(1) + fixed(0.8249)
    return header + bytes(128 - len(header)) + table + body


def icc_chunk(profile):
    return chunk(b'iCCP', b'p\0\0' + zlib.compress(profile))


def grey_gamma(path, gamma):
    grey(path, extra=icc_chunk(icc_grey(float(gamma))))


def jpeg_segment(path, source, marker, data):
    """source with one more segment at its front."""
    with open(source, 'rb') as f:
        jpeg = f.read()
    with open(path, 'wb') as f:
        f.write(jpeg[:2] + struct.pack('>BBH', 0xff, marker, len(data) + 2) + data + jpeg[2:])


def broken_icc(path, source):
    jpeg_segment(path, source, 0xe2, b'ICC_PROFILE\0\1\1' + icc_grey(2.2)[:140])


def wrong_icc(path, source):
    """A profile for grey in a JPEG in colour."""
    jpeg_segment(path, source, 0xe2, b'ICC_PROFILE\0\1\1' + icc_grey(1.8))


def xmp(path, source):
    packet = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><note>kept</note></x:xmpmeta>'
    jpeg_segment(path, source, 0xe1, b'http://ns.adobe.com/xap/1.0/\0' + packet)


def exif(path, source, orientation=1):
    jpeg_segment(path, source, 0xe1, b'Exif\0\0' + exif_block(int(orientation)))


def tiff(path, width, height, bands, kind, data):
    """One strip, little-endian; kind 'B' (8 bits), 'f' (float), 'i' (32 bits)."""
    bits = {'B': 8, 'f': 32, 'i': 32}[kind]
    sample = {'B': 1, 'f': 3, 'i': 2}[kind]
    entries = [(256, 3, [width]), (257, 3, [height]), (258, 3, [bits] * bands), (259, 3, [1]),
               (262, 3, [2 if bands == 3 else 1]), (273, 4, [0]), (277, 3, [bands]), (278, 3, [height]),
               (279, 4, [len(data)]), (284, 3, [1]), (339, 3, [sample] * bands)]
    after = 8 + 2 + 12 * len(entries) + 4
    out, extra = struct.pack('<H', len(entries)), b''
    longs = sum(len(v) * 2 for _, t, v in entries if t == 3 and len(v) > 2)
    for tag, kind_of, values in entries:
        values = [after + longs] if tag == 273 else values
        raw = struct.pack('<%d%s' % (len(values), 'H' if kind_of == 3 else 'I'), *values)
        out += struct.pack('<HHI', tag, kind_of, len(values))
        if len(raw) > 4:
            out += struct.pack('<I', after + len(extra))
            extra += raw
        else:
            out += raw.ljust(4, b'\0')
    with open(path, 'wb') as f:
        f.write(b'II*\0' + struct.pack('<I', 8) + out + struct.pack('<I', 0) + extra + data)


def nan(path):
    values = [float('nan') if x < 2 else (x + y) / 40 for y in range(16) for x in range(20) for _ in range(3)]
    tiff(path, 20, 16, 3, 'f', struct.pack('<%df' % len(values), *values))


def six_bands(path):
    tiff(path, 20, 16, 6, 'B', bytes(i % 251 for i in range(20 * 16 * 6)))


def whole_numbers(path):
    tiff(path, 20, 16, 1, 'i', struct.pack('<320i', *range(320)))


def light(path, bands):
    """A portable float map, from 0 to 1."""
    bands = int(bands)
    values = [(x + b) / 33 for _ in range(24) for x in range(32) for b in range(bands)]
    with open(path, 'wb') as f:
        f.write((b'PF' if bands == 3 else b'Pf') + b'\n32 24\n-1.0\n' + struct.pack('<%df' % len(values), *values))


def liar(path, width, height):
    """A header that promises what the file does not hold."""
    png(path, int(width), int(height), 8, 2, [], data=zlib.compress(bytes(1000)))


def main():
    kind, arguments = sys.argv[1], sys.argv[2:]
    globals()[kind.replace('-', '_')](*arguments)


main()
