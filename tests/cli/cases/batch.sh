# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# With many inputs a bad one is reported and the others are done.
forge rgb a.png
forge grey b.png
: >zero.png
echo text >text.jpg
run pola-sr -x2 a.png zero.png missing.png text.jpg b.png -o out
dims out/*
ls -A out
run pola-sr -x2 a.png b.png -o out/deeper/still
run pola-sr -x2 -q a.png zero.png -o out
