/* Replies to commands: each emits the one line that a command gets. */
#ifndef MESHSPEC_RELAY_CONTROL_REPLY_H
#define MESHSPEC_RELAY_CONTROL_REPLY_H

#include "relay-ref/adapters/control_events.h"

/* `ok` with JSON, with true, with true or false. */
void relay_control_reply_json(struct control *control, const struct control_command *command, const char *json);
void relay_control_reply_ok(struct control *control, const struct control_command *command);
void relay_control_reply_bool(struct control *control, const struct control_command *command, bool yes);

/* `member` with words, such as `no` with a reason; `error` with a sentence; `unsupported`. */
void relay_control_reply_words(struct control *control, const struct control_command *command, const char *member,
                               const char *words);
void relay_control_reply_error(struct control *control, const struct control_command *command, const char *sentence);
void relay_control_reply_unsupported(struct control *control, const struct control_command *command);

#endif
