/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See options.h. GOption does not know -t4, so short options are split before it sees them; sizes and ranges are checked
 * after.
 */
#include "options.h"

#include "cli.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct common_options parsed; /* GOption wants addresses that exist before main() runs */

static const GOptionEntry common_entries[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &parsed.output, "write each result into DIR (one input: or to file DIR)",
     "DIR"},
    {"format", 0, 0, G_OPTION_ARG_FILENAME, &parsed.format, "output format: png, jpg[Q=90], tif[tile,pyramid], ...",
     "FORMAT"},
    {"model", 'm', 0, G_OPTION_ARG_FILENAME, &parsed.model, "model: a name, or the path of a file", "MODEL"},
    {"models", 0, 0, G_OPTION_ARG_FILENAME, &parsed.models, "look for models in DIR first", "DIR"},
    {"list-models", 0, 0, G_OPTION_ARG_NONE, &parsed.list_models, "list the models found, and end", NULL},
    {"threads", 't', 0, G_OPTION_ARG_INT, &parsed.threads, "threads (default: the cores this process may use)", "N"},
    {"tile", 0, 0, G_OPTION_ARG_INT, &parsed.tile, "pixels across the window that the network sees", "N"},
    {"halo", 0, 0, G_OPTION_ARG_INT, &parsed.halo, "pixels by which windows overlap on each side", "N"},
    {"memory", 0, 0, G_OPTION_ARG_FILENAME, &parsed.memory_text,
     "make tiles small enough to stay under SIZE (1.5G, 600M)", "SIZE"},
    {"cpu", 0, 0, G_OPTION_ARG_FILENAME, &parsed.cpu, "use at most this: auto, scalar, avx2, avx512, avx512bf16, amx",
     "NAME"},
    {"precision", 0, 0, G_OPTION_ARG_FILENAME, &parsed.precision_text, "auto, fp32 or bf16", "P"},
    {"page", 0, 0, G_OPTION_ARG_INT, &parsed.page, "only page N of each input, from 1 (default: every page)", "N"},
    {"max-pixels", 0, 0, G_OPTION_ARG_INT64, &parsed.max_pixels, "refuse inputs of more than N pixels", "N"},
    {"lenient", 0, 0, G_OPTION_ARG_NONE, &parsed.lenient, "accept damaged and truncated inputs, with a warning", NULL},
    {"strip", 0, 0, G_OPTION_ARG_NONE, &parsed.strip, "drop metadata, except the colour profile", NULL},
    {"skip-existing", 0, 0, G_OPTION_ARG_NONE, &parsed.skip_existing, "leave outputs that exist as they are", NULL},
    {"dry-run", 0, 0, G_OPTION_ARG_NONE, &parsed.dry_run, "print what would be done, and end", NULL},
    {"progress", 0, 0, G_OPTION_ARG_NONE, &parsed.progress, "show progress even where stderr is no terminal", NULL},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &parsed.quiet, "print nothing but errors", NULL},
    {"verbose", 'v', 0, G_OPTION_ARG_NONE, &parsed.verbose, "say what was chosen, and what it took", NULL},
    {"version", 0, 0, G_OPTION_ARG_NONE, &parsed.version, "print the version (with -v: the kernels too), and end",
     NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &parsed.rest, NULL, NULL},
    {0},
};

/* What arg[0..] stands for among entries: does it take a value that follows as the next argument? */
static const GOptionEntry *find_entry(const GOptionEntry *entries, const char *arg)
{
    for (const GOptionEntry *e = entries; e && e->long_name; e++) {
        if (arg[1] == '-' ? *e->long_name && strcmp(arg + 2, e->long_name) == 0 : arg[1] && arg[1] == e->short_name)
            return e;
    }
    return NULL;
}

/* argv with -t4 written as -t 4, for GOption. Its strings are new: g_strfreev() it. */
static char **split_short(int argc, char **argv, const GOptionEntry *own)
{
    GPtrArray *out = g_ptr_array_new();

    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        if (i > 0 && strcmp(arg, "--") == 0) {
            while (i < argc)
                g_ptr_array_add(out, g_strdup(argv[i++]));
            break;
        }
        const GOptionEntry *e = i > 0 && arg[0] == '-' && arg[1] ? find_entry(own, arg) : NULL;
        if (!e && i > 0 && arg[0] == '-' && arg[1])
            e = find_entry(common_entries, arg);
        gboolean has_value = e && e->arg != G_OPTION_ARG_NONE;
        if (has_value && arg[1] != '-' && arg[2]) {
            g_ptr_array_add(out, g_strndup(arg, 2));
            g_ptr_array_add(out, g_strdup(arg + 2));
            continue;
        }
        g_ptr_array_add(out, g_strdup(arg));
        if (has_value && i + 1 < argc)
            g_ptr_array_add(out, g_strdup(argv[++i]));
    }
    g_ptr_array_add(out, NULL);
    return (char **)g_ptr_array_free(out, FALSE);
}

/* "600M" in bytes; false unless it is a positive number with at most one of the suffixes k, M, G, T. */
static gboolean parse_size(guint64 *bytes, const char *text)
{
    static const char suffixes[] = "kmgt";
    char *end;
    double value = g_ascii_strtod(text, &end);
    const char *suffix = *end ? strchr(suffixes, g_ascii_tolower(*end)) : NULL;

    if (end == text || !isfinite(value) || value <= 0 || (*end && (!suffix || end[1])))
        return FALSE;
    for (const char *s = suffixes; suffix && s <= suffix; s++)
        value *= 1024;
    if (value < 1 || value > 0x1p60)
        return FALSE;
    *bytes = (guint64)value;
    return TRUE;
}

static int check(struct common_options *o, struct pola_error *err)
{
    if (o->memory_text && !parse_size(&o->memory, o->memory_text))
        return cli_fail(err, POLA_ERR_ARGUMENT, "--memory '%s' is not a size such as 600M or 1.5G", o->memory_text);
    if (o->threads < 0 || o->threads > 1024)
        return cli_fail(err, POLA_ERR_ARGUMENT, "-t %d: threads must be from 1 to 1024", o->threads);
    if (o->tile < 0 || o->halo < -1 || o->page < 0 || o->max_pixels < 0)
        return cli_fail(err, POLA_ERR_ARGUMENT, "--tile, --halo, --page and --max-pixels cannot be negative");
    if (o->precision_text) {
        static const char *const names[] = {"auto", "fp32", "bf16"};
        for (o->precision = 0; o->precision < 3; o->precision++)
            if (strcmp(o->precision_text, names[o->precision]) == 0)
                return POLA_OK;
        return cli_fail(err, POLA_ERR_ARGUMENT, "--precision '%s' is none of auto, fp32, bf16", o->precision_text);
    }
    return POLA_OK;
}

static int apply(const struct common_options *o, struct pola_error *err)
{
    const char *cpu = o->cpu ? o->cpu : g_getenv("POLA_CPU");

    cli_set_level(o->quiet ? CLI_QUIET : o->verbose ? CLI_VERBOSE : CLI_NORMAL);
    progress_setup(o->progress, o->quiet);
    pola_threads_set(o->threads);
    return cpu && *cpu ? pola_cpu_cap(cpu, err) : POLA_OK;
}

/* GLib's text, with the lower-case start and the quotes that all our messages have. */
static int usage_error(struct pola_error *err, const GError *error)
{
    GString *text = g_string_new(error->message);

    g_string_replace(text, "\u201c", "'", 0);
    g_string_replace(text, "\u201d", "'", 0);
    int code = cli_fail(err, POLA_ERR_ARGUMENT, "%s", text->str);
    g_string_free(text, TRUE);
    err->text[0] = g_ascii_tolower(err->text[0]);
    return code;
}

static G_NORETURN void finish(void)
{
    exit(cli_flush_stdout() ? CLI_DONE : CLI_FAILED);
}

static G_NORETURN void print_help(GOptionContext *context)
{
    char *help = g_option_context_get_help(context, TRUE, NULL);
    char **parts = g_strsplit(help, "\u2026", -1); /* not every terminal has it */

    for (size_t i = 0; parts[i]; i++)
        printf("%s%s", i > 0 ? "..." : "", parts[i]);
    g_strfreev(parts);
    g_free(help);
    finish();
}

int options_parse(struct common_options *options, int argc, char **argv, const char *usage, const char *description,
                  const GOptionEntry *own, struct pola_error *err)
{
    GOptionContext *context = g_option_context_new(usage);
    GError *error = NULL;
    gboolean help = FALSE;
    const GOptionEntry help_entry[] = {{"help", 'h', 0, G_OPTION_ARG_NONE, &help, "print this, and end", NULL}, {0}};
    char **args = split_short(argc, argv, own);
    int code = POLA_OK;

    parsed = (struct common_options){.halo = -1};
    g_option_context_set_help_enabled(context, FALSE); /* its own help prints and exits without flushing errors */
    g_option_context_add_main_entries(context, own, NULL);
    g_option_context_add_main_entries(context, common_entries, NULL);
    g_option_context_add_main_entries(context, help_entry, NULL);
    g_option_context_set_description(context, description);
    if (!g_option_context_parse_strv(context, &args, &error))
        code = usage_error(err, error);
    else if (help) {
        print_help(context);
    }
    if (code == POLA_OK)
        code = check(&parsed, err);
    if (code == POLA_OK)
        code = apply(&parsed, err);
    if (code == POLA_OK && parsed.version) {
        printf("%s %s\n", g_get_prgname(), pola_version());
        if (parsed.verbose)
            printf("kernels: %s, %d threads\n", pola_cpu_name(), pola_threads());
        finish();
    }
    *options = parsed;
    g_clear_error(&error);
    g_strfreev(args);
    g_option_context_free(context);
    return code;
}

void options_release(struct common_options *o)
{
    g_free(o->output);
    g_free(o->format);
    g_free(o->model);
    g_free(o->models);
    g_free(o->memory_text);
    g_free(o->cpu);
    g_free(o->precision_text);
    g_strfreev(o->rest);
}
