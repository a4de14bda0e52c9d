# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# What a format cannot hold is refused before the work starts.
vips black wide.v 16384 2 --bands 3 && vips copy wide.v wide.png --interpretation srgb
run pola-sr -x4 wide.png out.webp
run pola-sr -x4 wide.png out.jpg
run pola-sr -x4 wide.png out.gif
vips black tall.v 1 16376 && vips copy tall.v tall.png
run pola-sr -x4 tall.png out.jpg
vips black huge.v 3000000 1 && vips copy huge.v 'huge.tif' && run pola-sr -x4 huge.tif out.tif
present out.webp out.jpg out.gif out.tif
