# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# --dry-run says what would be done and does nothing.
forge rgb in.png
run pola-sr --dry-run --cpu scalar -t 1 --tile 64 --halo 8 -x2 in.png missing.png -o out |
    sed 's/expecting [0-9]* MB/expecting N MB/'
ls -A
