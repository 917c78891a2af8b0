/*
 * What a wire version makes of envelopes: everything that differs between wire versions stands behind this one table,
 * and the rest of the core does not know which one it works for.
 *
 * An envelope is taken in by `prepare`, which does all that can fail and changes nothing that anybody sees, and then
 * by either `apply`, which cannot fail, or `cancel`.
 */
#ifndef MESHSPEC_RELAY_RULES_H
#define MESHSPEC_RELAY_RULES_H

#include "relay-ref/core/check.h"
#include "relay-ref/core/migrate.h"
#include "relay-ref/core/state.h"

/* One envelope on its way into a room. */
struct ordering {
    struct journal_entry entry;
    struct migration migration;
    /* Set by `prepare`: */
    bool cuts;                    /* the envelope is all that the journal keeps (generation.cut) */
    struct generation *fresh;     /* owned; the generation that the envelope begins, or NULL */
    struct relay_frame *settled;  /* one reference; a notice for every member, or NULL (settle.notice) */
    struct relay_frame *welcome;  /* one reference; a new welcome's text (welcome.h), or NULL (generation.rewelcome) */
    size_t welcome_head;          /* where the welcome's body begins */
    bool settles, extends_prefix; /* kept for `apply` */
    struct register_origin *origin;
    struct relay_text notice; /* owned */
};

struct snapshot; /* hydrate.h */

struct relay_rules {
    size_t ops_limit; /* of relay_message_read; 0 stands for the option max_ops_per_envelope */
    bool forgiving;   /* a malformed envelope is ignored instead of ejecting its writer */

    /* A fresh room's state of its own. False when memory is out. */
    bool (*start)(struct room *room);
    void (*end)(struct room *room);

    /* Is the envelope well formed? The first check after the versions. */
    enum check_answer (*check)(struct relay *relay, const struct message_envelope *envelope,
                               struct violation *violation);

    /* Does a checked envelope get in? CHECK_DROP comes with its reason in `violation`. */
    enum check_answer (*admit)(const struct member *member, const struct message_envelope *envelope,
                               struct violation *violation);

    bool (*prepare)(struct room *room, const struct message_envelope *envelope, struct ordering *ordering);
    void (*apply)(struct room *room, struct ordering *ordering);
    void (*cancel)(struct room *room, struct ordering *ordering);

    /* Adds the members that a welcome of mode snapshot has: `,"name":value` each; with `whole` all that `restore`
       needs. False when memory is out. */
    bool (*print_snapshot)(struct room *room, struct relay_buffer *text, bool whole);

    /* Replaces the state of a fresh room by the snapshot's; all or nothing. */
    enum relay_hydrated (*restore)(struct room *room, const struct snapshot *snapshot);
};

/* Wire version 1: the room's root, a fold of all ops. */
extern const struct relay_rules relay_rules_fold;

/* Wire version 3: registers, admission evidence and settled stamps. */
extern const struct relay_rules relay_rules_registers;

#endif
