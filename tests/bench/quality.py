#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
"""PSNR and SSIM of pola-sr on pairs of images, as super-resolution papers measure them.

usage: quality.py POLA-SR DIRECTORY SCALE [OPTION...]

DIRECTORY holds NAME_HR.png and NAME_xSCALE.png. Every OPTION goes to pola-sr; a first option "bicubic" measures Pillow's
bicubic enlargement instead. Luma as in ITU-R BT.601, borders of SCALE pixels left out, SSIM with an 11x11 Gaussian window.
"""
import glob
import os
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image


def luma(image, border):
    y = np.asarray(image.convert("RGB"), np.float64) @ [65.481, 128.553, 24.966] / 255 + 16
    return y[border:-border, border:-border]


def psnr(a, b):
    return 10 * np.log10(255**2 / np.mean((a - b) ** 2))


def blur(x):
    g = np.exp(-((np.arange(11) - 5) ** 2) / (2 * 1.5**2))
    g /= g.sum()
    x = sum(g[i] * x[i : x.shape[0] - 10 + i] for i in range(11))
    return sum(g[i] * x[:, i : x.shape[1] - 10 + i] for i in range(11))


def ssim(a, b):
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    ma, mb = blur(a), blur(b)
    va, vb, cov = blur(a * a) - ma * ma, blur(b * b) - mb * mb, blur(a * b) - ma * mb
    return np.mean((2 * ma * mb + c1) * (2 * cov + c2) / ((ma * ma + mb * mb + c1) * (va + vb + c2)))


def enlarge(command, source, scale, options):
    if options[:1] == ["bicubic"]:
        image = Image.open(source)
        return image.resize((image.width * scale, image.height * scale), Image.BICUBIC)
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "out.png")
        subprocess.run([command, "-q", "-x%d" % scale, *options, source, out], check=True)
        return Image.open(out).convert("RGB")


def measure(command, directory, scale, options):
    """PSNR, SSIM and the number of images."""
    rows = []
    for truth in sorted(glob.glob(os.path.join(directory, "*_HR.png"))):
        source = truth.replace("_HR", "_x%d" % scale)
        got, want = enlarge(command, source, scale, options), Image.open(truth)
        width, height = min(got.width, want.width), min(got.height, want.height)
        box = (0, 0, width, height)
        a, b = luma(got.crop(box), scale), luma(want.crop(box), scale)
        rows.append((psnr(a, b), ssim(a, b)))
    return (*np.mean(rows, 0), len(rows))


def main():
    command, directory, scale, options = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    figures = measure(command, directory, scale, options)
    print("x%d %s: PSNR %.4f dB, SSIM %.5f over %d images" % (scale, " ".join(options) or "defaults", *figures))


if __name__ == "__main__":
    main()
