/* The lines of the adapter protocol: commands read apart, events and replies put together. */
#ifndef MESHSPEC_RELAY_CONTROL_LINE_H
#define MESHSPEC_RELAY_CONTROL_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "relay-ref/core/buffer.h"
#include "relay-ref/core/characters.h"
#include "relay-ref/core/relay.h"
#include "relay-ref/json/scanner.h"

/* ---- commands ------------------------------------------------------------------------------------ */

/* The members that commands have besides `id` and `do`. */
enum control_member {
    CONTROL_RELAY,
    CONTROL_CONN,
    CONTROL_PROFILE,
    CONTROL_ROOM,
    CONTROL_TEXT,
    CONTROL_OPTIONS,
    CONTROL_PRINCIPAL,
    CONTROL_SNAPSHOT,
    CONTROL_MS,
    CONTROL_SEQ,
    CONTROL_DISCARD,
    CONTROL_MEMBERS
};

struct control_command {
    struct json_value id; /* a number or a string; JSON_ABSENT when the line has none */
    struct json_value verb;
    struct json_value members[CONTROL_MEMBERS];    /* as they came, JSON_ABSENT when missing */
    struct characters characters[CONTROL_MEMBERS]; /* decoded, of those that are strings */
    const char *problem;                           /* a sentence, when reading failed */
};

/* Reads one line. False when it is not a JSON object with an id and a verb. End with relay_control_command_end either
   way. */
bool relay_control_command_read(struct control_command *command, const char *line, size_t length);

void relay_control_command_end(struct control_command *command);

/* True when the command's verb is `name`. */
bool relay_control_is(const struct control_command *command, const char *name);

/* The decoded characters of a string member; without bytes when it is missing or no string. */
struct relay_text relay_control_text(const struct control_command *command, enum control_member member);

/* A member as JSON text; without bytes when it is missing. */
struct relay_text relay_control_json(const struct control_command *command, enum control_member member);

/* The member `profile` as a protocol version; false when it is missing or names none. */
bool relay_control_profile(const struct control_command *command, enum relay_protocol *protocol);

/* What is said then. */
#define RELAY_CONTROL_PROFILE_FAULT "This relay speaks the profiles 0.1.0, 0.1.1, 0.2.0 and 0.9 only."

/* The member `ms` as whole milliseconds; false when it is missing or no number that a double holds exactly. */
bool relay_control_milliseconds(const struct control_command *command, int64_t *ms);

/* The member `seq`; false when it is missing or no count. */
bool relay_control_seq(const struct control_command *command, uint64_t *seq);

/* True when the member `discard` is true. */
bool relay_control_discards(const struct control_command *command);

struct control_principal {
    struct relay_principal principal;
    struct characters writer, kind;
};

/* The member `principal`. False when it is not well formed. End with relay_control_principal_end either way. */
bool relay_control_principal_read(const struct control_command *command, struct control_principal *principal);

void relay_control_principal_end(struct control_principal *principal);

/* ---- events and replies -------------------------------------------------------------------------- */

struct control_line {
    struct relay_buffer text;
};

/* Starts {"on":EVENT or {"id":ID */
void relay_control_line_event(struct control_line *line, const char *event);
void relay_control_line_reply(struct control_line *line, const struct control_command *command);

/* Each adds one member: decoded characters, a C string, JSON text, a count, a finite number. */
void relay_control_line_string(struct control_line *line, const char *name, struct relay_text characters);
void relay_control_line_words(struct control_line *line, const char *name, const char *words);
void relay_control_line_json(struct control_line *line, const char *name, struct relay_text json);
void relay_control_line_count(struct control_line *line, const char *name, uint64_t count);
void relay_control_line_number(struct control_line *line, const char *name, double number);

/* Opens and closes an inner object. */
void relay_control_line_open(struct control_line *line, const char *name);
void relay_control_line_close(struct control_line *line);

/* The finished line, valid until freed; without bytes when memory was out. */
struct relay_text relay_control_line_finish(struct control_line *line);

void relay_control_line_free(struct control_line *line);

#endif
