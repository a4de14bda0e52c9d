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
CLOSE = 1.5  # times the best seconds of a heat that still lead to the final
NO_SUCH_LEVEL = 77

# glibc gives large buffers back and fetches them afresh for every layer unless told to keep them.
KEEP_PAGES = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "100000000000", "MALLOC_TOP_PAD_": "268435456"}


class Contestant:
    def __init__(self, command, size, env=None):
        self.size = size
        self.command = [*command, *map(str, size)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **(env or {})})
        self.ready = self.process.stdout.readline().split()
        self.best = float("inf")
        self.spent = 0.0
        if not self.ready and self.process.wait() != NO_SUCH_LEVEL:
            sys.exit("%s failed" % " ".join(self.command))

    def turn(self):
        if not self.ready or self.spent > PATIENCE:
            return
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("%s failed" % " ".join(self.command))
        self.spent += float(answer)
        self.best = min(self.best, float(answer))

    def speed(self):
        """Input megapixels per second."""
        return self.size[0] * self.size[1] / self.best / 1e6

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def torch_settings():
    """What might make PyTorch fast here: memory, and a better library for float32 products than the reference one."""
    yield "", KEEP_PAGES
    for path in glob.glob("/usr/lib/*/openblas-*/libblas.so.3"):
        folder = os.path.dirname(path)
        yield ", " + os.path.basename(folder), {**KEEP_PAGES, "LD_LIBRARY_PATH": folder}
    for path in glob.glob("/usr/lib/*/libjemalloc.so.2"):
        yield ", jemalloc", {"LD_PRELOAD": path}


def torch_contestants(model):
    """Those that were close to the best in a heat on the small picture, by name."""
    if importlib.util.find_spec("torch") is None:
        print("python3-torch is not installed: no comparison")
        return {}
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "polasr_torch.py")
    heat, final = {}, {}
    for suffix, env in torch_settings():
        for precision in ("fp32", "bf16"):
            command = [sys.executable, script, model, precision, "2"]
            runner = Contestant(command, SMALL, env)
            runner.turn()
            runner.turn()
            runner.close()
            heat[precision + suffix] = (runner, command, env)
    best = min(runner.best for runner, _, _ in heat.values())
    print("PyTorch, 2 threads, heat at %d x %d:" % SMALL)
    for name, (runner, command, env) in heat.items():
        print("  %-26s %8.3f Mpx/s" % (name, runner.speed()), flush=True)
        if runner.best <= CLOSE * best:
            final[name] = Contestant(command, LARGE, env)
    return final


def verdict(value, target):
    return "target %.1fx: %s" % (target, "reached" if value >= target else "MISSED") if target else ""


def print_large(ours, torch):
    print("\n%d x %d, x4, decode and encode left out" % LARGE)
    print("%-26s %7s %8s %9s" % ("", "threads", "Mpx/s", "x PyTorch"))
    rival = max((contestant.speed() for contestant in torch.values()), default=None)
    for (level, threads), contestant in ours.items():
        if not contestant.ready:
            print("%-26s this CPU has none" % level)
        elif rival and threads == 2:
            ratio = contestant.speed() / rival
            print("%-26s %7d %8.3f %8.1fx  %s" % (level, threads, contestant.speed(), ratio, verdict(ratio, TARGETS.get(level))))
        else:
            print("%-26s %7d %8.3f" % (level, threads, contestant.speed()))
    for name, contestant in torch.items():
        print("%-26s %7d %8.3f" % ("PyTorch " + name, 2, contestant.speed()))


def print_scaling(pairs):
    print("\ntwo threads against one, best instruction set")
    for one, two in pairs:
        columns, rows, width, height = map(int, two.ready[1:])
        ratio = one.best / two.best
        print("%4d x %-4d  %d x %d windows of %d x %d  %.3f and %.3f Mpx/s  %.2fx  %s" % (
            *two.size, columns, rows, width, height, one.speed(), two.speed(), ratio, verdict(ratio, SCALING)))


def main():
    bench, model, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 4
    print("load of the machine before: %.2f (other work makes all figures worse)" % os.getloadavg()[0], flush=True)
    torch = torch_contestants(model)

    def start(level, threads, size):
        return Contestant([bench, model, level, str(threads)], size)

    ours = {(level, threads): start(level, threads, LARGE) for level in LEVELS for threads in (2, 1)}
    level = next((level for level in LEVELS if ours[level, 2].ready), "auto")
    small = [start(level, threads, SMALL) for threads in (1, 2)]
    for _ in range(rounds):
        for contestant in [*ours.values(), *torch.values()]:
            contestant.turn()
            for quick in small:
                quick.turn()
    print_large(ours, torch)
    print_scaling(([(ours[level, 1], ours[level, 2])] if level != "auto" else []) + [small])
    for contestant in [*ours.values(), *small, *torch.values()]:
        contestant.close()


main()
