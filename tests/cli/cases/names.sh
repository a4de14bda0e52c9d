# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Names of any kind are taken literally, as input and as output.
forge rgb in.png
run pola-sr -x2 in.png expected.png
try() { # NAME
    cp in.png "./$1"
    run pola-sr -x2 -- "$1" "out-$1" && cmp "out-$1" expected.png && echo ok
}
try 'Screenshot from 2022-03-03 14-00-52.png'
try $'\xc3\xbcn\xc3\xaf \xe5\x86\x99\xe7\x9c\x9f.png'
try '-x.png'
try $'new\nline.png'
try '100%s.png'
try $'bad\xff.png'
try 'a [1].png'
try "it's,\"quoted\".png"
try 'b[Q=90].png'
cp in.png 'c[Q=90]' && run pola-sr -x2 'c[Q=90]' out.png && same out.png expected.png
cp in.png 'd[Q=90]' && run pola-sr -x2 'c[Q=90]' 'd[Q=90]' -o out && ls out
mkdir -- '-dir [x]' && cp -- in.png '-dir [x]/in.png' && run pola-sr -x2 -- '-dir [x]/in.png' '-dir [x]/out.png' &&
    same '-dir [x]/out.png' expected.png
long=$(printf '%0200d' 0)
mkdir "$long" && run pola-sr -x2 in.png "$long/$long.png" && cmp "$long/$long.png" expected.png && echo ok
run pola-sr -x2 $'missing\n\e[31m\xff.png' out.png
run pola-sr -x2 "$long$long.png" out.png
