# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# An output that cannot be created is told before the work.
forge rgb in.png
run pola-sr -x2 in.png nowhere/out.png
mkdir folder && run pola-sr -x2 in.png folder
mkdir folder.png && run pola-sr -x2 in.png folder.png/
run pola-sr -x2 in.png in.png/out.png
echo "a missing input is not even opened:" >&2
run pola-sr -x2 missing.png nowhere/out.png
if [ "$(id -u)" != 0 ]; then
    mkdir -m 555 closed && run pola-sr -x2 in.png closed/out.png 2>&1 | grep -c 'cannot write into'
    cp in.png mine.png && chmod 444 mine.png && run pola-sr -x2 in.png mine.png 2>&1 | grep -c 'cannot write'
    rm -f mine.png && rmdir closed
else
    printf '1\n1\n' # root may write anywhere
fi
ls
