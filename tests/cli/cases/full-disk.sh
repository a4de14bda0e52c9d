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
ulimit_f() { (ulimit -f 3 && pola-sr "$@"); echo "$2: $?"; present "$2"; }
for f in hdr pgm ppm pfm csv mat jp2 j2k jxl; do ulimit_f in.png o.$f -x4 2>&1 | grep -v 'File too large'; done
for f in fits raw; do run pola-sr -x4 in.png o.$f; present o.$f; done
(ulimit -f 2 && run pola-sr -x4 in.png out.png; run pola-sr -x4 in.png out.tif; pola-sr -x4 in.png .tif | wc -c)
same out.png before.png
present out.tif
