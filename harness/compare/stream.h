/*
 * What one step caused on one side: the streams that a network could see, each in its order, and what the observers and the command answered. Across
 * streams order means nothing.
 */
#ifndef MESHSPEC_COMPARE_STREAM_H
#define MESHSPEC_COMPARE_STREAM_H

#include "harness/compare/names.h"
#include "harness/target/target.h"

enum heard_kind { HEARD_MESSAGE, HEARD_CLOSE, HEARD_OBSERVED, HEARD_ANSWER };

struct heard {
    enum heard_kind kind;
    struct text stream;       /* the connection's name, the observer's name, or "answer" */
    struct json_value *value; /* with shared names; NULL for a close, and for a text that is not JSON */
    struct text text;         /* as it came */
    struct heard *spared; /* of a close: departures that came before it and are not compared */
    struct heard *next;
};

/* Connections in the order of their names' numbers, then observers by name, the answer last; each stream keeps its order. Returns the first. */
struct heard *stream_sort(struct heard *first);

/*
 * Takes out what the protocol leaves open, on sorted events: what comes to a connection after its end, departures that an ejected connection sees on its
 * way out, which of several that leave together is named first, the order of peers, the detail of a violation that is not "malformed".
 */
struct heard *stream_settle(struct heard *first);

/* Where two sides differ first; all parts NULL when they are alike. */
struct stream_difference {
    const struct heard *a, *b; /* NULL: nothing came there */
};

/* Registers and siblings of B are put into A's order on the way: it is open, too. */
bool stream_differs(const struct heard *a, const struct heard *b, struct stream_difference *difference);

#endif
