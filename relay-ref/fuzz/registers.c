/* The relay's registers, evidence and settling against the harness' model of them, which was written apart from it (register.*, admit.*,
 * settle.*, hydrate.registers): after each envelope of a room, and after the room was stored and read back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/fuzz/support/registers_oracle.h"
#include "harness/fuzz/support/writes.h"
#include "relay-ref/adapters/pair.h"
#include "relay-ref/core/relay.h"
#include "relay-ref/json/scanner.h"
#include "relay-ref/json/string.h"

#define ENVELOPES_CEILING 60

static const struct relay_text room = {"r", 1};

struct run {
    struct bytes bytes;
    struct relay_options options;
    struct relay *relay;
    struct pair *pair;
    struct registers_oracle *oracle;
    struct writes writes;
    unsigned minted, sent, versions[WRITES_ORIGINS];
    size_t commits;
    const char *dropped; /* the reason of the last drop */
};

/* ---- what the relay says ------------------------------------------------------------------------- */

static int64_t now(void *context) {
    (void)context;
    return 0;
}

static size_t mint(void *context, char *out, size_t capacity) {
    struct run *run = context;
    return (size_t)snprintf(out, capacity, "e%u", ++run->minted);
}

static struct registers_text text_of(struct relay_text text) {
    return (struct registers_text){text.bytes, text.length};
}

static struct registers_text part(struct relay_commit *commit, enum relay_commit_part which) {
    return text_of(relay_commit_part(commit, which));
}

static enum relay_committed on_commit(void *context, struct relay_text name, struct relay_text envelope,
                                      const struct relay_commit_state *state, struct relay_commit *commit) {
    struct run *run = context;
    (void)name;
    run->commits++;
    if (state->seq != run->commits)
        found("seq %llu was committed after %zu", (unsigned long long)state->seq, run->commits - 1);
    registers_oracle_take(run->oracle, &(struct registers_claim){text_of(envelope), part(commit, RELAY_COMMIT_REGISTERS),
                                                                 part(commit, RELAY_COMMIT_WM), part(commit, RELAY_COMMIT_SETTLED)});
    return RELAY_COMMIT_DECIDED;
}

static void on_drop(void *context, struct relay_text name, const struct relay_dropped *dropped) {
    struct run *run = context;
    (void)name;
    run->dropped = dropped->reason;
}

/* ---- a relay and its only client ----------------------------------------------------------------- */

static void say_hello(struct run *run) {
    static const char hello[] = "{\"t\":\"hello\",\"room\":\"r\",\"origin\":\"o1\",\"proto\":3,\"policyVersion\":0}";
    struct relay_principal principal = {.writer = {"w", 1}};
    run->pair = pair_open(run->relay, &principal);
    pair_send(run->pair, hello, sizeof hello - 1);
}

static void open_relay(struct run *run) {
    struct relay_env env = {.context = run, .now = now, .mint = mint, .on_commit = on_commit, .on_drop = on_drop};
    run->relay = relay_new(&env, &run->options);
    if (run->relay == NULL)
        found("memory was out");
}

static void close_relay(struct run *run) {
    pair_free(run->pair);
    relay_free(run->relay);
}

/* A member of a snapshot; no value when there is none. */
static struct registers_text member_of(struct relay_text snapshot, const char *wanted) {
    struct json_scanner scanner;
    struct json_value name, value;
    struct registers_text text = {NULL, 0};
    relay_scan_start(&scanner, snapshot.bytes, snapshot.length);
    if (relay_scan_enter(&scanner))
        while (relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &value))
            if (relay_string_is(&name, wanted))
                text = (struct registers_text){value.bytes, value.length};
    relay_scan_end(&scanner);
    return text;
}

/* hydrate.registers: another relay goes on with what this one has stored. */
static void store_and_read_back(struct run *run) {
    struct relay_text stored, again;
    if (run->commits == 0)
        return;
    if (!relay_snapshot(run->relay, room, &stored))
        found("there is no snapshot");
    close_relay(run);
    open_relay(run);
    if (relay_hydrate(run->relay, room, stored) != RELAY_HYDRATED || !relay_snapshot(run->relay, room, &again))
        found("its own snapshot was not taken: %.*s", (int)stored.length, stored.bytes);
    registers_oracle_restored(run->oracle, &(struct registers_claim){{NULL, 0}, member_of(again, "registers"), member_of(again, "wm"),
                                                                     member_of(again, "settled")});
    free((char *)stored.bytes);
    free((char *)again.bytes);
    say_hello(run);
}

/* ---- envelopes ----------------------------------------------------------------------------------- */

static void put_envelope(struct run *run, const char *origin, unsigned version, FILE *out) {
    static const char *const more[] = {"", "", "", "", "", "", ",\"seq\":4", ",\"schemaVersion\":1", ",\"schemaVersion\":2"};
    struct dot dot = writes_next(&run->writes, &run->bytes, origin, 1000 + run->sent, bytes_choose(&run->bytes, 3));
    struct relay_room_info info;
    if (!relay_room(run->relay, room, &info))
        found("the room has gone");
    fprintf(out,
            "{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":3,\"instance\":\"%.*s\",\"origin\":\"%s\",\"writer\":\"w\",\"version\":%u,"
            "\"hlc\":{\"p\":%lld,\"l\":%u},\"policyVersion\":0%s,\"ops\":",
            (int)info.epoch.length, info.epoch.bytes, origin, version, (long long)dot.p, dot.l,
            more[bytes_choose(&run->bytes, sizeof more / sizeof *more)]);
    writes_put_ops(&run->writes, &run->bytes, dot.p, out);
    fputs("}}", out);
}

/* An envelope that is malformed ejects its writer for good; false then. */
static bool is_member(const struct run *run) {
    struct relay_room_info info;
    return relay_room(run->relay, room, &info) && info.members > 0;
}

static void write_once(struct run *run) {
    static const char *const reasons[] = {[REGISTERS_DUPLICATE] = "duplicate", [REGISTERS_LATE] = "order"};
    unsigned which = bytes_choose(&run->bytes, WRITES_ORIGINS), version = writes_version(&run->bytes, &run->versions[which]);
    enum registers_admission admission = registers_oracle_admits(run->oracle, writes_origins[which], version);
    size_t length = 0, before = run->commits;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);
    put_envelope(run, writes_origins[which], version, out);
    fclose(out);
    run->sent++;
    run->dropped = NULL;
    pair_send(run->pair, text, length);
    bool schema_is_old = run->dropped != NULL && strcmp(run->dropped, "schema") == 0;
    if (is_member(run) && !schema_is_old && (run->commits == before) != (admission != REGISTERS_NEW))
        found("%s was %s", text, run->commits == before ? "not ordered" : "ordered");
    if (run->dropped != NULL && !schema_is_old && (admission == REGISTERS_NEW || strcmp(run->dropped, reasons[admission]) != 0))
        found("%s was dropped as %s", text, run->dropped);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct run run = {.bytes = {data, size}, .options = relay_options_default(RELAY_PROTOCOL_0_9)};
    run.options.journal_limit = bytes_choose(&run.bytes, 4);
    run.oracle = registers_oracle_new(run.options.journal_limit);
    open_relay(&run);
    say_hello(&run);
    for (int i = 0; i < ENVELOPES_CEILING && run.bytes.left > 0 && is_member(&run); i++) {
        if (bytes_choose(&run.bytes, 12) == 11)
            store_and_read_back(&run);
        else
            write_once(&run);
    }
    close_relay(&run);
    registers_oracle_free(run.oracle);
    return 0;
}
