#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Runs one case of the command tests: run.sh cases/NAME.sh. The case runs in an empty directory with the commands under
# test on PATH; what it prints and its exit status are compared with NAME.stdout, NAME.stderr and NAME.exit (missing:
# nothing, nothing, 0). NAME.stderr.glob instead of NAME.stderr holds one shell pattern a line. A case that cannot run here
# exits with 77 and says why on stderr. Called by meson, or by hand from the build directory.
set -u
case_file=$(realpath "$1")
expected=${case_file%.sh}
here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
command -v vips python3 >/dev/null || { echo "vips and python3 are needed" >&2; exit 77; }

mkdir "$scratch/dir"
(
    export LC_ALL=C TMPDIR=$scratch/tmp FORGE=$here/forge.py
    mkdir "$TMPDIR"
    cd "$scratch/dir" && . "$here/lib.sh" && . "$case_file"
) >"$scratch/stdout" 2>"$scratch/stderr" </dev/null
status=$?
if [ $status = 77 ]; then
    cat "$scratch/stderr" >&2
    exit 77
fi

failed=0
wanted=0
[ -f "$expected.exit" ] && wanted=$(cat "$expected.exit")
if [ "$status" != "$wanted" ]; then
    echo "exit status $status, expected $wanted"
    failed=1
fi

exact() { # STREAM
    local file=$expected.$1
    [ -f "$file" ] || file=/dev/null
    diff -u --label "expected $1" --label "actual $1" "$file" "$scratch/$1" || failed=1
}

globs() { # STREAM
    local line pattern n=0
    while IFS= read -r pattern <&3; do
        n=$((n + 1))
        if ! IFS= read -r line <&4; then
            echo "$1 ends before line $n: $pattern"
            failed=1
        elif [[ $line != $pattern ]]; then
            printf '%s line %d: %s\n  does not match: %s\n' "$1" "$n" "$line" "$pattern"
            failed=1
        fi
    done 3<"$expected.$1.glob" 4<"$scratch/$1"
    if [ "$(wc -l <"$scratch/$1")" -gt "$n" ]; then
        echo "$1 has more lines than expected:"
        tail -n +$((n + 1)) "$scratch/$1"
        failed=1
    fi
}

exact stdout
if [ -f "$expected.stderr.glob" ]; then globs stderr; else exact stderr; fi
left=$(find "$scratch" -name '.pola-*' | head -1)
if [ -n "$left" ]; then
    echo "left behind: $left"
    failed=1
fi
exit $failed
