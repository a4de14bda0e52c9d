/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See cpu.h. CPUID says what the hardware has, XCR0 what the operating system saves; AMX state must be asked for.
 */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static const struct {
    const char *name;
    unsigned flags;
} levels[] = {
    {"scalar", 0},
    {"avx2", CPU_AVX2},
    {"avx512", CPU_AVX2 | CPU_AVX512},
    {"avx512bf16", CPU_AVX2 | CPU_AVX512 | CPU_AVX512BF16},
    {"amx", CPU_AVX2 | CPU_AVX512 | CPU_AVX512BF16 | CPU_AMX},
};

#define LEVELS (sizeof levels / sizeof levels[0])

static atomic_int cap = -1; /* flags allowed; -1: not set, ask the environment */

#if defined(__x86_64__)
static unsigned long long xgetbv0(void)
{
    unsigned eax, edx;

    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return ((unsigned long long)edx << 32) | eax;
}

/* Linux gives a process the AMX tile data only on request; refusal means "absent". */
static int amx_permitted(void)
{
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };

    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}

static unsigned detect(void)
{
    const unsigned leaf1 = bit_FMA | bit_OSXSAVE | bit_AVX | bit_F16C;
    const unsigned leaf7 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    unsigned a, b, c, d, max_sub = 0, flags = 0;

    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & leaf1) != leaf1)
        return 0;
    unsigned long long xcr0 = xgetbv0();
    if ((xcr0 & 0x6) != 0x6 || !__get_cpuid_count(7, 0, &max_sub, &b, &c, &d) || !(b & bit_AVX2))
        return 0;
    flags |= CPU_AVX2;
    if ((xcr0 & 0xe0) != 0xe0 || (b & leaf7) != leaf7)
        return flags;
    flags |= CPU_AVX512;
    if (max_sub < 1 || !__get_cpuid_count(7, 1, &a, &b, &c, &max_sub) || !(a & (1u << 5)))
        return flags;
    flags |= CPU_AVX512BF16;
    const unsigned amx = (1u << 22) | (1u << 24); /* AMX-BF16, AMX-TILE in leaf 7 EDX */
    if ((xcr0 & 0x60000) == 0x60000 && (d & amx) == amx && amx_permitted())
        flags |= CPU_AMX;
    return flags;
}
#else
static unsigned detect(void)
{
    return 0;
}
#endif

unsigned pi_cpu_detect(void)
{
    static atomic_int found = -1;
    int flags = atomic_load(&found);

    if (flags < 0) {
        flags = (int)detect();
        atomic_store(&found, flags);
    }
    return (unsigned)flags;
}

int pi_cpu_parse(unsigned *flags, const char *name)
{
    if (strcmp(name, "auto") == 0) {
        *flags = ~0u >> 1;
        return 1;
    }
    for (size_t i = 0; i < LEVELS; i++)
        if (strcmp(name, levels[i].name) == 0) {
            *flags = levels[i].flags;
            return 1;
        }
    return 0;
}

unsigned pi_cpu_flags(void)
{
    int allowed = atomic_load(&cap);
    unsigned flags = ~0u;

    if (allowed >= 0) {
        flags = (unsigned)allowed;
    } else {
        const char *name = getenv("POLA_CPU");
        if (name && !pi_cpu_parse(&flags, name))
            flags = ~0u;
    }
    return flags & pi_cpu_detect();
}

int pi_cpu_cap(const char *name, struct pola_error *err)
{
    char shown[32];
    unsigned flags;

    if (!pi_cpu_parse(&flags, name))
        return pi_err_set(err, POLA_ERR_ARGUMENT, "unknown cpu '%s': use auto, scalar, avx2, avx512, avx512bf16 or amx",
                          pi_printable(shown, sizeof shown, name));
    if (strcmp(name, "auto") != 0 && (flags & ~pi_cpu_detect()))
        return pi_err_set(err, POLA_ERR_ARGUMENT, "this cpu has no %s: the best it has is %s", name,
                          pi_cpu_name(pi_cpu_detect()));
    atomic_store(&cap, (int)flags);
    return POLA_OK;
}

const char *pi_cpu_name(unsigned flags)
{
    const char *name = levels[0].name;

    for (size_t i = 1; i < LEVELS; i++)
        if ((flags & levels[i].flags) == levels[i].flags)
            name = levels[i].name;
    return name;
}
