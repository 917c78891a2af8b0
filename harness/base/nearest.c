#include "harness/base/nearest.h"

#include <ctype.h>
#include <string.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static bool same(char a, char b) {
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The number of slips between two names, by the textbook's table of distances between their starts. */
static size_t slips(struct text a, struct text b) {
    size_t rows[3][NEAREST_NAME_CEILING + 1]; /* of the letter before last, the last letter, this letter */
    for (size_t j = 0; j <= b.length; j++)
        rows[1][j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        size_t *before = rows[(i + 2) % 3], *last = rows[i % 3], *row = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            size_t changed = last[j - 1] + !same(a.bytes[i - 1], b.bytes[j - 1]);
            row[j] = least(changed, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a.bytes[i - 1], b.bytes[j - 2]) && same(a.bytes[i - 2], b.bytes[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[(a.length + 1) % 3][b.length];
}

const char *nearest_name(struct text name, const char *const *names, size_t count) {
    if (name.length == 0 || name.length > NEAREST_NAME_CEILING)
        return NULL;
    const char *best = NULL;
    size_t best_slips = 1 + name.length / 5; /* one more is too far */
    for (size_t i = 0; i < count; i++) {
        struct text candidate = text_of(names[i]);
        if (candidate.length > NEAREST_NAME_CEILING)
            continue;
        size_t needed = slips(name, candidate);
        if (needed < best_slips + (best == NULL) && needed < candidate.length) {
            best = names[i];
            best_slips = needed;
        }
    }
    return best;
}

void nearest_suggest(struct buffer *out, struct text name, const char *const *names, size_t count) {
    const char *nearest = nearest_name(name, names, count);
    if (nearest != NULL)
        buffer_format(out, "; did you mean \"%s\"?", nearest);
}
