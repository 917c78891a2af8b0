#include "tools/sync-server/routes.h"

#include "tools/sync-server/answer.h"

#include <string.h>
#include <time.h>

int64_t now_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct text route_plain_path(struct text target) {
    size_t query = text_find(target, TEXT("?"));
    return (struct text){target.bytes, query == SIZE_MAX ? target.length : query};
}

static void find_data(struct route *route, struct http_exchange *exchange) {
    const struct path *path = &route->path;
    route->app = path->segments[1];
    if (path->count != 4 || !data_operation_read(path->segments[3], &route->operation)) {
        answer_error(&exchange->answer, 404, "the data plane knows insert, update, delete and list");
    } else if (!text_equal(exchange->request->method, TEXT("POST"))) {
        answer_not_allowed(&exchange->answer, "POST");
    } else {
        route->kind = ROUTE_DATA;
    }
}

static void find_top(struct route *route, struct http_exchange *exchange) {
    const struct path *path = &route->path;
    bool get = text_equal(exchange->request->method, TEXT("GET"));
    if (path_is(path, 0, "control")) {
        route->recorded = false;
        route->kind = ROUTE_CONTROL;
    } else if (path_is(path, 0, "health") && path->count == 1) {
        route->recorded = false;
        if (get) {
            route->kind = ROUTE_HEALTH;
        } else {
            answer_not_allowed(&exchange->answer, "GET");
        }
    } else if (path_is(path, 0, "apps") && path->count > 2 && path->segments[1].length > 0) {
        route->recorded = !path_is(path, 2, "data");
        if (route->recorded) {
            route->app = path->segments[1];
            route->kind = ROUTE_ADMIN;
        } else {
            find_data(route, exchange);
        }
    } else {
        answer_error(&exchange->answer, 404, "there is nothing under this path");
    }
}

void route_find(struct route *route, struct http_exchange *exchange, struct text base_path) {
    *route = (struct route){.kind = ROUTE_ANSWERED, .recorded = true};
    enum path_result result = path_read(&route->path, exchange->request->target, base_path);
    if (exchange->refusal_status != 0) {
        answer_error(&exchange->answer, exchange->refusal_status, exchange->refusal);
        return;
    }
    switch (result) {
    case PATH_OK:
        find_top(route, exchange);
        return;
    case PATH_UNKNOWN:
        answer_error(&exchange->answer, 404, "there is nothing under this path");
        return;
    case PATH_BAD_ESCAPE:
        answer_error(&exchange->answer, 400, "the path has a % without two hex digits");
        return;
    case PATH_NO_MEMORY:
        answer_error(&exchange->answer, 500, "there is not enough memory for this request");
        return;
    }
}

void route_free(struct route *route) {
    path_free(&route->path);
}
