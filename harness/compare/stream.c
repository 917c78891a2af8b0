#include "harness/compare/stream.h"

#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/replay/freedom.h"

/* ---- order ---- */

struct ordered {
    struct heard *heard;
    size_t place;
};

/* Shorter names first, so that c2 comes before c10. */
static int compare_streams(const struct heard *a, const struct heard *b) {
    bool of_connection_a = a->kind <= HEARD_CLOSE, of_connection_b = b->kind <= HEARD_CLOSE;
    if (of_connection_a != of_connection_b)
        return of_connection_a ? -1 : 1;
    if ((a->kind == HEARD_ANSWER) != (b->kind == HEARD_ANSWER))
        return a->kind == HEARD_ANSWER ? 1 : -1;
    if (a->stream.length != b->stream.length)
        return a->stream.length < b->stream.length ? -1 : 1;
    return memcmp(a->stream.bytes, b->stream.bytes, a->stream.length);
}

static int compare_ordered(const void *left, const void *right) {
    const struct ordered *a = left, *b = right;
    int streams = compare_streams(a->heard, b->heard);
    return streams != 0 ? streams : (a->place > b->place) - (a->place < b->place);
}

struct heard *stream_sort(struct heard *first) {
    size_t count = 0;
    for (const struct heard *one = first; one != NULL; one = one->next)
        count++;
    if (count < 2)
        return first;
    struct ordered *all = memory_zeroed(count, sizeof *all);
    size_t place = 0;
    for (struct heard *one = first; one != NULL; one = one->next, place++)
        all[place] = (struct ordered){one, place};
    qsort(all, count, sizeof *all, compare_ordered);
    for (size_t i = 0; i < count; i++)
        all[i].heard->next = i + 1 < count ? all[i + 1].heard : NULL;
    first = all[0].heard;
    free(all);
    return first;
}

/* ---- what is left open ---- */

static int compare_texts(struct text a, struct text b) {
    size_t shorter = a.length < b.length ? a.length : b.length;
    int bytes = shorter == 0 ? 0 : memcmp(a.bytes, b.bytes, shorter);
    return bytes != 0 ? bytes : (a.length > b.length) - (a.length < b.length);
}

static struct text origin_text(const struct json_value *peer) {
    const struct json_value *origin = json_get(peer, "origin");
    return origin != NULL ? origin->text : (struct text){0};
}

static int compare_peers(const void *left, const void *right) {
    return compare_texts(origin_text(*(struct json_value *const *)left), origin_text(*(struct json_value *const *)right));
}

static void sort_peers(struct json_value *peers) {
    if (peers == NULL || peers->type != JSON_ARRAY || peers->count < 2)
        return;
    struct json_value **all = memory_zeroed(peers->count, sizeof *all);
    size_t count = 0;
    for (struct json_value *one = peers->first; one != NULL; one = one->next)
        all[count++] = one;
    qsort(all, count, sizeof *all, compare_peers);
    for (size_t i = 0; i < count; i++)
        all[i]->next = i + 1 < count ? all[i + 1] : NULL;
    peers->first = all[0];
    peers->last = all[count - 1];
    free(all);
}

static void settle_value(struct json_value *value) {
    sort_peers(json_get(value, "peers"));
    struct json_value *violation = json_get(value, "violation");
    if (violation != NULL && !json_is_string(json_get(violation, "reason"), "malformed"))
        json_remove(violation, TEXT("detail"));
}

static bool is_departure(const struct heard *heard) {
    const struct json_value *gone = json_get(heard->value, "gone");
    return heard->kind == HEARD_MESSAGE && gone != NULL && gone->type == JSON_BOOLEAN && gone->boolean;
}

/* Of a member's message or a presence's. */
static const struct json_value *origin_of(const struct json_value *message) {
    const struct json_value *peer = json_get(message, "peer");
    return json_get(peer != NULL ? peer : message, "origin");
}

/* Whether the connection of this event is closed in this step. */
static bool is_closing(const struct heard *heard) {
    struct text stream = heard->stream;
    while (heard != NULL && text_equal(heard->stream, stream) && heard->kind != HEARD_CLOSE)
        heard = heard->next;
    return heard != NULL && text_equal(heard->stream, stream);
}

/* Whether `b` should come before `a`, which comes just before it: both are departures of one room, and of different origins. */
static bool is_out_of_order(const struct heard *a, const struct heard *b) {
    if (!is_departure(a) || !is_departure(b) || !text_equal(a->stream, b->stream))
        return false;
    const struct json_value *rooms[] = {json_get(a->value, "room"), json_get(b->value, "room")};
    const struct json_value *origins[] = {origin_of(a->value), origin_of(b->value)};
    if (rooms[0] == NULL || rooms[1] == NULL || !json_equal(rooms[0], rooms[1]) || origins[0] == NULL || origins[1] == NULL)
        return false;
    return compare_texts(origins[0]->text, origins[1]->text) > 0;
}

/* Of several connections that leave a room together, any may be named first. */
static void sort_departures(struct heard *first) {
    bool again = true;
    while (again) {
        again = false;
        for (struct heard *one = first; one != NULL && one->next != NULL; one = one->next)
            if (is_out_of_order(one, one->next)) {
                struct heard *other = one->next, kept = *one;
                one->value = other->value;
                one->text = other->text;
                other->value = kept.value;
                other->text = kept.text;
                again = true;
            }
    }
}

struct heard *stream_settle(struct heard *first) {
    struct heard **end = &first;
    struct text stream = {0};
    struct heard *spared = NULL, **spared_end = &spared;
    bool ejected = false, closed = false;
    for (struct heard *one = first, *next; one != NULL; one = next) {
        next = one->next;
        if (!text_equal(one->stream, stream)) {
            stream = one->stream;
            ejected = closed = false;
            spared = NULL;
            spared_end = &spared;
        }
        if (one->kind <= HEARD_CLOSE && closed)
            continue;
        if (ejected && is_departure(one) && is_closing(one)) {
            one->next = NULL;
            *spared_end = one;
            spared_end = &one->next;
            continue;
        }
        if (one->kind == HEARD_CLOSE)
            one->spared = spared;
        ejected = ejected || json_is_string(json_get(one->value, "t"), "eject");
        closed = closed || one->kind == HEARD_CLOSE;
        settle_value(one->value);
        *end = one;
        end = &one->next;
    }
    *end = NULL;
    sort_departures(first);
    return first;
}

/* ---- comparison ---- */

static bool is_alike(const struct heard *a, const struct heard *b) {
    if (a->kind != b->kind)
        return false;
    if (a->value == NULL || b->value == NULL)
        return a->value == b->value && text_equal(a->text, b->text);
    freedom_grant(a->value, b->value);
    return json_equal(a->value, b->value);
}

bool stream_differs(const struct heard *a, const struct heard *b, struct stream_difference *difference) {
    while (a != NULL && b != NULL && compare_streams(a, b) == 0 && is_alike(a, b)) {
        a = a->next;
        b = b->next;
    }
    int order = a == NULL ? 1 : b == NULL ? -1 : compare_streams(a, b);
    *difference = (struct stream_difference){.a = order <= 0 ? a : NULL, .b = order >= 0 ? b : NULL};
    return a != NULL || b != NULL;
}
