/* Hybrid logical clock stamps of wire version 3: `{p, l}`, compared by `p`, then by `l`. */
#ifndef MESHSPEC_RELAY_HLC_H
#define MESHSPEC_RELAY_HLC_H

#include <stdbool.h>

#include "relay-ref/core/buffer.h"
#include "relay-ref/json/scanner.h"

struct hlc {
    double p, l;
};

/* Below 0, 0 or above 0, as `left` stands to `right`. */
static inline int relay_hlc_compare(const struct hlc *left, const struct hlc *right) {
    if (left->p != right->p)
        return left->p < right->p ? -1 : 1;
    return left->l < right->l ? -1 : left->l > right->l;
}

/* Reads a stamp; false when `value` is not an object with finite numbers `p` and `l`. */
bool relay_hlc_read(struct json_value value, struct hlc *out);

/* Takes the next value of `scanner`, which stands in well-formed text; false when it is no stamp. */
bool relay_hlc_take(struct json_scanner *scanner, struct hlc *out);

/* Adds the stamp as `{"p":…,"l":…}`. */
void relay_hlc_print(const struct hlc *hlc, struct relay_buffer *out);

#endif
