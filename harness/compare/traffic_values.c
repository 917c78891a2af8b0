/* The random source; paths and values whose fold is defined, whatever was written before. */
#include "harness/compare/traffic_maker.h"

unsigned maker_below(struct maker *maker, unsigned below) {
    return schedule_choose(&maker->random, below);
}

bool maker_chance(struct maker *maker, unsigned percent) {
    return maker_below(maker, 100) < percent;
}

const char *maker_one_of(struct maker *maker, const char *const *texts, size_t count) {
    return texts[maker_below(maker, (unsigned)count)];
}

enum place maker_root(unsigned room) {
    return room % 2 == 0 ? PLACE_OBJECT : PLACE_INDEXED;
}

static const struct {
    const char *text; /* as JSON */
    enum place place; /* what may stand below that key */
} keys[] = {{"\"a\"", PLACE_OBJECT},   {"\"b\"", PLACE_OBJECT},   {"\"list\"", PLACE_INDEXED}, {"\"\"", PLACE_OBJECT},
            {"\"ключ\"", PLACE_OBJECT}, {"\"n\"", PLACE_INDEXED}, {"\"leaf\"", PLACE_LEAF},    {"\"0\"", PLACE_OBJECT}};

enum { KEYS = sizeof keys / sizeof *keys, INDEXES = 6 };

/* Odd elements of an array are indexed themselves. */
static enum place below_index(unsigned index) {
    return index % 2 == 0 ? PLACE_OBJECT : PLACE_INDEXED;
}

/* In wire version 3 nothing is folded, so any segment will do: those whose text is not their spelling, and names that some languages know. */
static void odd_path(struct maker *maker, struct buffer *out) {
    static const char *const segments[] = {"-1", "0.5", "1e21", "\"1e+21\"", "1.0", "\"1\"", "-0", "1e-7", "\"length\"", "\"constructor\"", "\"toString\"", "123456789012345680000"};
    unsigned length = 1 + maker_below(maker, 2);
    buffer_string(out, "[");
    for (unsigned i = 0; i < length; i++)
        buffer_format(out, "%s%s", i > 0 ? "," : "", MAKER_ONE_OF(maker, segments));
    buffer_string(out, "]");
}

enum place maker_path(struct maker *maker, struct buffer *out, enum place place) {
    if (maker->features->wire_3 && maker_chance(maker, 5)) {
        odd_path(maker, out);
        return PLACE_LEAF;
    }
    unsigned length = maker_below(maker, 4);
    buffer_string(out, "[");
    for (unsigned i = 0; i < length && place != PLACE_LEAF; i++) {
        buffer_string(out, i > 0 ? "," : "");
        if (place == PLACE_OBJECT) {
            unsigned key = maker_below(maker, KEYS);
            buffer_string(out, keys[key].text);
            place = keys[key].place;
        } else {
            unsigned index = maker_below(maker, INDEXES);
            buffer_format(out, maker_chance(maker, 30) ? "\"%u\"" : "%u", index);
            place = below_index(index);
        }
    }
    buffer_string(out, "]");
    return place;
}

/* A container that is being written: what its members are, and how many are still to come. */
struct container {
    enum place place;
    bool is_array;
    unsigned left, written;
};

enum { NESTING = 4 };

static void scalar(struct maker *maker, struct buffer *out) {
    static const char *const scalars[] = {"null",  "true",   "false",     "0",         "1",     "-3",       "0.1",        "\"\"",
                                          "1e21",  "1e-7",   "\"x\"",     "\"é\"",     "-0.5",  "\"a\\u0000b\"", "\"😀\"", "123456789012"};
    buffer_string(out, MAKER_ONE_OF(maker, scalars));
}

/* Writes the next member's key; returns what may stand there. */
static enum place next_member(struct buffer *out, struct container *into) {
    unsigned number = into->written++;
    buffer_string(out, number > 0 ? "," : "");
    if (into->place == PLACE_LEAF) {
        if (!into->is_array)
            buffer_format(out, "\"k%u\":", number);
        return PLACE_LEAF;
    }
    if (into->place == PLACE_OBJECT) {
        /* Keys in the table's order from a random start, so that none comes twice. */
        unsigned key = (number * 3 + into->left) % KEYS;
        buffer_format(out, "%s:", keys[key].text);
        return keys[key].place;
    }
    if (!into->is_array)
        buffer_format(out, "\"%u\":", number);
    return below_index(number);
}

void maker_value(struct maker *maker, struct buffer *out, enum place place) {
    struct container open[NESTING];
    unsigned depth = 0;
    do {
        if (depth > 0)
            place = next_member(out, &open[depth - 1]);
        if (depth < NESTING && maker_chance(maker, depth == 0 ? 45 : 30)) {
            bool is_array = place == PLACE_INDEXED ? maker_chance(maker, 75) : place == PLACE_LEAF && maker_chance(maker, 50);
            unsigned size = maker_below(maker, 4);
            buffer_string(out, is_array ? "[" : "{");
            open[depth++] = (struct container){.place = place, .is_array = is_array, .left = size};
        } else {
            scalar(maker, out);
        }
        while (depth > 0 && open[depth - 1].written == open[depth - 1].left)
            buffer_string(out, open[--depth].is_array ? "]" : "}");
    } while (depth > 0);
}
