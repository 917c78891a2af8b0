#include "tools/sync-server/answer.h"
#include "tools/sync-server/data.h"
#include "tools/sync-server/schema.h"

bool data_operation_read(struct text name, enum data_operation *operation) {
    static const char *const names[] = {"insert", "update", "delete", "list"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++) {
        if (text_equal(name, text_of(names[at]))) {
            *operation = (enum data_operation)at;
            return true;
        }
    }
    return false;
}

static bool read_string(const struct data_request *request, uint32_t object, const char *name, struct buffer *out) {
    uint32_t node = json_member(&request->document, object, name);
    if (!json_is(&request->document, node, JSON_STRING)) {
        return false;
    }
    json_decode(&request->document, node, out);
    return !out->failed && out->length > 0;
}

/* A whole number from 1 to `most`, or absent. */
static bool read_number(const struct data_request *request, const char *name, uint64_t most, uint64_t *number) {
    uint32_t node = json_member(&request->document, 0, name);
    if (node == JSON_NONE) {
        return true;
    }
    return json_is(&request->document, node, JSON_NUMBER) &&
           text_to_number(json_text(&request->document, node), number) && *number >= 1 && *number <= most;
}

static const char *session_problem(struct data_request *request) {
    const struct json_document *document = &request->document;
    request->session = json_member(document, 0, "session");
    if (!json_is(document, request->session, JSON_OBJECT)) {
        return "\"session\" must be an object with \"userId\" and, if there are any, \"claims\"";
    }
    if (!read_string(request, request->session, "userId", &request->user)) {
        return "the session's \"userId\" must be a non-empty string";
    }
    uint32_t claims = json_member(document, request->session, "claims");
    if (claims != JSON_NONE && json_kind(document, claims) != JSON_OBJECT) {
        return "the session's \"claims\" must be an object";
    }
    return NULL;
}

static void lower_case(struct buffer *text) {
    for (size_t at = 0; at < text->length; at++) {
        if (text->bytes[at] >= 'A' && text->bytes[at] <= 'F') {
            text->bytes[at] = (char)(text->bytes[at] | 0x20);
        }
    }
}

static const char *id_problem(struct data_request *request) {
    bool given = json_member(&request->document, 0, "id") != JSON_NONE;
    if (!given && request->operation == DATA_INSERT) {
        return NULL;
    }
    if (!read_string(request, 0, "id", &request->id) || !is_uuid(buffer_text(&request->id))) {
        return "\"id\" must be the row's UUID";
    }
    lower_case(&request->id);
    return NULL;
}

static const char *request_problem(struct data_request *request) {
    if (!json_is(&request->document, 0, JSON_OBJECT)) {
        return "the body must be a JSON object";
    }
    if (!read_string(request, 0, "schemaHash", &request->schema_hash) || !is_hash(buffer_text(&request->schema_hash))) {
        return "\"schemaHash\" must be 64 lower-case hex digits";
    }
    if (!read_string(request, 0, "table", &request->table)) {
        return "\"table\" must be a table's name";
    }
    const char *problem = session_problem(request);
    if (!problem && request->operation != DATA_LIST) {
        problem = id_problem(request);
    }
    if (problem) {
        return problem;
    }
    bool writes_values = request->operation == DATA_INSERT || request->operation == DATA_UPDATE;
    request->values = json_member(&request->document, 0, "values");
    if (writes_values && !json_is(&request->document, request->values, JSON_OBJECT)) {
        return "\"values\" must be an object of columns";
    }
    if (!read_number(request, "timeoutMs", DATA_TIMEOUT_CEILING_MS, &request->timeout_ms)) {
        return "\"timeoutMs\" must be a whole number from 1 to 3600000";
    }
    if (!read_number(request, "limit", DATA_LIST_CEILING, &request->limit)) {
        return "\"limit\" must be a whole number from 1 to 10000";
    }
    return NULL;
}

bool data_request_read(struct data_request *request, enum data_operation operation, struct text body,
                       struct http_answer *answer) {
    struct json_error error;
    *request = (struct data_request){.operation = operation, .limit = DATA_LIST_USUAL};
    buffer_init(&request->schema_hash, BUFFER_CEILING);
    buffer_init(&request->table, BUFFER_CEILING);
    buffer_init(&request->user, BUFFER_CEILING);
    buffer_init(&request->id, BUFFER_CEILING);
    if (!json_read(&request->document, body, &error)) {
        answer_bad_json(answer, &error);
        return false;
    }
    const char *problem = request_problem(request);
    if (problem) {
        answer_error(answer, 400, problem);
    }
    return !problem;
}

void data_request_free(struct data_request *request) {
    buffer_free(&request->id);
    buffer_free(&request->user);
    buffer_free(&request->table);
    buffer_free(&request->schema_hash);
    json_free(&request->document);
}
