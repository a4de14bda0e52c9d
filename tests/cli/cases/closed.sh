# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Standard descriptors that are closed: nothing of what would go there gets into a file.
forge rgb in.png
run pola-sr -x2 in.png expected.png
run pola-sr -x2 -v --progress in.png out.png 2>&- && same out.png expected.png
run pola-sr -x2 -v --progress in.png out.png <&- >&- 2>&- && same out.png expected.png
run pola-sr -x2 - out.png <&-
run sh -c 'pola-sr -x2 in.png - >&-'
run sh -c 'pola-sr -x2 in.png .tif >&-'
run sh -c 'pola-sr --list-models >&-'
run pola-sr -x2 missing.png out.png 2>&-
