# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Models by name, by path and from a directory; damaged ones are told apart.
forge rgb in.png
pola-sr --list-models | cut -f1-3
m=${POLA_MODELS%%:*}
run pola-sr in.png expected.png
run pola-sr -m pola-sr-x4 in.png out.png && same out.png expected.png
run pola-sr -m "$m/pola-sr-x4.safetensors" in.png out.png && same out.png expected.png
mkdir mine && cp "$m/pola-sr-x2.safetensors" mine/own.safetensors
run pola-sr --models mine -m own in.png out.png && dims out.png
(unset POLA_MODELS && cd / && run pola-sr -m "$OLDPWD/mine/own.safetensors" "$OLDPWD/in.png" "$OLDPWD/out.png") && dims out.png
run pola-sr -m pola-sr-x4 -x2 in.png out.png && dims out.png
run pola-sr -m pola-sr-x2 -x3 in.png no.png
run pola-sr -m pola-sr-x2 --width 100 in.png out.png && run pola-sr -m pola-sr-x2 --width 10 in.png no.png
run pola-sr -m no-such-model in.png no.png 2>&1 | cut -c1-36
head -c 5000 mine/own.safetensors >mine/cut.safetensors
: >mine/empty.safetensors
cp in.png mine/png.safetensors
printf '\377\377\377\377\377\377\377\177{}' >mine/huge.safetensors
for n in cut empty png huge missing; do run pola-sr -m mine/$n.safetensors in.png no.png; done
run pola-sr --models nowhere -x2 in.png out.png && dims out.png
present no.png
