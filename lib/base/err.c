/* SPDX-License-Identifier: Apache-2.0
 * Copyright 2026 the pola authors
 *
 * See err.h.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int pi_err_set(struct pola_error *err, enum pola_status code, const char *format, ...)
{
    va_list args;

    err->code = code;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return code;
}

int pi_err_prefix(struct pola_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text)
        return err->code;
    size_t used = (size_t)length;
    size_t rest = sizeof text - used;
    int written = snprintf(text + used, rest, ": %s", err->text);
    if (written >= 0)
        memcpy(err->text, text, sizeof text);
    return err->code;
}

/* Length of the valid UTF-8 sequence at s, 0 if there is none. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;

    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
        return 0; /* overlong, surrogate */
    if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
        return 0; /* overlong, above U+10FFFF */
    return n;
}

const char *pi_printable(char *out, size_t size, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t used = 0;

    while (*s) {
        size_t n = utf8_length(s);
        int plain = n > 0 && !(n == 1 && (*s < 0x20 || *s == 0x7f)) && !(n == 2 && s[0] == 0xc2 && s[1] < 0xa0);
        size_t wide = plain ? n : 1;
        if (used + wide >= size)
            break;
        if (plain)
            memcpy(out + used, s, n);
        else
            out[used] = '?';
        used += wide;
        s += n ? n : 1;
    }
    out[used] = '\0';
    return out;
}
