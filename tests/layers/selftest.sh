#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# usage: selftest.sh LAYERS.SH
# Gives layers.sh small trees with one breach each: it must find every one, and none in a good tree.
set -u
check=$(realpath "$1")
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
status=0

# write FILE LINE: a source file with licence and this line
write() {
    mkdir -p "$(dirname "$tree/$1")"
    printf '/* SPDX-License-Identifier: Apache-2.0\n * Copyright 2026 the pola authors */\n%s\n' "$2" >"$tree/$1"
}

good_tree() {
    rm -rf "${tree:?}"/*
    write lib/pola.c '#include "img/vips_x.h"'
    write lib/base/par.c '#include <omp.h>'
    write lib/net/block.c '#include "model/weights.h"'
    write lib/img/vips_x.h '#include <vips/vips.h>'
    write cmd/pola-x.c '#include "cli.h"'
    write cmd/cli.h '#include "pola.h"'
    write tests/unit/test_x.c ''
}

# breach EXPECTED FILE LINE
breach() {
    good_tree
    write "$2" "$3"
    if found=$(sh "$check" "$tree"); then
        echo "not found: $2: $3"
        status=1
    elif ! printf '%s\n' "$found" | grep -qF -- "$1"; then
        echo "'$found' instead of '$1'"
        status=1
    fi
}

good_tree
sh "$check" "$tree" || { echo "a breach in a good tree"; status=1; }

breach 'lib/base/x.c:3: points the wrong way' lib/base/x.c '#include "tensor/bf16.h"'
breach 'points the wrong way' lib/kern/x.c '#include "model/weights.h"'
breach 'points the wrong way' lib/model/x.c '#include "kern/kern.h"'
breach 'points the wrong way' lib/net/x.c '#  include "head/sr.h"'
breach 'points the wrong way' lib/head/x.c '#include "img/tile.h"'
breach 'points the wrong way' lib/pola2.c '#include "cmd/cli.h"'
breach 'not LAYER/FILE' lib/net/x.c '#include "../head/sr.h"'
breach 'not LAYER/FILE' lib/net/x.c '#include "block.h"'
breach 'is in no known layer' lib/odd/x.c '#include <stdio.h>'
breach 'more than pola.h' cmd/x.c '#include "base/mem.h"'
breach 'OpenMP' lib/net/x.c '#pragma omp parallel for'
breach 'OpenMP' cmd/x.c '#include <omp.h>'
breach 'libvips' lib/head/x.c '#include <vips/vips.h>'
breach 'libvips' lib/model/x.c '#include <glib.h>'
breach 'intrinsics' lib/net/x.c '#include <immintrin.h>'
breach 'not unique: block.c' tests/unit/block.c ''

good_tree
echo 'int x;' >"$tree/lib/base/bare.c"
if sh "$check" "$tree" >/dev/null; then
    echo "a file without licence was not found"
    status=1
fi
exit $status
