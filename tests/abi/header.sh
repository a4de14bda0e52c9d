#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# usage: header.sh DIRECTORY LANGUAGE STANDARD COMPILER...
# pola.h compiles by itself, twice included, without a warning, and its functions have C linkage in C++ as well.
set -eu
include=$1 language=$2 standard=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/alone" <<'CODE'
#include "pola.h"
#include "pola.h"
const char *version(void);
const char *version(void)
{
    return pola_version();
}
CODE
"$@" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Werror -I"$include" -c -o "$work/alone.o" "$work/alone"
nm -u "$work/alone.o" | grep -qw pola_version
