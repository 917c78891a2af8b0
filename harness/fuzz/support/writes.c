#include "harness/fuzz/support/writes.h"

#include <string.h>

#define OPS_CEILING 5
#define CITES_CEILING 4
#define PATHS (sizeof paths / sizeof *paths)

const char *const writes_origins[WRITES_ORIGINS] = {"o1", "o2", "o3", "o4"};
static const char *const paths[] = {"[\"a\"]", "[\"b\",1]",     "[\"b\",\"1\"]",  "[]",        "[0]",
                                    "[\"0\"]", "[\"a\",\"b\"]", "[\"ключ\",1.5]", "[\"\",\"\"]", "[1e21,-0]"};

struct dot writes_next(struct writes *writes, struct bytes *bytes, const char *origin, int64_t p, unsigned l) {
    struct dot dot = {origin, p - (bytes_choose(bytes, 12) == 11 ? 5 : 0), l};
    writes->dots[writes->count++ % WRITES_DOTS] = dot;
    return dot;
}

unsigned writes_version(struct bytes *bytes, unsigned *last) {
    switch (bytes_choose(bytes, 12)) {
    case 9:
        return *last += 3;
    case 10:
        return *last > 0 ? *last : 1;
    case 11:
        return *last > 1 ? *last - 1 : 1;
    default:
        return ++*last;
    }
}

static void put_cites(const struct writes *writes, struct bytes *bytes, int64_t p, FILE *out) {
    unsigned count = bytes_choose(bytes, CITES_CEILING);
    fputs(",\"cites\":[", out);
    for (unsigned i = 0; i < count; i++) {
        struct dot dot = writes->dots[bytes_choose(bytes, WRITES_DOTS)];
        if (dot.origin == NULL || bytes_choose(bytes, 16) == 15)
            dot = (struct dot){ONE_OF(bytes, writes_origins), p, bytes_choose(bytes, 4)};
        fprintf(out, "%s{\"origin\":\"%s\",\"hlc\":{\"p\":%lld,\"l\":%u}}", i > 0 ? "," : "", dot.origin, (long long)dot.p, dot.l);
    }
    fputc(']', out);
}

static void put_op(const struct writes *writes, struct bytes *bytes, const char *path, int64_t p, FILE *out) {
    static const char *const kinds[] = {"set", "set", "delete", "clear"}, *const epochs[] = {"0", "0", "0", "1", "2", "0.5", "1e2"};
    const char *kind = strcmp(path, "[]") == 0 && bytes_choose(bytes, 8) != 7 ? "set" : ONE_OF(bytes, kinds);
    fprintf(out, "{\"kind\":\"%s\",\"path\":%s", kind, path);
    if ((strcmp(kind, "set") == 0) == (bytes_choose(bytes, 8) != 7)) {
        fputs(",\"next\":", out);
        bytes_json(bytes, out);
    }
    if (bytes_choose(bytes, 3) == 2) {
        fputs(",\"prev\":", out);
        bytes_json(bytes, out);
    }
    put_cites(writes, bytes, p, out);
    fprintf(out, ",\"epoch\":%s}", ONE_OF(bytes, epochs));
}

void writes_put_ops(const struct writes *writes, struct bytes *bytes, int64_t p, FILE *out) {
    unsigned count = bytes_choose(bytes, OPS_CEILING), stride = bytes_choose(bytes, 16) == 15 ? 0 : 3;
    size_t path = bytes_choose(bytes, PATHS);
    fputc('[', out);
    for (unsigned i = 0; i < count; i++, path = (path + stride) % PATHS) {
        fputs(i > 0 ? "," : "", out);
        put_op(writes, bytes, paths[path], p, out);
    }
    fputc(']', out);
}
