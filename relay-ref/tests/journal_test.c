#include "relay-ref/core/journal.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "relay-ref/core/frame.h"

static void add(struct journal *journal, uint64_t seq) {
    struct relay_buffer text;
    relay_frame_start(&text, 0);
    relay_buffer_add_words(&text, "<<");
    relay_buffer_add_count(&text, seq);
    relay_buffer_add_words(&text, ">>");
    struct journal_entry entry = {.seq = seq, .at = 2, .length = text.length - 4};
    entry.frame = relay_frame_finish(&text);
    cr_assert_not_null(entry.frame);
    cr_assert(relay_journal_reserve(journal));
    relay_journal_add(journal, &entry);
    relay_frame_release(entry.frame);
}

static void prints(const struct journal *journal, double watermark, const char *wanted) {
    struct relay_buffer text;
    relay_buffer_start(&text, 0, 16);
    relay_journal_print_above(journal, watermark, &text);
    cr_expect(text.length == strlen(wanted) && memcmp(text.memory, wanted, text.length) == 0, "%.*s, not %s",
              (int)text.length, text.memory, wanted);
    relay_buffer_free(&text);
}

Test(journal, keeps_the_newest) {
    struct journal journal;
    relay_journal_start(&journal, 3);
    cr_expect_not(relay_journal_covers(&journal, 0), "an empty journal covers nothing");
    prints(&journal, 0, "[]");
    for (uint64_t seq = 1; seq <= 100; seq++) {
        add(&journal, seq);
        size_t count = seq < 3 ? (size_t)seq : 3;
        cr_assert_eq(journal.count, count);
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(relay_journal_at(&journal, i)->seq, seq - count + 1 + i);
    }
    cr_expect_not(relay_journal_covers(&journal, 96));
    cr_expect(relay_journal_covers(&journal, 97), "the one below the first");
    cr_expect(relay_journal_covers(&journal, 1e300));
    prints(&journal, 97, "[98,99,100]");
    prints(&journal, 98.5, "[99,100]");
    prints(&journal, 100, "[]");
    relay_journal_free(&journal);
}

Test(journal, with_limit_0_keeps_nothing) {
    struct journal journal;
    relay_journal_start(&journal, 0);
    for (uint64_t seq = 1; seq <= 5; seq++)
        add(&journal, seq);
    cr_expect_eq(journal.count, 0);
    cr_expect_not(relay_journal_covers(&journal, 5));
    relay_journal_free(&journal);
}

Test(journal, takes_memory_for_what_it_holds_only) {
    struct journal journal;
    relay_journal_start(&journal, (size_t)1 << 60);
    for (uint64_t seq = 1; seq <= 100; seq++)
        add(&journal, seq);
    cr_expect_eq(journal.count, 100);
    cr_expect_leq(journal.capacity, 200);
    prints(&journal, 98, "[99,100]");
    relay_journal_free(&journal);
}
