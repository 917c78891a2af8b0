#include "relay-ref/adapters/control_reply.h"

#include <string.h>

void relay_control_reply_json(struct control *control, const struct control_command *command, const char *json) {
    struct control_line line;
    relay_control_line_reply(&line, command);
    relay_control_line_json(&line, "ok", (struct relay_text){json, strlen(json)});
    relay_control_emit(control, &line);
}

void relay_control_reply_words(struct control *control, const struct control_command *command, const char *member,
                               const char *words) {
    struct control_line line;
    relay_control_line_reply(&line, command);
    relay_control_line_words(&line, member, words);
    relay_control_emit(control, &line);
}

void relay_control_reply_ok(struct control *control, const struct control_command *command) {
    relay_control_reply_json(control, command, "true");
}

void relay_control_reply_error(struct control *control, const struct control_command *command, const char *sentence) {
    relay_control_reply_words(control, command, "error", sentence);
}

void relay_control_reply_unsupported(struct control *control, const struct control_command *command) {
    struct control_line line;
    relay_control_line_reply(&line, command);
    relay_control_line_json(&line, "unsupported", (struct relay_text){"true", 4});
    relay_control_emit(control, &line);
}

void relay_control_reply_bool(struct control *control, const struct control_command *command, bool yes) {
    relay_control_reply_json(control, command, yes ? "true" : "false");
}
