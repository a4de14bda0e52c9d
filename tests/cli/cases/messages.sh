# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Who says what: quiet, normal, verbose, progress, help and version.
forge rgb in.png
echo "normal:" >&2
run pola-sr -x2 in.png out.png
echo "quiet:" >&2
run pola-sr -q -x2 in.png out.png
run pola-sr -q -x2 missing.png out.png
echo "verbose:" >&2
run pola-sr -v -x2 in.png out.png
pola-sr --version
pola-sr --version -v | sed 's/kernels: .*/kernels: some/'
pola-sr --help | head -2
pola-sr -h | grep -c -e '--'
pola-sr --help >/dev/full
echo "help into a full disk: $?"
pola-sr --list-models >/dev/full
echo "models into a full disk: $?"
forge rgb large.png 60 40
pola-sr --progress --cpu scalar -t 1 -x4 large.png out.png 2>progress
echo "progress: $?"
grep -v "^pola-sr: 'large.png': [ 0-9]* %, [0-9.]* Mpx/s, [0-9]*:[0-9]*:[0-9]* left\$" progress
[ -s progress ] && echo "there was progress"
