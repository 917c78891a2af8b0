#include "tools/sync-server/control.h"

#include "tools/sync-server/answer.h"

struct control_call {
    const struct control *control;
    const struct path *path;
    const struct http_request *request;
    struct http_answer *answer;
};

static void get_requests(struct control_call *call) {
    struct buffer after;
    uint64_t number = 0;
    buffer_init(&after, 64);
    bool given = query_field(call->path->query, "after", &after);
    if (given && !text_to_number(buffer_text(&after), &number)) {
        answer_error(call->answer, 400, "after is the number of a record");
    } else {
        recorder_describe(call->control->recorder, number, &call->answer->body);
        call->answer->status = 200;
    }
    buffer_free(&after);
}

static void answer_done(struct control_call *call) {
    buffer_append_string(&call->answer->body, "{}");
    call->answer->status = 200;
}

static void delete_requests(struct control_call *call) {
    recorder_clear(call->control->recorder);
    answer_done(call);
}

static void get_faults(struct control_call *call) {
    buffer_append_string(&call->answer->body, "{\"faults\":");
    fault_describe(call->control->faults, &call->answer->body);
    buffer_append_byte(&call->answer->body, '}');
    call->answer->status = 200;
}

static void delete_faults(struct control_call *call) {
    fault_clear(call->control->faults);
    answer_done(call);
}

static void get_hanging(struct control_call *call) {
    buffer_append_string(&call->answer->body, "{\"hanging\":");
    hanging_describe(call->control->hanging, &call->answer->body);
    buffer_append_byte(&call->answer->body, '}');
    call->answer->status = 200;
}

/* Sets each member of the object as the command line's `key=value` would. */
static bool set_members(struct fault *fault, const struct json_document *body, struct buffer *why) {
    bool right = true;
    for (uint32_t at = json_first(body, 0); at != JSON_NONE && right; at = json_after(body, 0, at + 1)) {
        struct buffer key;
        struct buffer value;
        buffer_init(&key, BUFFER_CEILING);
        buffer_init(&value, BUFFER_CEILING);
        json_decode(body, at, &key);
        if (json_is(body, at + 1, JSON_STRING)) {
            json_decode(body, at + 1, &value);
        } else {
            json_compact(body, at + 1, &value);
        }
        right = fault_set(fault, buffer_text(&key), buffer_text(&value), why);
        buffer_free(&value);
        buffer_free(&key);
    }
    return right;
}

static void add_fault(struct control_call *call, const struct json_document *body) {
    struct fault *fault = fault_new();
    struct buffer why;
    if (!fault) {
        answer_error(call->answer, 500, "there is not enough memory for this fault");
        return;
    }
    buffer_init(&why, BUFFER_CEILING);
    bool right = set_members(fault, body, &why);
    if (!right) {
        fault_free(fault);
    } else {
        right = fault_add(call->control->faults, fault, &why);
    }
    if (right) {
        get_faults(call);
        call->answer->status = 201;
    } else {
        answer_error_text(call->answer, 400, buffer_text(&why));
    }
    buffer_free(&why);
}

static void post_faults(struct control_call *call) {
    struct json_document body;
    struct json_error error;
    if (!json_read(&body, call->request->body, &error)) {
        answer_bad_json(call->answer, &error);
        return;
    }
    if (json_is(&body, 0, JSON_OBJECT)) {
        add_fault(call, &body);
    } else {
        answer_error(call->answer, 400, "a fault is a JSON object");
    }
    json_free(&body);
}

static const struct {
    const char *method;
    const char *name;
    void (*handle)(struct control_call *call);
} routes[] = {
    {"GET", "requests", get_requests}, {"DELETE", "requests", delete_requests}, {"GET", "faults", get_faults},
    {"POST", "faults", post_faults},   {"DELETE", "faults", delete_faults},     {"GET", "hanging", get_hanging},
};

static bool permitted(const struct control *control, struct http_exchange *exchange) {
    struct text given = http_header(exchange->request, "x-control-secret");
    if (control->secret.bytes) {
        if (given.bytes && secret_equal(given, control->secret)) {
            return true;
        }
        answer_error(&exchange->answer, 401, "the header X-Control-Secret is missing or wrong");
        return false;
    }
    if (control->enabled && exchange->from_loopback) {
        return true;
    }
    answer_error(&exchange->answer, 403, "the control endpoints are not open to this client");
    return false;
}

void control_handle(const struct control *control, const struct path *path, struct http_exchange *exchange) {
    struct control_call call = {control, path, exchange->request, &exchange->answer};
    if (!permitted(control, exchange)) {
        return;
    }
    bool known = false;
    for (size_t at = 0; path->count == 2 && at < sizeof routes / sizeof *routes; at++) {
        if (!path_is(path, 1, routes[at].name)) {
            continue;
        }
        known = true;
        if (text_equal(exchange->request->method, text_of(routes[at].method))) {
            routes[at].handle(&call);
            return;
        }
    }
    if (!known) {
        answer_error(&exchange->answer, 404, "there is nothing under this path");
    } else if (path_is(path, 1, "hanging")) {
        answer_not_allowed(&exchange->answer, "GET");
    } else {
        answer_not_allowed(&exchange->answer, path_is(path, 1, "faults") ? "GET, POST, DELETE" : "GET, DELETE");
    }
}
