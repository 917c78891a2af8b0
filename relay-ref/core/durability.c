#include "relay-ref/core/durability.h"

#include <stdlib.h>

#include "relay-ref/core/connection.h"
#include "relay-ref/core/room.h"
#include "relay-ref/core/welcome.h"

enum decision { DECISION_MADE, DECISION_OPEN, DECISION_FAILED };

struct held_answer {
    struct answer answer; /* its frames are kept */
    uint64_t seq;
    enum decision decision;
    struct held_answer *next;
};

/* ---- sending ------------------------------------------------------------------------------------- */

/* seq.echo-all: who joined later learnt of the envelope from its welcome. */
static void send_echo(const struct room *room, const struct answer *answer) {
    for (struct list_link *link = room->roster.first; link != NULL; link = link->next) {
        struct member *member = relay_member_in_roster(link);
        if (member->joined_as > answer->audience)
            break;
        relay_connection_send(member->connection, answer->echo);
    }
}

/* generation.rewelcome, or the welcome of one member, if it is still there. */
static void send_welcome(const struct room *room, const struct answer *answer) {
    for (struct list_link *link = room->roster.first; link != NULL; link = link->next) {
        struct member *member = relay_member_in_roster(link);
        if (member->joined_as > answer->audience)
            break;
        if (answer->joiner == 0 || answer->joiner == member->joined_as)
            relay_welcome_send(member, answer->welcome, answer->welcome_head);
    }
}

static void send(const struct room *room, const struct answer *answer) {
    if (answer->echo != NULL)
        send_echo(room, answer);
    if (answer->settled != NULL)
        relay_room_broadcast(room, answer->settled, NULL);
    if (answer->welcome != NULL)
        send_welcome(room, answer);
}

/* ---- the queue ----------------------------------------------------------------------------------- */

static void for_each_frame(const struct answer *answer, void (*act)(struct relay_frame *)) {
    if (answer->echo != NULL)
        act(answer->echo);
    if (answer->settled != NULL)
        act(answer->settled);
    if (answer->welcome != NULL)
        act(answer->welcome);
}

bool relay_durability_waits(const struct room *room) {
    return room->durability.first != NULL || room->durability.stalled;
}

bool relay_durability_ready(struct relay *relay, const struct room *room) {
    const struct durability *durability = &room->durability;
    if (durability->count >= DURABILITY_CEILING || durability->bytes > relay->options.max_journal_bytes)
        return false;
    if (relay->spare == NULL)
        relay->spare = malloc(sizeof *relay->spare);
    return relay->spare != NULL;
}

static size_t bytes_of(const struct answer *answer) {
    size_t bytes = answer->echo != NULL ? answer->echo->length : 0;
    bytes += answer->settled != NULL ? answer->settled->length : 0;
    return bytes + (answer->welcome != NULL ? answer->welcome->length : 0);
}

static void enqueue(struct room *room, const struct answer *answer, uint64_t seq, bool held) {
    struct held_answer *waiting = room->relay->spare;
    struct durability *durability = &room->durability;
    room->relay->spare = NULL;
    *waiting = (struct held_answer){*answer, seq, held ? DECISION_OPEN : DECISION_MADE, NULL};
    for_each_frame(answer, relay_frame_keep);
    if (durability->last != NULL)
        durability->last->next = waiting;
    else
        durability->first = waiting;
    durability->last = waiting;
    durability->count++;
    durability->bytes += bytes_of(answer);
}

void relay_durability_submit(struct room *room, const struct answer *answer, uint64_t seq, bool held) {
    if (room->durability.stalled)
        return;
    if (held || room->durability.first != NULL)
        enqueue(room, answer, seq, held);
    else
        send(room, answer);
}

static struct held_answer *take_first(struct durability *durability) {
    struct held_answer *first = durability->first;
    durability->first = first->next;
    if (first->next == NULL)
        durability->last = NULL;
    durability->count--;
    durability->bytes -= bytes_of(&first->answer);
    return first;
}

static void free_answer(struct held_answer *waiting) {
    for_each_frame(&waiting->answer, relay_frame_release);
    free(waiting);
}

void relay_durability_free(struct durability *durability) {
    while (durability->first != NULL)
        free_answer(take_first(durability));
}

/* durable.stall */
static void stall(struct room *room, uint64_t seq) {
    const struct relay_env *env = &room->relay->env;
    room->durability.stalled = true;
    relay_durability_free(&room->durability);
    if (env->on_durability_failed != NULL)
        env->on_durability_failed(env->context, room->item.key, seq);
}

/* durable.order */
static void release_decided(struct room *room) {
    struct durability *durability = &room->durability;
    while (durability->first != NULL && durability->first->decision != DECISION_OPEN) {
        struct held_answer *waiting = take_first(durability);
        bool failed = waiting->decision == DECISION_FAILED;
        uint64_t seq = waiting->seq;
        if (!failed)
            send(room, &waiting->answer);
        free_answer(waiting);
        if (failed)
            stall(room, seq);
    }
}

bool relay_durability_decide(struct room *room, uint64_t seq, bool failed) {
    struct held_answer *waiting = room->durability.first;
    while (waiting != NULL && (waiting->seq != seq || waiting->decision != DECISION_OPEN))
        waiting = waiting->next;
    if (waiting == NULL || seq == 0)
        return false;
    waiting->decision = failed ? DECISION_FAILED : DECISION_MADE;
    release_decided(room);
    return true;
}
