#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# usage: layers.sh ROOT
# Checks that includes in ROOT/lib and ROOT/cmd point down the layers, that OpenMP, libvips and CPU intrinsics stay where
# they belong, that file names are unique and that sources begin with their licence. Prints each breach; status 1 if any.
set -u
cd "$1" || exit 2
export LC_ALL=C

sources() {
    find "$@" -type f -name '*.[ch]' | sort
}

includes() {
    sources lib cmd | xargs grep -nHE '^[[:space:]]*#[[:space:]]*(include|pragma)' | awk '
BEGIN {
    below["base"] = "base"
    below["tensor"] = "tensor base"
    below["kern"] = "kern tensor base"
    below["model"] = "model tensor base"
    below["net"] = "net model kern tensor base"
    below["head"] = "head net model kern tensor base"
    below["img"] = "img head net model kern tensor base"
    for (layer in below) {
        count = split(below[layer], names, " ")
        for (i = 1; i <= count; i++)
            allowed[layer, names[i]] = 1
    }
}
function breach(why) {
    print place ": " why ": " text
    bad = 1
}
{
    match($0, /^[^:]*:[0-9]*/)
    place = substr($0, 1, RLENGTH)
    text = substr($0, RLENGTH + 2)
    split(place, part, ":")
    file = part[1]
    depth = split(file, dirs, "/")
    layer = dirs[1] == "cmd" ? "cmd" : depth > 2 ? dirs[2] : "top"
    if (layer != "cmd" && layer != "top" && !(layer in below))
        breach("is in no known layer")
    if (text ~ /pragma[ \t]+omp|<omp\.h>/ && file != "lib/base/par.c")
        breach("OpenMP outside lib/base/par.c")
    if (text ~ /<(vips|glib|gio|gobject|gmodule)/ && layer != "img" && layer != "top" && layer != "cmd")
        breach("libvips outside lib/img")
    if (text ~ /intrin\.h>/ && layer != "kern")
        breach("intrinsics outside lib/kern")
    if (text !~ /include[ \t]*"/)
        next
    split(text, quoted, "\"")
    target = quoted[2]
    if (target == "pola.h" || (layer == "cmd" && target !~ /\//))
        next
    if (layer == "cmd")
        breach("a command includes more than pola.h")
    else if (target !~ /^[a-z]+\/[^\/]+$/)
        breach("not LAYER/FILE")
    else if (split(target, to, "/") && layer == "top" ? !(to[1] in below) : !((layer, to[1]) in allowed))
        breach("points the wrong way")
}
END { exit bad }'
}

names() {
    repeated=$(sources lib cmd tests | sed 's,.*/,,' | sort | uniq -d)
    [ -z "$repeated" ] && return 0
    echo "file names that are not unique:" $repeated
    return 1
}

licences() {
    bad=0
    for file in $(sources lib cmd tests); do
        head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' &&
            head -n 2 "$file" | grep -q 'Copyright 2026 the pola authors' && continue
        echo "$file: does not begin with licence and copyright"
        bad=1
    done
    return $bad
}

status=0
includes || status=1
names || status=1
licences || status=1
exit $status
