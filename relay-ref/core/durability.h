/*
 * Answers that wait until a commit is decided (durable.*), for rooms of any protocol version. As long as the owner
 * decides each commit inside on_commit, nothing is ever queued and an answer goes out at once.
 */
#ifndef MESHSPEC_RELAY_DURABILITY_H
#define MESHSPEC_RELAY_DURABILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct room;
struct relay;
struct relay_frame;

/* Most answers of one room that wait, however small; together they may be as long as a journal (max_journal_bytes), and
   one answer longer. An envelope or hello past that closes its connection. */
#define DURABILITY_CEILING ((size_t)1 << 20)

/* What members are told about one envelope, or one member in answer to its hello. Frames are borrowed. */
struct answer {
    uint64_t audience;           /* members that joined up to here are meant; the others came later (seq.echo-all) */
    uint64_t joiner;             /* the one member that the welcome is for; 0 when it is for the audience */
    struct relay_frame *echo;    /* for the audience; NULL for none */
    struct relay_frame *settled; /* for everyone who is there; NULL for none */
    struct relay_frame *welcome; /* head and body (welcome.h); NULL for none */
    size_t welcome_head;
};

struct held_answer;

struct durability {
    struct held_answer *first, *last; /* owned */
    size_t count, bytes;              /* of the answers, and of their frames */
    bool stalled;                     /* durable.stall: nothing goes out any more, so nothing is kept either */
};

/* True when an answer has to wait for those before it. */
bool relay_durability_waits(const struct room *room);

/* Makes sure that the next answer of the room can be queued without failing. False when memory is out or too many
   wait. */
bool relay_durability_ready(struct relay *relay, const struct room *room);

/* Sends the answer, or queues it behind those that wait. `seq` is its commit's, 0 for none; `held` says that it must
   not go out before relay_durability_decide. Call relay_durability_ready before where it may have to wait. */
void relay_durability_submit(struct room *room, const struct answer *answer, uint64_t seq, bool held);

/* Decides a held commit; what can go out then goes, in order. False when no such commit is undecided. */
bool relay_durability_decide(struct room *room, uint64_t seq, bool failed);

/* Frees what waits; sends nothing. */
void relay_durability_free(struct durability *durability);

#endif
