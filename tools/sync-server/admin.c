#include "tools/sync-server/admin.h"

#include "tools/sync-server/answer.h"

struct route {
    const char *method;
    const char *segments[3]; /* behind the app id; NULL ends it, "*" is any */
    void (*handle)(struct admin_call *call);
};

static const struct route routes[] = {
    {"GET", {"schemas", NULL, NULL}, admin_list_schemas},
    {"GET", {"schema", "*", NULL}, admin_get_schema},
    {"POST", {"admin", "schemas", NULL}, admin_publish_schema},
    {"GET", {"admin", "permissions", NULL}, admin_get_permissions},
    {"POST", {"admin", "permissions", NULL}, admin_publish_permissions},
    {"GET", {"admin", "permissions", "head"}, admin_get_head},
    {"POST", {"admin", "migrations", NULL}, admin_publish_migration},
    {"GET", {"admin", "schema-connectivity", NULL}, admin_connectivity},
};

/* The segments before a route's own: `apps` and the app id. */
#define ROUTE_START 2

static bool route_matches(const struct route *route, const struct path *path) {
    size_t wanted = 0;
    while (wanted < 3 && route->segments[wanted]) {
        if (text_equal(text_of(route->segments[wanted]), TEXT("*"))) {
            wanted++;
            continue;
        }
        if (!path_is(path, ROUTE_START + wanted, route->segments[wanted])) {
            return false;
        }
        wanted++;
    }
    return path->count == ROUTE_START + wanted;
}

/* The route for path and method. NULL: the answer is 404, or 405 when only the method does not fit. */
static const struct route *find_route(const struct path *path, struct text method, struct http_answer *answer) {
    bool get = false;
    bool post = false;
    for (size_t at = 0; at < sizeof routes / sizeof *routes; at++) {
        if (!route_matches(&routes[at], path)) {
            continue;
        }
        if (text_equal(method, text_of(routes[at].method))) {
            return &routes[at];
        }
        get = get || routes[at].method[0] == 'G';
        post = post || routes[at].method[0] == 'P';
    }
    if (get || post) {
        answer_not_allowed(answer, get && post ? "GET, POST" : get ? "GET" : "POST");
    } else {
        answer_error(answer, 404, "the store has nothing under this path");
    }
    return NULL;
}

enum secret_verdict admin_secret_verdict(const struct http_request *request, struct text secret) {
    if (!secret.bytes) {
        return SECRET_NONE_CONFIGURED;
    }
    bool given = false;
    for (size_t at = 0; at < request->header_count; at++) {
        given = given || text_equal_ignoring_case(request->headers[at].name, TEXT("x-jazz-admin-secret"));
    }
    if (!given) {
        return SECRET_MISSING;
    }
    struct text value = http_header(request, "x-jazz-admin-secret");
    return value.bytes && secret_equal(value, secret) ? SECRET_RIGHT : SECRET_WRONG;
}

/* store.auth: this comes before anything that could tell what the store has. */
static bool authorized(const struct http_request *request, struct text secret, struct http_answer *answer) {
    switch (admin_secret_verdict(request, secret)) {
    case SECRET_RIGHT:
        return true;
    case SECRET_NONE_CONFIGURED:
        answer_error(answer, 403, "this store has no admin secret, so nobody may use its admin API");
        return false;
    default:
        answer_error(answer, 401, "the header X-Jazz-Admin-Secret is missing or wrong");
        return false;
    }
}

bool admin_store_ok(struct admin_call *call, enum store_result result) {
    if (result != STORE_ERROR) {
        return true;
    }
    answer_store_failed(call->answer, store_error(call->store));
    return false;
}

bool admin_body_string(const struct admin_call *call, const char *name, struct buffer *out) {
    uint32_t node = json_member(call->body, 0, name);
    if (node == JSON_NONE || json_kind(call->body, node) != JSON_STRING) {
        return false;
    }
    json_decode(call->body, node, out);
    return !out->failed;
}

/* One transaction a request: what was not answered with success leaves nothing behind. */
static bool run_in_transaction(const struct route *route, struct admin_call *call, bool writes) {
    if (!admin_store_ok(call, store_begin(call->store, writes))) {
        return false;
    }
    route->handle(call);
    bool success = call->answer->status < 300 && !call->answer->body.failed;
    if (!success) {
        store_rollback(call->store);
        return false;
    }
    if (!admin_store_ok(call, store_commit(call->store))) {
        store_rollback(call->store);
        return false;
    }
    return writes;
}

bool admin_handle(struct store *store, const struct path *path, const struct http_request *request, struct text secret,
                  int64_t now, struct http_answer *answer) {
    if (!authorized(request, secret, answer)) {
        return false;
    }
    const struct route *route = find_route(path, request->method, answer);
    if (!route) {
        return false;
    }
    bool writes = text_equal(request->method, TEXT("POST"));
    struct json_document body = {0};
    struct json_error error;
    if (writes && !json_read(&body, request->body, &error)) {
        answer_bad_json(answer, &error);
        return false;
    }
    if (writes && json_kind(&body, 0) != JSON_OBJECT) {
        answer_error(answer, 400, "the body must be a JSON object");
        json_free(&body);
        return false;
    }
    struct admin_call call = {
        .store = store, .app = path->segments[1], .path = path, .body = &body, .now = now, .answer = answer};
    bool changed = run_in_transaction(route, &call, writes);
    json_free(&body);
    return changed;
}
