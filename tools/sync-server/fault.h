/*
 * Faults on purpose: answers that go wrong in a stated way, so that a client can be seen to bear them.
 *
 * A fault belongs to the requests whose method and path it names, and strikes from the `nth` of them on, `count`
 * times. What it can do, also together: hold the request back before it takes effect, delay the answer, answer
 * with another status or body, cut the connection before or after the request took effect.
 */
#ifndef SYNC_SERVER_FAULT_H
#define SYNC_SERVER_FAULT_H

#include "tools/sync-server/text.h"

/* The most faults that are set at one time. */
#define FAULTS_CEILING 64

enum fault_cut { FAULT_CUT_NONE, FAULT_CUT_BEFORE, FAULT_CUT_AFTER };

/* What shall happen to one request. All zero: nothing. */
struct fault_effect {
    uint64_t hold_ms;
    uint64_t delay_ms;
    int status; /* 0: the true one */
    enum fault_cut cut;
    bool has_body;
    struct buffer body; /* the answer's body in place of the true one */
    bool prevented;     /* the request does not take effect */
};

struct fault;

struct fault_list {
    struct fault *faults[FAULTS_CEILING];
    size_t count;
};

/* Adds a fault written as `METHOD PATH [key=value …]`; false with the reason in `why`. */
bool fault_add_text(struct fault_list *list, struct text text, struct buffer *why);

/* ---- in pieces, for a fault that comes as JSON ----------------------------------------------------- */

/* A fault without method and path, or NULL when memory ran out. Either add it to a list or free it. */
struct fault *fault_new(void);
void fault_free(struct fault *fault);

/* Sets `method`, `path`, `nth`, `count`, `hold`, `delay`, `status`, `cut`, `body` or `effect`; false with the reason in
 * `why`. */
bool fault_set(struct fault *fault, struct text key, struct text value, struct buffer *why);

/* Takes the fault over; false, with it freed and the reason in `why`, when it lacks method or path or there are too
 * many. */
bool fault_add(struct fault_list *list, struct fault *fault, struct buffer *why);

/* ------------------------------------------------------------------------------------------------- */

/* Counts this request in every fault that it matches, and copies the effect of the first that strikes. Free
 * `effect->body` afterwards. False when none strikes. */
bool fault_strike(struct fault_list *list, struct text method, struct text path, struct fault_effect *effect);

/* Appends all faults as a JSON array, each with how many requests it has `seen` and how often it `struck`. */
void fault_describe(const struct fault_list *list, struct buffer *out);

void fault_clear(struct fault_list *list);

/* Whether `text` fits `pattern`, in which each `*` stands for any characters, slashes too. */
bool glob_matches(struct text pattern, struct text text);

#endif
