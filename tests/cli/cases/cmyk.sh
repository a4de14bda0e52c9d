# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# CMYK goes through its profile to sRGB.
forge rgb plain.png
vips linear plain.png soft.v 0.4 80 --uchar && vips copy soft.v soft.png --interpretation srgb
vips icc_transform soft.png cmyk.jpg cmyk --input-profile srgb
dims cmyk.jpg
run pola-sr -x2 cmyk.jpg out.png && dims out.png
run pola-sr -x2 cmyk.jpg out.jpg && dims out.jpg
run pola-sr -v -x2 cmyk.jpg out.png 2>messages && head -1 messages
run pola-sr -x2 soft.png soft2.png
d=$(($(mean_of out.png) - $(mean_of soft2.png))) && [ ${d#-} -le 4 ] && echo "about the same colours"
