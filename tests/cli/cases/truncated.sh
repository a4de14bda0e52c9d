# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Half a file is an error and leaves nothing; --lenient takes what there is and says so once.
forge rgb in.png 64 64
vips copy in.png in.jpg
vips copy in.png in.tif
vips copy in.png in.gif
vips copy in.png 'in.webp[lossless]'
vips copy in.png 'inter.png[interlace]'
vips copy in.png 'prog.jpg[interlace]'
for f in in.png in.jpg in.tif in.gif in.webp inter.png prog.jpg; do
    head -c $(($(stat -c %s $f) * 2 / 3)) $f >cut.${f#*.}
    run pola-sr -x2 cut.${f#*.} out.png
    present out.png
done
head -c 6000 in.png >cut.png
head -c 2000 in.jpg >cut.jpg
for f in cut.png cut.jpg; do run pola-sr -x2 --lenient $f out.png && dims out.png; done
run pola-sr -x2 --lenient -q cut.png out.png
run pola-sr -x2 --lenient cut.png in.png -o out.d
present out.d/cut.png out.d/in.png
run pola-sr -x2 inter.png a.png && run pola-sr -x2 in.png b.png && same a.png b.png
