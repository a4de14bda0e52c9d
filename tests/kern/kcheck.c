/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * kcheck [--seed N] [--op NAME] [--cpu LEVEL] [--require LEVEL] [--quick] [--bench]
 *
 * Runs the kernel tests at every level that this CPU has and POLA_CPU allows. A failure is one line with all that is needed to
 * repeat it. Exit status: 0 all passed, 1 a case failed or a required level is missing, 2 usage.
 */
#include "kcheck.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"

static const char *const level_names[LEVELS] = {"scalar", "avx2", "avx512", "avx512bf16", "amx"};
static const char *const act_names[ACT_COUNT] = {"f32", "bf16"};
static const struct op *const ops[] = {&kc_gemm, &kc_norm, &kc_act_op, &kc_dwconv, &kc_pacs};

#define OPS (sizeof ops / sizeof ops[0])

static sigjmp_buf escape;
static volatile sig_atomic_t inside; /* a case */

static void caught(int signal)
{
    if (!inside)
        _Exit(1);
    siglongjmp(escape, signal);
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = caught, .sa_flags = SA_NODEFER};

    sigaction(SIGILL, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
}

static const char *signal_name(int signal)
{
    return signal == SIGILL ? "SIGILL" : signal == SIGSEGV ? "SIGSEGV" : signal == SIGBUS ? "SIGBUS" : "SIGFPE";
}

/* The generator of the case: from the seed, the operation, its type and its shape, the same at every level. */
static uint64_t case_random(const struct kcheck *kc)
{
    uint64_t h = 0xcbf29ce484222325u ^ kc->seed ^ (uint64_t)kc->act << 32;

    for (const char *s = kc->op; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    for (const char *s = kc->shape; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h;
}

static uint64_t next_random(struct kcheck *kc)
{
    uint64_t z = kc->random += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double kc_uniform(struct kcheck *kc, double low, double high)
{
    return low + (high - low) * (double)(next_random(kc) >> 11) * 0x1p-53;
}

size_t kc_below(struct kcheck *kc, size_t n)
{
    return (size_t)(next_random(kc) % n);
}

void kc_case(struct kcheck *kc, void (*body)(struct kcheck *kc, const void *arg), const void *arg, const char *format,
             ...)
{
    va_list args;
    int signal;

    if (kc->quick && kc->turn++ % 16)
        return;
    va_start(args, format);
    vsnprintf(kc->shape, sizeof kc->shape, format, args);
    va_end(args);
    kc->random = case_random(kc);
    kc->failed = 0;
    kc->cases++;
    kc_buffers_reset();
    kc->kern.begin();
    if ((signal = sigsetjmp(escape, 1)) == 0) {
        inside = 1;
        body(kc, arg);
    } else {
        kc_fail(kc, "%s", signal_name(signal));
    }
    inside = 0;
    kc->kern.end();
    if (!kc_buffers_intact())
        kc_fail(kc, "wrote outside a buffer");
}

void kc_fail(struct kcheck *kc, const char *format, ...)
{
    va_list args;

    if (kc->failed)
        return;
    kc->failed = 1;
    kc->failures++;
    printf("%s.%s.%s FAIL ", kc->op, act_names[kc->act], level_names[kc->level]);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf(" (%s) seed=%llu\n", kc->shape, (unsigned long long)kc->seed);
    fflush(stdout);
}

void kc_close(struct kcheck *kc, const char *what, size_t i, size_t j, double got, double expected, double bound)
{
    if (!(fabs(got - expected) <= bound))
        kc_fail(kc, "%s[%zu][%zu] is %.9g, expected %.9g within %.3g", what, i, j, got, expected, bound);
}

void kc_close_act(struct kcheck *kc, const char *what, size_t i, size_t j, const void *y, size_t at, double expected,
                  double bound)
{
    if (kc->act == ACT_BF16)
        bound += UNIT_BF16 * (fabs(expected) + bound) + TINY_F32;
    kc_close(kc, what, i, j, kc_get(kc, y, at), expected, bound);
}

void kc_same(struct kcheck *kc, const char *what, const void *a, const void *b, size_t size)
{
    if (memcmp(a, b, size))
        kc_fail(kc, "%s differs", what);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void kc_time(struct kcheck *kc, const char *name, void (*run)(struct kcheck *kc, void *data), void *data, size_t tokens)
{
    double best = HUGE_VAL;
    int repeats = 1;

    kc->kern.begin();
    for (double took = 0.0; took < 2e5; repeats *= 2) { /* as many as fill 0.2 ms */
        double start = now();
        for (int i = 0; i < repeats; i++)
            run(kc, data);
        took = now() - start;
    }
    for (int round = 0; round < 50; round++) {
        double start = now();
        for (int i = 0; i < repeats; i++)
            run(kc, data);
        double each = (now() - start) / repeats;
        if (each < best)
            best = each;
    }
    kc->kern.end();
    printf("%-12s %-12s %-4s %9.2f ns/token\n", name, level_names[kc->level], act_names[kc->act],
           best / (double)tokens);
}

struct arguments {
    uint64_t seed;
    const char *op, *cpu, *require;
    int quick, bench;
};

static int known(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

/* The value of --name VALUE or --name=VALUE; NULL when argv[*i] is another option. */
static const char *value_of(const char *name, char **argv, int *i)
{
    size_t length = strlen(name);

    if (strncmp(argv[*i], name, length) != 0)
        return NULL;
    if (argv[*i][length] == '=')
        return argv[*i] + length + 1;
    return argv[*i][length] == 0 && argv[*i + 1] ? argv[++*i] : NULL;
}

static int parse(struct arguments *a, char **argv)
{
    const char *op_names[OPS], *value;

    for (size_t i = 0; i < OPS; i++)
        op_names[i] = ops[i]->name;
    for (int i = 1; argv[i]; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            a->quick = 1;
        else if (strcmp(argv[i], "--bench") == 0)
            a->bench = 1;
        else if ((value = value_of("--seed", argv, &i)))
            a->seed = strtoull(value, NULL, 0);
        else if ((value = value_of("--op", argv, &i)) && known(value, op_names, OPS))
            a->op = value;
        else if ((value = value_of("--cpu", argv, &i)) && known(value, level_names, LEVELS))
            a->cpu = value;
        else if ((value = value_of("--require", argv, &i)) && known(value, level_names, LEVELS))
            a->require = value;
        else
            return 0;
    }
    return 1;
}

static void run_op(struct kcheck *kc, const struct op *op, const struct arguments *a)
{
    kc->op = op->name;
    for (int act = 0; act < ACT_COUNT; act++) {
        kc->act = (enum act)act;
        kc->cases = kc->turn = 0;
        kc_buffers_reset();
        kc->random = kc->seed;
        if (kc->bench) {
            op->bench(kc);
            continue;
        }
        op->check(kc);
        printf("%s.%s.%s %ld cases\n", op->name, act_names[act], level_names[kc->level], kc->cases);
    }
}

int main(int argc, char **argv)
{
    struct arguments a = {.seed = 1};
    struct kcheck kc = {0};
    int skipped = 0;

    (void)argc;
    if (!parse(&a, argv)) {
        fprintf(stderr, "usage: kcheck [--seed N] [--op NAME] [--cpu LEVEL] [--require LEVEL] [--quick] [--bench]\n");
        return 2;
    }
    kc.seed = a.seed;
    kc.quick = a.quick;
    kc.bench = a.bench;
    printf("seed %llu\n", (unsigned long long)a.seed);
    catch_signals();
    for (int level = 0; level < LEVELS; level++) {
        unsigned flags = 0;
        if (a.cpu && strcmp(a.cpu, level_names[level]) != 0)
            continue;
        if (!pi_cpu_parse(&flags, level_names[level]) || flags & ~pi_cpu_flags()) {
            int missing = a.require && strcmp(a.require, level_names[level]) == 0;
            printf("%s %s: not on this CPU, or capped by POLA_CPU\n", level_names[level],
                   missing ? "FAIL required" : "skipped");
            kc.failures += missing;
            skipped++;
            continue;
        }
        kc.level = (enum level)level;
        pi_kern_init(&kc.kern, flags);
        for (size_t i = 0; i < OPS; i++)
            if (!a.op || strcmp(a.op, ops[i]->name) == 0)
                run_op(&kc, ops[i], &a);
    }
    printf("%d levels skipped, %ld cases failed\n", skipped, kc.failures);
    return kc.failures > 0;
}
