/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See progress.h.
 */
#include "progress.h"

#include "cli.h"

#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

#define NAME_MAX_CHARS 40

struct follow {
    char *name;
    double pixels;
    gint64 start, shown; /* microseconds */
};

static gboolean wanted, terminal;
static GMutex lock;
static gboolean on_screen; /* a line stands on the terminal */

void progress_setup(gboolean forced, gboolean quiet)
{
    terminal = isatty(STDERR_FILENO);
    wanted = forced || (terminal && !quiet);
}

void progress_erase(void)
{
    if (!wanted || !g_mutex_trylock(&lock)) /* trylock: the process may be dying while the line is being written */
        return;
    if (on_screen)
        (void)!cli_write_all(STDERR_FILENO, "\r\033[K", 4);
    on_screen = FALSE;
    g_mutex_unlock(&lock);
}

static void show(const struct follow *f, double done)
{
    double seconds = (double)(g_get_monotonic_time() - f->start) / 1e6;
    double left = done > 0 ? seconds * (1 - done) / done : 0;
    int s = (int)MIN(left + 0.5, 359999);
    char *line = g_strdup_printf("%s%s: '%s': %3.0f %%, %.2f Mpx/s, %d:%02d:%02d left%s", terminal ? "\r" : "",
                                 g_get_prgname(), f->name, 100 * done, f->pixels * done / MAX(seconds, 1e-6) / 1e6,
                                 s / 3600, s / 60 % 60, s % 60, terminal ? "\033[K" : "\n");

    g_mutex_lock(&lock);
    (void)!cli_write_all(STDERR_FILENO, line, strlen(line));
    on_screen = terminal;
    g_mutex_unlock(&lock);
    g_free(line);
}

static void on_eval(VipsImage *image, VipsProgress *progress, struct follow *f)
{
    gint64 now = g_get_monotonic_time();

    if (progress->tpels < 1 || now - f->shown < G_USEC_PER_SEC)
        return;
    f->shown = now;
    show(f, MIN(1.0, (double)progress->npels / (double)progress->tpels));
}

/* Elsewhere than on a terminal each input gets at least this line. */
static void on_posteval(VipsImage *image, VipsProgress *progress, struct follow *f)
{
    if (!terminal)
        show(f, 1);
}

static void follow_free(gpointer data, GClosure *closure)
{
    struct follow *f = data;

    progress_erase();
    g_free(f->name);
    g_free(f);
}

void progress_follow(VipsImage *image, const char *name, double input_pixels)
{
    if (!wanted)
        return;
    struct follow *f = g_new0(struct follow, 1);
    char *base = g_path_get_basename(name);
    char *clean = cli_printable(base);
    f->name = g_utf8_substring(clean, 0, MIN(g_utf8_strlen(clean, -1), NAME_MAX_CHARS));
    f->pixels = input_pixels;
    f->start = f->shown = g_get_monotonic_time();
    vips_image_set_progress(image, TRUE);
    g_signal_connect_data(image, "eval", G_CALLBACK(on_eval), f, follow_free, 0);
    g_signal_connect(image, "posteval", G_CALLBACK(on_posteval), f);
    g_free(clean);
    g_free(base);
}
