# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# The number of threads, and a second run, change nothing.
forge rgb in.png 90 70
run pola-sr -x2 --tile 48 -t 1 in.png t1.png
for t in 2 3 7; do run pola-sr -x2 --tile 48 -t$t in.png t$t.png && same t1.png t$t.png; done
run pola-sr -x2 --tile 48 --threads=1 in.png again.png && same t1.png again.png
