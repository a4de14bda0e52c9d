# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the pola authors
#
# Outputs that exist are replaced, keep their mode, or are left alone with --skip-existing.
umask 022
forge rgb in.png
forge grey two.png
run pola-sr -x2 in.png out.png && stat -c %a out.png
chmod 640 out.png && run pola-sr -x3 in.png out.png && stat -c %a out.png && dims out.png
run pola-sr --skip-existing -x2 in.png out.png && dims out.png
run pola-sr -v --skip-existing -x2 in.png out.png
run pola-sr --skip-existing -x2 in.png two.png -o out && run pola-sr --skip-existing -x3 in.png two.png -o out
dims out/*
umask 077 && run pola-sr -x2 in.png private.png && stat -c %a private.png
