#include "harness/fuzz/support/bytes.h"

#include <stdarg.h>
#include <stdlib.h>

#define DEPTH_CEILING 4
#define CHILDREN_CEILING 4

unsigned bytes_choose(struct bytes *bytes, unsigned count) {
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++ % count;
}

const char *bytes_raw(struct bytes *bytes, size_t most, size_t *length) {
    size_t wanted = bytes_choose(bytes, 256);
    const char *raw = (const char *)bytes->at;
    *length = wanted < most ? wanted : most;
    if (*length > bytes->left)
        *length = bytes->left;
    bytes->at += *length;
    bytes->left -= *length;
    return raw;
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void put_scalar(struct bytes *bytes, FILE *out) {
    static const char *const scalars[] = {
        "null",
        "true",
        "false",
        "0",
        "1",
        "-0",
        "1.0",
        "1e0",
        "2",
        "-3.5",
        "1e400",
        "\"\"",
        "\"a\"",
        "\"ab\"",
        "\"\\u0000\"",
        "\"\\ud83d\\ude00\"",
        "\"😀\"",
        "\"\\ud83d\"",
        "\"\\\\\"",
        "\"\\/\"",
        "9007199254740993",
        "5e-324",
    };
    fputs(scalars[bytes_choose(bytes, sizeof scalars / sizeof *scalars)], out);
}

static void put_key(struct bytes *bytes, FILE *out) {
    static const char *const keys[] = {"\"a\"",       "\"b\"",    "\"\"",       "\"0\"",
                                       "\"\\u0061\"", "\"ключ\"", "\"length\"", "\"a\\u0000\""};
    fputs(keys[bytes_choose(bytes, sizeof keys / sizeof *keys)], out);
}

static void put_value(struct bytes *bytes, FILE *out, unsigned depth) {
    unsigned kind = bytes_choose(bytes, 4);
    if (kind < 2 || depth == DEPTH_CEILING) {
        put_scalar(bytes, out);
        return;
    }
    fputc(kind == 2 ? '[' : '{', out);
    unsigned count = bytes_choose(bytes, CHILDREN_CEILING);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', out);
        if (kind == 3) {
            put_key(bytes, out);
            fputc(':', out);
        }
        put_value(bytes, out, depth + 1);
    }
    fputc(kind == 2 ? ']' : '}', out);
}

void bytes_json(struct bytes *bytes, FILE *out) {
    put_value(bytes, out, 0);
}

/* ---- ops ----------------------------------------------------------------------------------------- */

static void put_segment(struct bytes *bytes, FILE *out) {
    static const char *const segments[] = {
        "\"a\"",
        "\"b\"",
        "0",
        "1",
        "\"0\"",
        "\"1\"",
        "3",
        "\"12\"",
        "\"\"",
        "\"ключ\"",
        "2.0",
        "1e0",
        "\"\\u0061\"",
        "-0",
        "300",
        /* Those whose outcome the protocol leaves open on arrays or anywhere come last and seldom. */
        "\"01\"",
        "-1",
        "1.5",
        "\"length\"",
        "4294967294",
        "\"__proto__\"",
        "1e21",
        "9007199254740992",
    };
    unsigned count = sizeof segments / sizeof *segments;
    fputs(segments[bytes_choose(bytes, 4) == 3 ? bytes_choose(bytes, count) : bytes_choose(bytes, 10)], out);
}

static void put_op(struct bytes *bytes, FILE *out) {
    unsigned kind = bytes_choose(bytes, 4), depth = bytes_choose(bytes, 5);
    fprintf(out, "{\"kind\":\"%s\",\"path\":[", kind == 3 ? "delete" : "set");
    for (unsigned i = 0; i < depth; i++) {
        if (i > 0)
            fputc(',', out);
        put_segment(bytes, out);
    }
    fputs(kind == 3 ? "],\"prev\":null" : "],\"next\":", out);
    if (kind != 3)
        bytes_json(bytes, out);
    fputc('}', out);
}

void bytes_ops(struct bytes *bytes, unsigned most, FILE *out) {
    unsigned count = bytes_choose(bytes, most + 1);
    fputc('[', out);
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', out);
        put_op(bytes, out);
    }
    fputc(']', out);
}

/* ---- the verdict --------------------------------------------------------------------------------- */

void found(const char *format, ...) {
    va_list arguments;
    fputs("found: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}
