# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# FIFOs, process substitution and descriptors work at both ends.
forge rgb in.png
vips copy in.png in.jpg
vips copy in.png in.tif
run pola-sr -x2 in.png file.png
mkfifo fifo
cat in.png >fifo &
run pola-sr -x2 fifo out.png && same file.png out.png
run pola-sr -x2 <(cat in.png) out.png && same file.png out.png
run pola-sr -x2 <(cat in.jpg) out.png && dims out.png
run pola-sr -x2 <(cat in.tif) out.png && same file.png out.png
cat <fifo >out.png &
run pola-sr -x2 in.png fifo
wait
same file.png out.png
run pola-sr -x2 in.png /dev/fd/5 5>&1 >/dev/null | cmp - file.png && echo "/dev/fd/5 = file.png"
run pola-sr -x2 in.png /dev/null
present fifo
