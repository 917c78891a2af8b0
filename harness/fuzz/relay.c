/*
 * A whole relay of wire version 1, driven by decisions: clients that come and go, hellos, envelopes, presences, signals,
 * any other frames, the clock, hydrates and restarts. Afterwards the run must be one that clients can rely on
 * (harness/history), and each commit must show the fold of what was committed (commit.fold).
 */
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/support/commits.h"
#include "harness/fuzz/support/whole_relay.h"

#define OPS_CEILING 6

struct run {
    struct whole_relay whole;
    unsigned policy_version;
    bool is_free; /* a frame was sent whose outcome may be left open */
    struct commits commits;
};

static void take(void *context, const struct target_event *event, const struct json_value *message) {
    struct run *run = context;
    if (event->kind == TARGET_OBSERVED && strcmp(event->name, "commit") == 0)
        commits_take(&run->commits, message);
}

/* ---- frames -------------------------------------------------------------------------------------- */

static void put_hello(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    struct run *run = context;
    static const char *const seqs[] = {"",           "",           ",\"seq\":0", ",\"seq\":1",
                                       ",\"seq\":2", ",\"seq\":3", ",\"seq\":5", ",\"seq\":9"};
    static const char *const protos[] = {",\"proto\":1", ",\"proto\":1", ",\"proto\":1.0", ",\"proto\":2", ""};
    static const char *const schemas[] = {"", "", ",\"schemaVersion\":0", ",\"schemaVersion\":2",
                                          ",\"schemaVersion\":5"};
    fputs("{\"t\":\"hello\",\"room\":", out);
    whole_put_string(out, ONE_OF(&whole->bytes, whole_rooms));
    fprintf(out, ",\"origin\":\"%s\"%s", client->origin, ONE_OF(&whole->bytes, seqs));
    unsigned odd = bytes_choose(&whole->bytes, 8);
    fputs(odd == 7 ? ONE_OF(&whole->bytes, protos) : protos[0], out);
    fprintf(out, ",\"policyVersion\":%u", odd == 6 ? 7 : run->policy_version);
    fputs(odd == 5 ? ONE_OF(&whole->bytes, schemas) : "", out);
    fputc('}', out);
}

static void put_envelope(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    struct run *run = context;
    static const char *const more[] = {
        "", ",\"seq\":99", ",\"x\":{\"\":null}", ",\"schemaVersion\":1", ",\"schemaVersion\":3", ",\"seq\":null"};
    unsigned odd = bytes_choose(&whole->bytes, 24);
    fputs("{\"t\":\"env\",\"room\":", out);
    whole_put_string(out, ONE_OF(&whole->bytes, whole_rooms));
    fprintf(out, ",\"env\":{\"proto\":%u,\"origin\":\"%s\",\"writer\":", odd == 23 ? 2 : 1, client->origin);
    whole_put_string(out, odd == 22 ? "someone" : client->writer);
    /* The version tells envelopes apart, as it does for a real client. */
    fprintf(out, ",\"version\":%zu,\"hlc\":{\"p\":1,\"l\":0},\"policyVersion\":%u%s,\"ops\":", whole->count,
            odd == 21 ? 7 : run->policy_version, ONE_OF(&whole->bytes, more));
    bytes_ops(&whole->bytes, OPS_CEILING, out);
    fputs("}}", out);
}

/* A frame that is anything, or has anything as a value or behind its last member. */
static void put_raw(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    struct run *run = context;
    static const char *const heads[] = {
        "",
        ("{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":1,\"writer\":\"ana\",\"policyVersion\":0,"
         "\"ops\":[{\"kind\":\"set\",\"path\":[],\"next\":"),
        "{\"t\":\"hello\",\"room\":\"r\",\"proto\":1,\"policyVersion\":0,\"origin\":\"o1\"",
        "{\"t\":\"presence\",\"room\":\"r\",\"data\":",
        "{\"t\":\"signal\",\"room\":\"r\",\"to\":",
    };
    static const char *const tails[] = {"", "}]}}", "}", "}", "}"};
    (void)client;
    size_t length;
    unsigned kind = bytes_choose(&whole->bytes, sizeof heads / sizeof *heads);
    const char *raw = bytes_raw(&whole->bytes, WHOLE_RAW_CEILING, &length);
    fputs(heads[kind], out);
    fwrite(raw, 1, length, out);
    fputs(tails[kind], out);
    run->is_free = true;
}

/* ---- snapshots ----------------------------------------------------------------------------------- */

/* A journal without gaps, up to one entry past the snapshot's seq, which the relay must drop (hydrate.journal). */
static void put_snapshot(struct run *run, FILE *out) {
    unsigned seq = 1 + bytes_choose(&run->whole.bytes, 6), length = bytes_choose(&run->whole.bytes, 4);
    static const char *const more[] = {"", ",\"epoch\":\"kept\"", ",\"schemaVersion\":2"};
    fprintf(out, "{\"seq\":%u%s", seq, ONE_OF(&run->whole.bytes, more));
    if (bytes_choose(&run->whole.bytes, 4) != 3) {
        fputs(",\"root\":", out);
        bytes_json(&run->whole.bytes, out);
    }
    unsigned past = bytes_choose(&run->whole.bytes, 2), first = length > seq ? 1 : seq - length + 1;
    fputs(",\"journal\":[", out);
    for (unsigned at = first; at <= seq + past; at++) {
        fprintf(
            out,
            "%s{\"proto\":1,\"origin\":\"before\",\"writer\":\"before\",\"version\":%u,\"policyVersion\":%u,\"ops\":",
            at > first ? "," : "", at, run->policy_version);
        bytes_ops(&run->whole.bytes, 2, out);
        fprintf(out, ",\"seq\":%u}", at);
    }
    fputs("]}", out);
}

static void hydrate(struct run *run) {
    const char *room = ONE_OF(&run->whole.bytes, whole_rooms);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    put_snapshot(run, out);
    fclose(out);
    if (whole_hydrate(&run->whole, room, (struct text){text, length}))
        commits_hydrated(&run->commits, text_of(room), whole_parsed(&run->whole, (struct text){text, length}));
    free(text);
}

/* A snapshot that is anything, for a room that nobody enters. */
static void hydrate_raw(struct run *run) {
    static const char *const heads[] = {"", "{\"seq\":2,\"root\":", "{\"seq\":2,\"journal\":[{\"seq\":1},"};
    static const char *const tails[] = {"", "}", "]}"};
    whole_hydrate_raw(&run->whole, heads, tails, sizeof heads / sizeof *heads);
}

/* ---- a run --------------------------------------------------------------------------------------- */

static void choose_relay(struct run *run) {
    static const char *const profiles[] = {"0.2.0", "0.1.1", "0.1.0"};
    static const char *const options[] = {
        "{}",
        "{\"journalLimit\":0}",
        "{\"journalLimit\":1}",
        "{\"journalLimit\":3,\"limits\":{\"maxOpsPerEnvelope\":3}}",
        "{\"limits\":{\"maxEnvelopesPerSecond\":2}}",
        "{\"policy\":{\"acl\":[{\"prefix\":[\"a\"],\"allow\":true}]}}",
        "{\"policy\":{\"acl\":[{\"prefix\":[\"*\",\"b\"],\"allow\":{\"kind\":\"agent\"}}]}}",
        "{\"policy\":{\"acl\":[{\"prefix\":[],\"allow\":{\"writer\":\"ana\"}}]}}",
        "{\"policy\":{\"validate\":[{\"prefix\":[\"a\"],\"deny\":{\"next\":null}}]}}",
        "{\"policyVersion\":3,\"journalLimit\":2}",
    };
    run->whole.profile = ONE_OF(&run->whole.bytes, profiles);
    run->whole.options = ONE_OF(&run->whole.bytes, options);
    run->policy_version = strstr(run->whole.options, "policyVersion") != NULL ? 3 : 0;
}

static void restart(struct run *run) {
    commits_restarted(&run->commits);
    whole_restart(&run->whole);
}

static void command(struct run *run) {
    struct whole_relay *whole = &run->whole;
    unsigned choice = bytes_choose(&whole->bytes, 64);
    if (choice < 8)
        whole_connect(whole);
    else if (choice < 20)
        whole_send_frame(whole, put_hello);
    else if (choice < 38)
        whole_send_frame(whole, put_envelope);
    else if (choice < 44)
        whole_send_frame(whole, whole_put_presence);
    else if (choice < 48)
        whole_send_frame(whole, whole_put_signal);
    else if (choice < 52)
        whole_disconnect(whole);
    else if (choice < 54)
        whole_advance(whole);
    else if (choice < 58)
        hydrate(run);
    else if (choice < 59)
        restart(run);
    else if (choice < 61)
        whole_send_frame(whole, put_raw);
    else if (choice < 62)
        hydrate_raw(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct run run = {.whole = {.bytes = {data, size}, .arena = arena_new(), .target = target_memory_new(), .now = TARGET_CLOCK_START}};
    run.whole.context = &run;
    run.whole.on_event = take;
    run.commits.arena = run.whole.arena;
    choose_relay(&run);
    whole_open(&run.whole);
    for (int i = 0; i < WHOLE_COMMANDS_CEILING && run.whole.bytes.left > 0; i++)
        command(&run);
    whole_look_at_rooms(&run.whole, arena_format(run.whole.arena, ",\"proto\":1,\"policyVersion\":%u,\"schemaVersion\":9", run.policy_version));
    whole_check(&run.whole, &(struct history_settings){.settled = true, .has_free_outcomes = run.is_free});
    whole_end(&run.whole);
    arena_free(run.whole.arena);
    return 0;
}
