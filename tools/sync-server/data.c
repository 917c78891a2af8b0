#include "tools/sync-server/data.h"

#include "tools/sync-server/answer.h"
#include "tools/sync-server/deployment.h"
#include "tools/sync-server/policy.h"
#include "tools/sync-server/row_values.h"
#include "tools/sync-server/schema.h"

/* What one operation works on. */
struct call {
    struct store *store;
    struct text app;
    const struct data_request *request;
    struct http_answer *answer;
    struct client_table client;
    struct policy_context policy;
};

static void answer_denied(struct call *call, const char *operation) {
    struct buffer message;
    buffer_init(&message, BUFFER_CEILING);
    buffer_append_string(&message, "the permissions do not let this session ");
    buffer_append_string(&message, operation);
    buffer_append_string(&message, " in table ");
    buffer_append_text(&message, buffer_text(&call->request->table));
    answer_error_text(call->answer, 403, buffer_text(&message));
    buffer_free(&message);
}

/* Answers and tells false when the store failed or the policies used up their steps. */
static bool still_sound(struct call *call) {
    if (call->policy.store_failed) {
        answer_store_failed(call->answer, store_error(call->store));
        return false;
    }
    if (policy_exhausted(&call->policy)) {
        answer_error(call->answer, 503, "the policies of this request take more steps than the store allows");
        return false;
    }
    return true;
}

static bool store_ok(struct call *call, enum store_result result) {
    if (result == STORE_ERROR) {
        answer_store_failed(call->answer, store_error(call->store));
    }
    return result != STORE_ERROR;
}

/* Reads a stored row's or a new row's values; they are the store's own JSON, so only memory can fail. */
static bool read_values(struct call *call, const struct buffer *text, struct json_document *values) {
    struct json_error error;
    if (!text->failed && json_read(values, buffer_text(text), &error)) {
        return true;
    }
    *values = (struct json_document){0};
    answer_error(call->answer, 500, "there is not enough memory for this row");
    return false;
}

static struct policy_row policy_row_of(const struct call *call, struct text id, struct text author,
                                       const struct json_document *values) {
    return (struct policy_row){
        .table = buffer_text(&call->request->table), .id = id, .created_by = author, .values = values};
}

/* Whether the operation's condition holds for the row; answers 403 when not. */
static bool gate(struct call *call, enum policy_operation operation, enum policy_clause clause,
                 const struct policy_row *row) {
    static const char *const names[] = {"read", "insert this row", "update this row", "delete this row"};
    uint32_t condition = policy_condition(&call->policy, row->table, operation, clause);
    bool allowed = policy_allows(&call->policy, condition, row);
    if (!still_sound(call)) {
        return false;
    }
    if (!allowed) {
        answer_denied(call, names[operation]);
    }
    return allowed;
}

static void answer_id(struct call *call, int status, struct text id) {
    buffer_append_string(&call->answer->body, "{\"id\":");
    json_quote(&call->answer->body, id);
    buffer_append_byte(&call->answer->body, '}');
    call->answer->status = status;
}

static void insert_row(struct call *call, const struct buffer *values, const struct json_document *document) {
    const struct data_request *request = call->request;
    struct uuid fresh;
    if (request->id.length == 0 && !uuid_random(&fresh)) {
        answer_error(call->answer, 500, "there is no randomness for a row's id");
        return;
    }
    struct row row = {request->id.length ? buffer_text(&request->id) : text_of(fresh.digits),
                      buffer_text(&request->user), buffer_text(values)};
    struct policy_row subject = policy_row_of(call, row.id, row.created_by, document);
    if (!gate(call, POLICY_INSERT, POLICY_WITH_CHECK, &subject)) {
        return;
    }
    enum store_result result = store_row_insert(call->store, call->app, buffer_text(&request->table), &row);
    if (!store_ok(call, result)) {
        return;
    }
    if (result == STORE_CONFLICT) {
        answer_error(call->answer, 409, "the table has a row of this id already");
        return;
    }
    answer_id(call, 201, row.id);
}

static void perform_insert(struct call *call) {
    const struct data_request *request = call->request;
    struct buffer values;
    struct buffer why;
    struct json_document document = {0};
    buffer_init(&values, BUFFER_CEILING);
    buffer_init(&why, BUFFER_CEILING);
    if (!row_values_valid(&call->client, &request->document, request->values, &why) ||
        !row_values_complete(&call->client, &request->document, request->values, &values, &why)) {
        answer_error_text(call->answer, 400, buffer_text(&why));
    } else if (read_values(call, &values, &document)) {
        insert_row(call, &values, &document);
    }
    json_free(&document);
    buffer_free(&why);
    buffer_free(&values);
}

/* A stored row. */
struct stored_row {
    struct buffer author;
    struct buffer text;
    struct json_document values;
};

/* False after an answer; free it either way. */
static bool stored_row_load(struct call *call, struct stored_row *row) {
    *row = (struct stored_row){0};
    buffer_init(&row->author, BUFFER_CEILING);
    buffer_init(&row->text, BUFFER_CEILING);
    enum store_result result = store_row_get(call->store, call->app, buffer_text(&call->request->table),
                                             buffer_text(&call->request->id), &row->author, &row->text);
    if (!store_ok(call, result)) {
        return false;
    }
    if (result == STORE_NOTHING) {
        answer_error(call->answer, 404, "the table has no row of this id");
        return false;
    }
    return read_values(call, &row->text, &row->values);
}

static void stored_row_free(struct stored_row *row) {
    json_free(&row->values);
    buffer_free(&row->text);
    buffer_free(&row->author);
}

static void update_row(struct call *call, struct stored_row *row) {
    const struct data_request *request = call->request;
    struct buffer merged;
    struct json_document document = {0};
    struct policy_row subject = policy_row_of(call, buffer_text(&request->id), buffer_text(&row->author), &row->values);
    if (!gate(call, POLICY_UPDATE, POLICY_USING, &subject)) {
        return;
    }
    buffer_init(&merged, BUFFER_CEILING);
    row_values_merge(&row->values, &request->document, request->values, &merged);
    if (read_values(call, &merged, &document)) {
        subject.values = &document;
        if (gate(call, POLICY_UPDATE, POLICY_WITH_CHECK, &subject) &&
            store_ok(call, store_row_update(call->store, call->app, buffer_text(&request->table),
                                            buffer_text(&request->id), buffer_text(&merged)))) {
            answer_id(call, 200, buffer_text(&request->id));
        }
    }
    json_free(&document);
    buffer_free(&merged);
}

static void perform_update(struct call *call) {
    struct stored_row row;
    struct buffer why;
    buffer_init(&why, BUFFER_CEILING);
    if (!row_values_valid(&call->client, &call->request->document, call->request->values, &why)) {
        answer_error_text(call->answer, 400, buffer_text(&why));
    } else {
        if (stored_row_load(call, &row)) {
            update_row(call, &row);
        }
        stored_row_free(&row);
    }
    buffer_free(&why);
}

static void perform_delete(struct call *call) {
    const struct data_request *request = call->request;
    struct stored_row row;
    if (stored_row_load(call, &row)) {
        struct policy_row subject =
            policy_row_of(call, buffer_text(&request->id), buffer_text(&row.author), &row.values);
        if (gate(call, POLICY_DELETE, POLICY_USING, &subject) &&
            store_ok(call, store_row_delete(call->store, call->app, buffer_text(&request->table),
                                            buffer_text(&request->id)))) {
            answer_id(call, 200, buffer_text(&request->id));
        }
    }
    stored_row_free(&row);
}

struct listing {
    struct call *call;
    uint32_t condition;
    uint64_t listed;
    bool more;
};

static void append_row(struct call *call, const struct row *row, const struct json_document *values) {
    struct buffer *body = &call->answer->body;
    buffer_append_string(body, "{\"id\":");
    json_quote(body, row->id);
    buffer_append_string(body, ",\"createdBy\":");
    json_quote(body, row->created_by);
    buffer_append_string(body, ",\"values\":");
    row_values_project(&call->client, values, body);
    buffer_append_byte(body, '}');
}

static bool list_row(void *context, const struct row *row) {
    struct listing *listing = context;
    struct call *call = listing->call;
    struct json_document values;
    struct json_error error;
    policy_count_row(&call->policy, row);
    if (policy_exhausted(&call->policy) || !json_read(&values, row->values, &error)) {
        return !policy_exhausted(&call->policy);
    }
    struct policy_row subject = policy_row_of(call, row->id, row->created_by, &values);
    bool visible = policy_allows(&call->policy, listing->condition, &subject);
    if (visible && listing->listed == call->request->limit) {
        listing->more = true;
    } else if (visible) {
        if (listing->listed++ > 0) {
            buffer_append_byte(&call->answer->body, ',');
        }
        append_row(call, row, &values);
    }
    json_free(&values);
    return !listing->more;
}

/* data.policy: `select.using` filters what the session sees; a table without it may not be read at all. */
static void perform_list(struct call *call) {
    struct text table = buffer_text(&call->request->table);
    struct listing listing = {.call = call};
    listing.condition = policy_condition(&call->policy, table, POLICY_SELECT, POLICY_USING);
    if (listing.condition == JSON_NONE) {
        answer_denied(call, "read");
        return;
    }
    buffer_append_string(&call->answer->body, "{\"ready\":true,\"rows\":[");
    enum store_result result = store_rows(call->store, call->app, table, list_row, &listing);
    if (!store_ok(call, result) || !still_sound(call)) {
        return;
    }
    buffer_append_string(&call->answer->body, listing.more ? "],\"more\":true}" : "],\"more\":false}");
    call->answer->status = 200;
}

static void perform(struct call *call, const struct deployment *deployment) {
    static void (*const operations[])(struct call *) = {perform_insert, perform_update, perform_delete, perform_list};
    const struct data_request *request = call->request;
    uint32_t table = json_member_text(&deployment->client_schema, 0, buffer_text(&request->table));
    if (table == JSON_NONE) {
        answer_error(call->answer, 404, "the client's schema has no such table");
        return;
    }
    call->policy = (struct policy_context){.store = call->store,
                                           .app = call->app,
                                           .permissions = &deployment->permissions,
                                           .schema = &deployment->head_schema,
                                           .request = &request->document,
                                           .session = request->session};
    if (client_table_open(&call->client, &deployment->client_schema, table)) {
        operations[request->operation](call);
    } else {
        answer_error(call->answer, 500, "there is not enough memory for this request");
    }
    client_table_free(&call->client);
}

static enum data_outcome not_ready(struct call *call) {
    if (call->request->operation != DATA_LIST) {
        return DATA_NOT_READY;
    }
    /* A read never hangs: it says that there is nothing to see yet. */
    buffer_append_string(&call->answer->body, "{\"ready\":false,\"rows\":[],\"more\":false}");
    call->answer->status = 200;
    return DATA_ANSWERED;
}

static enum data_outcome perform_in_transaction(struct call *call) {
    struct deployment deployment;
    enum data_outcome outcome = DATA_ANSWERED;
    switch (deployment_load(&deployment, call->store, call->app, buffer_text(&call->request->schema_hash))) {
    case DEPLOYMENT_READY:
        perform(call, &deployment);
        break;
    case DEPLOYMENT_NOT_READY:
        outcome = not_ready(call);
        break;
    case DEPLOYMENT_NO_MEMORY:
        answer_error(call->answer, 500, "there is not enough memory for this request");
        break;
    case DEPLOYMENT_STORE_FAILED:
        answer_store_failed(call->answer, store_error(call->store));
        break;
    }
    deployment_free(&deployment);
    return outcome;
}

enum data_outcome data_perform(struct store *store, struct text app, const struct data_request *request,
                               struct http_answer *answer) {
    struct call call = {.store = store, .app = app, .request = request, .answer = answer};
    if (!store_ok(&call, store_begin(store, request->operation != DATA_LIST))) {
        return DATA_ANSWERED;
    }
    enum data_outcome outcome = perform_in_transaction(&call);
    bool success = outcome == DATA_ANSWERED && answer->status < 300 && !answer->body.failed;
    if (!success || !store_ok(&call, store_commit(store))) {
        store_rollback(store);
    }
    return outcome;
}
