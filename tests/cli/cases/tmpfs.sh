# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# A small file system that fills up.
unshare -rm true 2>/dev/null || skip "no mount namespaces here"
forge rgb in.png 64 64
mkdir small
unshare -rm bash -c '
    mount -t tmpfs -o size=64k tmpfs small || exit 77
    for f in png tif jpg; do
        pola-sr -x4 in.png "small/out.$f"
        echo "exit $?"
        head -c 30000 /dev/urandom >small/ballast.$f 2>/dev/null
    done
    ls -A small | grep -v ballast'
[ $? = 77 ] && skip "no tmpfs here"
true
