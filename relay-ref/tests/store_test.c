/* The store by itself: what is committed is there, what is not is not, and checkpoints change at one moment. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/failing_memory.h"
#include "relay-ref/tests/store_world.h"

static struct store_world world;

#define ROOM TEXT_OF("r")

/* Names are bytes: none is taken for another, whatever is in it. */
static const struct relay_text names[] = {
    {"r", 1},         {"R", 1},      {"", 0},    {"a\0b", 3},  {"a", 1},           {"\xc3\xa9", 2},
    {"e\xcc\x81", 3}, {"' OR 1", 6}, {"a/b", 3}, {"a%2Fb", 5}, {"\xed\xa0\xbd", 3}};
#define NAME_COUNT (sizeof names / sizeof *names)

Test(store, keeps_what_was_committed) {
    store_world_start(&world, true);
    for (uint64_t seq = 1; seq <= 20; seq++)
        for (size_t i = 0; i < NAME_COUNT; i++)
            cr_assert(store_world_append(&world, names[i], seq), "%s", world.error.text);
    cr_assert(store_commit(world.store, &world.error));
    for (int life = 0; life < 3; life++) {
        for (size_t i = 0; i < NAME_COUNT; i++)
            store_world_holds(&world, names[i], 1, 20);
        store_world_close(&world, life == 1);
        cr_assert(store_world_open(&world, true));
    }
    store_world_end(&world);
}

Test(store, forgets_what_was_not_committed) {
    struct store_room room;
    store_world_start(&world, true);
    cr_assert(store_world_append(&world, ROOM, 1));
    cr_assert(store_commit(world.store, &world.error));
    cr_assert(store_world_append(&world, ROOM, 2));
    cr_assert(store_world_append(&world, TEXT_OF("new"), 1));
    cr_assert(store_has_batch(world.store));
    store_world_holds(&world, ROOM, 1, 2); /* the batch is seen from inside */
    store_world_close(&world, false);
    cr_assert(store_world_open(&world, true));
    store_world_holds(&world, ROOM, 1, 1);
    cr_assert_eq(store_load(world.store, TEXT_OF("new"), &room, &world.error), STORE_ABSENT);
    cr_assert(store_world_append(&world, ROOM, 2));
    store_rollback(world.store);
    cr_assert_not(store_has_batch(world.store));
    store_world_holds(&world, ROOM, 1, 1);
    store_world_end(&world);
}

/* seq.dense on disk: a seq that is there already is refused, and the rest of the batch goes on. */
Test(store, refuses_a_seq_twice_and_goes_on) {
    store_world_start(&world, true);
    cr_assert(store_world_append(&world, ROOM, 1));
    cr_assert_not(store_world_append(&world, ROOM, 1));
    cr_expect_eq(world.error.code, STORE_DAMAGED);
    cr_assert(store_world_append(&world, ROOM, 2));
    cr_assert(store_commit(world.store, &world.error));
    store_world_holds(&world, ROOM, 1, 2);
    store_world_end(&world);
}

Test(store, remembers_epochs) {
    struct store_room room;
    int64_t id;
    store_world_start(&world, true);
    cr_assert(store_world_append(&world, ROOM, 1));
    cr_assert(store_room_id(world.store, ROOM, TEXT_OF("unused"), &id, &world.error));
    cr_assert(store_append(world.store, id, 2, TEXT_OF("{}"), &world.error));
    cr_assert(store_set_epoch(world.store, id, TEXT_OF("second"), &world.error));
    cr_assert(store_commit(world.store, &world.error));
    cr_assert_eq(store_load(world.store, ROOM, &room, &world.error), STORE_FOUND);
    cr_expect_eq(room.epoch.length, 6);
    cr_expect_arr_eq(room.epoch.bytes, "second", 6);
    cr_expect_null(room.snapshot.bytes);
    store_room_free(&room);
    store_world_end(&world);
}

/* ---- checkpoints -------------------------------------------------------------------------------- */

#define BIG (3 * STORE_PIECE_BYTES + 17)

/* A snapshot of `length` bytes in which every byte tells which one it is of. */
static struct relay_text made_snapshot(size_t length, char which) {
    char *bytes = malloc(length);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(which + (char)(i % 7));
    return (struct relay_text){bytes, length};
}

static struct store_checkpoint started(struct relay_text snapshot, uint64_t seq, uint64_t floor) {
    struct store_checkpoint checkpoint = {.seq = seq, .floor = floor, .snapshot = snapshot};
    cr_assert(store_room_id(world.store, ROOM, TEXT_OF("first"), &checkpoint.room, &world.error));
    return checkpoint;
}

/* Goes at most `steps` steps on, each committed. True when the checkpoint is done. */
static bool takes(struct store_checkpoint *checkpoint, size_t steps) {
    while (checkpoint->phase != STORE_DONE && steps-- > 0) {
        cr_assert(store_checkpoint_step(world.store, checkpoint, &world.error), "%s", world.error.text);
        cr_assert(store_commit(world.store, &world.error), "%s", world.error.text);
    }
    return checkpoint->phase == STORE_DONE;
}

static void holds_snapshot(struct relay_text wanted, uint64_t seq, uint64_t first, uint64_t last) {
    struct store_room room;
    cr_assert_eq(store_load(world.store, ROOM, &room, &world.error), STORE_FOUND, "%s", world.error.text);
    cr_expect_eq(room.snapshot_seq, seq);
    cr_assert_eq(room.snapshot.length, wanted.length);
    cr_assert(memcmp(room.snapshot.bytes, wanted.bytes, wanted.length) == 0);
    cr_assert_eq(room.journal_count, last - first + 1);
    cr_expect_eq(room.covered, seq >= first ? seq - first + 1 : 0);
    cr_expect_eq(room.floor, first);
    store_room_free(&room);
}

/* Wherever a checkpoint is cut short, the room is the old or the new one, and the next checkpoint succeeds. */
Test(store, a_checkpoint_counts_whole_or_not_at_all) {
    struct relay_text old = made_snapshot(BIG, 'A'), new = made_snapshot(2 * BIG, 'a');
    bool done = false, turned = false;
    for (size_t steps = 0; !done; steps++) {
        store_world_start(&world, true);
        for (uint64_t seq = 1; seq <= 30; seq++)
            cr_assert(store_world_append(&world, ROOM, seq));
        struct store_checkpoint first = started(old, 10, 8), second = started(new, 30, 25);
        cr_assert(takes(&first, SIZE_MAX));
        holds_snapshot(old, 10, 8, 30);
        done = takes(&second, steps);
        turned = second.phase > STORE_TURNS;
        store_world_close(&world, false);
        cr_assert(store_world_open(&world, true));
        if (turned)
            holds_snapshot(new, 30, 25, 30);
        else
            holds_snapshot(old, 10, 8, 30);
        struct store_checkpoint third = started(old, 30, 31);
        cr_assert(takes(&third, SIZE_MAX));
        holds_snapshot(old, 30, 31, 30);
        store_world_end(&world);
    }
    cr_assert(turned);
    free((char *)old.bytes);
    free((char *)new.bytes);
}

static int64_t number(const char *query) {
    return store_world_number(&world, query);
}

/* Journal below the floor and pieces of older checkpoints are gone from the file; other rooms' are not. */
Test(store, a_checkpoint_trims_its_room_alone) {
    struct relay_text snapshot = made_snapshot(BIG, 'A');
    store_world_start(&world, true);
    for (uint64_t seq = 1; seq <= 2000; seq++)
        cr_assert(store_world_append(&world, ROOM, seq) && store_world_append(&world, TEXT_OF("other"), seq));
    for (int times = 0; times < 3; times++) {
        struct store_checkpoint checkpoint = started(snapshot, 2000, 1900);
        cr_assert(takes(&checkpoint, SIZE_MAX));
    }
    store_world_close(&world, true);
    cr_expect_eq(number("SELECT count(*) FROM pieces"), 4);
    cr_expect_eq(number("SELECT count(*) FROM journal"), 2000 + 101);
    cr_expect_eq(number("SELECT min(seq) FROM journal WHERE room = (SELECT id FROM rooms WHERE name = x'72')"), 1900);
    cr_assert(store_world_open(&world, true));
    store_world_holds(&world, TEXT_OF("other"), 1, 2000);
    holds_snapshot(snapshot, 2000, 1900, 2000);
    store_world_end(&world);
    free((char *)snapshot.bytes);
}

/* ---- lives -------------------------------------------------------------------------------------- */

static bool needs_a_new_epoch(void) {
    struct store_room room;
    cr_assert_eq(store_load(world.store, ROOM, &room, &world.error), STORE_FOUND);
    bool renew = room.renew;
    store_room_free(&room);
    return renew;
}

/* A lower seq after a crash: whoever answered before the disk had it may have shown more than the file holds. */
Test(store, asks_for_new_epochs_after_a_crash_that_may_have_lost_something) {
    int64_t id;
    store_world_start(&world, false);
    cr_assert(store_world_append(&world, ROOM, 1) && store_commit(world.store, &world.error));
    store_world_close(&world, true);
    cr_assert(store_world_open(&world, true));
    cr_expect_not(needs_a_new_epoch(), "an orderly end lost nothing");
    store_world_close(&world, false);
    cr_assert(store_world_open(&world, false));
    cr_expect_not(needs_a_new_epoch(), "a durable life loses nothing that was answered");
    store_world_close(&world, false);
    cr_assert(store_world_open(&world, true));
    cr_expect(needs_a_new_epoch());
    store_world_close(&world, true);
    cr_assert(store_world_open(&world, true));
    cr_expect(needs_a_new_epoch(), "until it has one");
    cr_assert(store_room_id(world.store, ROOM, NO_TEXT, &id, &world.error));
    cr_assert(store_set_epoch(world.store, id, TEXT_OF("other"), &world.error));
    cr_assert(store_commit(world.store, &world.error));
    cr_expect_not(needs_a_new_epoch());
    store_world_end(&world);
}

Test(store, forgets_all_on_demand) {
    bool empty = false;
    store_world_start(&world, true);
    cr_assert(store_is_empty(world.store, &empty, &world.error) && empty);
    cr_assert(store_world_append(&world, ROOM, 1) && store_commit(world.store, &world.error));
    cr_assert(store_is_empty(world.store, &empty, &world.error) && !empty);
    cr_assert(store_forget_all(world.store, 1, &world.error));
    cr_assert(store_is_empty(world.store, &empty, &world.error) && empty);
    cr_assert(store_world_append(&world, ROOM, 1) && store_commit(world.store, &world.error));
    store_world_holds(&world, ROOM, 1, 1);
    store_world_end(&world);
}

/* Memory that is out while a room is read: told, nothing kept, and the room is there when memory is back. */
Test(store, loads_or_says_that_memory_is_out) {
    struct store_room room;
    bool failed = true;
    store_world_start(&world, true);
    for (uint64_t seq = 1; seq <= 300; seq++)
        cr_assert(store_world_append(&world, ROOM, seq));
    cr_assert(store_commit(world.store, &world.error));
    for (size_t nth = 1; failed; nth++) {
        size_t before = memory_in_use();
        memory_fails_at(nth, true);
        enum store_found found = store_load(world.store, ROOM, &room, &world.error);
        failed = memory_works_again();
        cr_assert_eq(found, failed ? STORE_UNREADABLE : STORE_FOUND);
        store_room_free(&room);
        cr_assert_eq(memory_in_use(), before);
    }
    store_world_holds(&world, ROOM, 1, 300);
    store_world_end(&world);
}
