# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Standard input and output, in any combination, carry the same bytes as files.
forge rgb in.png
run pola-sr -x2 in.png file.png
run pola-sr -x2 - file2.png <in.png && same file.png file2.png
run pola-sr -x2 in.png - >out.png && same file.png out.png
cat in.png | run pola-sr -x2 - - | cat >out.png && same file.png out.png
run pola-sr -x2 - -o - <in.png >out.png && same file.png out.png
run pola-sr -x2 in.png .png >out.png && same file.png out.png
run pola-sr -x2 in.png /dev/stdout | cmp - file.png && echo "/dev/stdout = file.png"
run pola-sr -x2 /dev/stdin out.png <in.png && same file.png out.png
run pola-sr -x2 in.png --format jpg - >out && vipsheader -f vips-loader out
run pola-sr -x2 in.png --format 'webp[lossless]' - >out && vipsheader -f vips-loader out && max_difference out file.png
run pola-sr -x2 in.png .ppm | head -c 2 && echo
run pola-sr -x2 in.png '.tif[compression=lzw]' | cat >out && dims out && max_difference out file.png
vips copy in.png in.tif && cat in.tif | run pola-sr -x2 - out.png && same file.png out.png
cat in.tif | run pola-sr -x2 - .v | cat >out.v && max_difference out.v file.png
pola-sr -v -x2 in.png - 2>messages | cmp - file.png && echo "-v leaves standard output alone"
run pola-sr -x2 - -o dir <in.png && same file.png dir/stdin.png
