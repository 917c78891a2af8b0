#include "relay-ref/adapters/control_line.h"

#include <math.h>
#include <string.h>

#include "relay-ref/adapters/options.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

/* ---- commands ------------------------------------------------------------------------------------ */

static const char *const member_names[CONTROL_MEMBERS] = {
    [CONTROL_RELAY] = "relay", [CONTROL_CONN] = "conn",           [CONTROL_PROFILE] = "profile",
    [CONTROL_ROOM] = "room",   [CONTROL_TEXT] = "text",           [CONTROL_OPTIONS] = "options",
    [CONTROL_MS] = "ms",       [CONTROL_PRINCIPAL] = "principal", [CONTROL_SNAPSHOT] = "snapshot",
    [CONTROL_SEQ] = "seq",     [CONTROL_DISCARD] = "discard",
};

static struct json_value *command_field(struct control_command *command, const struct json_value *name,
                                        struct json_value *other) {
    if (relay_string_is(name, "id"))
        return &command->id;
    if (relay_string_is(name, "do"))
        return &command->verb;
    for (size_t i = 0; i < CONTROL_MEMBERS; i++)
        if (relay_string_is(name, member_names[i]))
            return &command->members[i];
    return other;
}

static bool read_members(struct control_command *command, const char *line, size_t length) {
    struct json_scanner scanner;
    struct json_value name, other;
    relay_scan_start(&scanner, line, length);
    bool object = relay_scan_peek(&scanner) == JSON_OBJECT && relay_scan_enter(&scanner);
    while (object && relay_scan_member(&scanner, &name))
        relay_scan_value(&scanner, command_field(command, &name, &other));
    bool whole = object && relay_scan_finish(&scanner);
    relay_scan_end(&scanner);
    return whole;
}

static bool decode_members(struct control_command *command) {
    bool decoded = true;
    for (size_t i = 0; i < CONTROL_MEMBERS; i++)
        if (command->members[i].kind == JSON_STRING)
            decoded = relay_characters_read(&command->characters[i], &command->members[i]) && decoded;
    return decoded;
}

static bool fail(struct control_command *command, const char *problem) {
    command->problem = problem;
    return false;
}

bool relay_control_command_read(struct control_command *command, const char *line, size_t length) {
    memset(command, 0, sizeof *command);
    if (!read_members(command, line, length)) {
        command->id = (struct json_value){.kind = JSON_ABSENT};
        return fail(command, "The line is not one JSON object.");
    }
    if (command->id.kind != JSON_NUMBER && command->id.kind != JSON_STRING) {
        command->id = (struct json_value){.kind = JSON_ABSENT};
        return fail(command, "The command has no id.");
    }
    if (command->verb.kind != JSON_STRING)
        return fail(command, "The command has no do.");
    return decode_members(command) || fail(command, "Memory is out.");
}

void relay_control_command_end(struct control_command *command) {
    for (size_t i = 0; i < CONTROL_MEMBERS; i++)
        relay_characters_end(&command->characters[i]);
}

bool relay_control_is(const struct control_command *command, const char *name) {
    return relay_string_is(&command->verb, name);
}

struct relay_text relay_control_text(const struct control_command *command, enum control_member member) {
    return command->members[member].kind == JSON_STRING ? command->characters[member].text
                                                        : (struct relay_text){NULL, 0};
}

struct relay_text relay_control_json(const struct control_command *command, enum control_member member) {
    const struct json_value *value = &command->members[member];
    return value->kind == JSON_ABSENT ? (struct relay_text){NULL, 0} : (struct relay_text){value->bytes, value->length};
}

bool relay_control_profile(const struct control_command *command, enum relay_protocol *protocol) {
    char name[16];
    struct relay_text profile = relay_control_text(command, CONTROL_PROFILE);
    if (profile.bytes == NULL || profile.length >= sizeof name)
        return false;
    memcpy(name, profile.bytes, profile.length);
    name[profile.length] = '\0';
    return relay_protocol_from_name(name, protocol);
}

bool relay_control_milliseconds(const struct control_command *command, int64_t *ms) {
    double number;
    if (!relay_number_read(&command->members[CONTROL_MS], &number) || !(fabs(number) <= 9007199254740992.0))
        return false;
    *ms = (int64_t)number;
    return true;
}

bool relay_control_seq(const struct control_command *command, uint64_t *seq) {
    return relay_number_read_count(&command->members[CONTROL_SEQ], seq);
}

bool relay_control_discards(const struct control_command *command) {
    return command->members[CONTROL_DISCARD].kind == JSON_TRUE;
}

static bool read_principal_members(struct json_value object, struct json_value *writer, struct json_value *kind,
                                   struct json_value *claims) {
    struct json_scanner scanner;
    struct json_value name, other;
    *writer = *kind = *claims = (struct json_value){.kind = JSON_ABSENT};
    if (object.kind != JSON_OBJECT)
        return false;
    relay_scan_start(&scanner, object.bytes, object.length);
    relay_scan_enter(&scanner);
    while (relay_scan_member(&scanner, &name))
        relay_scan_value(&scanner, relay_string_is(&name, "writer")   ? writer
                                   : relay_string_is(&name, "kind")   ? kind
                                   : relay_string_is(&name, "claims") ? claims
                                                                      : &other);
    bool whole = scanner.error == JSON_FINE;
    relay_scan_end(&scanner);
    return whole && writer->kind == JSON_STRING && writer->length > 2 &&
           (kind->kind == JSON_ABSENT || kind->kind == JSON_STRING) &&
           (claims->kind == JSON_ABSENT || claims->kind == JSON_OBJECT);
}

bool relay_control_principal_read(const struct control_command *command, struct control_principal *principal) {
    struct json_value writer, kind, claims;
    memset(principal, 0, sizeof *principal);
    if (!read_principal_members(command->members[CONTROL_PRINCIPAL], &writer, &kind, &claims) ||
        !relay_characters_read(&principal->writer, &writer))
        return false;
    if (kind.kind == JSON_STRING && !relay_characters_read(&principal->kind, &kind))
        return false;
    principal->principal.writer = principal->writer.text;
    principal->principal.kind = principal->kind.text;
    if (claims.kind == JSON_OBJECT)
        principal->principal.claims = (struct relay_text){claims.bytes, claims.length};
    return true;
}

void relay_control_principal_end(struct control_principal *principal) {
    relay_characters_end(&principal->writer);
    relay_characters_end(&principal->kind);
}

/* ---- events and replies -------------------------------------------------------------------------- */

/* Every member ends with a comma; the one before a closing bracket is taken away again. */
static void add_name(struct control_line *line, const char *name) {
    relay_buffer_add_words(&line->text, "\"");
    relay_buffer_add_words(&line->text, name);
    relay_buffer_add_words(&line->text, "\":");
}

static void end_member(struct control_line *line) {
    relay_buffer_add_words(&line->text, ",");
}

void relay_control_line_event(struct control_line *line, const char *event) {
    relay_buffer_start(&line->text, 0, 256);
    relay_buffer_add_words(&line->text, "{");
    relay_control_line_words(line, "on", event);
}

void relay_control_line_reply(struct control_line *line, const struct control_command *command) {
    struct relay_text id = {"null", 4};
    if (command->id.kind != JSON_ABSENT)
        id = (struct relay_text){command->id.bytes, command->id.length};
    relay_buffer_start(&line->text, 0, 256);
    relay_buffer_add_words(&line->text, "{");
    relay_control_line_json(line, "id", id);
}

void relay_control_line_string(struct control_line *line, const char *name, struct relay_text characters) {
    add_name(line, name);
    relay_buffer_add_string(&line->text, characters);
    end_member(line);
}

void relay_control_line_words(struct control_line *line, const char *name, const char *words) {
    relay_control_line_string(line, name, (struct relay_text){words, strlen(words)});
}

void relay_control_line_json(struct control_line *line, const char *name, struct relay_text json) {
    add_name(line, name);
    relay_buffer_add_text(&line->text, json);
    end_member(line);
}

void relay_control_line_count(struct control_line *line, const char *name, uint64_t count) {
    add_name(line, name);
    relay_buffer_add_count(&line->text, count);
    end_member(line);
}

void relay_control_line_number(struct control_line *line, const char *name, double number) {
    add_name(line, name);
    relay_buffer_add_number(&line->text, number);
    end_member(line);
}

void relay_control_line_open(struct control_line *line, const char *name) {
    add_name(line, name);
    relay_buffer_add_words(&line->text, "{");
}

void relay_control_line_close(struct control_line *line) {
    relay_buffer_drop_last(&line->text, ',');
    relay_buffer_add_words(&line->text, "}");
    end_member(line);
}

/* What clients wrote goes out as it came in, and JSON may have line ends between its tokens (and nowhere else): there a
 * blank is as good. */
static void put_in_one_line(char *at, char *end) {
    for (; at < end; at++)
        if (*at == '\n' || *at == '\r')
            *at = ' ';
}

struct relay_text relay_control_line_finish(struct control_line *line) {
    relay_buffer_drop_last(&line->text, ',');
    relay_buffer_add_words(&line->text, "}");
    if (line->text.failed)
        return (struct relay_text){NULL, 0};
    put_in_one_line(line->text.memory, line->text.memory + line->text.length);
    return (struct relay_text){line->text.memory, line->text.length};
}

void relay_control_line_free(struct control_line *line) {
    relay_buffer_free(&line->text);
}
