# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Save options after the name of the output reach the saver.
forge rgb in.png 96 64
run pola-sr -x2 in.png 'p.tif[tile,pyramid,compression=deflate,bigtiff]' && vipsheader -f n-pages p.tif
head -c 4 p.tif | od -An -tx1
run pola-sr -x2 in.png 'q.jpg[Q=10]' && run pola-sr -x2 in.png r.jpg
[ $(stat -c %s q.jpg) -lt $(stat -c %s r.jpg) ] && echo 'Q=10 is smaller'
run pola-sr -x2 in.png 'i.png[interlace]' && vipsheader -f interlaced i.png
run pola-sr -x2 in.png 'empty.png[]' && dims empty.png
run pola-sr -x2 in.png 'x.png[nonsense=1]'
run pola-sr -x2 in.png 'x.gif[page_height=7]'
run pola-sr -x2 in.png 'x.jpg[Q=hello]'
run pola-sr -x2 in.png 'x.png['
run pola-sr -x2 in.png '.jpg[Q=10]' | cmp - q.jpg && echo 'the same to standard output'
ls
