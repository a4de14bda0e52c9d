# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Every scale gives exactly that many times the size, from one pixel up.
forge rgb in.png 23 17
for x in 2 3 4; do run pola-sr -x$x in.png x$x.png; dims x$x.png; done
run pola-sr in.png default.png && same default.png x4.png
run pola-sr --times 3 in.png long.png && same long.png x3.png
for size in '1 1' '2 2' '1 37' '37 1' '7 5' '1 500' '500 1'; do
    forge rgb "in ${size}.png" $size
    for x in 2 3 4; do
        run pola-sr -x $x "in ${size}.png" "out.png" && echo "$size x$x: $(dims out.png)"
    done
done
