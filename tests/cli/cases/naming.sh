# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# The names that -o DIR gives, and --format.
forge rgb a.png
vips copy a.png b.jpg
vips copy a.png c.TIF
vips copy a.png d.ppm
vips copy a.png e.webp
cp a.png no-suffix
cp a.png 'v1.2'
cp a.png x.cr2
cp a.png .hidden
run pola-sr -x2 a.png b.jpg c.TIF d.ppm e.webp no-suffix v1.2 x.cr2 .hidden -o out
ls -A out
for f in out/a.png out/b.jpg out/c.TIF out/d.ppm out/e.webp out/no-suffix.png; do vipsheader -f vips-loader $f; done
run pola-sr -x2 a.png b.jpg no-suffix --format 'webp[Q=50]' -o out2
ls -A out2
run pola-sr -x2 a.png no-suffix-out --format .jpg && vipsheader -f vips-loader no-suffix-out
run pola-sr -x2 a.png -o single.png && dims single.png
mkdir dir.png && run pola-sr -x2 a.png -o dir.png && dims dir.png/a.png
