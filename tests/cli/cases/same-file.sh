# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Input and output may be one file: it is replaced when the result is complete, and only then.
forge rgb in.png
cp in.png a.png && run pola-sr -x2 a.png a.png && dims a.png
cp in.png a.png && run pola-sr -x2 a.png ./a.png && dims a.png
cp in.png a.png && ln -s a.png link.png && run pola-sr -x2 a.png link.png && dims a.png && readlink link.png
cp in.png a.png && ln a.png hard.png && run pola-sr -x2 a.png hard.png && dims a.png hard.png
head -c 900 in.png >cut.png && cp cut.png copy.png && run pola-sr -x2 cut.png cut.png
same cut.png copy.png
cp in.png a.png && run pola-sr -x2 a.png in.png -o .
same a.png in.png
mkdir sub && ln -s ../in.png sub/in.png && run pola-sr -x2 in.png -o sub
dims in.png
ln -s nowhere.png dangling.png && run pola-sr -x2 in.png dangling.png
present nowhere.png
mkdir links && ln -s ../b.png links/a.png && cp in.png a.png && cp in.png b.png && run pola-sr -x2 a.png b.png -o links
same b.png in.png
