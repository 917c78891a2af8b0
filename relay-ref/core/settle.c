#include "relay-ref/core/settle.h"

#include "relay-ref/core/frame.h"
#include "relay-ref/core/register.h"

/* ---- the heap ------------------------------------------------------------------------------------ */

static bool is_covered(const struct register_cell *cell) {
    return cell->sibling != NULL && relay_hlc_compare(&cell->sibling->hlc, &cell->water) <= 0;
}

/* The lowest settled stamp at which something of the cell goes: a covered sibling first, else the water. */
static const struct hlc *threshold(const struct register_cell *cell) {
    return is_covered(cell) ? &cell->sibling->hlc : &cell->water;
}

/* Joins two heaps, either of which may be NULL. */
static struct register_cell *join(struct register_cell *left, struct register_cell *right) {
    if (left == NULL || right == NULL)
        return left != NULL ? left : right;
    if (relay_hlc_compare(threshold(right), threshold(left)) < 0) {
        struct register_cell *other = left;
        left = right;
        right = other;
    }
    right->previous = left;
    right->next = left->child;
    if (left->child != NULL)
        left->child->previous = right;
    left->child = right;
    return left;
}

static struct register_cell *detach(struct register_cell *cell) {
    cell->next = cell->previous = NULL;
    return cell;
}

/* Makes one heap of a chain of siblings: joined two by two, then those from the last to the first. */
static struct register_cell *join_chain(struct register_cell *chain) {
    struct register_cell *pairs = NULL, *heap = NULL;
    while (chain != NULL) {
        struct register_cell *first = chain, *second = chain->next;
        chain = second != NULL ? second->next : NULL;
        struct register_cell *pair = join(detach(first), second != NULL ? detach(second) : NULL);
        pair->next = pairs;
        pairs = pair;
    }
    while (pairs != NULL) {
        struct register_cell *pair = pairs;
        pairs = pairs->next;
        heap = join(heap, detach(pair));
    }
    return heap;
}

void relay_settle_leave(struct register_cell *cell) {
    struct register_origin *origin = cell->of.origin;
    if (!cell->in_heap)
        return;
    struct register_cell *below = join_chain(cell->child);
    cell->child = NULL;
    if (origin->heap == cell) {
        origin->heap = below;
    } else {
        if (cell->previous->child == cell)
            cell->previous->child = cell->next;
        else
            cell->previous->next = cell->next;
        if (cell->next != NULL)
            cell->next->previous = cell->previous;
        origin->heap = join(origin->heap, below);
    }
    detach(cell);
    cell->in_heap = false;
}

void relay_settle_mark(struct generation *generation, struct register_origin *origin) {
    if (origin->is_unsorted)
        return;
    origin->is_unsorted = true;
    relay_list_append(&generation->unsorted, &origin->in_unsorted);
}

void relay_settle_enter(struct generation *generation, struct register_cell *cell) {
    struct register_origin *origin = cell->of.origin;
    if (!cell->has_water)
        return;
    cell->in_heap = true;
    origin->heap = join(origin->heap, cell);
    relay_settle_mark(generation, origin);
}

/* ---- collecting ---------------------------------------------------------------------------------- */

/* settle.when, settle.invisible: a sibling goes when it is covered by water, the water when it is settled. */
static void collect_cell(struct generation *generation, struct register_cell *cell, const struct hlc *settled) {
    cell->reservations++;
    relay_settle_leave(cell);
    if (is_covered(cell) && relay_hlc_compare(&cell->sibling->hlc, settled) <= 0)
        relay_register_drop_sibling(generation, cell);
    if (relay_hlc_compare(&cell->water, settled) <= 0)
        cell->has_water = false;
    relay_settle_enter(generation, cell);
    relay_register_release_cell(generation, cell);
}

void relay_settle_collect(struct generation *generation) {
    while (generation->unsorted.first != NULL) {
        struct register_origin *origin = CONTAINER_OF(generation->unsorted.first, struct register_origin, in_unsorted);
        origin->uses++;
        while (origin->is_settled && origin->heap != NULL &&
               relay_hlc_compare(threshold(origin->heap), &origin->settled) <= 0)
            collect_cell(generation, origin->heap, &origin->settled);
        relay_list_remove(&generation->unsorted, &origin->in_unsorted);
        origin->is_unsorted = false;
        relay_generation_release_origin(generation, origin);
    }
    relay_generation_touch(generation);
}

/* ---- the notice ---------------------------------------------------------------------------------- */

static void add_notice(struct relay_buffer *text, struct relay_text notice) {
    relay_buffer_add_text(text, notice);
    relay_buffer_add(text, ",", 1);
}

struct relay_frame *relay_settle_frame(const struct generation *generation, struct relay_text room,
                                       const struct register_origin *origin, struct relay_text notice) {
    struct relay_buffer text;
    relay_frame_start(&text, room.length + generation->notice_bytes + notice.length + 64);
    relay_buffer_add_words(&text, "{\"t\":\"settled\",\"room\":");
    relay_buffer_add_string(&text, room);
    relay_buffer_add_words(&text, ",\"settled\":{");
    for (struct list_link *link = generation->settled.first; link != NULL; link = link->next) {
        const struct register_origin *other = CONTAINER_OF(link, struct register_origin, in_settled);
        if (other != origin || notice.bytes == NULL)
            add_notice(&text, other->notice);
    }
    if (notice.bytes != NULL)
        add_notice(&text, notice);
    relay_buffer_drop_last(&text, ',');
    relay_buffer_add_words(&text, "}}");
    return relay_frame_finish(&text);
}
