# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Colour profiles: kept where they are right, converted for the network, reported where they are broken.
lab() { vips icc_import "$1" lab.v --embedded "${@:2}" && echo $(for b in 0 1 2; do vips extract_band lab.v b.v $b && vips avg b.v; done | cut -d. -f1); }
profile() { vipsheader -f icc-profile-data "$1" | cksum; }
forge rgb plain.png
vips linear plain.png soft.v 0.4 80 --uchar && vips copy soft.v soft.png --interpretation srgb
vips icc_transform soft.png p3.png p3 --input-profile srgb
run pola-sr -v -x2 p3.png out.png 2>messages && head -1 messages
[ "$(profile p3.png)" = "$(profile out.png)" ] && echo "the same profile"
run pola-sr -x2 soft.png soft2.png
[ "$(lab out.png)" = "$(lab soft2.png --input-profile srgb)" ] && echo "the same colours"
vips icc_transform plain.png srgb.png srgb --input-profile srgb
run pola-sr -v -x2 srgb.png out.png 2>&1 | grep -c network
[ "$(profile srgb.png)" = "$(profile out.png)" ] && echo "the same profile"
run pola-sr -x2 plain.png plain2.png && max_difference out.png plain2.png
forge grey-gamma gamma.png 1.8
run pola-sr -x2 gamma.png out.png && dims out.png
[ "$(profile gamma.png)" = "$(profile out.png)" ] && echo "the same profile"
forge grey grey.png && run pola-sr -x2 grey.png grey2.png
d=$(($(mean_of grey2.png) - $(mean_of out.png))) && [ ${d#-} -le 2 ] && echo "about the same grey"
vips copy soft.png soft.jpg
forge broken-icc broken.jpg soft.jpg && run pola-sr -x2 broken.jpg out.png && vipsheader -a out.png | grep -c icc
forge wrong-icc wrong.jpg soft.jpg && run pola-sr -x2 wrong.jpg out.png && vipsheader -a out.png | grep -c icc
vips linear p3.png wide.v 257 0 && vips cast wide.v wide16.v ushort
vips copy wide16.v p3-16.png --interpretation rgb16
run pola-sr -x2 p3-16.png out.png && dims out.png
