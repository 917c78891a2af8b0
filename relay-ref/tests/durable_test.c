/* A relay whose rooms are in a file, without a server around it: turns and time are the test's. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "relay-ref/adapters/durable_rooms.h"
#include "relay-ref/core/version.h"
#include "relay-ref/tests/failing_memory.h"
#include "relay-ref/tests/generation_world.h"
#include "relay-ref/tests/store_world.h"
#include "relay-ref/tests/world.h"

#define IDLE_MS 5000

/* One process after another on one file. */
struct lives {
    struct store_world file;
    struct durable_rooms *rooms;
    struct relay *relay;
    int64_t now;
    unsigned minted;
    char told[4096];
    enum relay_protocol protocol;
    size_t journal_limit;
    bool durable;
    int64_t wait; /* what the last turn's end said */
    bool lost;
    bool holds;   /* commits stay undecided */
    uint64_t seq; /* for a test's own use */
};

static struct lives lives;

static int64_t now_of(void *context) {
    return ((struct lives *)context)->now;
}

static size_t mints(void *context, char *out, size_t capacity) {
    return (size_t)snprintf(out, capacity, "e%u", ++((struct lives *)context)->minted);
}

static void is_told(void *context, const char *sentence) {
    struct lives *at = context;
    size_t length = strlen(at->told);
    snprintf(at->told + length, sizeof at->told - length, "%s\n", sentence);
}

static enum relay_kept restores(void *context, struct relay_text room) {
    return durable_restore(((struct lives *)context)->rooms, room);
}

static enum relay_committed commits(void *context, struct relay_text room, struct relay_text envelope,
                                    const struct relay_commit_state *state, struct relay_commit *commit) {
    (void)commit;
    durable_commit(((struct lives *)context)->rooms, room, envelope, state);
    return lives.holds ? RELAY_COMMIT_HELD : RELAY_COMMIT_DECIDED;
}

static void live(void) {
    struct durable_settings settings = {
        {lives.file.path, lives.durable, relay_version_of(lives.protocol)->wire}, 20, 1 << 20, IDLE_MS};
    struct durable_host host = {&lives, now_of, mints, is_told};
    struct relay_env env = {.context = &lives, .now = now_of, .mint = mints, .on_commit = commits, .restore = restores};
    struct relay_options options = relay_options_default(lives.protocol);
    options.journal_limit = lives.journal_limit;
    options.hold_commits = true;
    lives.rooms = durable_open(&settings, &host, &lives.file.error);
    cr_assert_not_null(lives.rooms, "%s", lives.file.error.text);
    lives.relay = relay_new(&env, &options);
    durable_serve(lives.rooms, lives.relay);
}

static void begin(bool durable, size_t journal_limit) {
    memset(&lives, 0, sizeof lives);
    lives.protocol = RELAY_PROTOCOL_0_2_0;
    lives.now = 1000;
    lives.durable = durable;
    lives.journal_limit = journal_limit;
    store_world_start(&lives.file, true);
    store_world_close(&lives.file, true);
    live();
}

/* The process ends: orderly, or between two turns as by a kill, whose open transaction is lost. */
static void dies(bool orderly) {
    if (orderly) {
        durable_close(lives.rooms);
    } else {
        durable_serve(lives.rooms, lives.relay); /* forgets the turn */
        store_world_execute(&lives.file, "UPDATE about SET value = 0 WHERE name = 'orderly'");
        durable_close(lives.rooms);
        store_world_execute(&lives.file, "UPDATE about SET value = 0 WHERE name = 'orderly'");
    }
    relay_free(lives.relay);
}

static void end(void) {
    dies(true);
    store_world_end(&lives.file);
}

static void turn(void) {
    struct durable_turn over = durable_turn_over(lives.rooms);
    lives.wait = over.wait;
    lives.lost = over.lost;
    durable_calm(lives.rooms);
}

/* The turn ends, time passes, and then there are turns until there is nothing to do at once. */
static void rest(int64_t ms) {
    turn();
    lives.now += ms;
    do
        turn();
    while (lives.wait == 0);
}

static struct pair *client(const char *writer) {
    struct relay_principal principal = {.writer = {writer, strlen(writer)}};
    return pair_open(lives.relay, &principal);
}

/* The text of the client's next message; static. */
static const char *gets(struct pair *from) {
    static char text[65536];
    struct pair_event event = pair_take(from);
    snprintf(text, sizeof text, "%s", event.kind == PAIR_CLOSED ? "(closed)" : "(nothing)");
    if (event.kind == PAIR_MESSAGE) {
        snprintf(text, sizeof text, "%.*s", (int)event.frame->length, event.frame->text);
        relay_frame_release(event.frame);
    }
    return text;
}

/* What a hello with this `more` is answered; the client leaves again. */
static const char *welcome(const char *room, const char *more) {
    struct pair *one = client("w");
    hello(one, room, "o", more);
    const char *text = gets(one);
    pair_free(one);
    return text;
}

static void write_many(const char *room, size_t count) {
    char ops[128];
    static size_t version;
    struct pair *writer = client("w");
    hello(writer, room, "o", "");
    for (size_t i = 0; i < count; i++) {
        snprintf(ops, sizeof ops, "[{\"kind\":\"set\",\"path\":[\"k%zu\"],\"next\":%zu}]", i % 7, version++);
        writes(writer, room, "w", ops, "");
    }
    drain(writer);
    pair_free(writer);
}

/* Asserts that the room answers each watermark from `first` to `last` now as it does after a new start. */
static void survives(const char *room, size_t first, size_t last, bool orderly) {
    char **before = calloc(last + 2, sizeof *before), more[64];
    turn();
    for (size_t i = first; i <= last + 1; i++) {
        snprintf(more, sizeof more, i <= last ? ",\"seq\":%zu" : "", i);
        before[i] = strdup(welcome(room, more));
        cr_assert(strstr(before[i], "\"t\":\"welcome\"") != NULL, "%s", before[i]);
    }
    turn();
    dies(orderly);
    live();
    for (size_t i = first; i <= last + 1; i++) {
        snprintf(more, sizeof more, i <= last ? ",\"seq\":%zu" : "", i);
        cr_assert_str_eq(welcome(room, more), before[i], "watermark %zu", i);
        free(before[i]);
    }
    free(before);
}

#define SAYS(text, words) cr_expect(strstr((text), (words)) != NULL, "%s", (text))

/* ---- lives -------------------------------------------------------------------------------------- */

/* hydrate.round-trip, across many sizes, with and without checkpoints in between. */
Test(durable, a_new_start_answers_every_watermark_as_before) {
    begin(true, 30);
    for (size_t last = 9; last <= 99; last += 9) {
        write_many("r", 9);
        rest(last % 2 == 0 ? 1000 : 0);
        survives("r", 0, last, last % 4 != 0);
    }
    cr_expect_eq(store_world_number(&lives.file, "SELECT checkpoint > 1 FROM rooms"), 1);
    cr_expect_leq(store_world_number(&lives.file, "SELECT count(*) FROM journal"), 30 + 27);
    cr_expect_str_eq(lives.told, "");
    end();
}

/* A journal limit of 0: nothing is kept but the checkpoint and what came since. */
Test(durable, without_a_journal_a_new_start_has_the_snapshot) {
    begin(true, 0);
    write_many("r", 50);
    rest(1000);
    survives("r", 0, 50, true);
    cr_expect_eq(store_world_number(&lives.file, "SELECT count(*) FROM journal"), 0);
    end();
}

Test(durable, migrations_keep_their_epoch) {
    begin(true, 100);
    struct pair *ana = client("w");
    hello(ana, "r", "o", "");
    writes(ana, "r", "w", "[]", "");
    writes(ana, "r", "w", "[]", ",\"schemaVersion\":3");
    writes(ana, "r", "w", "[]", "");
    drain(ana);
    pair_free(ana);
    survives("r", 0, 3, false);
    SAYS(welcome("r", ",\"schemaVersion\":2"), "\"reason\":\"schema\",\"expected\":3");
    end();
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Registers have no order: sorts them in place. */
static void sort_registers(char *text) {
    static const char start[] = "{\"path\"";
    const char *pieces[64];
    size_t count = 0;
    char *first = strstr(text, start), *end = strstr(text, "],\"wm\""), *copy;
    cr_assert(first != NULL && end != NULL);
    copy = strndup(first, (size_t)(end - first));
    for (char *at = copy; at != NULL && count < 64; at = strstr(at + 1, start)) {
        if (at > copy)
            at[-1] = '\0'; /* the comma */
        pieces[count++] = at;
    }
    qsort(pieces, count, sizeof *pieces, by_text);
    for (size_t i = 0; i < count; i++, first++) {
        memcpy(first, pieces[i], strlen(pieces[i]));
        first += strlen(pieces[i]);
        if (i + 1 < count)
            *first = ',';
    }
    free(copy);
}

/* All that a snapshot has, the evidence of the room's admissions among it. */
static char *whole_snapshot(void) {
    struct relay_text snapshot;
    cr_assert(relay_snapshot(lives.relay, (struct relay_text){"r", 1}, &snapshot));
    char *text = strndup(snapshot.bytes, snapshot.length);
    free((char *)snapshot.bytes);
    sort_registers(text);
    return text;
}

/* Version 0.9: registers, ranges, settled stamps and the instance, from a checkpoint and what was ordered after it, a
   migration among it (hydrate.registers, generation.cut). */
Test(durable, rooms_of_registers_come_back_whole) {
    char instance[16] = "";
    memset(&lives, 0, sizeof lives);
    lives = (struct lives){.protocol = RELAY_PROTOCOL_0_9, .now = 1000, .durable = true, .journal_limit = 10};
    store_world_start(&lives.file, true);
    store_world_close(&lives.file, true);
    unlink(lives.file.path);
    live();
    for (unsigned version = 1; version <= 60; version++) {
        struct pair *ana = client("wa");
        joins(ana, "r", "ana", "");
        const char *found = strstr(gets(ana), "\"instance\":\"");
        cr_assert_not_null(found);
        sscanf(found, "\"instance\":\"%15[^\"]", instance);
        char path[32];
        snprintf(path, sizeof path, "[\"k\",%u]", version % 4);
        const char *ops = sets(path, "[1]", version > 4 ? cites("ana", version - 4) : "", version % 3);
        submits(ana, &(struct submission){"r", instance, "ana", "wa", version, version, ops,
                                          version == 45 ? ",\"schemaVersion\":2" : NULL});
        pair_free(ana);
        rest(version % 7 == 0 ? 1000 : 0);
        if (version % 5 != 0)
            continue;
        char *before = whole_snapshot();
        dies(version % 2 == 0);
        live();
        cr_assert_eq(durable_restore(lives.rooms, (struct relay_text){"r", 1}), RELAY_KEPT_RESTORED, "%s", lives.told);
        char *after = whole_snapshot();
        cr_assert_str_eq(after, before, "after %u: %s", version, after);
        free(before);
        free(after);
    }
    struct pair *ana = client("wa");
    joins(ana, "r", "ana", ",\"seq\":50");
    SAYS(gets(ana), "\"mode\":\"delta\"");
    submits(ana, &(struct submission){"r", instance, "ana", "wa", 60, 60, sets("[\"k\"]", "1", "", 0), NULL});
    SAYS(gets(ana), "\"reason\":\"duplicate\"");
    pair_free(ana);
    cr_expect_geq(store_world_number(&lives.file, "SELECT checkpoint FROM rooms"), 2);
    end();
}

/* A lower seq after a crash: without `durable` a crash may have lost what was answered, so the room is another one. */
Test(durable, a_crash_that_may_have_lost_something_gives_new_epochs) {
    begin(false, 100);
    write_many("r", 5);
    turn();
    survives("r", 0, 5, true);
    char *before = strdup(welcome("r", ""));
    write_many("r", 1);
    dies(false);
    live();
    char *after = strdup(welcome("r", ""));
    SAYS(after, "\"seq\":5,");
    cr_expect(strncmp(before, after, strlen("{\"t\":\"welcome\",\"room\":\"r\",\"seq\":5,\"epoch\":\"eX")) != 0);
    turn();
    survives("r", 0, 5, true);
    free(before);
    free(after);
    end();
}

/* ---- loading and unloading ---------------------------------------------------------------------- */

static size_t rooms_in_memory(void) {
    return relay_count(lives.relay).rooms;
}

Test(durable, rooms_are_loaded_on_first_use_and_unloaded_when_nobody_is_in) {
    begin(true, 100);
    write_many("r", 5);
    write_many("q", 5);
    turn();
    dies(true);
    live();
    cr_expect_eq(rooms_in_memory(), 0);
    struct pair *ana = client("w");
    hello(ana, "r", "ana", ",\"seq\":4");
    SAYS(gets(ana), "\"mode\":\"delta\",\"envs\":[{");
    cr_expect_eq(rooms_in_memory(), 1);
    hello(ana, "empty", "ana", "");
    rest(IDLE_MS);
    rest(IDLE_MS);
    cr_expect_eq(rooms_in_memory(), 2, "somebody is in them");
    pair_free(ana);
    rest(IDLE_MS);
    rest(IDLE_MS - 1);
    cr_expect_eq(rooms_in_memory(), 2, "not yet");
    rest(2000);
    cr_expect_eq(rooms_in_memory(), 1, "seq.durable-room: what is only in memory stays there");
    SAYS(welcome("r", ",\"seq\":5"), "\"seq\":5,");
    SAYS(welcome("r", ",\"seq\":5"), "up-to-date");
    end();
}

Test(durable, many_rooms_leave_in_their_turn) {
    char name[16];
    begin(true, 100);
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "room%d", i);
        write_many(name, 1);
    }
    for (int i = 0; i < 60; i++)
        rest(500);
    cr_expect_eq(rooms_in_memory(), 0);
    SAYS(welcome("room1234", ""), "\"seq\":1,");
    end();
}

/* room.unload: a room with a commit that is not decided stays. */
Test(durable, a_room_with_a_held_commit_stays) {
    begin(true, 100);
    struct pair *ana = client("w");
    hello(ana, "r", "ana", "");
    lives.holds = true;
    writes(ana, "r", "w", "[]", "");
    pair_free(ana);
    rest(IDLE_MS);
    rest(2 * IDLE_MS);
    rest(2 * IDLE_MS);
    cr_expect_eq(rooms_in_memory(), 1);
    cr_expect(relay_release(lives.relay, (struct relay_text){"r", 1}, 1));
    rest(2 * IDLE_MS);
    cr_expect_eq(rooms_in_memory(), 0);
    end();
}

/* Memory that is out once, anywhere between a hello and the end of its turn: whoever was told something finds it in the
   next life, and what was not told may be there, whole. */
Test(durable, nothing_that_was_told_is_lost_when_memory_is_out) {
    bool failed = true;
    begin(true, 10);
    write_many("r", 30);
    rest(1000);
    lives.seq = 30;
    for (size_t nth = 1; failed; nth++) {
        dies(true);
        live();
        struct pair *ana = client("w");
        size_t before = memory_in_use();
        memory_fails_at(nth, false);
        hello(ana, "r", "ana", "");
        writes(ana, "r", "w", "[{\"kind\":\"set\",\"path\":[\"x\"],\"next\":1}]", "");
        writes(ana, "r", "w", "[]", "");
        turn();
        failed = memory_works_again();
        cr_assert_geq(memory_in_use(), before);
        uint64_t told = 0;
        for (const char *text = gets(ana); *text == '{'; text = gets(ana))
            told += !lives.lost && strstr(text, "\"t\":\"env\"") != NULL;
        pair_free(ana);
        dies(true);
        uint64_t seq = (uint64_t)store_world_number(&lives.file, "SELECT max(seq) FROM journal");
        live();
        char wanted[32];
        snprintf(wanted, sizeof wanted, "\"seq\":%llu,", (unsigned long long)seq);
        SAYS(welcome("r", ""), wanted);
        cr_assert_geq(seq, lives.seq + told, "allocation %zu", nth);
        cr_assert_leq(seq, lives.seq + 2);
        lives.seq = seq;
        rest(1000); /* a checkpoint now and then, so that a load does not need ever more memory */
    }
    end();
}

/* eject.blacklist holds for the relay's life, which ends with the process and not with an idle room. */
Test(durable, a_room_with_an_ejected_writer_stays) {
    begin(true, 100);
    write_many("r", 1);
    struct pair *mallory = client("m");
    hello(mallory, "r", "m", "");
    writes(mallory, "r", "somebody", "[]", "");
    pair_free(mallory);
    rest(IDLE_MS);
    rest(2 * IDLE_MS);
    cr_expect_eq(rooms_in_memory(), 1);
    mallory = client("m");
    hello(mallory, "r", "m", "");
    SAYS(gets(mallory), "unauthorized");
    pair_free(mallory);
    end();
}

Test(durable, a_checkpoint_waits_for_a_quiet_moment) {
    begin(true, 10);
    struct pair *ana = client("w");
    hello(ana, "r", "o", "");
    for (int i = 0; i < 100; i++) {
        writes(ana, "r", "w", "[]", "");
        drain(ana);
        rest(10);
    }
    cr_expect_eq(store_world_number(&lives.file, "SELECT checkpoint FROM rooms"), 0, "a hot room is left alone");
    rest(100);
    cr_expect_eq(store_world_number(&lives.file, "SELECT checkpoint FROM rooms"), 1);
    cr_expect_eq(store_world_number(&lives.file, "SELECT min(seq) FROM journal"), 91);
    for (int i = 0; i < 200; i++) {
        writes(ana, "r", "w", "[]", "");
        drain(ana);
        rest(10);
    }
    cr_expect_eq(store_world_number(&lives.file, "SELECT checkpoint FROM rooms"), 2, "though not for ever");
    pair_free(ana);
    survives("r", 300, 300, false);
    end();
}

/* hydrate.refused-state, and what was restored from elsewhere is kept. */
Test(durable, a_hydrated_room_is_adopted) {
    struct relay_text room = {"r", 1};
    static const char snapshot[] = "{\"seq\":7,\"root\":{\"a\":1},\"epoch\":\"old\",\"schemaVersion\":2,\"journal\":["
                                   "{\"seq\":6},{\"seq\":7}]}";
    begin(true, 100);
    cr_assert_eq(durable_restore(lives.rooms, room), RELAY_KEPT_NONE);
    cr_assert_eq(relay_hydrate(lives.relay, room, (struct relay_text){snapshot, sizeof snapshot - 1}), RELAY_HYDRATED);
    durable_adopt(lives.rooms, room);
    write_many("r", 30);
    rest(1000);
    survives("r", 7, 37, false);
    SAYS(welcome("r", ""), "\"epoch\":\"old\"");
    end();
}

/* room.evict-empty: until somebody writes, the file knows nothing of it. */
Test(durable, a_room_hydrated_at_seq_0_is_written_with_its_first_envelope) {
    struct relay_text room = {"r", 1};
    static const char snapshot[] = "{\"seq\":0,\"root\":{\"a\":1},\"epoch\":\"old\",\"schemaVersion\":2}";
    begin(true, 100);
    cr_assert_eq(durable_restore(lives.rooms, room), RELAY_KEPT_NONE);
    cr_assert_eq(relay_hydrate(lives.relay, room, (struct relay_text){snapshot, sizeof snapshot - 1}), RELAY_HYDRATED);
    durable_adopt(lives.rooms, room);
    turn();
    cr_expect_eq(store_world_number(&lives.file, "SELECT count(*) FROM rooms"), 0);
    write_many("r", 3);
    turn();
    cr_expect_eq(store_world_number(&lives.file, "SELECT count(*) FROM rooms"), 1);
    survives("r", 3, 3, false);
    SAYS(welcome("r", ""), "\"schemaVersion\":2");
    SAYS(welcome("r", ""), "\"epoch\":\"old\"");
    end();
}

/* ---- faults ------------------------------------------------------------------------------------- */

static sqlite3 *locked(void) {
    sqlite3 *other;
    cr_assert_eq(sqlite3_open(lives.file.path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return other;
}

static void unlock(sqlite3 *other) {
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(other);
}

/* What cannot be written closes its room's members and goes back to what is in the file; other rooms go on. */
static void fails_to_write(bool durable) {
    begin(durable, 100);
    write_many("r", 5);
    write_many("calm", 5);
    turn();
    struct pair *ana = client("w"), *ben = client("v");
    hello(ana, "r", "ana", "");
    hello(ben, "calm", "ben", "");
    char *before = strdup(gets(ana));
    drain(ben);
    sqlite3 *other = locked();
    writes(ana, "r", "w", "[]", "");
    writes(ana, "r", "w", "[]", "");
    turn();
    cr_expect(lives.lost);
    while (strcmp(gets(ana), "(closed)") != 0)
        ;
    SAYS(lives.told, "is locked");
    cr_expect_str_eq(gets(ben), "(nothing)");
    unlock(other);
    pair_free(ana);
    writes(ben, "calm", "v", "[]", "");
    turn();
    SAYS(gets(ben), "\"seq\":6");
    ana = client("w");
    hello(ana, "r", "ana", "");
    const char *after = gets(ana);
    SAYS(after, "\"seq\":5");
    cr_expect_eq(strcmp(before, after) == 0, durable, "%s", after);
    writes(ana, "r", "w", "[]", "");
    turn();
    SAYS(gets(ana), "\"seq\":6");
    pair_free(ana);
    pair_free(ben);
    free(before);
    survives("r", 0, 6, true);
    end();
}

Test(durable, a_failed_write_closes_its_rooms_members) {
    fails_to_write(true);
}

Test(durable, a_failed_write_after_its_echo_gives_the_room_a_new_epoch) {
    fails_to_write(false);
}

/* A failed load overwrites the store: no. The hello is closed, nothing is written, and the room is there later. */
Test(durable, a_room_that_cannot_be_read_is_refused_and_kept) {
    begin(true, 100);
    write_many("r", 5);
    write_many("fine", 5);
    turn();
    dies(true);
    store_world_execute(&lives.file, "UPDATE journal SET seq = 99 WHERE seq = 3 AND room = 1");
    live();
    struct pair *ana = client("w");
    hello(ana, "r", "ana", "");
    cr_expect_eq(durable_trouble(lives.rooms), DURABLE_UNREADABLE);
    cr_expect_str_eq(gets(ana), "(closed)");
    SAYS(lives.told, "hole");
    durable_calm(lives.rooms);
    pair_free(ana);
    turn();
    SAYS(welcome("fine", ""), "\"seq\":5");
    cr_expect_eq(rooms_in_memory(), 1);
    dies(true);
    store_world_execute(&lives.file, "UPDATE journal SET seq = 3 WHERE seq = 99");
    live();
    SAYS(welcome("r", ""), "\"seq\":5");
    end();
}

/* A snapshot that is none: refused as well. */
Test(durable, a_checkpoint_that_is_no_snapshot_is_refused) {
    begin(true, 100);
    write_many("r", 50);
    rest(1000);
    dies(true);
    store_world_execute(&lives.file, "UPDATE pieces SET bytes = x'7b7b7d'");
    live();
    cr_expect_str_eq(welcome("r", ""), "(closed)");
    SAYS(lives.told, "cannot be restored");
    cr_expect_eq(rooms_in_memory(), 0);
    end();
}

/* A checkpoint that cannot be written hurts nobody: it is tried again. */
Test(durable, a_failed_checkpoint_is_tried_again) {
    begin(true, 10);
    write_many("r", 50);
    turn();
    struct pair *ana = client("w");
    hello(ana, "r", "ana", "");
    drain(ana);
    sqlite3 *other = locked();
    lives.now += 1000;
    turn();
    turn();
    cr_expect_str_eq(gets(ana), "(nothing)");
    SAYS(lives.told, "is locked");
    unlock(other);
    rest(500);
    cr_expect_eq(store_world_number(&lives.file, "SELECT checkpoint FROM rooms"), 0);
    rest(2000);
    cr_expect_eq(store_world_number(&lives.file, "SELECT checkpoint FROM rooms"), 1);
    pair_free(ana);
    survives("r", 0, 50, true);
    end();
}
