# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# What the cases share. Sourced by run.sh.

forge() { # KIND OUT [ARGUMENTS]: an input of our own making, see forge.py
    python3 "$FORGE" "$@"
}

run() { # COMMAND...: its exit status when that is not 0
    "$@"
    local status=$?
    [ $status = 0 ] || echo "exit $status"
}

dims() { # FILE...: size, sample format, bands, interpretation, loader
    vipsheader "$@"
}

max_difference() { # A B: of any sample; a number without decimals
    vips subtract "$1" "$2" difference.v && vips abs difference.v absolute.v && vips max absolute.v | cut -d. -f1
    rm -f difference.v absolute.v
}

mean_of() { # FILE: mean of all samples, rounded
    printf '%.0f\n' "$(vips avg "$1")"
}

same() { # A B: the same bytes?
    if cmp -s -- "$1" "$2"; then echo "$1 = $2"; else echo "$1 differs from $2"; fi
}

present() { # FILE...: which of them exist
    local f
    for f in "$@"; do
        if [ -e "$f" ]; then echo "$f is there"; else echo "$f is not there"; fi
    done
}

skip() { # REASON: this case cannot run here
    echo "skipped: $*" >&2
    exit 77
}
