#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
"""A whole process for a small picture: pola-sr -x4 of a 64 x 64 PNG against vips copy of the same file, in turns.

usage: process.py POLA-SR PICTURE [ROUNDS]

The best of ROUNDS each; a missed target is printed, only a command that fails makes this one fail.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

TARGET = 2.5


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def main():
    command, picture, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 40
    vips = shutil.which("vips")
    if not vips:
        print("vips is not installed (libvips-tools): no comparison")
        return
    with tempfile.TemporaryDirectory() as scratch:
        small, out = os.path.join(scratch, "small.png"), os.path.join(scratch, "out.png")
        subprocess.run([vips, "crop", picture, small, "0", "0", "64", "64"], check=True)
        contestants = {"vips copy": [vips, "copy", small, out]}
        for options in (["-x4"], ["-x4", "-t1"]):
            contestants["pola-sr " + " ".join(options)] = [command, "-q", *options, small, out]
        best = dict.fromkeys(contestants, float("inf"))
        for _ in range(rounds):
            for name, words in contestants.items():
                best[name] = min(best[name], seconds(words))
    base = best["vips copy"]
    for name, value in best.items():
        print("%-16s %6.1f ms  %.2fx" % (name, 1000 * value, value / base))
    ratio = best["pola-sr -x4"] / base
    print("target: at most %.1fx: %s" % (TARGET, "reached" if ratio <= TARGET else "MISSED"))


main()
