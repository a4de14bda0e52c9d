#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# options.sh COMMAND PAGE: every option in --help is in the manual page, and the reverse. The page may use names of options
# in its text; those count as well, so it cannot speak of an option that does not exist.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# "  -x, --times=N   ..." gives -x and --times
"$1" --help | sed -n 's/^  \(-[^ ].*\)$/\1/p' | sed 's/   *.*//; s/=[^ ,]*//g; s/,//g' | tr ' ' '\n' | sort -u >"$scratch/help"

# ".Fl x Ar n , Fl -times Ns = Ns Ar n" gives -x and --times; "Fl x2" is -x with its value; -- and other pages' do not count
grep -v 'xargs\|^\.D' "$2" | grep -o 'Fl [-a-z0-9]*' | sed 's/^Fl /-/; s/^-x[0-9]$/-x/' | sort -u >"$scratch/page"

[ -s "$scratch/help" ] || { echo "no options in $1 --help"; exit 1; }
diff -u "$scratch/help" "$scratch/page"
