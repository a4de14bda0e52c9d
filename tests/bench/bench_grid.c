/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Where windows meet along one axis of an image, for seams.py: one line "BEGIN FADE" for each border, in output pixels. Asks
 * the code that lays out windows, so that both agree.
 *
 * usage: bench_grid LENGTH SCALE TILE HALO
 */
#include "img/tile.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct tile_axis axis;

    if (argc != 5 || atoi(argv[1]) < 1 || atoi(argv[2]) < 1 || atoi(argv[4]) < 0 ||
        atoi(argv[3]) <= 2 * atoi(argv[4])) {
        fprintf(stderr, "usage: bench_grid LENGTH SCALE TILE HALO\n");
        return 2;
    }
    int scale = atoi(argv[2]), halo = atoi(argv[4]);
    pi_tile_axis_init(&axis, atoi(argv[1]), scale, atoi(argv[3]), halo, pi_tile_fade(halo, scale));
    for (int i = 1; i < axis.count; i++)
        printf("%d %d\n", pi_tile_begin(&axis, i), axis.fade);
    return 0;
}
