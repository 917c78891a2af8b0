/* The newest ordered envelopes of a room, as a ring: adding and dropping cost the same however many there are. */
#ifndef MESHSPEC_RELAY_JOURNAL_H
#define MESHSPEC_RELAY_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay-ref/core/buffer.h"
#include "relay-ref/core/relay.h"

/* An envelope inside the frame that carried it. */
struct journal_entry {
    uint64_t seq;
    struct relay_frame *frame; /* kept */
    size_t at, length;         /* of the envelope in the frame's text */
};

struct journal {
    struct journal_entry *ring; /* owned */
    size_t first, count, capacity;
    size_t limit; /* journal.limit */
    size_t bytes; /* of the frames that it keeps */
    size_t max_bytes; /* past it the oldest go, down to the newest one; SIZE_MAX after the start */
};

void relay_journal_start(struct journal *journal, size_t limit);

void relay_journal_free(struct journal *journal);

/* Makes sure that one more entry can be added without failing. False when memory is out. */
bool relay_journal_reserve(struct journal *journal);

/* Adds the newest entry and keeps its frame; past a limit the oldest go. Call relay_journal_reserve before. */
void relay_journal_add(struct journal *journal, const struct journal_entry *entry);

/* journal.limit: true when one more entry, whose frame this is, makes the oldest one go, or is not kept. */
bool relay_journal_is_full(const struct journal *journal, const struct relay_frame *frame);

/* Drops all entries; the memory stays for new ones. */
void relay_journal_clear(struct journal *journal);

/* The entry at `position`, counted from the oldest. */
const struct journal_entry *relay_journal_at(const struct journal *journal, size_t position);

/* join.delta: true when the envelopes above `watermark` are all here. */
bool relay_journal_covers(const struct journal *journal, double watermark);

/* Adds the envelopes above `watermark` as a JSON array, ascending. */
void relay_journal_print_above(const struct journal *journal, double watermark, struct relay_buffer *out);

#endif
