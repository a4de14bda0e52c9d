#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
"""Do borders between windows show, and what do windows cost? On smooth gradients and on photographs, tiled against untiled.

usage: seams.py POLA-SR BENCH_GRID DIRECTORY [TILE...]

DIRECTORY holds the photographs, as for quality.py. A seam is measured as the mean absolute difference of neighbouring output
pixels in the middle of the overlap of two windows, over that inside windows (as far as the same step from input pixel to input
pixel is concerned), then over the whole fade. Pictures have edges where they like, and smooth ones the steps of 8 bits: what
counts is that ratio over the same of the untiled result. In brackets: 95 % of bootstrap resamples of pieces of border. TILE...:
the rows of the table that follows, 0 for none.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
    from PIL import Image

    from quality import measure
except ImportError as missing:
    print("%s: python3-numpy and python3-pil are needed" % missing)
    sys.exit(77)

SCALE = 4
SIZE = 384  # of a gradient
UNTILED = 400  # at least any input
TILES, HALOS = (48, 64, 96, 128, 192), (2, 4, 8, 16)
PIECE = 32  # output pixels of border that are one sample
LIMIT = 1.2


def gradients():
    y, x = np.mgrid[0:SIZE, 0:SIZE] / (SIZE - 1)
    shapes = {"horizontal": x, "vertical": y, "diagonal": (x + y) / 2, "radial": np.hypot(x - 0.5, y - 0.5) * np.sqrt(2)}
    for name, ramp in shapes.items():
        colours = np.stack([ramp, 1 - 0.7 * ramp, 0.3 + 0.4 * ramp], -1)
        yield "gradient-" + name, Image.fromarray(np.rint(colours * 255).astype(np.uint8))


class Bench:
    def __init__(self, command, grid, directory, scratch):
        self.command, self.grid, self.directory, self.scratch = command, grid, directory, scratch
        self.inputs = sorted(glob.glob(os.path.join(directory, "*_HR.png")))
        for name, image in gradients():
            self.inputs.append(os.path.join(scratch, name + ".png"))
            image.save(self.inputs[-1])
        if len(self.inputs) == 4:
            sys.exit("no photographs in '%s'" % directory)
        self.untiled, self.untiled_seconds = self.enlarge(["--tile", str(UNTILED)])

    def enlarge(self, options):
        """All inputs by name, as arrays; and the seconds of the whole command."""
        out = os.path.join(self.scratch, "out")
        os.makedirs(out, exist_ok=True)
        start = time.perf_counter()
        words = [self.command, "-q", "-x%d" % SCALE, "--format", "png[compression=1]", *options, *self.inputs, "-o", out]
        subprocess.run(words, check=True)
        seconds = time.perf_counter() - start
        names = [os.path.basename(path) for path in self.inputs]
        images = {}
        for name in names:
            (path,) = glob.glob(os.path.join(out, name[:-4] + "*"))
            images[name[:-4]] = np.asarray(Image.open(path).convert("RGB"), np.float32)
            os.remove(path)
        return images, seconds

    def defaults(self):
        words = [self.command, "--dry-run", "-v", "-x%d" % SCALE, self.inputs[0], os.path.join(self.scratch, "x.png")]
        text = subprocess.run(words, check=True, capture_output=True, text=True)
        return tuple(map(int, re.search(r"tile (\d+), halo (\d+)", text.stdout + text.stderr).groups()))

    def borders(self, length, tile, halo):
        words = [self.grid, *map(str, (length // SCALE, SCALE, tile, halo))]
        lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
        return [tuple(map(int, line.split())) for line in lines]


def pieces(image, borders):
    """(borders * pieces, 2, 2): for each piece of each border the mean difference across the middle of the fade, and across
    columns inside windows with the same step; then the same of all columns of the fade, and of all inside. Borders are
    vertical."""
    steps = np.abs(np.diff(image, axis=1)).mean(2)  # between columns x and x + 1
    inside = np.ones(steps.shape[1], bool)
    for begin, fade in borders:
        inside[max(begin - 1, 0) : begin + fade] = False
    rows = steps.shape[0] // PIECE * PIECE
    steps = steps[:rows].reshape(-1, PIECE, steps.shape[1]).mean(1)
    found = []
    for begin, fade in borders:
        middle = begin + fade // 2 - 1
        alike = inside & (np.arange(inside.size) % SCALE == middle % SCALE)
        if alike.any():
            parts = (steps[:, middle], steps[:, alike].mean(1), steps[:, begin - 1 : begin + fade].mean(1), steps[:, inside].mean(1))
            found.append(np.stack(parts, 1).reshape(-1, 2, 2))
    return np.concatenate(found) if found else np.empty((0, 2, 2))


def both_ways(bench, image, tile, halo):
    height, width = image.shape[:2]
    return np.concatenate([
        pieces(image, bench.borders(width, tile, halo)),
        pieces(image.transpose(1, 0, 2), bench.borders(height, tile, halo)),
    ])


def ratio(chosen, untiled=None):
    """Of the sums of pieces; untiled: divided by the same ratio of that."""
    sums = chosen.sum(0)
    result = sums[0] / sums[1]
    return result if untiled is None else result / ratio(untiled)


def interval(tiled, untiled=None):
    """The ratio, and between what it lies."""
    random = np.random.default_rng(1)
    count = len(tiled)
    resampled = []
    for _ in range(500):
        chosen = random.integers(0, count, count)
        resampled.append(ratio(tiled[chosen], None if untiled is None else untiled[chosen]))
    return ratio(tiled, untiled), *np.percentile(resampled, (2.5, 97.5))


def psnr(a, b):
    error = np.mean((a - b) ** 2)
    return 10 * np.log10(255**2 / error) if error else np.inf


def print_borders(bench):
    tile, halo = bench.defaults()
    tiled, _ = bench.enlarge([])
    print("default tile %d, halo %d, x%d; target at most %.1f\n" % (tile, halo, SCALE, LIMIT))
    print("| picture | across borders / inside | relative to untiled | whole fade, relative to untiled | dB to untiled | |")
    print("|---|---|---|---|---|---|")
    for name, image in tiled.items():
        a, b = both_ways(bench, image, tile, halo), both_ways(bench, bench.untiled[name], tile, halo)
        plain, relative, fade = interval(a[:, 0]), interval(a[:, 0], b[:, 0]), interval(a[:, 1], b[:, 1])
        print("| %s | %.3f [%.3f, %.3f] | %.3f [%.3f, %.3f] | %.3f [%.3f, %.3f] | %.1f | %s |" % (
            name, *plain, *relative, *fade, psnr(image, bench.untiled[name]), "reached" if relative[0] <= LIMIT else "MISSED"))


def table_row(bench, tile, halo):
    options = ["--tile", str(tile), "--halo", str(halo)]
    tiled, seconds = bench.enlarge(options)
    seconds = min(seconds, bench.enlarge(options)[1])
    seams = {True: [], False: []}
    close = {True: [], False: []}
    for name, image in tiled.items():
        smooth = name.startswith("gradient")
        a, b = both_ways(bench, image, tile, halo), both_ways(bench, bench.untiled[name], tile, halo)
        if len(a):
            seams[smooth].append(ratio(a[:, 0], b[:, 0]))
        close[smooth].append(psnr(image, bench.untiled[name]))
    worst = ["%.3f" % max(seams[smooth]) if seams[smooth] else "" for smooth in (True, False)]
    truth = [measure(bench.command, bench.directory, scale, options)[0] for scale in (2, 4)]
    print("| %d | %d | %s | %s | %.1f | %.1f | %.3f | %.3f | %.2f |" % (
        tile, halo, *worst, np.mean(close[True]), np.mean(close[False]), *truth, seconds), flush=True)


def print_table(bench, tiles):
    print("\nworst seam, relative to untiled, on gradients and on photographs; mean dB to untiled on both; luma dB to the truth at x2"
          "\n(192 x 144 pixels) and x4 (96 x 72); best seconds of 2 for all pictures (untiled: %.2f)\n" % bench.untiled_seconds)
    print("| tile | halo | seam, gradients | seam, photographs | dB, gradients | dB, photographs | dB, truth x2 | dB, truth x4 | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for tile in tiles:
        for halo in HALOS:
            if tile - 2 * halo >= 16:
                table_row(bench, tile, halo)
    truth = [measure(bench.command, bench.directory, scale, ["--tile", str(UNTILED)])[0] for scale in (2, 4)]
    print("| untiled | | | | | | %.3f | %.3f | %.2f |" % (*truth, bench.untiled_seconds))


def main():
    command, grid, directory = sys.argv[1:4]
    tiles = [int(word) for word in sys.argv[4:]] or TILES
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(command, grid, directory, scratch)
        print_borders(bench)
        if tiles != [0]:
            print_table(bench, tiles)


main()
