#include "relay-ref/adapters/control_http_commands.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/flags.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/scanner.h"
#include "relay-ref/json/string.h"

#define REASON_CAPACITY 512

/* The fields that commands have; those that are missing are JSON_ABSENT. */
struct command {
    struct json_value id, verb, relay, profile, options, room, snapshot, ms;
};

static bool read_command(struct relay_text text, struct command *command) {
    const struct {
        const char *name;
        struct json_value *value;
    } fields[] = {{"id", &command->id},           {"do", &command->verb},       {"relay", &command->relay},
                  {"profile", &command->profile}, {"options", &command->options}, {"room", &command->room},
                  {"snapshot", &command->snapshot}, {"ms", &command->ms}};
    struct json_scanner scanner;
    struct json_value name, value;
    *command = (struct command){0};
    relay_scan_start(&scanner, text.bytes, text.length);
    bool fine = relay_scan_peek(&scanner) == JSON_OBJECT && relay_scan_enter(&scanner);
    while (fine && relay_scan_member(&scanner, &name)) {
        fine = relay_scan_value(&scanner, &value);
        for (size_t i = 0; fine && i < sizeof fields / sizeof *fields; i++)
            if (relay_string_is(&name, fields[i].name))
                *fields[i].value = value;
    }
    fine = fine && relay_scan_finish(&scanner);
    relay_scan_end(&scanner);
    return fine && command->id.kind != JSON_ABSENT && command->verb.kind == JSON_STRING;
}

static struct relay_text text_of(const struct json_value *value) {
    return (struct relay_text){value->bytes, value->length};
}

/* The characters of a string, owned by the caller; `bytes` is NULL when it is none or memory is out. */
static struct relay_text decode(const struct json_value *value) {
    struct relay_text text = {0};
    char *characters = value->kind == JSON_STRING ? malloc(value->length) : NULL;
    if (characters != NULL)
        text = (struct relay_text){characters, relay_string_decode(value, characters)};
    return text;
}

static void answer_ok(struct relay_buffer *answer) {
    relay_buffer_add_words(answer, ",\"ok\":true");
}

static void answer_no(struct relay_buffer *answer, const char *reason) {
    relay_buffer_add_words(answer, ",\"no\":");
    relay_buffer_add_string(answer, (struct relay_text){reason, strlen(reason)});
}

static void do_start(struct relay_buffer *answer) {
    relay_buffer_add_words(answer,
                           ",\"ok\":{\"name\":\"" SERVER_NAME "\",\"version\":\"" SERVER_VERSION "\",\"language\":\"C\","
                           "\"profiles\":[\"0.1.0\",\"0.1.1\",\"0.2.0\"],"
                           "\"can\":[\"options\",\"clock\",\"hydrate\",\"room\",\"commit\",\"violation\",\"policy.acl\","
                           "\"policy.validate\",\"restart\",\"fresh\"]}");
}

/* Puts a fresh relay in place of the living one; its clients are gone before it is. */
static void replace(const struct control_room *room, enum relay_protocol protocol, struct relay_text options,
                    struct relay_buffer *answer) {
    char reason[REASON_CAPACITY];
    struct relay_settings *wanted = relay_settings_read(protocol, options, reason, sizeof reason);
    if (wanted == NULL) {
        answer_no(answer, reason);
        return;
    }
    relay_settings_free(wanted);
    room->end_connections(room->context);
    if (!live_open(room->live, protocol, options, reason, sizeof reason)) {
        answer_no(answer, reason);
        return;
    }
    live_restart_clock(room->live);
    answer_ok(answer);
}

static void do_open(const struct control_room *room, const struct command *command, struct relay_buffer *answer) {
    char name[16] = "";
    enum relay_protocol protocol;
    if (command->profile.kind == JSON_STRING && command->profile.length < sizeof name)
        name[relay_string_decode(&command->profile, name)] = '\0';
    if (!relay_protocol_from_name(name, &protocol)) {
        answer_no(answer, "this relay speaks the profiles 0.1.0, 0.1.1 and 0.2.0");
        return;
    }
    struct relay_text options = {"{}", 2};
    if (command->options.kind != JSON_ABSENT)
        options = text_of(&command->options);
    if (command->relay.kind != JSON_ABSENT)
        live_set_name(room->live, text_of(&command->relay));
    replace(room, protocol, options, answer);
}

static void do_hydrate(const struct control_room *room, const struct command *command, struct relay_buffer *answer) {
    struct relay_text name = decode(&command->room);
    if (name.bytes == NULL || command->snapshot.kind != JSON_OBJECT) {
        answer_no(answer, "hydrate wants {\"room\":TEXT,\"snapshot\":{…}}");
    } else {
        enum relay_hydrated hydrated = relay_hydrate(room->live->relay, name, text_of(&command->snapshot));
        if (hydrated == RELAY_HYDRATE_MALFORMED)
            answer_no(answer, "the snapshot is not {seq, root?, epoch?, schemaVersion?, journal?}");
        else
            relay_buffer_add_words(answer, hydrated == RELAY_HYDRATED ? ",\"ok\":true" : ",\"ok\":false");
    }
    free((void *)(uintptr_t)name.bytes);
}

static void do_room(const struct control_room *room, const struct command *command, struct relay_buffer *answer) {
    struct relay_text name = decode(&command->room);
    struct relay_room_info info;
    if (name.bytes == NULL) {
        answer_no(answer, "room wants {\"room\":TEXT}");
    } else if (!relay_room(room->live->relay, name, &info)) {
        relay_buffer_add_words(answer, ",\"ok\":null");
    } else {
        relay_buffer_add_words(answer, ",\"ok\":{\"seq\":");
        relay_buffer_add_count(answer, info.seq);
        relay_buffer_add_words(answer, ",\"members\":");
        relay_buffer_add_count(answer, info.members);
        relay_buffer_add_words(answer, ",\"journal\":");
        relay_buffer_add_count(answer, info.journal);
        relay_buffer_add_words(answer, "}");
    }
    free((void *)(uintptr_t)name.bytes);
}

static void do_clock(const struct control_room *room, const struct command *command, struct relay_buffer *answer) {
    uint64_t ms;
    if (command->ms.kind != JSON_NUMBER || !relay_number_read_count(&command->ms, &ms)) {
        answer_no(answer, "clock wants {\"ms\":N}, whole milliseconds");
        return;
    }
    live_set_clock(room->live, (int64_t)ms);
    answer_ok(answer);
}

static void dispatch(const struct control_room *room, const struct command *command, struct relay_buffer *answer) {
    const struct json_value *verb = &command->verb;
    if (relay_string_is(verb, "start"))
        do_start(answer);
    else if (relay_string_is(verb, "open"))
        do_open(room, command, answer);
    else if (relay_string_is(verb, "hydrate"))
        do_hydrate(room, command, answer);
    else if (relay_string_is(verb, "room"))
        do_room(room, command, answer);
    else if (relay_string_is(verb, "clock"))
        do_clock(room, command, answer);
    else if (relay_string_is(verb, "close") || relay_string_is(verb, "stop"))
        replace(room, room->protocol, room->options, answer);
    else
        relay_buffer_add_words(answer, ",\"unsupported\":true");
}

bool control_command(const struct control_room *room, struct relay_text command, struct relay_buffer *answer) {
    struct command fields;
    if (!read_command(command, &fields))
        return false;
    relay_buffer_add_words(answer, "{\"reply\":{\"id\":");
    relay_buffer_add_text(answer, text_of(&fields.id));
    dispatch(room, &fields, answer);
    relay_buffer_add_words(answer, "},\"events\":[");
    uint64_t lost = live_take_events(room->live, answer);
    relay_buffer_add_words(answer, "]");
    if (lost > 0) {
        relay_buffer_add_words(answer, ",\"eventsLost\":");
        relay_buffer_add_count(answer, lost);
    }
    relay_buffer_add_words(answer, "}");
    return true;
}
