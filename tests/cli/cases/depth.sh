# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Bands and depth that came in go out again, as far as the format holds them.
forge rgb16 rgb16.png && run pola-sr -x2 rgb16.png out.png && dims out.png
forge grey16 grey16.png && run pola-sr -x2 grey16.png out.png && dims out.png
vips hist_find out.png h.v && echo "more than 256 levels: $(vips relational_const h.v m.v moreeq 1 && vips avg m.v | awk '{ print ($1 / 255 * 65536 > 256) }')"
forge grey grey.png && run pola-sr -x2 grey.png out.png && dims out.png
run pola-sr -x2 grey.png out.jpg && dims out.jpg
forge bilevel bit.png && run pola-sr -x2 bit.png out.png && dims out.png
run pola-sr -x2 rgb16.png out.jpg && dims out.jpg
run pola-sr -x2 rgb16.png out.webp && dims out.webp
run pola-sr -x2 rgb16.png out.tif && dims out.tif
run pola-sr -x2 grey16.png out.jpg && dims out.jpg
forge rgb rgb.png && vips colourspace rgb.png linear.tif scrgb && dims linear.tif
run pola-sr -x2 linear.tif out.tif && dims out.tif
run pola-sr -x2 linear.tif out.png && dims out.png
run pola-sr -x2 linear.tif out.jpg && dims out.jpg
run pola-sr -x2 rgb.png rgb8.png && vips colourspace out.png o8.v srgb && d=$(max_difference out.jpg rgb8.png)
run pola-sr -x2 linear.tif 'lossless.webp[lossless]' && d=$(max_difference lossless.webp rgb8.png) && [ $d -le 8 ] &&
    echo "linear light gives the same picture"
vips colourspace rgb.png lab.tif lab && run pola-sr -x2 lab.tif out.png && dims out.png
# 16 bits are 16 bits, whatever the file calls them
run pola-sr -x2 rgb16.png right.png
vips copy rgb16.png called8.v --interpretation srgb && run pola-sr -x2 called8.v out.png && max_difference out.png right.png
# portable float maps are light from 0 to 1, in and out
for b in 1 3; do
    forge light light.pfm $b
    for f in pfm png tif jpg; do
        run pola-sr -x2 light.pfm out.$f && echo "$(dims out.$f), $(printf '%.2g' "$(vips avg out.$f)")"
    done
done
run pola-sr -x2 rgb.png out.pfm && run pola-sr -x2 rgb.png out.png && vips linear out.pfm light.v 1 0 &&
    vips copy light.v tagged.v --interpretation scrgb && vips colourspace tagged.v eight.v srgb && max_difference eight.v out.png
