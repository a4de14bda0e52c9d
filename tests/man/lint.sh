#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# lint.sh PAGE...: the manual pages are correct mdoc.
set -eu
command -v mandoc >/dev/null || { echo "mandoc is needed" >&2; exit 77; }
for page; do
    mandoc -T lint -W warning "$page"
done
