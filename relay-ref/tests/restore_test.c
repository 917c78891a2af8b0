/* Rooms that the relay's owner keeps: what comes back answers as what went away. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/failing_memory.h"
#include "relay-ref/tests/world.h"

#define ENVELOPES 12
#define ROOM ((struct relay_text){"r", 1})

/* A room's keeper: every commit, and the snapshot before each of them. */
struct keeper {
    struct relay_text snapshots[ENVELOPES + 1]; /* at seq 0, 1, … */
    struct relay_text later[ENVELOPES];
    struct relay_text epoch; /* at the end */
    enum relay_kept answer;  /* what `restore` says */
    size_t snapshot_at;      /* which snapshot it restores from */
    size_t asked;
    struct relay *relay;
    unsigned minted;
};

static struct relay_text copy_of(struct relay_text text) {
    char *bytes = malloc(text.length + 1);
    cr_assert_not_null(bytes);
    memcpy(bytes, text.bytes, text.length);
    return (struct relay_text){bytes, text.length};
}

static int64_t stands_still(void *context) {
    (void)context;
    return 0;
}

static size_t mints(void *context, char *out, size_t capacity) {
    struct keeper *keeper = context;
    return (size_t)snprintf(out, capacity, "k%u", ++keeper->minted);
}

static enum relay_committed keeps(void *context, struct relay_text room, struct relay_text envelope,
                                  const struct relay_commit_state *state, struct relay_commit *commit) {
    struct keeper *keeper = context;
    (void)room;
    (void)commit;
    bool changed = keeper->epoch.length != state->epoch.length ||
                   memcmp(keeper->epoch.bytes, state->epoch.bytes, state->epoch.length) != 0;
    keeper->later[state->seq - 1] = copy_of(envelope);
    if (!changed)
        return RELAY_COMMIT_DECIDED;
    free((char *)keeper->epoch.bytes);
    keeper->epoch = copy_of(state->epoch);
    return RELAY_COMMIT_DECIDED;
}

static struct relay_kept_room kept_room(const struct keeper *keeper) {
    return (struct relay_kept_room){keeper->snapshots[keeper->snapshot_at], keeper->later + keeper->snapshot_at,
                                    ENVELOPES - keeper->snapshot_at, keeper->epoch};
}

static enum relay_kept restores(void *context, struct relay_text room) {
    struct keeper *keeper = context;
    struct relay_kept_room kept = kept_room(keeper);
    keeper->asked++;
    if (keeper->answer == RELAY_KEPT_RESTORED && room.length == 1 && *room.bytes == 'r')
        cr_assert_eq(relay_restore(keeper->relay, room, &kept), RELAY_HYDRATED);
    return keeper->answer;
}

static struct relay *relay_of(struct keeper *keeper) {
    struct relay_env env = {.context = keeper, .now = stands_still, .mint = mints, .on_commit = keeps};
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_2_0);
    env.restore = restores;
    options.journal_limit = 1000;
    return keeper->relay = relay_new(&env, &options);
}

static const char *const ops[] = {"[{\"kind\":\"set\",\"path\":[],\"next\":{\"a\":[1]}}]", "[]",
                                  "[{\"kind\":\"set\",\"path\":[\"a\",3],\"next\":{\"\\u0000\":\"\\ud800\"}}]",
                                  "[{\"kind\":\"delete\",\"path\":[\"a\",0]}]",
                                  "[{\"kind\":\"set\",\"path\":[\"b\",\"c\"],\"next\":1e0}]"};

/* Plays a room of twelve envelopes, two of which are migrations. */
static void play(struct keeper *keeper) {
    struct relay_principal principal = {.writer = {"w", 1}};
    memset(keeper, 0, sizeof *keeper);
    struct pair *client = pair_open(relay_of(keeper), &principal);
    hello(client, "r", "o", "");
    for (size_t i = 0; i < ENVELOPES; i++) {
        if (i > 0)
            cr_assert(relay_snapshot(keeper->relay, ROOM, &keeper->snapshots[i]));
        writes(client, "r", "w", ops[i % 5], i == 4 ? ",\"schemaVersion\":2" : i == 8 ? ",\"schemaVersion\":2.5" : "");
    }
    cr_assert(relay_snapshot(keeper->relay, ROOM, &keeper->snapshots[ENVELOPES]));
    drain(client);
    pair_free(client);
}

static void forget(struct keeper *keeper) {
    relay_free(keeper->relay);
    for (size_t i = 0; i <= ENVELOPES; i++)
        free((char *)keeper->snapshots[i].bytes);
    for (size_t i = 0; i < ENVELOPES; i++)
        free((char *)keeper->later[i].bytes);
    free((char *)keeper->epoch.bytes);
}

static char *welcome(struct relay *relay, const char *seq) {
    struct relay_principal principal = {.writer = {"w", 1}};
    struct pair *client = pair_open(relay, &principal);
    hello(client, "r", "o", seq);
    struct pair_event event = pair_take(client);
    char *text = event.kind == PAIR_MESSAGE ? strndup(event.frame->text, event.frame->length) : strdup("(no message)");
    if (event.kind == PAIR_MESSAGE)
        relay_frame_release(event.frame);
    pair_free(client);
    return text;
}

/* hydrate.round-trip: whichever snapshot it comes back from, with the journal that a hydrate cannot have but what was
   ordered later, the room gives the snapshot and the deltas that it would have given. */
Test(restore, answers_as_the_old_one_from_every_snapshot) {
    struct keeper keeper;
    char seq[32];
    play(&keeper);
    struct relay *old = keeper.relay;
    for (size_t at = 0; at <= ENVELOPES; at++) {
        keeper.answer = RELAY_KEPT_RESTORED;
        keeper.snapshot_at = at;
        struct relay *new = relay_of(&keeper);
        for (size_t watermark = at; watermark <= ENVELOPES + 1; watermark++) {
            snprintf(seq, sizeof seq, watermark <= ENVELOPES ? ",\"seq\":%zu" : "", watermark);
            if (at == ENVELOPES && watermark > ENVELOPES)
                continue;
            char *wanted = welcome(old, seq), *got = welcome(new, seq);
            cr_assert_str_eq(got, wanted, "from %zu, watermark %zu", at, watermark);
            free(wanted);
            free(got);
        }
        relay_free(new);
    }
    keeper.relay = old;
    forget(&keeper);
}

static void answers(struct keeper *keeper, struct pair *client, const char *start) {
    struct pair_event event = pair_take(client);
    (void)keeper;
    if (start == NULL) {
        cr_expect_eq(event.kind, PAIR_CLOSED);
        return;
    }
    cr_assert_eq(event.kind, PAIR_MESSAGE);
    cr_expect(strncmp(event.frame->text, start, strlen(start)) == 0, "%.*s", (int)event.frame->length,
              event.frame->text);
    relay_frame_release(event.frame);
}

/* Asked once a room and only when nothing else speaks against the hello; an unreadable room is never made blank. */
Test(restore, is_asked_before_a_room_is_made) {
    struct keeper keeper;
    struct relay_principal principal = {.writer = {"w", 1}};
    play(&keeper);
    relay_free(keeper.relay);
    keeper.asked = 0;
    struct pair *client = pair_open(relay_of(&keeper), &principal);
    says(client, "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o\",\"proto\":9,\"policyVersion\":0}");
    answers(&keeper, client, "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"proto\"");
    says(client, "{\"t\":\"env\",\"room\":\"r\",\"env\":{}}");
    cr_expect_eq(keeper.asked, 0);
    keeper.answer = RELAY_KEPT_RESTORED;
    keeper.snapshot_at = 3;
    /* Also below what a blank room would ask for: the room that was kept says what it expects. */
    hello(client, "r", "o", ",\"schemaVersion\":-1");
    answers(&keeper, client, "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"schema\",\"expected\":2.5}");
    hello(client, "r", "o", ",\"schemaVersion\":1");
    answers(&keeper, client, "{\"t\":\"reject\",\"room\":\"r\",\"reason\":\"schema\",\"expected\":2.5}");
    hello(client, "r", "o", "");
    answers(&keeper, client, "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":12,\"epoch\":\"k5\",\"schemaVersion\":2.5");
    cr_expect_eq(keeper.asked, 1);
    keeper.answer = RELAY_KEPT_NONE;
    hello(client, "new", "o", ",\"schemaVersion\":-1");
    answers(&keeper, client, "{\"t\":\"reject\",\"room\":\"new\",\"reason\":\"schema\",\"expected\":0}");
    hello(client, "new", "o", "");
    answers(&keeper, client, "{\"t\":\"welcome\",\"room\":\"new\",\"seq\":0,");
    keeper.answer = RELAY_KEPT_UNREADABLE;
    hello(client, "bad", "o", "");
    answers(&keeper, client, NULL);
    struct relay_room_info info;
    cr_expect_not(relay_room(keeper.relay, (struct relay_text){"bad", 3}, &info));
    pair_free(client);
    forget(&keeper);
}

/* A discarded room was never there: its members' connections end, which leave their other rooms in the ordinary way. */
Test(restore, a_discarded_room_closes_its_members) {
    struct world world;
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    struct pair *ana = world_client(&world, "a"), *ben = world_client(&world, "b");
    hello(ana, "r", "ana", "");
    hello(ana, "q", "ana", "");
    hello(ben, "q", "ben", "");
    writes(ana, "r", "a", "[]", "");
    drain(ana);
    drain(ben);
    relay_discard(world.relay, (struct relay_text){"nowhere", 7});
    cr_expect_str_eq(next(&world, ana), "(nothing)");
    relay_discard(world.relay, ROOM);
    cr_expect_str_eq(next(&world, ana), "(closed)");
    cr_expect_str_eq(next(&world, ben), "(nothing)");
    pair_free(ana);
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"q\",\"origin\":\"ana\",\"gone\":true}");
    cr_expect_eq(room_info(&world, "r").seq, 0);
    cr_expect_eq(relay_count(world.relay).rooms, 1);
    hello(ben, "r", "ben", "");
    cr_expect_eq(room_info(&world, "r").members, 1);
    pair_free(ben);
    world_close(&world);
}

/* Ceilings that are lower than they were keep nobody from their room. */
Test(restore, takes_in_what_is_past_todays_ceilings) {
    struct keeper keeper;
    play(&keeper);
    relay_free(keeper.relay);
    struct relay_env env = {.context = &keeper, .now = stands_still, .mint = mints};
    struct relay_options options = relay_options_default(RELAY_PROTOCOL_0_2_0);
    options.max_depth = 1;
    options.max_root_bytes = 4;
    options.max_ops_per_envelope = 0;
    keeper.relay = relay_new(&env, &options);
    struct relay_kept_room kept = kept_room(&keeper);
    cr_assert_eq(relay_restore(keeper.relay, ROOM, &kept), RELAY_HYDRATED);
    struct relay_text snapshot;
    cr_assert(relay_snapshot(keeper.relay, ROOM, &snapshot));
    cr_assert_eq(snapshot.length, keeper.snapshots[ENVELOPES].length);
    cr_assert_arr_eq(snapshot.bytes, keeper.snapshots[ENVELOPES].bytes, snapshot.length);
    free((char *)snapshot.bytes);
    cr_expect_eq(relay_restore(keeper.relay, ROOM, &kept), RELAY_HYDRATE_REFUSED, "it is there already");
    forget(&keeper);
}

Test(restore, is_all_or_nothing_when_memory_is_out) {
    struct keeper keeper;
    struct relay_room_info info;
    bool failed = true;
    play(&keeper);
    keeper.snapshot_at = 3;
    relay_free(keeper.relay);
    struct relay *relay = relay_of(&keeper);
    struct relay_kept_room kept = kept_room(&keeper);
    for (size_t nth = 1; failed; nth++) {
        memory_fails_at(nth, false);
        enum relay_hydrated hydrated = relay_restore(relay, ROOM, &kept);
        failed = memory_works_again();
        cr_assert_eq(hydrated, failed ? RELAY_HYDRATE_REFUSED : RELAY_HYDRATED, "allocation %zu", nth);
        cr_assert_eq(relay_room(relay, ROOM, &info), !failed);
    }
    failed = true;
    for (size_t nth = 1; failed; nth++) {
        struct relay_text snapshot;
        memory_fails_at(nth, false);
        bool made = relay_snapshot(relay, ROOM, &snapshot);
        failed = memory_works_again();
        cr_assert(made || failed);
        if (made)
            free((char *)snapshot.bytes);
    }
    forget(&keeper);
}
