#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
"""Speed of super-resolution, from memory to memory, at each instruction set, with one thread and two, next to PyTorch.

usage: speed.py BENCH_SR MODEL [ROUNDS]

All contestants are alive at the same time, wait for their turn and run once a round, so that all of them meet the same moods
of the machine; the best round counts. Targets that are missed are printed; only a program that fails makes this one fail.
"""
import glob
import importlib.util
import os
import subprocess
import sys

LARGE, SMALL = (1024, 768), (256, 256)
LEVELS = ("amx", "avx512bf16", "avx512", "avx2")
TARGETS = {"amx": 8.0, "avx512": 4.0, "avx2": 4.0}  # times PyTorch
SCALING = 1.8  # two threads to one
PATIENCE = 120  # seconds after which a contestant has no further turns
NO_SUCH_LEVEL = 77

# glibc gives large buffers back and fetches them afresh for every layer, half of PyTorch's time, unless told to keep them.
KEEP_PAGES = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "100000000000", "MALLOC_TOP_PAD_": "268435456"}


class Contestant:
    def __init__(self, command, env=None):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **(env or {})})
        self.ready = self.process.stdout.readline().split()
        self.best = None
        self.spent = 0.0
        if not self.ready and self.process.wait() != NO_SUCH_LEVEL:
            sys.exit("%s failed" % " ".join(command))

    def turn(self):
        """One run; keeps the best of each figure that it prints."""
        if not self.ready or self.spent > PATIENCE:
            return
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        figures = [float(word) for word in self.process.stdout.readline().split()]
        if not figures:
            sys.exit("%s failed" % " ".join(self.process.args))
        self.spent += sum(figures)
        self.best = figures if self.best is None else [min(pair) for pair in zip(self.best, figures)]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def torch_contestants(model):
    if importlib.util.find_spec("torch") is None:
        print("python3-torch is not installed: no comparison")
        return []
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "polasr_torch.py")
    command = [sys.executable, script, model, *map(str, LARGE), "2"]
    environments = [KEEP_PAGES]
    environments += [{"LD_PRELOAD": path} for path in glob.glob("/usr/lib/*/libjemalloc.so.2")]
    return [Contestant(command, env) for env in environments]


def verdict(value, target):
    if target is None:
        return ""
    return "target %.1fx: %s" % (target, "reached" if value >= target else "MISSED")


def megapixels(size, seconds):
    return size[0] * size[1] / seconds / 1e6


def print_large(ours, torch_best):
    print("\n%d x %d, x4, decode and encode left out" % LARGE)
    print("%-13s %7s %8s %9s" % ("", "threads", "Mpx/s", "x PyTorch"))
    for (level, threads), contestant in ours.items():
        if not contestant.ready:
            print("%-13s this CPU has none" % level)
            continue
        seconds = contestant.best[0]
        ratio = torch_best / seconds if torch_best and threads == 2 else None
        print("%-13s %7d %8.3f %9s  %s" % (level, threads, megapixels(LARGE, seconds), "%.1fx" % ratio if ratio else "",
                                           verdict(ratio, TARGETS.get(level)) if ratio else ""))


def print_torch(torch):
    for i, precision in enumerate(("fp32", "bf16")):
        seconds = min(contestant.best[i] for contestant in torch)
        print("%-13s %7d %8.3f" % ("PyTorch " + precision, 2, megapixels(LARGE, seconds)))


def print_scaling(pairs):
    print("\ntwo threads against one, best instruction set")
    for size, one, two in pairs:
        ratio = one.best[0] / two.best[0]
        columns, rows, width, height = map(int, two.ready[1:])
        print("%4d x %-4d  %d x %d windows of %d x %d  %.3f and %.3f Mpx/s  %.2fx  %s" % (
            *size, columns, rows, width, height, megapixels(size, one.best[0]), megapixels(size, two.best[0]), ratio,
            verdict(ratio, SCALING)))


def main():
    bench, model, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 4
    print("load of the machine before: %.2f (other work makes all figures worse)" % os.getloadavg()[0], flush=True)

    def start(level, threads, size):
        return Contestant([bench, model, level, str(threads), *map(str, size)])

    ours = {(level, threads): start(level, threads, LARGE) for level in LEVELS for threads in (2, 1)}
    level = next((l for l in LEVELS if ours[l, 2].ready), "auto")
    small = {threads: start(level, threads, SMALL) for threads in (1, 2)}
    torch = torch_contestants(model)
    for _ in range(rounds):
        for contestant in [*ours.values(), *torch]:
            contestant.turn()
            for quick in small.values():
                quick.turn()
    print_large(ours, min(min(c.best) for c in torch) if torch else None)
    if torch:
        print_torch(torch)
    pairs = [(SMALL, small[1], small[2])]
    if (level, 2) in ours:
        pairs.insert(0, (LARGE, ours[level, 1], ours[level, 2]))
    print_scaling(pairs)
    for contestant in [*ours.values(), *small.values(), *torch]:
        contestant.close()


main()
