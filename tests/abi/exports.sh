#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# usage: exports.sh LIBPOLA.SO EXPORTS.TXT POLA.H
# The symbols that the library exports, the functions that pola.h declares and the reviewed list must be the same.
set -u
export LC_ALL=C
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

sort -u "$2" >"$work/list"
# Sanitizers add symbols with a double underscore; they are not ours.
nm -D --defined-only "$1" | awk '$3 !~ /^__/ { sub(/@.*/, "", $3); print $3 }' | sort -u >"$work/exported"
grep '^POLA_API' "$3" | sed -n 's/^[^(]*[ *]\(pola_[a-z0-9_]*\)(.*/\1/p' | sort -u >"$work/declared"

status=0
# differ FILE WHAT: lines of FILE that the list lacks, and lines of the list that FILE lacks
differ() {
    comm -13 "$work/list" "$1" | sed "s/^/$2 but not listed: /" >"$work/diff"
    comm -23 "$work/list" "$1" | sed "s/^/listed but not $2: /" >>"$work/diff"
    [ -s "$work/diff" ] && { cat "$work/diff"; status=1; }
}
differ "$work/exported" exported
differ "$work/declared" declared
grep -v '^pola_' "$work/exported" | sed 's/^/exported without the prefix pola_: /' >"$work/diff"
[ -s "$work/diff" ] && { cat "$work/diff"; status=1; }
exit $status
