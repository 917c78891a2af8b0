/* The ops of envelopes, and which writes they cite. */
#include <stdio.h>
#include <string.h>

#include "harness/compare/traffic_maker.h"

void maker_remember_dot(struct maker *maker, const char *path, const struct maker_dot *own) {
    struct maker_dot *dot = &maker->dots[maker->dot_count++ % MAKER_MEMORY];
    *dot = *own;
    snprintf(dot->path, sizeof dot->path, "%s", path);
}

const struct maker_dot *maker_known_dot(struct maker *maker) {
    unsigned known = maker->dot_count < MAKER_MEMORY ? maker->dot_count : MAKER_MEMORY;
    return known == 0 ? NULL : &maker->dots[maker_below(maker, known)];
}

/* Dots that were written at the path, now and then one that nobody wrote there, and the envelope's own. */
static void cite(struct maker *maker, struct buffer *out, const char *path, const struct maker_dot *own) {
    unsigned known = maker->dot_count < MAKER_MEMORY ? maker->dot_count : MAKER_MEMORY, cited = 0;
    buffer_string(out, ",\"cites\":[");
    for (unsigned i = 0; i < known && cited < 3; i++) {
        const struct maker_dot *dot = &maker->dots[i];
        if ((strcmp(dot->path, path) == 0 && maker_chance(maker, 70)) || maker_chance(maker, 1))
            buffer_format(out, "%s{\"origin\":\"o%u\",\"hlc\":{\"p\":%.0f,\"l\":%u}}", cited++ > 0 ? "," : "", dot->origin + 1, dot->p, dot->l);
    }
    if (maker_chance(maker, 4))
        buffer_format(out, "%s{\"origin\":\"o%u\",\"hlc\":{\"p\":%.0f,\"l\":%u}}", cited++ > 0 ? "," : "", own->origin + 1, own->p, own->l);
    if (maker_chance(maker, 4))
        buffer_format(out, "%s{\"origin\":\"o%u\",\"hlc\":{\"p\":%.0f,\"l\":%u}}", cited > 0 ? "," : "", 1 + maker_below(maker, 5), maker->clock,
                      maker_below(maker, 200));
    buffer_string(out, "]");
}

static void write_op(struct maker *maker, struct buffer *out, const char *path, enum place place, const struct maker_dot *own) {
    bool root = strcmp(path, "[]") == 0, wire_3 = maker->features->wire_3;
    static const char *const epochs[] = {"1", "2", "3", "0.5", "1e300", "1"};
    unsigned choice = maker_below(maker, 10);
    if (choice < 6 || (wire_3 && root)) {
        buffer_format(out, "{\"kind\":\"set\",\"path\":%s,\"next\":", path);
        maker_value(maker, out, place);
    } else {
        buffer_format(out, "{\"kind\":\"%s\",\"path\":%s", wire_3 && choice < 8 ? "clear" : "delete", path);
    }
    if ((choice >= 8 && !(wire_3 && root)) || (!wire_3 && choice >= 6) || maker_chance(maker, 25)) {
        buffer_string(out, ",\"prev\":");
        maker_value(maker, out, PLACE_LEAF);
    }
    if (wire_3) {
        buffer_format(out, ",\"epoch\":%s", maker_chance(maker, maker->bumps ? 50 : 85) ? "0" : MAKER_ONE_OF(maker, epochs));
        cite(maker, out, path, own);
    }
    buffer_string(out, "}");
}

/* The path as a relay tells paths apart: all segments are strings. */
static bool is_same_path(const char *a, const char *b) {
    while (*a != '\0' && *b != '\0') {
        a += *a == '"';
        b += *b == '"';
        if (*a != *b)
            return false;
        if (*a == '\0')
            break;
        a++;
        b++;
    }
    return *a == *b;
}

void maker_ops(struct maker *maker, struct buffer *out, unsigned room, unsigned origin, double p, unsigned l, unsigned count) {
    char paths[6][MAKER_TEXT];
    unsigned written = 0;
    buffer_string(out, "[");
    for (unsigned i = 0; i < count && written < 6; i++) {
        struct buffer path = {.ceiling = MAKER_TEXT - 1};
        const struct maker_dot *dot = maker->features->wire_3 && maker_chance(maker, 60) ? maker_known_dot(maker) : NULL;
        enum place place = PLACE_LEAF;
        if (dot != NULL)
            buffer_string(&path, dot->path);
        else
            place = maker_path(maker, &path, maker_root(room));
        bool doubled = false;
        for (unsigned j = 0; j < written; j++)
            doubled = doubled || is_same_path(paths[j], path.bytes);
        if (!doubled || !maker->features->wire_3) {
            snprintf(paths[written], MAKER_TEXT, "%s", path.bytes);
            buffer_string(out, written++ > 0 ? "," : "");
            const struct maker_dot own = {.origin = origin, .p = p, .l = l};
            write_op(maker, out, path.bytes, place, &own);
            maker_remember_dot(maker, path.bytes, &own);
        }
        buffer_free(&path);
    }
    buffer_string(out, "]");
}
