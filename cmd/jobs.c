/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See jobs.h.
 */
#include "jobs.h"

#include "cli.h"
#include "image_out.h"
#include "save.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

/* Suffixes that -o DIR keeps; everything else that can be opened becomes PNG. */
static const char keep[] =
    " .png .jpg .jpeg .jpe .jfif .webp .gif .tif .tiff .heic .heif .avif .jxl .jp2 .ppm .pgm .pnm "
    ".pfm .v .vips ";

/* --format as suffix and options: "jpg[Q=90]" is ".jpg" and "[Q=90]". Both NULL when there is none. */
static int parse_format(char **suffix, char **options, const char *text, struct pola_error *err)
{
    char *name;

    *suffix = *options = NULL;
    if (!text)
        return POLA_OK;
    output_split(text, &name, options);
    char *dotted = g_strconcat(name[0] == '.' ? "" : ".", name, NULL);
    *suffix = strcmp(dotted, ".") == 0 ? NULL : output_suffix(dotted);
    g_free(dotted);
    g_free(name);
    if (*suffix)
        return POLA_OK;
    return cli_fail(err, POLA_ERR_ARGUMENT, "--format '%s' is not one that images can be saved in", text);
}

static gboolean is_special(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* OUT on its own: "-", ".png", "name.png[options]", or any name with --format. */
static int one_output(struct job *job, const char *text, const char *format, struct pola_error *err)
{
    char *suffix, *options;
    int code = parse_format(&suffix, &options, format, err);

    if (code != POLA_OK)
        return code;
    output_split(text, &job->out, &job->options);
    job->suffix = output_suffix(job->out);
    if (job->suffix && suffix && strcmp(job->suffix, suffix) != 0)
        code = cli_fail(err, POLA_ERR_ARGUMENT, "'%s' and --format '%s' disagree", text, format);
    if (!job->suffix)
        job->suffix = g_strdup(suffix);
    if (!job->options)
        job->options = g_strdup(options);
    if (job->out[0] == '.' && g_ascii_strcasecmp(job->out, job->suffix ? job->suffix : "") == 0) {
        g_free(job->out);
        job->out = g_strdup("-");
    }
    if (!job->suffix && (strcmp(job->out, "-") == 0 || is_special(job->out)))
        job->suffix = g_strdup(".png");
    if (code == POLA_OK && g_file_test(job->out, G_FILE_TEST_IS_DIR))
        code = cli_fail(err, POLA_ERR_ARGUMENT, "'%s' is a directory: use -o for one", job->out);
    if (code == POLA_OK && !suffix && output_is_unsafe(job->out))
        code = cli_fail(err, POLA_ERR_ARGUMENT, "'%s': libvips does not report faults when it writes that format",
                        job->out);
    if (code == POLA_OK && !job->suffix)
        code = cli_fail(err, POLA_ERR_ARGUMENT,
                        "cannot tell the format of '%s': give it a suffix such as .png, or use --format", text);
    g_free(suffix);
    g_free(options);
    return code;
}

/* base without what looks like a suffix: up to four letters and digits, at least one a letter. */
static char *stem_of(const char *base)
{
    const char *dot = strrchr(base, '.');
    gboolean letter = FALSE;
    size_t n = 0;

    if (!dot || dot == base)
        return g_strdup(base);
    for (n = 1; g_ascii_isalnum(dot[n]); n++)
        letter |= g_ascii_isalpha(dot[n]);
    return letter && dot[n] == '\0' && n <= 5 ? g_strndup(base, (gsize)(dot - base)) : g_strdup(base);
}

/* The output of job->in in directory. */
static void place_in(struct job *job, const char *directory, const char *suffix, const char *options)
{
    char *base = strcmp(job->in, "-") == 0 ? g_strdup("stdin") : g_path_get_basename(job->in);
    char *own = suffix ? NULL : output_suffix(base);
    char *word = g_strdup_printf(" %s ", own ? own : "");

    if (own && strstr(keep, word)) {
        job->suffix = own;
        job->out = g_build_filename(directory, base, NULL);
    } else {
        char *stem = stem_of(base);
        char *file = g_strconcat(stem, suffix ? suffix : ".png", NULL);
        job->suffix = g_strdup(suffix ? suffix : ".png");
        job->out = g_build_filename(directory, file, NULL);
        g_free(file);
        g_free(stem);
        g_free(own);
    }
    job->options = g_strdup(options);
    g_free(word);
    g_free(base);
}

/* What tells a file that exists from all others, whatever name leads to it: "device:inode", given. NULL: there is none. */
static char *identity(const char *name)
{
    struct stat st;

    if (strcmp(name, "-") == 0 || stat(name, &st) != 0)
        return NULL;
    return g_strdup_printf("%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
}

/* No output may be a file that is still to be read. */
static int check_inputs(const struct jobs *jobs, struct pola_error *err)
{
    GHashTable *inputs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    int code = POLA_OK;

    for (guint i = 0; i < jobs->count; i++) {
        char *id = identity(jobs->list[i].in);
        if (id)
            g_hash_table_insert(inputs, id, jobs->list[i].in);
    }
    for (guint i = 0; code == POLA_OK && i < jobs->count; i++) {
        struct job *job = &jobs->list[i];
        char *id = identity(job->out);
        const char *input = id ? g_hash_table_lookup(inputs, id) : NULL;
        if (input)
            code = cli_fail(err, POLA_ERR_ARGUMENT, "'%s' would replace the input '%s': choose another directory",
                            job->out, input);
        g_free(id);
    }
    g_hash_table_destroy(inputs);
    return code;
}

static int check_clashes(const struct jobs *jobs, struct pola_error *err)
{
    GHashTable *owners = g_hash_table_new(g_str_hash, g_str_equal); /* output -> input */
    int code = POLA_OK;

    for (guint i = 0; code == POLA_OK && i < jobs->count; i++) {
        struct job *job = &jobs->list[i];
        const char *other = g_hash_table_lookup(owners, job->out);
        if (other)
            code = cli_fail(err, POLA_ERR_ARGUMENT, "'%s' and '%s' would both become '%s'", other, job->in, job->out);
        g_hash_table_insert(owners, job->out, job->in);
    }
    g_hash_table_destroy(owners);
    return code == POLA_OK ? check_inputs(jobs, err) : code;
}

static int into_directory(struct jobs *jobs, const struct common_options *o, struct pola_error *err)
{
    char *suffix, *options;
    struct stat st;
    int code = parse_format(&suffix, &options, o->format, err);

    if (code == POLA_OK && stat(o->output, &st) != 0)
        jobs->directory = g_strdup(o->output);
    else if (code == POLA_OK && !S_ISDIR(st.st_mode))
        code = cli_fail(err, POLA_ERR_ARGUMENT, "-o '%s' is not a directory", o->output);
    if (code == POLA_OK) {
        for (guint i = 0; i < jobs->count; i++)
            place_in(&jobs->list[i], o->output, suffix, options);
        code = check_clashes(jobs, err);
    }
    g_free(suffix);
    g_free(options);
    return code;
}

/* -o takes a file, too, when there is one input and DIR is none but has the suffix of an image. */
static gboolean output_is_file(const struct common_options *o)
{
    char *name, *options, *suffix;

    output_split(o->output, &name, &options);
    suffix = output_suffix(name);
    gboolean file = !g_file_test(o->output, G_FILE_TEST_IS_DIR) && (suffix || strcmp(name, "-") == 0);
    g_free(suffix);
    g_free(options);
    g_free(name);
    return file;
}

/* The jobs, without a look at their save options. */
static int fill(struct jobs *jobs, const struct common_options *o, struct pola_error *err)
{
    guint n = o->rest ? g_strv_length(o->rest) : 0;

    *jobs = (struct jobs){.count = o->output ? n : 1};
    if (n == 0)
        return cli_fail(err, POLA_ERR_ARGUMENT, "no input given");
    if (!o->output && n == 1)
        return cli_fail(err, POLA_ERR_ARGUMENT, "no output given: add its name, '-' or -o DIR");
    if (!o->output && n > 2)
        return cli_fail(err, POLA_ERR_ARGUMENT, "many inputs need -o DIR");
    for (guint i = 0; i < n; i++)
        if (!*o->rest[i])
            return cli_fail(err, POLA_ERR_ARGUMENT, "an empty name is no file");
    jobs->list = g_new0(struct job, jobs->count);
    for (guint i = 0; i < jobs->count; i++) {
        jobs->list[i].in = g_strdup(o->rest[i]);
        jobs->list[i].name = g_strdup(strcmp(o->rest[i], "-") == 0 ? "standard input" : o->rest[i]);
    }
    if (!o->output)
        return one_output(&jobs->list[0], o->rest[1], o->format, err);
    gboolean file = output_is_file(o);
    if (file && n > 1)
        return cli_fail(err, POLA_ERR_ARGUMENT, "-o '%s' is one file, and there are %u inputs", o->output, n);
    if (file)
        return one_output(&jobs->list[0], o->output, o->format, err);
    return into_directory(jobs, o, err);
}

int jobs_init(struct jobs *jobs, const struct common_options *o, struct pola_error *err)
{
    int code = fill(jobs, o, err);

    for (guint i = 0; code == POLA_OK && i < jobs->count; i++)
        code = save_check_options(jobs->list[i].suffix, jobs->list[i].options, err);
    return code;
}

void jobs_release(struct jobs *jobs)
{
    for (guint i = 0; jobs->list && i < jobs->count; i++) {
        g_free(jobs->list[i].in);
        g_free(jobs->list[i].name);
        g_free(jobs->list[i].out);
        g_free(jobs->list[i].suffix);
        g_free(jobs->list[i].options);
    }
    g_free(jobs->list);
    g_free(jobs->directory);
    *jobs = (struct jobs){0};
}
