# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Wrong usage is told in one line, ends with 2 and does nothing.
forge rgb in.png
forge grey two.png
for options in -x5 -x1 -x0 '-x -2' '-x foo' '-s 0' '-s -1' '-s 1e9' '-s nan' '-s inf' '-s 4.01' '-s x' '--width 0.5' \
    '--width -3' '-x2 -s 2' '-s 2 --width 100' '--tile 3' '--tile -1' '--tile 1000000' '--halo 1000' '--halo -2' \
    '--memory foo' '--memory 0' '--memory -1G' '--memory 1X' '--cpu nonsense' '--precision fp8' '-t -1' '-t 9999' \
    '--page -1' '--max-pixels -1' '--no-such-option' '-y' '--format nonsense' '--format jpg' '--tile' '-m'; do
    echo "$options:" >&2
    pola-sr $options in.png out.png
    [ $? = 2 ] || echo "$options: not 2"
done
usage() { echo "$*:" >&2; pola-sr "$@"; [ $? = 2 ] || echo "$*: not 2"; }
usage
usage in.png
usage in.png two.png out.png
usage in.png out
usage in.png out.nonsense
usage in.png ''
usage '' out.png
usage in.png two.png -o in.png
usage in.png two.png -o out.png
usage in.png -o .
usage in.png in.png -o out
mkdir sub && cp in.png sub
usage in.png sub/in.png -o out
usage in.png out.jpg --format png
ls
POLA_CPU=nonsense usage in.png out.png
