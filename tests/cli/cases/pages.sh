# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Every page by itself, or the one that is asked for.
forge rgb one.png 32 24
vips invert one.png two.png
vips join one.png two.png both.v vertical
vips copy both.v 'both.tif[page_height=24]'
vips copy both.v 'both.gif[page_height=24]'
vips copy both.v 'both.webp[page_height=24,lossless]'
info() { echo "$1: $(vipsheader -f n-pages "$1") pages, $(vips copy "$1[n=-1]" all.v && dims all.v)"; }
for f in tif gif webp; do run pola-sr -x2 both.$f out.$f && info out.$f; done
run pola-sr -x2 both.tif out.tif && run pola-sr -x2 one.png one2.png && run pola-sr -x2 two.png two2.png
vips copy out.tif first.v && max_difference first.v one2.png
vips copy 'out.tif[page=1]' second.v && max_difference second.v two2.png
run pola-sr -x2 --page 2 both.tif out.png && same out.png two2.png
run pola-sr -x2 both.tif out.png && same out.png one2.png
run pola-sr -x2 --page 3 both.tif out.png
run pola-sr -x2 --page 2 one.png out.png
run pola-sr -s 1.5 both.tif out.tif && info out.tif
run pola-sr -x2 both.gif out.tif && info out.tif
run pola-sr -x2 - .tif <both.tif >out.tif && info out.tif
vips copy 'one.png' 'pyramid.tif[tile,pyramid,tile_width=16,tile_height=16]' && run pola-sr -x2 pyramid.tif out.png && dims out.png
vips copy one.png one.jp2 && run pola-sr -x2 one.jp2 out.png && dims out.png # has resolutions, which are no pages
