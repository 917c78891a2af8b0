#include "harness/target/adapter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/target/outcome.h"

#define SHOWN_LINE 200      /* bytes of a bad line that a message shows */
#define SHOWN_COMMAND 60    /* of a command that was not answered: what matters more, how the child ended, comes behind it */
#define SHOWN_LOG 1000      /* bytes of standard error that a message shows; adapter_log has all that was kept */
#define STATUS_GRACE_MS 500 /* for a child that closed its output to end */

/* ---- what went wrong ----------------------------------------------------------------------------- */

/* The last whole lines of the log that fit into a message. */
static struct text end_of_log(struct text log) {
    if (log.length <= SHOWN_LOG)
        return log;
    struct text end = {log.bytes + (log.length - SHOWN_LOG), SHOWN_LOG};
    const char *feed = memchr(end.bytes, '\n', end.length - 1);
    if (feed != NULL) {
        end.length -= (size_t)(feed + 1 - end.bytes);
        end.bytes = feed + 1;
    }
    return end;
}

/* Ends the child, with `grace_ms` to go by itself, and tells why with the evidence. `what` begins like "did this". */
static enum target_outcome end_child(struct adapter *adapter, int grace_ms, struct error *error, const char *what) {
    struct buffer how = {0};
    buffer_free(&adapter->log);
    child_stop(adapter->child, grace_ms, &how, &adapter->log);
    adapter->child = NULL;
    struct text end = end_of_log(adapter_log(adapter));
    target_broke(error, "the adapter `%s` %s; it %s%s%.*s", adapter->command, what, how.bytes,
                 end.length > 0 ? "; the end of its standard error:\n" : ", and wrote nothing to its standard error",
                 (int)end.length, end.bytes);
    buffer_free(&how);
    return TARGET_BROKEN;
}

enum target_outcome adapter_broke(struct adapter *adapter, struct error *error, const char *what, ...) {
    char text[ERROR_TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    return end_child(adapter, 0, error, text);
}

static enum target_outcome bad_line(struct adapter *adapter, struct error *error, const char *what, struct text line) {
    bool cut = line.length > SHOWN_LINE;
    return adapter_broke(adapter, error, "%s: %.*s%s", what, cut ? SHOWN_LINE : (int)line.length, line.bytes,
                         cut ? "…" : "");
}

static enum target_outcome no_line(struct adapter *adapter, struct error *error, enum child_outcome outcome,
                                   struct text command, int limit_ms) {
    char what[SHOWN_COMMAND + 200];
    bool cut = command.length > SHOWN_COMMAND;
    int shown = cut ? SHOWN_COMMAND : (int)command.length;
    while (cut && shown > 0 && (command.bytes[shown] & 0xC0) == 0x80)
        shown--; /* no character is cut in two */
    const char *more = cut ? "…" : "";
    if (outcome == CHILD_ENDED) {
        snprintf(what, sizeof what, "closed its standard output instead of answering %.*s%s", shown, command.bytes, more);
        return end_child(adapter, STATUS_GRACE_MS, error, what);
    }
    if (outcome == CHILD_TOO_LONG)
        snprintf(what, sizeof what, "wrote a line of more than %zu bytes", CHILD_LINE_CEILING);
    else
        snprintf(what, sizeof what, "did not answer %.*s%s within %d ms", shown, command.bytes, more, limit_ms);
    return end_child(adapter, 0, error, what);
}

/* ---- one command and its reply ------------------------------------------------------------------- */

void adapter_put_json(struct buffer *command, struct text json) {
    size_t start = command->length;
    buffer_text(command, json);
    for (size_t i = start; i < command->length; i++)
        if (command->bytes[i] == '\n' || command->bytes[i] == '\r')
            command->bytes[i] = ' ';
}

/* Reads the reply of the last command. */
static enum target_outcome take_reply(struct adapter *adapter, struct json_value *reply, struct text line,
                                      struct json_value **ok, struct error *error) {
    const struct json_value *id = json_get(reply, "id");
    if (id->type != JSON_NUMBER || id->number != (double)adapter->last_id)
        return bad_line(adapter, error, "answered a command that is not open", line);
    const struct json_value *no = json_get(reply, "no");
    if (no != NULL && no->type == JSON_STRING)
        return target_lacks(error, "the adapter says no: %.*s",
                            (int)(no->text.length > SHOWN_LOG ? SHOWN_LOG : no->text.length), no->text.bytes);
    const struct json_value *unsupported = json_get(reply, "unsupported");
    if (unsupported != NULL && unsupported->type == JSON_BOOLEAN && unsupported->boolean)
        return target_lacks(error, "the adapter does not know this command");
    struct json_value *answer = json_get(reply, "ok");
    if (answer == NULL)
        return bad_line(adapter, error, "answered none of `ok`, `no` and `unsupported`", line);
    if (ok != NULL)
        *ok = answer;
    return TARGET_OK;
}

/* One line: an event, after which the reply is still to come, or the reply. */
static enum target_outcome take_line(struct adapter *adapter, struct text line, struct json_value **ok, bool *answered,
                                     struct error *error) {
    arena_free(adapter->reply_arena);
    adapter->reply_arena = arena_new();
    struct error reason = {0};
    struct json_value *value = json_parse(adapter->reply_arena, line, &reason);
    if (value == NULL || value->type != JSON_OBJECT)
        return bad_line(adapter, error, "wrote a line that is not a JSON object", line);
    *answered = json_get(value, "id") != NULL;
    if (*answered)
        return take_reply(adapter, value, line, ok, error);
    const struct json_value *on = json_get(value, "on");
    if (on == NULL || on->type != JSON_STRING)
        return bad_line(adapter, error, "wrote a line that is neither an event nor a reply", line);
    if (!adapter->on_event(adapter->context, value, &reason))
        return bad_line(adapter, error, reason.text, line);
    return TARGET_OK;
}

static enum target_outcome await_reply(struct adapter *adapter, struct text command, int limit_ms,
                                       struct json_value **ok, struct error *error) {
    int64_t deadline = child_now() + limit_ms;
    bool answered = false;
    enum target_outcome outcome = TARGET_OK;
    while (outcome == TARGET_OK && !answered) {
        struct text line;
        enum child_outcome came = child_read_line(adapter->child, deadline, &line);
        if (came != CHILD_LINE)
            return no_line(adapter, error, came, command, limit_ms);
        outcome = take_line(adapter, line, ok, &answered, error);
    }
    return outcome;
}

enum target_outcome adapter_ask(struct adapter *adapter, struct text command, int limit_ms, struct json_value **ok,
                                struct error *error) {
    if (adapter->child == NULL)
        return target_broke(error, "the adapter `%s` has ended earlier in this case", adapter->command);
    char head[32];
    int length = snprintf(head, sizeof head, "{\"id\":%" PRIu64 ",", ++adapter->last_id);
    child_write(adapter->child, (struct text){head, (size_t)length});
    child_write(adapter->child, command);
    child_write(adapter->child, TEXT("}\n"));
    return await_reply(adapter, command, limit_ms, ok, error);
}

/* ---- the handshake ------------------------------------------------------------------------------- */

static enum target_outcome shake_hands(struct adapter *adapter, struct error *error) {
    struct json_value *said = NULL;
    enum target_outcome outcome =
        adapter_ask(adapter, TEXT("\"do\":\"start\",\"meshspec\":1"), ADAPTER_START_LIMIT_MS, &said, error);
    if (outcome == TARGET_NO)
        return adapter_broke(adapter, error, "refuses to `start`");
    if (outcome != TARGET_OK)
        return outcome;
    const char *wrong = introduction_read(&adapter->said, said);
    if (wrong != NULL)
        return adapter_broke(adapter, error, "%s", wrong);
    struct error ignored = {0};
    outcome = adapter_ask(adapter, TEXT("\"do\":\"" INTRODUCTION_PROBE "\""), ADAPTER_START_LIMIT_MS, NULL, &ignored);
    if (outcome == TARGET_OK)
        return adapter_broke(adapter, error,
                             "answers ok to a command that nobody knows (\"" INTRODUCTION_PROBE
                             "\"), so that its other answers prove nothing");
    if (outcome == TARGET_BROKEN)
        *error = ignored;
    return outcome == TARGET_NO ? TARGET_OK : outcome;
}

enum target_outcome adapter_start(struct adapter *adapter, struct error *error) {
    if (adapter->child != NULL)
        return TARGET_OK;
    adapter->child = child_start(adapter->command, error);
    if (adapter->child == NULL)
        return TARGET_BROKEN;
    return shake_hands(adapter, error);
}

/* ---- log and end --------------------------------------------------------------------------------- */

struct text adapter_log(struct adapter *adapter) {
    if (adapter->child != NULL)
        return child_log(adapter->child);
    return (struct text){adapter->log.length > 0 ? adapter->log.bytes : "", adapter->log.length};
}

void adapter_forget_log(struct adapter *adapter) {
    buffer_free(&adapter->log);
    if (adapter->child != NULL)
        child_forget_log(adapter->child);
}

void adapter_free(struct adapter *adapter) {
    if (adapter->child != NULL) {
        struct error ignored = {0};
        adapter_ask(adapter, TEXT("\"do\":\"stop\""), ADAPTER_STOP_LIMIT_MS, NULL, &ignored);
    }
    child_stop(adapter->child, ADAPTER_STOP_LIMIT_MS, NULL, NULL);
    adapter->child = NULL;
    arena_free(adapter->reply_arena);
    introduction_free(&adapter->said);
    buffer_free(&adapter->log);
}
