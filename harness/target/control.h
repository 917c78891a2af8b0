/*
 * A control URL: the adapter protocol's commands over HTTP POST, one a request, for a relay whose clients are
 * WebSockets. The answer is {"reply":…,"events":[…]}: the reply to the command, and what observers saw since the last
 * answer. What the commands mean for a case is websocket.c's.
 */
#ifndef MESHSPEC_TARGET_CONTROL_H
#define MESHSPEC_TARGET_CONTROL_H

#include <stdint.h>

#include "harness/json/value.h"
#include "harness/target/introduction.h"
#include "harness/target/target.h"

#define CONTROL_START_LIMIT_MS 10000              /* for `start` */
#define CONTROL_ANSWER_CEILING ((size_t)80 << 20) /* bytes of one answer; past it the control URL is broken */

struct control;

/* Takes an event, an object with a string `on`; its values are valid during the call and may be changed. */
typedef void control_event(void *context, struct json_value *event);

/*
 * Does not connect yet. NULL with ERROR_USAGE when `url` does not begin with http:// or https://, with ERROR_INTERNAL
 * when libcurl cannot be set up. `url` is copied; free with control_free.
 */
struct control *control_new(const char *url, control_event *on_event, void *context, struct error *error);

/* NULL is allowed. */
void control_free(struct control *control);

/* What the relay said of itself; empty before a control_start that was TARGET_OK. */
const struct introduction *control_said(const struct control *control);

/*
 * Asks who is there, unless that is known: `start`, then a command that nobody knows, which must be answered
 * `unsupported`. TARGET_OK, or TARGET_BROKEN with what came instead.
 */
enum target_outcome control_start(struct control *control, int limit_ms, struct error *error);

/*
 * Puts one command, given as its members without `id`, such as `"do":"room","room":"r"`; takes `limit_ms` at most. The
 * events that came along go to `on_event`, the reply's `ok` to the caller (NULL allowed), valid until the next command.
 * TARGET_NO: answered `no` or `unsupported`. TARGET_BROKEN: nobody answered, or nonsense; the next command may do well.
 */
enum target_outcome control_ask(struct control *control, struct text command, int limit_ms, struct json_value **ok,
                                struct error *error);

/* Puts a command whose answer and events are of no interest; a failure is left to the next command to find. */
void control_tell(struct control *control, struct text command, int limit_ms);

/* How many events the relay had to drop since the last call, because nobody fetched them in time. */
uint64_t control_take_lost(struct control *control);

#endif
