# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# SIGINT, SIGTERM and SIGHUP leave nothing of an output under construction, and end the process as usual.
forge rgb in.png 64 64
size=$(stat -c %s in.png)
mkdir out
stop() { # SIGNAL OUTPUT: sends it once the temporary file is there and its input stands still
    rm -f fifo && mkfifo fifo
    { head -c $((size / 2)) in.png; exec sleep 30; } >fifo &
    local writer=$!
    env --default-signal=INT,HUP pola-sr -x2 fifo "$2" &
    local pid=$!
    for i in $(seq 600); do
        [ -n "$(find out -name '.pola-*')" ] && break
        sleep 0.05
    done
    kill -$1 $pid
    wait $pid 2>/dev/null
    echo "$1: $?, left: $(find out "$TMPDIR" -mindepth 1)"
    kill $writer 2>/dev/null
    wait $writer 2>/dev/null
}
stop INT out/o.png
stop TERM out/o.tif
stop HUP out/o.jpg
stop TERM out/tree.dz
cp in.png out/o.png && stop TERM out/o.png | sed 's/[^ ]*$//' && same in.png out/o.png
# libvips' own temporary files go, too
rm out/* && pola-sr -x4 in.png large.png
pola-sr -t 1 -x4 --cpu scalar large.png 'out/p.tif[tile,pyramid,tile_width=16,tile_height=16]' &
pid=$!
for i in $(seq 1200); do
    [ -n "$(find "$TMPDIR" -name 'vips-*')" ] && break
    sleep 0.05
done
kill -TERM $pid
wait $pid 2>/dev/null
echo "pyramid: $?, left: $(find "$TMPDIR" out -mindepth 1)"
