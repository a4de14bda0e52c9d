# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Kernels, precision and tiles can be chosen; the picture stays the same within a level or two.
forge rgb in.png
vips gaussblur in.png soft.png 1.5
run pola-sr -x2 --precision fp32 soft.png fp32.png
run pola-sr -x2 --cpu scalar soft.png scalar.png
d=$(max_difference fp32.png scalar.png) && [ $d -le 1 ] && echo "scalar: ok"
run pola-sr -x2 --precision bf16 soft.png bf16.png
d=$(max_difference fp32.png bf16.png) && [ $d -le 4 ] && echo "bf16: ok"
POLA_CPU=scalar pola-sr --version -v | sed 's/, .*//'
pola-sr --cpu scalar -v -x2 soft.png out.png 2>&1 | grep -o 'kernels scalar, fp32'
pola-sr -v -x2 --tile 32 --halo 8 soft.png tiled.png 2>&1 | grep -o 'tile 32, halo 8'
dims tiled.png
run pola-sr -x2 --tta soft.png tta.png && dims tta.png
