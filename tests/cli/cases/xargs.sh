# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# A folder through xargs, several processes at once.
mkdir in out
for i in 1 2 3 4 5 6; do forge rgb "in/pic $i.png" $((10 + i)) 9; done
: >in/bad.png
find in -name '*.png' -print0 | sort -z | xargs -0 -P 4 -n 1 pola-sr -x2 -t 1 -o out
echo "xargs: $?"
dims out/*
ls -A out
