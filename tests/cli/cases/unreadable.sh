# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# What cannot be read gets one line, status 1 and no output.
forge rgb in.png
: >empty.png
echo 'this is not an image' >text.jpg
head -c 300 /dev/zero >zeros.png
mkdir folder.png
head -c 20 in.png >stub.png
forge six-bands six.tif
forge whole-numbers int.tif
forge nan nan.tif
forge liar liar.png 787402 787402
for f in empty.png text.jpg zeros.png folder.png stub.png missing.png six.tif int.tif nan.tif liar.png /dev/null \
    in.png/x; do
    run pola-sr -x2 "$f" out.png
done
run pola-sr -x2 - out.png </dev/null
run pola-sr -x2 - out.png <text.jpg
true | run pola-sr -x2 - out.png
run pola-sr -x2 - out.png <&-
run pola-sr -x2 --max-pixels 1000 in.png out.png
present out.png
run pola-sr -x2 --max-pixels 1728 in.png out.png
cp in.png really-a-png.jpg
run pola-sr -x2 really-a-png.jpg out2.png && same out.png out2.png
