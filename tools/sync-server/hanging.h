/*
 * Writes that hang (data.hang): those that came before anything was deployed, or from a client whose schema hash is
 * not connected to the head yet.
 */
#ifndef SYNC_SERVER_HANGING_H
#define SYNC_SERVER_HANGING_H

#include "tools/sync-server/data.h"

struct hanging_limits {
    unsigned writes; /* the most that hang at one time, all apps together */
    size_t bytes;    /* the most that their bodies may have together */
};

/* One write that hangs; it belongs to its exchange's work, which outlives its place in the list. */
struct hanging_write {
    struct hanging_write *next;
    struct hanging_write *previous;
    bool listed;
    struct text app;
    const struct data_request *request;
    size_t bytes; /* of its body */
    void *owner;  /* whose write it is */
};

/* All zero but `limits` is an empty list, oldest first. */
struct hanging_list {
    struct hanging_limits limits;
    struct hanging_write *first;
    struct hanging_write *last;
    unsigned writes;
    size_t bytes;
};

/* Adds a write; false when there is no room for it. */
bool hanging_add(struct hanging_list *list, struct hanging_write *write);

/* Takes a write out; nothing when it is not in the list. */
void hanging_remove(struct hanging_list *list, struct hanging_write *write);

/* The oldest write of the app from `from` on (NULL: none). */
struct hanging_write *hanging_of_app(struct hanging_write *from, struct text app);

/* Appends `[{"app","operation","table","schemaHash","userId"},…]`. */
void hanging_describe(const struct hanging_list *list, struct buffer *out);

#endif
