/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Memory of this process, now and to come, besides what a network plans for itself.
 */
#ifndef FOOTPRINT_H
#define FOOTPRINT_H

#include <glib.h>

struct _VipsImage;

/* Bytes that decoding `in` and writing a result of out_width pixels of out_pel bytes each will take: what the process holds
 * already, and libvips' buffers. */
guint64 footprint_other(struct _VipsImage *in, gint64 out_width, int out_pel, int saver_rows);

/* The most that this process has held so far. */
guint64 footprint_peak(void);

/* The memory of this machine, or what its control group may use if that is less; 0 when it cannot be told. */
guint64 footprint_machine(void);

#endif
