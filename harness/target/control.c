#include "harness/target/control.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/target/outcome.h"

#define SHOWN 200 /* bytes of a command or an answer that a message shows */

struct control {
    char *url;
    control_event *on_event;
    void *context;
    CURL *curl;
    struct curl_slist *headers;
    uint64_t last_id;
    struct buffer command, answer;
    bool unread;         /* the answer is of no interest */
    struct arena *arena; /* of the answer read last; NULL: none */
    struct introduction said;
    uint64_t lost;
};

/* ---- HTTP ---------------------------------------------------------------------------------------- */

static size_t on_bytes(char *bytes, size_t size, size_t count, void *context) {
    struct control *control = context;
    size_t length = size * count;
    if (control->unread)
        return length;
    buffer_append(&control->answer, bytes, length);
    return control->answer.overflowed ? 0 : length;
}

static bool set_up(struct control *control) {
    control->curl = curl_easy_init();
    control->headers = curl_slist_append(NULL, "Content-Type: application/json");
    /* A large command goes out without asking first. */
    struct curl_slist *longer = control->headers != NULL ? curl_slist_append(control->headers, "Expect:") : NULL;
    if (control->curl == NULL || longer == NULL)
        return false;
    CURL *curl = control->curl;
    return curl_easy_setopt(curl, CURLOPT_URL, control->url) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_HTTPHEADER, control->headers) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_bytes) == CURLE_OK &&
           curl_easy_setopt(curl, CURLOPT_WRITEDATA, control) == CURLE_OK;
}

struct control *control_new(const char *url, control_event *on_event, void *context, struct error *error) {
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
        error_set(error, ERROR_USAGE, "\"%s\" is no control URL: it begins with http:// or https://", url);
        return NULL;
    }
    struct control *control = memory_zeroed(1, sizeof *control);
    struct buffer copy = {0};
    buffer_string(&copy, url);
    control->url = copy.bytes;
    control->on_event = on_event;
    control->context = context;
    control->answer.ceiling = CONTROL_ANSWER_CEILING;
    if (set_up(control))
        return control;
    control_free(control);
    error_set(error, ERROR_INTERNAL, "libcurl could not be set up");
    return NULL;
}

void control_free(struct control *control) {
    if (control == NULL)
        return;
    introduction_free(&control->said);
    arena_free(control->arena);
    buffer_free(&control->answer);
    buffer_free(&control->command);
    curl_slist_free_all(control->headers);
    curl_easy_cleanup(control->curl);
    free(control->url);
    free(control);
}

static CURLcode post(struct control *control, struct text command, int limit_ms) {
    control->command.length = 0;
    buffer_format(&control->command, "{\"id\":%" PRIu64 ",", ++control->last_id);
    buffer_text(&control->command, command);
    buffer_string(&control->command, "}");
    buffer_free(&control->answer);
    control->answer.overflowed = false;
    curl_easy_setopt(control->curl, CURLOPT_POSTFIELDS, control->command.bytes);
    curl_easy_setopt(control->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)control->command.length);
    /* 0 would mean no limit at all. */
    curl_easy_setopt(control->curl, CURLOPT_TIMEOUT_MS, limit_ms > 0 ? (long)limit_ms : 1L);
    return curl_easy_perform(control->curl);
}

/* ---- what went wrong ----------------------------------------------------------------------------- */

static int shown_of(struct text text) {
    return (int)(text.length > SHOWN ? SHOWN : text.length);
}

static enum target_outcome broke(struct control *control, struct error *error, const char *what) {
    struct text answer = {control->answer.bytes, control->answer.length};
    return target_broke(error, "the control URL %s %s: %.*s%s", control->url, what, shown_of(answer),
                        answer.length > 0 ? answer.bytes : "", answer.length > SHOWN ? "…" : "");
}

static enum target_outcome no_answer(struct control *control, CURLcode code, struct text command, int limit_ms,
                                     struct error *error) {
    if (control->answer.overflowed)
        return target_broke(error, "the control URL %s answered %.*s with more than %zu bytes", control->url,
                            shown_of(command), command.bytes, CONTROL_ANSWER_CEILING);
    if (code == CURLE_OPERATION_TIMEDOUT)
        return target_broke(error, "the control URL %s did not answer %.*s within %d ms", control->url,
                            shown_of(command), command.bytes, limit_ms);
    return target_broke(error, "the control URL %s did not answer %.*s: %s", control->url, shown_of(command),
                        command.bytes, curl_easy_strerror(code));
}

/* ---- one command and its answer ------------------------------------------------------------------ */

/* Hands the events on. False when they are none. */
static bool take_events(struct control *control, const struct json_value *answer) {
    const struct json_value *events = json_get(answer, "events"), *lost = json_get(answer, "eventsLost");
    if (events == NULL || events->type != JSON_ARRAY)
        return false;
    if (lost != NULL && lost->type == JSON_NUMBER && lost->number >= 1)
        control->lost += lost->number < 1e15 ? (uint64_t)lost->number : 1;
    for (struct json_value *event = events->first; event != NULL; event = event->next) {
        const struct json_value *on = json_get(event, "on");
        if (on == NULL || on->type != JSON_STRING)
            return false;
        control->on_event(control->context, event);
    }
    return true;
}

static enum target_outcome take_reply(struct control *control, struct json_value *reply, struct json_value **ok,
                                      struct error *error) {
    const struct json_value *id = json_get(reply, "id"), *no = json_get(reply, "no");
    const struct json_value *unsupported = json_get(reply, "unsupported");
    if (id == NULL || id->type != JSON_NUMBER || id->number != (double)control->last_id)
        return broke(control, error, "answered another command than it was given");
    if (no != NULL && no->type == JSON_STRING)
        return target_lacks(error, "the relay says no: %.*s", (int)(no->text.length < 1000 ? no->text.length : 1000),
                            no->text.bytes);
    if (unsupported != NULL && unsupported->type == JSON_BOOLEAN && unsupported->boolean)
        return target_lacks(error, "the control URL %s does not know this command", control->url);
    struct json_value *answer = json_get(reply, "ok");
    if (answer == NULL)
        return broke(control, error, "answered none of `ok`, `no` and `unsupported`");
    if (ok != NULL)
        *ok = answer;
    return TARGET_OK;
}

static enum target_outcome take_answer(struct control *control, struct json_value **ok, struct error *error) {
    arena_free(control->arena);
    control->arena = arena_new();
    struct error ignored = {0};
    struct text text = {control->answer.length > 0 ? control->answer.bytes : "", control->answer.length};
    const struct json_value *answer = json_parse(control->arena, text, &ignored);
    struct json_value *reply = json_get(answer, "reply");
    if (reply == NULL || reply->type != JSON_OBJECT || !take_events(control, answer))
        return broke(control, error, "answered with something other than {\"reply\":{…},\"events\":[…]}");
    return take_reply(control, reply, ok, error);
}

enum target_outcome control_ask(struct control *control, struct text command, int limit_ms, struct json_value **ok,
                                struct error *error) {
    long status = 0;
    CURLcode code = post(control, command, limit_ms);
    if (code != CURLE_OK)
        return no_answer(control, code, command, limit_ms, error);
    curl_easy_getinfo(control->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) {
        char what[60];
        snprintf(what, sizeof what, "answered with HTTP status %ld", status);
        return broke(control, error, what);
    }
    return take_answer(control, ok, error);
}

void control_tell(struct control *control, struct text command, int limit_ms) {
    control->unread = true;
    post(control, command, limit_ms);
    control->unread = false;
}

/* ---- the handshake ------------------------------------------------------------------------------- */

const struct introduction *control_said(const struct control *control) {
    return &control->said;
}

enum target_outcome control_start(struct control *control, int limit_ms, struct error *error) {
    if (control->said.about != NULL)
        return TARGET_OK;
    struct json_value *said = NULL;
    enum target_outcome outcome = control_ask(control, TEXT("\"do\":\"start\",\"meshspec\":1"), limit_ms, &said, error);
    if (outcome == TARGET_NO)
        return target_broke(error, "the control URL %s refuses to `start`", control->url);
    if (outcome != TARGET_OK)
        return outcome;
    struct introduction introduction = {0};
    const char *wrong = introduction_read(&introduction, said);
    if (wrong != NULL)
        return broke(control, error, wrong);
    outcome = control_ask(control, TEXT("\"do\":\"" INTRODUCTION_PROBE "\""), limit_ms, NULL, error);
    if (outcome == TARGET_NO) {
        control->said = introduction;
        return TARGET_OK;
    }
    introduction_free(&introduction);
    return outcome == TARGET_BROKEN ? outcome
                                    : broke(control, error, "answers ok to a command that nobody knows, so that its "
                                                            "other answers prove nothing");
}

uint64_t control_take_lost(struct control *control) {
    uint64_t lost = control->lost;
    control->lost = 0;
    return lost;
}
