/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See temp.h. One lock covers the list and every change of a name, so that a signal finds each output either still
 * temporary or already complete.
 */
#define _GNU_SOURCE
#include "temp.h"

#include "cli.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GPtrArray *list; /* paths under construction, owned */
static sigset_t stop_signals;

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    return remove(path);
}

static char *scratch; /* libvips' directory; on the list */

/* Threads that still write may add to a tree while it is removed: try again for a while. */
static void remove_path(const char *path)
{
    if (unlink(path) == 0 || (errno != EISDIR && errno != EPERM))
        return;
    for (int i = 0; i < 100; i++) {
        if (nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0)
            return;
        g_usleep(10000);
    }
}

void temp_die(int sig)
{
    sigset_t set;

    pthread_mutex_lock(&lock); /* for good: nothing is renamed any more */
    for (guint i = 0; list && i < list->len; i++)
        remove_path(g_ptr_array_index(list, i));
    progress_erase();
    signal(sig, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, sig);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(sig);
    _exit(CLI_FAILED); /* not reached: the default action ends the process */
}

static void *wait_for_signals(void *data)
{
    int sig = 0;

    while (sigwait(&stop_signals, &sig) != 0)
        ;
    temp_die(sig);
    return NULL;
}

void temp_start(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
    pthread_t thread;
    pthread_attr_t attr;

    list = g_ptr_array_new_with_free_func(g_free);
    signal(SIGPIPE, SIG_IGN); /* seen as EPIPE, then passed on by temp_die() */
    signal(SIGXFSZ, SIG_IGN); /* seen as EFBIG */
    sigemptyset(&stop_signals);
    for (size_t i = 0; i < G_N_ELEMENTS(stops); i++) {
        struct sigaction old;
        if (sigaction(stops[i], NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN) /* nohup and background jobs ignore some */
            sigaddset(&stop_signals, stops[i]);
    }
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 256 << 10);
    pthread_sigmask(SIG_BLOCK, &stop_signals, NULL);
    if (pthread_create(&thread, &attr, wait_for_signals, NULL) != 0)
        pthread_sigmask(SIG_UNBLOCK, &stop_signals, NULL);
    pthread_attr_destroy(&attr);
}

static void end_scratch(void)
{
    temp_discard(scratch);
}

void temp_start_scratch(void)
{
    struct pola_error ignored;

    /* GLib keeps what it finds in TMPDIR first, libvips looks there every time. */
    if (temp_dir(&scratch, g_get_tmp_dir(), &ignored) != POLA_OK)
        return;
    g_setenv("TMPDIR", scratch, TRUE);
    atexit(end_scratch);
}

static int cannot(struct pola_error *err, const char *what, const char *path)
{
    char *clean = cli_printable(path);
    int code = cli_fail(err, POLA_ERR_IO, "cannot %s '%s': %s", what, clean, g_strerror(errno));

    g_free(clean);
    return code;
}

int temp_file(char **path, int *fd, const char *dir, const char *suffix, struct pola_error *err)
{
    char *name = g_strdup_printf("%s/" TEMP_PREFIX "XXXXXX%s", dir ? dir : g_get_tmp_dir(), suffix);

    *path = NULL;
    pthread_mutex_lock(&lock);
    *fd = mkostemps(name, (int)strlen(suffix), O_CLOEXEC);
    if (*fd >= 0)
        g_ptr_array_add(list, *path = name);
    pthread_mutex_unlock(&lock);
    if (*path)
        return POLA_OK;
    g_free(name);
    return cannot(err, "create a file in", dir ? dir : g_get_tmp_dir());
}

int temp_dir(char **path, const char *dir, struct pola_error *err)
{
    char *name = g_strdup_printf("%s/" TEMP_PREFIX "XXXXXX", dir);

    *path = NULL;
    pthread_mutex_lock(&lock);
    if (mkdtemp(name))
        g_ptr_array_add(list, *path = name);
    pthread_mutex_unlock(&lock);
    if (*path)
        return POLA_OK;
    g_free(name);
    return cannot(err, "create a directory in", dir);
}

/* A renamed file is only safe once its directory is on the disk too. Some file systems cannot sync one: no fault. */
static void sync_dir_of(const char *path)
{
    char *dir = g_path_get_dirname(path);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    g_free(dir);
}

int temp_commit(char *path, const char *target, struct pola_error *err)
{
    int code = POLA_OK;

    pthread_mutex_lock(&lock);
    if (rename(path, target) != 0) {
        code = cannot(err, "create", target);
        remove_path(path);
    }
    g_ptr_array_remove(list, path);
    pthread_mutex_unlock(&lock);
    if (code == POLA_OK)
        sync_dir_of(target);
    return code;
}

int temp_commit_dir(char *path, const char *target_dir, struct pola_error *err)
{
    int code = POLA_OK;
    const char *name;
    GDir *dir = g_dir_open(path, 0, NULL);

    pthread_mutex_lock(&lock);
    while (code == POLA_OK && dir && (name = g_dir_read_name(dir))) {
        char *from = g_build_filename(path, name, NULL);
        char *to = g_build_filename(target_dir, name, NULL);
        if (rename(from, to) != 0)
            code = cannot(err, "create", to);
        g_free(from);
        g_free(to);
    }
    remove_path(path);
    g_ptr_array_remove(list, path);
    pthread_mutex_unlock(&lock);
    if (dir)
        g_dir_close(dir);
    return code;
}

void temp_discard(char *path)
{
    if (!path)
        return;
    pthread_mutex_lock(&lock);
    remove_path(path);
    g_ptr_array_remove(list, path);
    pthread_mutex_unlock(&lock);
}
