# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# A full disk is an error, and what was there before stays.
forge rgb in.png 64 64
for f in png jpg tif webp gif v ppm; do
    pola-sr -x4 in.png .$f >/dev/full
    echo "$f: $?"
done
ln -s /dev/full link.png && run pola-sr -x4 in.png link.png
run pola-sr -x2 in.png out.png && cp out.png before.png
(ulimit -f 2 && run pola-sr -x4 in.png out.png; run pola-sr -x4 in.png out.tif; pola-sr -x4 in.png .tif | wc -c)
same out.png before.png
present out.tif
