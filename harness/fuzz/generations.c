/*
 * A whole relay of wire version 3, driven by decisions: envelopes that cite each other, raise epochs, come twice, late or from another
 * generation, migrations, commits that are held, released and failed, rooms that are unloaded and filled again from what was committed.
 * Afterwards the run must be one that clients can rely on: among other things each snapshot and each commit must show the registers
 * that the harness' own model has (history.registers).
 */
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/support/whole_relay.h"
#include "harness/fuzz/support/writes.h"

#define INSTANCE_CEILING 64
#define KEPT 8 /* envelopes that may be sent again */

struct run {
    struct whole_relay whole;
    unsigned policy_version;
    bool is_free; /* a frame was sent whose outcome may be left open */
    bool holds;   /* commits are held now and then */
    bool ejects_connections;
    char instances[WHOLE_ROOMS][INSTANCE_CEILING]; /* as the last welcome told */
    unsigned versions[WHOLE_ROOMS][WRITES_ORIGINS]; /* the last one used */
    struct writes writes;
    const char *kept[KEPT], *kept_by[KEPT]; /* envelopes, and their writers */
    size_t kept_count;
    const struct json_value *commits[WHOLE_ROOMS]; /* the last one of each room */
};

static size_t index_of(const char *const *names, size_t count, struct text name) {
    size_t index = 0;
    while (index < count && !text_equal(text_of(names[index]), name))
        index++;
    return index;
}

static size_t room_of(const struct json_value *message) {
    const struct json_value *room = json_get(message, "room");
    return room == NULL || room->type != JSON_STRING ? WHOLE_ROOMS : index_of(whole_rooms, WHOLE_ROOMS, room->text);
}

static void take(void *context, const struct target_event *event, const struct json_value *message) {
    struct run *run = context;
    const struct json_value *instance = json_get(message, "instance");
    size_t room = room_of(message);
    if (room == WHOLE_ROOMS)
        return;
    if (event->kind == TARGET_OBSERVED && strcmp(event->name, "commit") == 0)
        run->commits[room] = message;
    if (event->kind == TARGET_MESSAGE && instance != NULL && instance->type == JSON_STRING)
        snprintf(run->instances[room], INSTANCE_CEILING, "%.*s", (int)instance->text.length, instance->text.bytes);
}

/* ---- envelopes ----------------------------------------------------------------------------------- */

static void put_fresh(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    static const char *const more[] = {"", "", "", "", ",\"schemaVersion\":0", ",\"seq\":7", ",\"x\":[{}]", ",\"schemaVersion\":2", ",\"schemaVersion\":3"};
    struct run *run = context;
    size_t room = bytes_choose(&whole->bytes, WHOLE_ROOMS);
    unsigned odd = bytes_choose(&whole->bytes, 32);
    const char *origin = odd == 31 ? ONE_OF(&whole->bytes, writes_origins) : client->origin;
    struct dot dot = writes_next(&run->writes, &whole->bytes, origin, whole->now, (unsigned)whole->count);
    fputs("{\"t\":\"env\",\"room\":", out);
    whole_put_string(out, whole_rooms[room]);
    fprintf(out, ",\"env\":{\"proto\":%u,\"instance\":\"%s\",\"origin\":\"%s\",\"writer\":", odd == 30 ? 1 : 3,
            odd == 29 ? "another" : run->instances[room], origin);
    whole_put_string(out, odd == 28 ? "someone" : client->writer);
    fprintf(out, ",\"version\":%u,\"hlc\":{\"p\":%lld,\"l\":%u},\"policyVersion\":%u%s",
            writes_version(&whole->bytes, &run->versions[room][index_of(writes_origins, WRITES_ORIGINS, text_of(origin))]), (long long)dot.p, dot.l,
            odd == 27 ? 7 : run->policy_version, ONE_OF(&whole->bytes, more));
    fputs(",\"ops\":", out);
    writes_put_ops(&run->writes, &whole->bytes, whole->now, out);
    fputs("}}", out);
}

/* An envelope, which is kept. */
static void put_envelope(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    struct run *run = context;
    size_t length = 0, place = run->kept_count++ % KEPT;
    char *text = NULL;
    FILE *copy = open_memstream(&text, &length);
    put_fresh(context, whole, client, copy);
    fclose(copy);
    fputs(text, out);
    run->kept[place] = arena_copy(whole->arena, text, length);
    run->kept_by[place] = client->writer;
    free(text);
}

/* The very same envelope again, when it is the client's writer's. */
static void put_again(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    struct run *run = context;
    size_t place = bytes_choose(&whole->bytes, KEPT);
    if (run->kept[place] != NULL && strcmp(run->kept_by[place], client->writer) == 0)
        fputs(run->kept[place], out);
    else
        put_envelope(context, whole, client, out);
}

/* ---- other frames -------------------------------------------------------------------------------- */

static void put_hello(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    static const char *const more[] = {"",           "",           ",\"seq\":0", ",\"seq\":1",          ",\"seq\":2",
                                       ",\"seq\":4", ",\"seq\":9", "",           ",\"schemaVersion\":3", ",\"schemaVersion\":1"};
    struct run *run = context;
    unsigned odd = bytes_choose(&whole->bytes, 16);
    fputs("{\"t\":\"hello\",\"room\":", out);
    whole_put_string(out, ONE_OF(&whole->bytes, whole_rooms));
    fprintf(out, ",\"origin\":\"%s\",\"proto\":%u,\"policyVersion\":%u%s}", client->origin, odd == 15 ? 1 : 3,
            odd == 14 ? 7 : run->policy_version, ONE_OF(&whole->bytes, more));
}

/* A frame that is anything, or has anything as a value or behind its last member. */
static void put_raw(void *context, struct whole_relay *whole, const struct whole_client *client, FILE *out) {
    static const char *const heads[] = {"", ",\"ops\":[{\"kind\":\"set\",\"path\":[", ",\"ops\":[{\"kind\":\"set\",\"path\":[],\"next\":",
                                        ",\"ops\":[{\"kind\":\"set\",\"path\":[],\"epoch\":0,\"cites\":[", ",\"ops\":"},
                      *const tails[] = {"", "],\"next\":1,\"cites\":[],\"epoch\":0}]}}", ",\"cites\":[],\"epoch\":0}]}}", "]}]}}", "}}"};
    struct run *run = context;
    size_t length;
    unsigned kind = bytes_choose(&whole->bytes, sizeof heads / sizeof *heads);
    const char *raw = bytes_raw(&whole->bytes, WHOLE_RAW_CEILING, &length);
    if (kind > 0) {
        fprintf(out, "{\"t\":\"env\",\"room\":\"r\",\"env\":{\"proto\":3,\"instance\":\"%s\",\"origin\":\"%s\",\"writer\":", run->instances[0],
                client->origin);
        whole_put_string(out, client->writer);
        fprintf(out, ",\"version\":%u,\"hlc\":{\"p\":1,\"l\":1},\"policyVersion\":%u", ++run->versions[0][0], run->policy_version);
    }
    fputs(heads[kind], out);
    fwrite(raw, 1, length, out);
    fputs(tails[kind], out);
    run->is_free = true;
}

/* ---- durability and the life of rooms ------------------------------------------------------------ */

/* The answer of a further command; NULL when the relay says no. */
static const struct json_value *put(struct run *run, const char *name, const char *fields) {
    struct buffer answer = {0};
    struct error error = {0};
    enum target_outcome outcome = run->whole.target->table->command(run->whole.target, name, text_of(fields), &answer, &error);
    const struct json_value *value =
        outcome == TARGET_OK ? whole_parsed(&run->whole, (struct text){answer.length > 0 ? answer.bytes : "null", answer.length > 0 ? answer.length : 4})
                             : NULL;
    if (outcome == TARGET_BROKEN)
        found("%s broke the relay: %s", name, error.text);
    buffer_free(&answer);
    whole_drain(&run->whole);
    return value;
}

static void decide(struct run *run) {
    static const char *const names[] = {"hold", "hold", "unhold", "release", "release", "release", "fail"};
    const char *name = ONE_OF(&run->whole.bytes, names);
    bool all = strcmp(name, "hold") == 0 || strcmp(name, "unhold") == 0;
    if (!run->holds)
        return;
    put(run, name,
        all ? "{}"
            : arena_format(run->whole.arena, "{\"room\":\"%s\",\"seq\":%u}", ONE_OF(&run->whole.bytes, whole_rooms),
                           1 + bytes_choose(&run->whole.bytes, 9)));
}

/* room.unload: without members, and without held commits, which a room without members may have as well. */
static void unload(struct run *run) {
    size_t room = bytes_choose(&run->whole.bytes, WHOLE_ROOMS);
    bool discard = bytes_choose(&run->whole.bytes, 2) == 1;
    const struct json_value *info = whole_room(&run->whole, whole_rooms[room]), *members = json_get(info, "members");
    bool may = info->type == JSON_OBJECT && members != NULL && members->number == 0;
    const struct json_value *answer =
        put(run, "unload", arena_format(run->whole.arena, "{\"room\":\"%s\",\"discard\":%s}", whole_rooms[room], discard ? "true" : "false"));
    if (answer == NULL || answer->type != JSON_BOOLEAN || (answer->boolean && !may) || (!run->holds && answer->boolean != may))
        found("a room that may %sbe unloaded was %s", may ? "" : "not ", answer == NULL || !answer->boolean ? "not unloaded" : "unloaded");
    if (!answer->boolean)
        return;
    struct json_value *message = json_object(run->whole.arena);
    json_set(message, TEXT("unloaded"), json_string(run->whole.arena, text_of(whole_rooms[room])));
    whole_note(&run->whole, HISTORY_UNLOADED, 0, message);
}

/* A snapshot of what the last commit of some room reported, with its envelope as the journal. */
static void hydrate(struct run *run) {
    const struct json_value *commit = run->commits[bytes_choose(&run->whole.bytes, WHOLE_ROOMS)];
    const char *room = ONE_OF(&run->whole.bytes, whole_rooms);
    unsigned left_out = bytes_choose(&run->whole.bytes, 16);
    struct buffer text = {0};
    if (commit == NULL)
        return;
    const struct json_value *state = json_get(commit, "state");
    struct json_value *snapshot = json_object(run->whole.arena), *journal = json_array(run->whole.arena);
    unsigned at = 0;
    for (const struct json_value *part = state->first; part != NULL; part = part->next, at++)
        if (at != left_out || text_equal(part->key, TEXT("seq")))
            json_set(snapshot, part->key, json_copy(run->whole.arena, part));
    json_append(journal, json_copy(run->whole.arena, json_get(commit, "env")));
    if (left_out % 2 == 0)
        json_set(snapshot, TEXT("journal"), journal);
    json_print(&text, snapshot);
    whole_hydrate(&run->whole, room, (struct text){text.bytes, text.length});
    buffer_free(&text);
}

/* A snapshot that is anything, for a room that nobody enters. */
static void hydrate_raw(struct run *run) {
    static const char *const heads[] = {"", "{\"seq\":2,\"registers\":[", "{\"seq\":2,\"registers\":[{\"path\":[\"a\"],\"water\":{},\"siblings\":[",
                                        "{\"seq\":2,\"registers\":[{\"path\":[\"a\"],\"siblings\":[],\"water\":{", "{\"seq\":2,\"wm\":{",
                                        "{\"seq\":2,\"ranges\":{\"o1\":[", "{\"seq\":2,\"settled\":{"},
                      *const tails[] = {"", "]}", "]}]}", "}}]}", "}}", "]}}", "}}"};
    whole_hydrate_raw(&run->whole, heads, tails, sizeof heads / sizeof *heads);
}

/* ---- a run --------------------------------------------------------------------------------------- */

static void choose_relay(struct run *run) {
    static const char *const options[] = {
        "{}",
        "{\"journalLimit\":1}",
        "{\"journalLimit\":0}",
        "{\"journalLimit\":2,\"limits\":{\"maxOpsPerEnvelope\":3}}",
        "{\"journalLimit\":1,\"ejection\":\"connection\"}",
        "{\"journalLimit\":1,\"policy\":{\"verifyCitations\":true}}",
        "{\"policy\":{\"canBump\":{\"allow\":{\"kind\":\"agent\"}}}}",
        "{\"journalLimit\":3,\"policy\":{\"verifyCitations\":true,\"canBump\":{\"allow\":true}}}",
        "{\"ejection\":\"connection\",\"policy\":{\"acl\":[{\"prefix\":[\"*\"],\"allow\":true}]}}",
        "{\"policyVersion\":3,\"journalLimit\":1}",
    };
    run->whole.profile = "0.9";
    run->whole.options = ONE_OF(&run->whole.bytes, options);
    run->policy_version = strstr(run->whole.options, "policyVersion") != NULL ? 3 : 0;
    run->ejects_connections = strstr(run->whole.options, "connection") != NULL;
    run->holds = bytes_choose(&run->whole.bytes, 4) == 3;
}

static void command(struct run *run) {
    struct whole_relay *whole = &run->whole;
    unsigned choice = bytes_choose(&whole->bytes, 64);
    if (choice < 6)
        whole_connect(whole);
    else if (choice < 16)
        whole_send_frame(whole, put_hello);
    else if (choice < 38)
        whole_send_frame(whole, put_envelope);
    else if (choice < 42)
        whole_send_frame(whole, put_again);
    else if (choice < 45)
        whole_send_frame(whole, whole_put_presence);
    else if (choice < 47)
        whole_send_frame(whole, whole_put_signal);
    else if (choice < 50)
        whole_disconnect(whole);
    else if (choice < 52)
        whole_advance(whole);
    else if (choice < 55)
        hydrate(run);
    else if (choice < 59)
        decide(run);
    else if (choice < 61)
        unload(run);
    else if (choice < 62)
        whole_restart(whole);
    else if (choice < 63)
        whole_send_frame(whole, put_raw);
    else
        hydrate_raw(run);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct run run = {.whole = {.bytes = {data, size}, .arena = arena_new(), .target = target_memory_new(), .now = TARGET_CLOCK_START}};
    run.whole.context = &run;
    run.whole.on_event = take;
    run.whole.is_late_free = true;
    choose_relay(&run);
    whole_open(&run.whole);
    for (int i = 0; i < WHOLE_COMMANDS_CEILING && run.whole.bytes.left > 0; i++)
        command(&run);
    whole_look_at_rooms(&run.whole, arena_format(run.whole.arena, ",\"proto\":3,\"policyVersion\":%u", run.policy_version));
    whole_check(&run.whole, &(struct history_settings){.settled = !run.holds,
                                                       .held = run.holds,
                                                       .has_free_outcomes = run.is_free,
                                                       .ejects_connections = run.ejects_connections,
                                                       .wire = 3});
    whole_end(&run.whole);
    arena_free(run.whole.arena);
    return 0;
}
