#include "tools/sync-server/answer.h"

#include <stdio.h>

const char *error_code(int status) {
    switch (status) {
    case 401:
        return "unauthorized";
    case 403:
        return "forbidden";
    case 404:
        return "not_found";
    default:
        return status >= 500 ? "internal" : "bad_request";
    }
}

void error_body(struct buffer *body, int status, struct text message) {
    buffer_append_string(body, "{\"error\":");
    json_quote(body, message);
    buffer_append_string(body, ",\"code\":\"");
    buffer_append_string(body, error_code(status));
    buffer_append_string(body, "\"}");
}

void answer_error_text(struct http_answer *answer, int status, struct text message) {
    answer->status = status;
    answer->allow = NULL;
    buffer_clear(&answer->body);
    error_body(&answer->body, status, message);
}

void answer_error(struct http_answer *answer, int status, const char *message) {
    answer_error_text(answer, status, text_of(message));
}

void answer_not_allowed(struct http_answer *answer, const char *allow) {
    answer_error(answer, 405, "this path does not know the method");
    answer->allow = allow;
}

void answer_bad_json(struct http_answer *answer, const struct json_error *error) {
    if (error->out_of_memory) {
        answer_error(answer, 500, error->message);
        return;
    }
    struct buffer message;
    buffer_init(&message, 1024);
    buffer_format(&message, "the body is not the JSON that was expected: %s (byte %zu)", error->message, error->offset);
    answer_error_text(answer, 400, buffer_text(&message));
    buffer_free(&message);
}

void answer_store_failed(struct http_answer *answer, const char *reason) {
    fprintf(stderr, "meshspec-store: the database failed: %s\n", reason);
    answer_error(answer, 500, "the store could not read or write its data");
}
