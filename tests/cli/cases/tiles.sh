# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# A tree of tiles appears as a whole and never over an older one.
forge rgb in.png 96 64
run pola-sr -x4 in.png out.dz
ls -d out* && ls out_files | sort -n | tail -1 && ls out_files/8
run pola-sr -x4 in.png out.dz
run pola-sr -x2 in.png 'png.dz[suffix=.png,tile_size=64]' && ls png_files/7 | head -3
run pola-sr -x2 in.png 'z.dz[container=zip]' && head -c 2 z.dz && echo
run pola-sr -x2 in.png s.szi && head -c 2 s.szi && echo
run pola-sr -x2 in.png --format dz -
run pola-sr -x2 in.png 'no.dz[layout=nonsense]'
ls -A
