/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See save.h. Savers write through a target of ours, which keeps the system's own word for what went wrong.
 */
#include "save.h"

#include "cli.h"
#include "temp.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vips/vips.h>

struct sink {
    int fd;
    int error;        /* errno of the first write that failed */
    VipsImage *image; /* what is being saved */
};

/* After a fault the rest is thrown away and the image told to stop: some encoders (JPEG 2000) try a write that fails for ever. */
static gint64 on_write(VipsTargetCustom *target, const void *data, gint64 size, struct sink *sink)
{
    if (sink->error == 0 && !cli_write_all(sink->fd, data, (size_t)size)) {
        sink->error = errno;
        vips_image_set_kill(sink->image, TRUE);
    }
    return size;
}

static gint64 on_read(VipsTargetCustom *target, void *data, gint64 size, struct sink *sink)
{
    return read(sink->fd, data, (size_t)size);
}

static gint64 on_seek(VipsTargetCustom *target, gint64 offset, int whence, struct sink *sink)
{
    return lseek(sink->fd, offset, whence);
}

/* path is what fd leads to, NULL when that has no name. Some savers choose a variant by it (.pgm, .ppm). */
static VipsTarget *target_new(struct sink *sink, const char *path)
{
    VipsTargetCustom *target = vips_target_custom_new();

    VIPS_CONNECTION(target)->filename = g_strdup(path); /* freed with the target */
    g_signal_connect(target, "write", G_CALLBACK(on_write), sink);
    g_signal_connect(target, "read", G_CALLBACK(on_read), sink);
    g_signal_connect(target, "seek", G_CALLBACK(on_seek), sink);
    return VIPS_TARGET(target);
}

/* "[defaults,users]": a later option wins. NULL when there are none. */
static char *join_options(const char *defaults, const char *users)
{
    if (!defaults)
        return g_strdup(users);
    if (!users || strcmp(users, "[]") == 0)
        return g_strdup_printf("[%s]", defaults);
    return g_strdup_printf("[%s,%s", defaults, users + 1);
}

/* vips_call_split_option_string() for a saver: image, where to, then libvips options that win over the string. */
static int call_saver(const char *saver, const char *options, VipsImage *image, const void *where, ...)
{
    va_list optional;

    va_start(optional, where);
    int failed = vips_call_split_option_string(saver, options ? options : "", optional, image, where);
    va_end(optional);
    return failed;
}

/* A disk that is full says so in errno; a reader that left ends us as it ends any filter. */
static int save_failed(const struct sink *sink, struct pola_error *err)
{
    if (sink->error == EPIPE)
        temp_die(SIGPIPE);
    if (sink->error == 0)
        return cli_fail_vips(err, NULL);
    vips_error_clear();
    return cli_fail(err, POLA_ERR_IO, "cannot write: %s", g_strerror(sink->error));
}

/* Saves through the descriptor; *closed* by the caller. */
static int save_to_fd(int fd, const char *path, const char *saver, const char *options, VipsImage *image,
                      struct pola_error *err)
{
    struct sink sink = {.fd = fd, .image = image};
    VipsTarget *target = target_new(&sink, path);
    int failed = call_saver(saver, options, image, target, NULL);

    g_object_unref(target);
    return failed || sink.error ? save_failed(&sink, err) : POLA_OK;
}

const char *save_find(const char *suffix)
{
    const char *saver = vips_foreign_find_save_target(suffix);
    const char *by_name = saver ? NULL : vips_foreign_find_save(suffix);

    vips_error_clear();
    if (!by_name || !g_str_has_suffix(by_name, "File"))
        return saver;
    char *sibling = g_strdup_printf("%.*sTarget", (int)strlen(by_name) - 4, by_name);
    GType type = g_type_from_name(sibling);
    g_free(sibling);
    return type ? g_type_name(type) : NULL;
}

/* One "name" or "name=value" of length n. page_height is ours to set: another one would cut pages in the wrong places. */
static int check_option(GObjectClass *saver, const char *text, size_t n, const char *suffix, struct pola_error *err)
{
    char *name = g_strndup(text, n), *equals = strchr(name, '=');
    int code = POLA_OK;

    if (equals)
        *equals = '\0';
    g_strdelimit(g_strstrip(name), "_", '-');
    if (*name && (strcmp(name, "page-height") == 0 || !g_object_class_find_property(saver, name))) {
        char *clean = cli_printable(name);
        code = cli_fail(err, POLA_ERR_ARGUMENT, "%s has no save option '%s'", suffix + 1, clean);
        g_free(clean);
    }
    g_free(name);
    return code;
}

int save_check_options(const char *suffix, const char *options, struct pola_error *err)
{
    const char *saver = strcmp(suffix, ".dz") == 0 ? "VipsForeignSaveDzFile" : save_find(suffix);
    GType type = saver && options ? g_type_from_name(saver) : 0;
    int code = POLA_OK, depth = 0;
    gboolean quoted = FALSE;

    if (!type)
        return POLA_OK;
    GObjectClass *class = g_type_class_ref(type);
    const char *start = options + 1;
    for (const char *c = start; code == POLA_OK && *c; c++) { /* "[a=1,b=[c,d],e=\"f,g\"]" */
        if (*c == '"')
            quoted = !quoted;
        else if (!quoted && *c == '[')
            depth++;
        else if (!quoted && depth > 0 && *c == ']')
            depth--;
        else if (!quoted && depth == 0 && (*c == ',' || *c == ']')) {
            code = check_option(class, start, (size_t)(c - start), suffix, err);
            start = c + 1;
        }
    }
    g_type_class_unref(class);
    return code;
}

static int save_file(const struct output *o, const char *options, VipsImage *image, struct pola_error *err)
{
    char *dir = g_path_get_dirname(o->path), *path = NULL;
    int fd = -1;
    int code = temp_file(&path, &fd, dir, o->suffix, err);

    g_free(dir);
    if (code == POLA_OK)
        code = save_to_fd(fd, path, save_find(o->suffix), options, image, err);
    if (code == POLA_OK && (fchmod(fd, (mode_t)o->mode) != 0 || fsync(fd) != 0))
        code = cli_fail(err, POLA_ERR_IO, "cannot write: %s", g_strerror(errno));
    if (fd >= 0 && close(fd) != 0 && code == POLA_OK)
        code = cli_fail(err, POLA_ERR_IO, "cannot write: %s", g_strerror(errno));
    if (code == POLA_OK)
        return temp_commit(path, o->path, err);
    temp_discard(path);
    return code;
}

/* Formats that go back in their file (TIFF, VIPS) are made in a temporary file and then copied out. */
static int save_spooled(const struct output *o, int out, const char *options, VipsImage *image, struct pola_error *err)
{
    char *path = NULL;
    int fd = -1;
    struct sink sink = {.fd = out};
    unsigned char buffer[1 << 16];
    ssize_t n = 0;
    int code = temp_file(&path, &fd, NULL, o->suffix, err);

    if (code == POLA_OK)
        code = save_to_fd(fd, path, save_find(o->suffix), options, image, err);
    int in = code == POLA_OK ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    temp_discard(path);
    while (in >= 0 && sink.error == 0 && (n = read(in, buffer, sizeof buffer)) > 0)
        if (!cli_write_all(out, buffer, (size_t)n))
            sink.error = errno;
    if (code == POLA_OK && (in < 0 || n < 0))
        code = cli_fail(err, POLA_ERR_IO, "cannot read it back: %s", g_strerror(errno));
    if (code == POLA_OK && sink.error)
        code = save_failed(&sink, err);
    if (in >= 0)
        close(in);
    if (fd >= 0)
        close(fd);
    return code;
}

static int save_stream(const struct output *o, const char *options, VipsImage *image, struct pola_error *err)
{
    const char *saver = save_find(o->suffix);
    int fd = o->path ? open(o->path, O_WRONLY | O_CLOEXEC) : dup(STDOUT_FILENO);
    int code;

    if (fd < 0)
        return cli_fail(err, POLA_ERR_IO, "cannot open: %s", g_strerror(errno));
    if (!strstr(saver, "SaveTiff") && !strstr(saver, "SaveVips"))
        code = save_to_fd(fd, strstr(saver, "Ppm") ? o->suffix : NULL, saver, options, image, err);
    else
        code = save_spooled(o, fd, options, image, err);
    if (close(fd) != 0 && code == POLA_OK)
        code = cli_fail(err, POLA_ERR_IO, "cannot write: %s", g_strerror(errno));
    return code;
}

gboolean save_is_tree(const struct output *o)
{
    return strcmp(o->suffix, ".dz") == 0 && !(o->options && (strstr(o->options, "zip") || strstr(o->options, "szi")));
}

/* The tree is made in a directory of its own, under its final name, and moved out when it is whole. */
static int save_tree(const struct output *o, const char *options, VipsImage *image, struct pola_error *err)
{
    char *dir = g_path_get_dirname(o->path), *base = g_path_get_basename(o->path), *path = NULL;
    int code = temp_dir(&path, dir, err);

    base[strlen(base) - strlen(o->suffix)] = '\0';
    if (code == POLA_OK) {
        char *inside = g_build_filename(path, base, NULL);
        if (call_saver("dzsave", options, image, inside, "container", VIPS_FOREIGN_DZ_CONTAINER_FS, NULL))
            code = cli_fail_vips(err, NULL);
        g_free(inside);
    }
    if (code == POLA_OK)
        code = temp_commit_dir(path, dir, err);
    else
        temp_discard(path);
    g_free(dir);
    g_free(base);
    return code;
}

int save_image(const struct output *o, const char *defaults, VipsImage *image, struct pola_error *err)
{
    char *options = join_options(defaults, o->options);
    int code;

    if (o->stream)
        code = save_stream(o, options, image, err);
    else if (save_is_tree(o))
        code = save_tree(o, options, image, err);
    else
        code = save_file(o, options, image, err);
    g_free(options);
    return code;
}
