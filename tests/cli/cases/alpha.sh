# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Alpha is enlarged by itself, never mixed into colour, and flattened on white where a format has none.
forge palette palette.png && run pola-sr -x2 palette.png out.png && dims out.png
forge grey-alpha ga.png && run pola-sr -x2 ga.png out.png && dims out.png
for x in 2 3 4; do
    forge flat flat.png 200 100 50 128 && run pola-sr -x$x flat.png out.png
    vips extract_band out.png a.v 3 && echo "x$x: alpha from $(vips min a.v) to $(vips max a.v)"
done
forge disc disc.png && run pola-sr -x2 disc.png out.png
vips extract_band out.png a.v 3 && vips relational_const a.v opaque.v moreeq 255
vips extract_band out.png g.v 1 && vips multiply g.v opaque.v seen.v && vips linear seen.v green.v 0.00392157 0
echo "green on opaque red is below 30: $(vips max green.v | awk '{ print ($1 < 30) }')"
run pola-sr -s 1.5 disc.png out.png && dims out.png
run pola-sr -x2 disc.png out.jpg && dims out.jpg && vips getpoint out.jpg 2 2
run pola-sr -q -x2 disc.png out.jpg
run pola-sr -x2 disc.png out.ppm && dims out.ppm
run pola-sr -x2 ga.png out.jpg && dims out.jpg
run pola-sr -x2 disc.png out.webp && dims out.webp
