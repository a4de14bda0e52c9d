# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# All eight orientations give one and the same upright result, with the tag reset.
forge rgb in.png
run pola-sr -x2 in.png upright.png
for n in 1 2 3 4 5 6 7 8; do
    forge turned $n.png $n
    run pola-sr -x2 $n.png out.png && echo "$n: $(max_difference out.png upright.png) $(vipsheader -f orientation out.png)"
done
forge turned 6.png 6 && run pola-sr -x2 - out.png <6.png && max_difference out.png upright.png
run pola-sr --width 72 6.png out.png && dims out.png
