# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# The memory that -v predicts is what is used, and --memory keeps to what it says.
forge rgb in.png 300 40
check() { # OPTIONS...: predicted and measured peak, within 20 %
    pola-sr -v -t 2 "$@" 2>messages || cat messages
    local expected peak
    expected=$(grep -o 'expecting [0-9]*' messages | cut -d' ' -f2)
    peak=$(grep -o 'peak memory [0-9]*' messages | cut -d' ' -f3)
    awk -v e="$expected" -v p="$peak" -v what="$*" 'BEGIN {
        ok = e > 0 && p > 0 && e >= 0.8 * p && e <= 1.2 * p
        print what ": " (ok ? "within 20 %" : "expected " e " MB, peak " p " MB") }'
}
check -x2 in.png out.png
check -x4 in.png out.jpg
check -x2 in.png out.tif
check -s 1.5 in.png out.png
check -x2 in.png out.v
run pola-sr -t 2 --memory 1M -x2 in.png no.png 2>&1 | sed 's/[0-9]* MB/N MB/'
pola-sr -v -t 2 --memory 50M -x2 in.png out.png 2>messages
grep -o 'expecting [0-9]*' messages | awk '{ print "under 50:", ($2 <= 50) }'
grep -o 'peak memory [0-9]*' messages | awk '{ print "under 55:", ($3 <= 55) }'
run pola-sr --memory 1.5G -x2 in.png out2.png && run pola-sr -x2 in.png out.png && same out.png out2.png
present no.png
