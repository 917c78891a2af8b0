#include "relay-ref/core/journal.h"

#include <stdlib.h>

#include "relay-ref/core/frame.h"

void relay_journal_start(struct journal *journal, size_t limit) {
    *journal = (struct journal){.limit = limit, .max_bytes = SIZE_MAX};
}

void relay_journal_free(struct journal *journal) {
    for (size_t i = 0; i < journal->count; i++)
        relay_frame_release(relay_journal_at(journal, i)->frame);
    free(journal->ring);
    *journal = (struct journal){.limit = journal->limit, .max_bytes = journal->max_bytes};
}

const struct journal_entry *relay_journal_at(const struct journal *journal, size_t position) {
    size_t at = journal->first + position;
    return &journal->ring[at < journal->capacity ? at : at - journal->capacity];
}

bool relay_journal_reserve(struct journal *journal) {
    if (journal->count < journal->capacity || journal->count >= journal->limit)
        return true;
    size_t capacity = journal->capacity == 0 ? 8 : journal->capacity * 2;
    if (capacity > journal->limit)
        capacity = journal->limit;
    struct journal_entry *ring = malloc(capacity * sizeof *ring);
    if (ring == NULL)
        return false;
    for (size_t i = 0; i < journal->count; i++)
        ring[i] = *relay_journal_at(journal, i);
    free(journal->ring);
    journal->ring = ring;
    journal->first = 0;
    journal->capacity = capacity;
    return true;
}

static void drop_oldest(struct journal *journal) {
    journal->bytes -= journal->ring[journal->first].frame->length;
    relay_frame_release(journal->ring[journal->first].frame);
    journal->first = journal->first + 1 == journal->capacity ? 0 : journal->first + 1;
    journal->count--;
}

bool relay_journal_is_full(const struct journal *journal, const struct relay_frame *frame) {
    return journal->count >= journal->limit ||
           (journal->count > 0 && frame->length > journal->max_bytes - journal->bytes);
}

void relay_journal_clear(struct journal *journal) {
    while (journal->count > 0)
        drop_oldest(journal);
}

/* journal.limit */
void relay_journal_add(struct journal *journal, const struct journal_entry *entry) {
    if (journal->limit == 0)
        return;
    if (journal->count == journal->limit)
        drop_oldest(journal);
    size_t at = journal->first + journal->count;
    journal->ring[at < journal->capacity ? at : at - journal->capacity] = *entry;
    relay_frame_keep(entry->frame);
    journal->count++;
    journal->bytes += entry->frame->length;
    while (journal->count > 1 && journal->bytes > journal->max_bytes)
        drop_oldest(journal);
}

bool relay_journal_covers(const struct journal *journal, double watermark) {
    return journal->count > 0 && watermark >= (double)relay_journal_at(journal, 0)->seq - 1;
}

/* The first position above the watermark, by halving: entries stand in the order of seq. */
static size_t first_above(const struct journal *journal, double watermark) {
    size_t low = 0, high = journal->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((double)relay_journal_at(journal, middle)->seq > watermark)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void relay_journal_print_above(const struct journal *journal, double watermark, struct relay_buffer *out) {
    size_t start = first_above(journal, watermark);
    relay_buffer_add(out, "[", 1);
    for (size_t i = start; i < journal->count; i++) {
        const struct journal_entry *entry = relay_journal_at(journal, i);
        if (i > start)
            relay_buffer_add(out, ",", 1);
        relay_buffer_add(out, entry->frame->text + entry->at, entry->length);
    }
    relay_buffer_add(out, "]", 1);
}
