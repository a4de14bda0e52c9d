/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * Where the time of the network goes: every kernel in the table is replaced by one that looks at the clock before and after, and
 * a window of the default size goes through the network on one thread. Then what is done per second against what the machine
 * could do at best.
 *
 * usage: bench_kern MODEL LEVEL; status 77 when this CPU has no such level.
 */
#include "peaks.h"

#include "base/cpu.h"
#include "base/mem.h"
#include "head/sr.h"
#include "img/tile.h"
#include "net/polasr.h"
#include "net/rows.h"

#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SUCH_LEVEL = 77, ROUNDS = 40, IMAGE_WIDTH = 1024, IMAGE_HEIGHT = 768 };

/* ---- kernels with a clock ------------------------------------------------------------------------------------ */

struct site {
    char name[32];
    uint64_t ticks, calls;
    double macs; /* per call: of matrix products only */
};

static struct site sites[32];
static struct kern real;
static struct gemm timed_gemm[ACT_COUNT];
static enum act act;

static uint64_t ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return (uint64_t)(peaks_now() * 1e9);
#endif
}

static struct site *site(const char *name)
{
    struct site *s = sites;

    while (s->name[0] && strcmp(s->name, name) != 0)
        s++;
    snprintf(s->name, sizeof s->name, "%s", name);
    return s;
}

#define TIMED(what, call)                                                                                              \
    do {                                                                                                               \
        static struct site *here;                                                                                      \
        if (!here)                                                                                                     \
            here = site(what);                                                                                         \
        uint64_t start = ticks();                                                                                      \
        call;                                                                                                          \
        here->ticks += ticks() - start;                                                                                \
        here->calls++;                                                                                                 \
    } while (0)

static void layernorm(void *y, const void *x, const float *w, const float *b, size_t m, int c, float eps)
{
    TIMED("layer norm", real.layernorm[act](y, x, w, b, m, c, eps));
}

static void convert(void *y, size_t ldy, const float *x, size_t ldx, size_t m, int c)
{
    TIMED("convert", real.convert[act](y, ldy, x, ldx, m, c));
}

static void gelu(void *y, const float *x, size_t n)
{
    TIMED("GELU", real.gelu[act](y, x, n));
}

static void add(float *y, const float *a, const float *b, size_t n)
{
    TIMED("add", real.add(y, a, b, n));
}

static void residual(void *y, const void *a, const float *b, size_t n)
{
    TIMED("residual", real.residual[act](y, a, b, n));
}

static void dwconv3x3(void *y, const void *const rows[3], const float *w, const float *b, size_t m, int c)
{
    TIMED("depth-wise 3x3", real.dwconv3x3[act](y, rows, w, b, m, c));
}

static void lepe_gate(void *y, const float *o, const void *const rows[5], const void *g, const float *w, const float *b,
                      size_t m, int c)
{
    TIMED("LePE 5x5 and gate", real.lepe_gate[act](y, o, rows, g, w, b, m, c));
}

static void pacs_key(struct pacs_state *state, const void *k, const void *v, size_t m, int row, const struct rope *rope,
                     const struct pacs_params *params)
{
    TIMED("attention, keys", real.pacs_key[act](state, k, v, m, row, rope, params));
}

static void pacs_query(float *o, const void *q, const struct pacs_state *state, size_t m, int row,
                       const struct rope *rope, const struct pacs_params *params)
{
    TIMED("attention, queries", real.pacs_query[act](o, q, state, m, row, rope, params));
}

static void shuffle(float *y, size_t ldy, const float *u, const float *x, size_t m, int scale)
{
    TIMED("pixel shuffle", real.shuffle(y, ldy, u, x, m, scale));
}

/* The site of a matrix product, found by its shape. */
static struct site *gemm_site(const struct gemm_weights *w)
{
    static struct {
        int n, k, segs;
        struct site *site;
    } known[16];
    size_t i = 0;
    char name[32];

    while (known[i].site && (known[i].n != w->n || known[i].k != w->k || known[i].segs != w->segs))
        i++;
    if (!known[i].site) {
        known[i].n = w->n;
        known[i].k = w->k;
        known[i].segs = w->segs;
        if (w->segs == 1)
            snprintf(name, sizeof name, "linear %d -> %d", w->k, w->n);
        else
            snprintf(name, sizeof name, "convolution %d -> %d", w->k / 3, w->n);
        known[i].site = site(name);
    }
    return known[i].site;
}

static void gemm(enum act type, float *y, size_t ldy, const void *const *a, size_t lda, size_t m,
                 const struct gemm_weights *w)
{
    struct site *s = gemm_site(w);
    uint64_t start = ticks();

    real.gemm[type]->run(y, ldy, a, lda, m, w);
    s->ticks += ticks() - start;
    s->calls++;
    s->macs += (double)m * w->n * w->k * w->segs;
}

static void gemm_f32(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    gemm(ACT_F32, y, ldy, a, lda, m, w);
}

static void gemm_bf16(float *y, size_t ldy, const void *const *a, size_t lda, size_t m, const struct gemm_weights *w)
{
    gemm(ACT_BF16, y, ldy, a, lda, m, w);
}

/* The table that real came from, with clocks. */
static struct kern with_clocks(void)
{
    struct kern kern = real;

    for (int i = 0; i < ACT_COUNT; i++) {
        timed_gemm[i] = *real.gemm[i];
        timed_gemm[i].run = i == ACT_F32 ? gemm_f32 : gemm_bf16;
        kern.gemm[i] = &timed_gemm[i];
    }
    kern.layernorm[act] = layernorm;
    kern.convert[act] = convert;
    kern.gelu[act] = gelu;
    kern.add = add;
    kern.residual[act] = residual;
    kern.dwconv3x3[act] = dwconv3x3;
    kern.lepe_gate[act] = lepe_gate;
    kern.pacs_key[act] = pacs_key;
    kern.pacs_query[act] = pacs_query;
    kern.shuffle = shuffle;
    return kern;
}

/* ---- the window ---------------------------------------------------------------------------------------------- */

struct window {
    struct polasr *net;
    struct polasr_session *session;
    int width, height;
    float *in, *out;
};

static int window_size(struct window *window, pola_model *model, struct pola_error *err)
{
    struct pola_sr_options options;
    struct tile_axis axis;
    pola_sr *sr;

    pola_sr_options_init(&options);
    if (pola_sr_new(&sr, model, &options, err) < 0)
        return err->code;
    int tile = pi_sr_tile(sr), halo = pi_sr_halo(sr), scale = pola_sr_scale(sr), fade = pi_tile_fade(halo, scale);
    pi_tile_axis_init(&axis, IMAGE_WIDTH, scale, tile, halo, fade);
    window->width = axis.window;
    pi_tile_axis_init(&axis, IMAGE_HEIGHT, scale, tile, halo, fade);
    window->height = axis.window;
    pola_sr_unref(sr);
    return POLA_OK;
}

static int window_open(struct window *window, pola_model *model, const struct kern *kern, struct pola_error *err)
{
    if (window_size(window, model, err) < 0 || pi_polasr_new(&window->net, model, kern, act, err) < 0 ||
        pi_polasr_session_new(&window->session, window->net, window->width, window->height, 1, err) < 0)
        return err->code;
    size_t pixels = (size_t)window->width * (size_t)window->height;
    size_t scale = (size_t)pi_polasr_config(window->net)->scale;
    window->in = pi_alloc(pixels * 3 * sizeof(float));
    window->out = pi_alloc(pixels * scale * scale * 3 * sizeof(float));
    if (!window->in || !window->out)
        return pi_err_set(err, POLA_ERR_MEMORY, "no memory for a window");
    for (size_t i = 0; i < pixels * 3; i++)
        window->in[i] = (float)(i * 37 % 256) / 255;
    return POLA_OK;
}

static void window_release(struct window *window)
{
    pi_polasr_session_free(window->session);
    pi_polasr_free(window->net);
    pi_free(window->in);
    pi_free(window->out);
}

static double pixels_of(const struct window *window)
{
    return (double)window->width * window->height;
}

/* ---- the tables ---------------------------------------------------------------------------------------------- */

static int slower_first(const void *a, const void *b)
{
    const struct site *x = a, *y = b;

    return x->ticks < y->ticks ? 1 : -(x->ticks > y->ticks);
}

/* Ticks that looking at the clock adds to a call. */
static uint64_t clock_cost(void)
{
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 10000; i++) {
        uint64_t start = ticks(), cost = ticks() - start;
        least = cost < least ? cost : least;
    }
    return least;
}

/* Shares of a run with clocks, without what the clocks cost. each: seconds of a tick; rest: ticks outside of all kernels. */
static void print_shares(const struct window *window, double each, uint64_t rest)
{
    size_t count = 0;
    uint64_t all = rest;
    double pixels = pixels_of(window);

    for (; sites[count].name[0]; count++)
        all += sites[count].ticks;
    qsort(sites, count, sizeof *sites, slower_first);
    printf("  %-22s %7s %9s %9s\n", "kernel", "share", "ns/pixel", "GMAC/s");
    for (size_t i = 0; i < count; i++) {
        double spent = (double)sites[i].ticks * each;
        printf("  %-22s %5.1f %% %9.1f", sites[i].name, 100 * (double)sites[i].ticks / (double)all,
               1e9 * spent / pixels);
        if (sites[i].macs > 0)
            printf(" %9.0f", 1e-9 * sites[i].macs / spent);
        putchar('\n');
    }
    printf("  %-22s %5.1f %% %9.1f\n", "between kernels", 100 * (double)rest / (double)all,
           1e9 * (double)rest * each / pixels);
}

/* Bytes that pass between the sweeps of the network for one pixel: planes of the window, each read or written once by a sweep.
 * What stays in rows (and so in the caches) is not counted. */
static double bytes_per_pixel(const struct window *window)
{
    const struct polasr_config *config = pi_polasr_config(window->net);
    double plane = (double)config->dim * (double)pi_act_size(act), pixel = 3 * sizeof(float);
    double head = 2 * pixel + pixel + plane;                    /* in -> centred -> x */
    double keys = plane + 4 * plane, apply = 4 * plane + plane; /* x -> y, q, g, v; those -> x */
    double tail = plane + 2 * pixel + pixel * config->scale * config->scale;

    return head + config->depth * (keys + apply) + tail;
}

static void print_peaks(const struct window *window, double seconds, double amx, double copy)
{
    double speed = pixels_of(window) / seconds, macs = pi_polasr_macs(window->net), bytes = bytes_per_pixel(window);

    printf("  arithmetic: %.1f thousand multiply-adds per pixel, %.0f GMAC/s", 1e-3 * macs, 1e-9 * macs * speed);
    if (amx > 0)
        printf(", %.1f %% of the %.0f that AMX reaches in registers", 100 * macs * speed / amx, 1e-9 * amx);
    printf("\n  memory: %.0f bytes per pixel between sweeps, %.1f GB/s", bytes, 1e-9 * bytes * speed);
    if (copy > 0)
        printf(", %.0f %% of the %.1f of a plain copy", 100 * bytes * speed / copy, 1e-9 * copy);
    printf("; a window holds %.1f MB\n",
           1e-6 * (double)pi_polasr_session_bytes(window->net, window->width, window->height, 1));
}

struct times {
    double plain;     /* best seconds of a run without clocks */
    double each;      /* seconds of a tick */
    uint64_t rest;    /* least ticks outside of kernels of a run with clocks */
    double amx, copy; /* best rates */
};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A run with clocks: every site keeps its least, and best->rest too. cost: ticks of looking at the clock. */
static void run_clocked(struct times *best, const struct window *window, uint64_t cost)
{
    uint64_t before[sizeof sites / sizeof *sites], rest;
    size_t count = 0;

    for (struct site *s = sites; s->name[0]; s++) {
        before[count++] = s->ticks;
        s->ticks = s->calls = 0;
        s->macs = 0;
    }
    double start = peaks_now();
    rest = ticks();
    pi_polasr_session_run(window->session, window->out, window->in);
    rest = ticks() - rest;
    best->each = (peaks_now() - start) / (double)rest;
    for (size_t i = 0; sites[i].name[0]; i++) {
        uint64_t own = sites[i].calls * cost; /* about half of a look is before it is taken, half after */
        rest -= less(rest, sites[i].ticks + own);
        sites[i].ticks -= less(sites[i].ticks, own);
        if (i < count)
            sites[i].ticks = less(sites[i].ticks, before[i]);
    }
    best->rest = less(best->rest, rest);
}

/* Takes turns, so that all meet the same moods of the machine. */
static void measure(struct times *best, const struct window *plain, const struct window *clocked, bool amx)
{
    uint64_t cost = clock_cost();

    *best = (struct times){.plain = 1e9, .rest = UINT64_MAX};
    for (int round = 0; round < ROUNDS; round++) {
        double start = peaks_now();
        pi_polasr_session_run(plain->session, plain->out, plain->in);
        double seconds = peaks_now() - start;
        best->plain = seconds < best->plain ? seconds : best->plain;
        run_clocked(best, clocked, cost);
#ifdef HAVE_PEAK_AMX
        best->amx = larger(best->amx, amx ? peaks_amx() : 0);
#endif
        best->copy = larger(best->copy, peaks_copy());
    }
}

int main(int argc, char **argv)
{
    struct window plain = {0}, clocked = {0};
    struct pola_error err = {0};
    pola_model *model = NULL;
    struct times best;
    unsigned flags;
    int status = 1;

    if (argc != 3 || !pi_cpu_parse(&flags, argv[2])) {
        fprintf(stderr, "usage: bench_kern MODEL LEVEL\n");
        return 2;
    }
    if (flags & ~pi_cpu_detect())
        return NO_SUCH_LEVEL;
    act = flags & (CPU_AVX512BF16 | CPU_AMX) ? ACT_BF16 : ACT_F32;
    pi_kern_init(&real, flags);
    const struct kern kern = with_clocks();
    if (pola_model_open(&model, argv[1], &err) < 0 || window_open(&plain, model, &real, &err) < 0 ||
        window_open(&clocked, model, &kern, &err) < 0) {
        fprintf(stderr, "bench_kern: %s\n", err.text);
        goto done;
    }
    measure(&best, &plain, &clocked, flags & CPU_AMX);
    printf("%s, %s, 1 thread, a window of %d x %d: %.3f Mpx/s\n", argv[2], act == ACT_BF16 ? "bf16" : "fp32",
           plain.width, plain.height, 1e-6 * pixels_of(&plain) / best.plain);
    print_shares(&plain, best.each, best.rest);
    print_peaks(&plain, best.plain, best.amx, best.copy);
    status = 0;
done:
    window_release(&plain);
    window_release(&clocked);
    pola_model_unref(model);
    return status;
}
