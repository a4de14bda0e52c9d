#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
"""Peak memory of pola-sr, as the kernel reports it: that it does not grow with an image's height, and that -v foretells it.

usage: memory.py POLA-SR PICTURE [quick]

quick leaves out the tall image. A missed target is printed, only a command that fails makes this one fail. Imports little: what
this process holds when it starts another counts in the other's peak.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

TALL, SHORT, WIDE = (1000, 20000), (1000, 4000), (4096, 1024)
SIZES = ((64, 64), (512, 512), (1000, 1000), (4096, 512))
FORMATS = (".png[compression=1]", ".tif")
GROWTH, WIDE_MB, ACCURACY = 1.1, 600, 0.2


def check(condition):
    return "reached" if condition else "MISSED"


class Bench:
    def __init__(self, command, picture, scratch):
        self.command, self.scratch = command, scratch
        self.pattern = os.path.join(scratch, "pattern.v")
        self.vips("replicate", picture, self.pattern, "12", "72")

    def vips(self, *words):
        subprocess.run(["vips", *words], check=True)

    def run(self, size, suffix, threads):
        """Expected and measured peak, in MB."""
        source, out = os.path.join(self.scratch, "in.png"), os.path.join(self.scratch, "out")
        self.vips("crop", self.pattern, source + "[compression=1]", "0", "0", *map(str, size))
        words = [self.command, "-v", "-x4", "-t", str(threads), source, out + suffix]
        child = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        text = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        expected = re.search(r"expecting (\d+) MB", text)
        if status or not expected:
            sys.exit("%s failed: %s" % (" ".join(words), text))
        os.remove(out + suffix.split("[")[0])
        measured = usage.ru_maxrss / 1024
        ratio = int(expected[1]) / measured
        print("%5d x %-6d %-4s %d threads  expected %4s MB, measured %4.0f MB  %.2f" % (
            *size, suffix[1:4], threads, expected[1], measured, ratio), flush=True)
        return ratio, measured


def main():
    command, picture, quick = sys.argv[1], sys.argv[2], sys.argv[3:] == ["quick"]
    if not shutil.which("vips"):
        print("vips is not installed (libvips-tools): no inputs")
        return
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(command, picture, scratch)
        ratios = [bench.run(size, suffix, threads)[0] for size in SIZES for suffix in FORMATS for threads in (1, 2)]
        ratio, wide = bench.run(WIDE, FORMATS[0], 2)
        ratios.append(ratio)
        if not quick:
            short, tall = (bench.run(size, FORMATS[0], 2) for size in (SHORT, TALL))
            ratios += [short[0], tall[0]]
    worst = max(ratios, key=lambda ratio: max(ratio, 1 / ratio))
    print("\nexpected / measured: %.2f at worst, target within %.0f %%: %s" % (
        worst, 100 * ACCURACY, check(abs(worst - 1) <= ACCURACY)))
    print("%d wide: %.0f MB, target under %d MB: %s" % (WIDE[0], wide, WIDE_MB, check(wide < WIDE_MB)))
    if not quick:
        growth = tall[1] / short[1]
        print("%d x %d takes %.2f times the memory of %d x %d, target at most %.1f: %s" % (
            *TALL, growth, *SHORT, GROWTH, check(growth <= GROWTH)))


main()
