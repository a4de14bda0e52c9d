# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# A reader that leaves ends the command like any filter, by SIGPIPE, and nothing is left.
forge rgb in.png 64 64
for f in png tif v; do
    pola-sr -x4 in.png .$f | head -c 10 >/dev/null
    echo "${PIPESTATUS[0]}"
done
# a stderr that is gone, while an output is under construction
pola-sr -v -x4 in.png out.png 2> >(true)
status=$?
[ $status = 0 ] || [ $status = 141 ] || echo "status $status"
ls -A "$TMPDIR"
