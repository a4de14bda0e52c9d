#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# plain_cpu.sh KCHECK TEST_OPS: runs both on an emulated x86-64 CPU without AVX. An instruction that such a CPU lacks, anywhere on
# the way, kills them. Exit status 77 (skipped) without the emulator.

command -v qemu-x86_64 >/dev/null || exit 77
unset POLA_CPU
fail() { echo "plain_cpu: $*" >&2; exit 1; }

qemu-x86_64 -cpu Nehalem "$1" --quick || fail "kernels"
qemu-x86_64 -cpu Nehalem "$1" --quick --require avx2 >/dev/null && fail "the emulated CPU has AVX2: this shows nothing"
qemu-x86_64 -cpu Nehalem "$2" || fail "operators"
