# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Sizes between the scales of the networks, and the exact sizes of --width and --height.
forge rgb in.png 31 23
for s in 1 1.01 1.5 2 2.5 3.999 4; do run pola-sr -s $s in.png out.png && echo "$s: $(dims out.png)"; done
run pola-sr -s2.5 in.png attached.png && dims attached.png
run pola-sr --width 100 in.png out.png && dims out.png
run pola-sr --height 50 in.png out.png && dims out.png
run pola-sr --width 100 --height 40 in.png out.png && dims out.png
run pola-sr --width 31 in.png out.png && dims out.png
run pola-sr --width 30 in.png no.png
run pola-sr --width 125 in.png no.png
# no shift: a ramp stays on its line, away from the borders
forge ramp ramp.png
run pola-sr -s 1.5 ramp.png out.v
vips crop out.v middle.v 24 4 48 8
vips identity lut.v
python3 - <<'P'
import subprocess
worst = max(abs(float(subprocess.run(['vips', 'getpoint', 'out.v', str(x), '9'], capture_output=True).stdout)
                - (20 + 3 * ((x + .5) / 1.5 - .5))) for x in range(24, 72, 5))
print('worst distance from the line is below 1.5:', worst < 1.5)
P
present no.png
