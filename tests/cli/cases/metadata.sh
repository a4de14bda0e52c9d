# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Metadata survive, the resolution is scaled, --strip drops all but the profile.
forge rgb in.png
vips copy in.png 'plain.jpg[Q=95]' --xres 11.811 --yres 11.811
forge exif exif.jpg plain.jpg
forge xmp both.jpg exif.jpg
run pola-sr -x2 both.jpg out.jpg
vipsheader -f xmp-data out.jpg | base64 -d && echo
vipsheader -f exif-ifd2-PixelXDimension out.jpg
for f in jpg png tif webp; do
    run pola-sr -x2 both.jpg out.$f
    echo "$f: $(vipsheader -f xres out.$f | cut -c1-5) $(vipsheader -a out.$f | grep -c xmp-data)"
done
run pola-sr -s 1.5 both.jpg out.png && vipsheader -f xres out.png | cut -c1-5
run pola-sr -x2 --strip both.jpg out.jpg && vipsheader -a out.jpg | grep -c xmp-data
vips icc_transform in.png p3.png p3 --input-profile srgb
run pola-sr -x2 --strip p3.png out.png && vipsheader -a out.png | grep -c icc-profile
