/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See cli.h.
 */
#include "cli.h"

#include "progress.h"
#include "temp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <vips/vips.h>

static const char *program = "pola";
static enum cli_level level;

static GMutex log_lock;      /* guards what follows: libraries warn from any thread */
static const char *subject;  /* the input at work */
static gboolean show_first;  /* its first warning is worth a line without -v */
static GHashTable *log_seen; /* texts already shown for it */

char *cli_printable(const char *text)
{
    GString *out = g_string_new(NULL);

    while (*text) {
        gunichar c = g_utf8_get_char_validated(text, -1);
        if (c == (gunichar)-1 || c == (gunichar)-2) {
            g_string_append_c(out, '?');
            text++;
            continue;
        }
        const char *next = g_utf8_next_char(text);
        if (g_unichar_iscntrl(c) || c == 0x2028 || c == 0x2029)
            g_string_append_c(out, '?');
        else
            g_string_append_len(out, text, next - text);
        text = next;
    }
    return g_string_free(out, FALSE);
}

gboolean cli_write_all(int fd, const void *data, size_t size)
{
    const char *p = data;

    while (size > 0) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return FALSE;
        }
        p += n;
        size -= (size_t)n;
    }
    return TRUE;
}

/* One write for the whole line, so that lines of processes side by side do not mix. */
static void put_line(const char *kind, const char *name, const char *text)
{
    GString *line = g_string_new(program);
    char *clean = cli_printable(text);
    int pipe_gone = 0;

    g_string_append(line, ": ");
    g_string_append(line, kind);
    if (name) {
        char *quoted = cli_printable(name);
        g_string_append_printf(line, "'%s': ", quoted);
        g_free(quoted);
    }
    g_string_append(line, clean);
    g_string_append_c(line, '\n');
    progress_erase();
    if (!cli_write_all(STDERR_FILENO, line->str, line->len))
        pipe_gone = errno == EPIPE;
    g_free(clean);
    g_string_free(line, TRUE);
    if (pipe_gone)
        temp_die(SIGPIPE);
}

static G_GNUC_PRINTF(3, 0) void put(const char *kind, const char *name, const char *format, va_list args)
{
    char *text = g_strdup_vprintf(format, args);

    put_line(kind, name, text);
    g_free(text);
}

void cli_error(const char *name, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put("", name, format, args);
    va_end(args);
}

void cli_warn(const char *name, const char *format, ...)
{
    va_list args;

    if (level < CLI_NORMAL)
        return;
    va_start(args, format);
    put("warning: ", name, format, args);
    va_end(args);
}

void cli_info(const char *name, const char *format, ...)
{
    va_list args;

    if (level < CLI_VERBOSE)
        return;
    va_start(args, format);
    put("", name, format, args);
    va_end(args);
}

/* GLib's default handler prints several lines for each message; ours prints at most one, and only when it is wanted. */
static void on_log(const char *domain, GLogLevelFlags flags, const char *message, gpointer data)
{
    gboolean show = FALSE;
    char *name = NULL;

    g_mutex_lock(&log_lock);
    if (level >= CLI_VERBOSE || (show_first && level >= CLI_NORMAL && g_hash_table_size(log_seen) == 0))
        show = (flags & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0 &&
               g_hash_table_add(log_seen, g_strdup(message));
    if (show)
        name = g_strdup(subject);
    g_mutex_unlock(&log_lock);
    if (show)
        put_line("warning: ", name, message);
    g_free(name);
}

void cli_set_subject(const char *name, gboolean show)
{
    g_mutex_lock(&log_lock);
    subject = name;
    show_first = show;
    g_hash_table_remove_all(log_seen);
    g_mutex_unlock(&log_lock);
}

/* Descriptors 0 to 2 that are closed would be given to the next files that are opened, and messages would go into them.
 * Each is held by one on which what the command wants to do still fails as on a closed one; messages are lost. */
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY); /* becomes fd, the lowest free one */
}

void cli_start(const char *name)
{
    hold_standard_descriptors();
    program = name;
    g_set_prgname(name);
    log_seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_log_set_default_handler(on_log, NULL);
}

void cli_set_level(enum cli_level wanted)
{
    level = wanted;
}

enum cli_level cli_level(void)
{
    return level;
}

gboolean cli_flush_stdout(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return TRUE;
    if (errno == EPIPE)
        temp_die(SIGPIPE);
    cli_error(NULL, "cannot write to standard output: %s", g_strerror(errno));
    return FALSE;
}

int cli_fail(struct pola_error *err, enum pola_status code, const char *format, ...)
{
    va_list args;

    err->code = code;
    va_start(args, format);
    g_vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

/* What decoders say when data end early or make no sense, in the words of libvips and of the libraries below it. */
static gboolean is_damage(const char *line)
{
    static const char *const words[] = {"read error", "Premature end", "truncated", "not enough data",
                                        "Unexpected end"};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strstr(line, words[i]))
            return TRUE;
    return FALSE;
}

/* The line that says most, without libvips' domain before it: what the system reported, else what a decoder did, else the
 * first one. Lines about our temporary files say nothing. NULL: there is none. */
static const char *useful_line(char **lines)
{
    const char *best = NULL;
    gboolean best_is_damage = FALSE;

    for (size_t i = 0; lines[i]; i++) {
        const char *system = strstr(lines[i], "unix error: ");
        gboolean damage = is_damage(lines[i]);
        if (system)
            return system + strlen("unix error: ");
        if (!*g_strstrip(lines[i]) || strstr(lines[i], TEMP_PREFIX) || (best && (best_is_damage || !damage)))
            continue;
        best = lines[i];
        best_is_damage = damage;
    }
    const char *colon = best ? strstr(best, ": ") : NULL;
    return colon && colon[2] && strchr(best, ' ') == colon + 1 ? colon + 2 : best;
}

/* Decoders that meet the end of their data too early often leave without a word. */
int cli_fail_vips(struct pola_error *err, const char *what)
{
    char **lines = g_strsplit(vips_error_buffer(), "\n", -1);
    const char *line = useful_line(lines);
    int code;

    if (!line || is_damage(line))
        code = cli_fail(err, POLA_ERR_FORMAT, "is truncated or damaged%s%s", line ? ": " : "", line ? line : "");
    else
        code = cli_fail(err, POLA_ERR_FORMAT, "%s%s%s", what ? what : "", what ? ": " : "", line);
    vips_error_clear();
    g_strfreev(lines);
    return code;
}
