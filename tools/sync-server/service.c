#include "tools/sync-server/service.h"

#include "tools/sync-server/admin.h"
#include "tools/sync-server/answer.h"
#include "tools/sync-server/deployment.h"
#include "tools/sync-server/redact.h"
#include "tools/sync-server/routes.h"

#include <stdlib.h>

/* Where a request is on its way. */
enum stage { STAGE_HELD, STAGE_WORKING, STAGE_HANGING, STAGE_DELAYED };

/* What belongs to one exchange. */
struct work {
    struct service *service;
    struct http_exchange *exchange;
    enum stage stage;
    struct route route;
    uint64_t arrived;
    bool struck;
    struct fault_effect fault;
    bool reads_data;
    struct data_request data;
    struct hanging_write hanging;
};

void service_init(struct service *service, const struct options *options, struct fault_list *faults,
                  struct store *store, struct recorder *recorder) {
    *service = (struct service){.options = options, .store = store, .recorder = recorder, .faults = faults};
    service->hanging.limits = options->hanging;
    service->control = (struct control){
        .enabled = options->control, .faults = faults, .recorder = recorder, .hanging = &service->hanging};
    if (options->control_secret.length > 0) {
        service->control.secret = buffer_text(&options->control_secret);
    }
}

static struct text admin_secret(const struct service *service) {
    return service->options->admin_secret.length > 0 ? buffer_text(&service->options->admin_secret)
                                                     : (struct text){NULL, 0};
}

/* ---- the end of a request ------------------------------------------------------------------------ */

static void record(struct work *work, int status) {
    if (!work->route.recorded) {
        return;
    }
    struct record record = {.arrived = work->arrived,
                            .request = work->exchange->request,
                            .secret = admin_secret(work->service),
                            .status = status,
                            .fault = work->struck};
    recorder_add(work->service->recorder, &record);
}

static void deliver(struct work *work) {
    struct http_exchange *exchange = work->exchange;
    if (work->fault.cut != FAULT_CUT_NONE) {
        record(work, 0);
        http_exchange_cut(exchange);
    } else {
        record(work, exchange->answer.status);
        http_exchange_send(exchange);
    }
}

/* An error may quote what the client sent; should that be the secret, it goes no further. */
static void keep_secret(struct work *work) {
    struct buffer *body = &work->exchange->answer.body;
    struct text secret = admin_secret(work->service);
    if (work->exchange->answer.status < 400 || text_find(buffer_text(body), secret) == SIZE_MAX) {
        return;
    }
    struct buffer clean;
    buffer_init(&clean, body->ceiling);
    redact_bytes(buffer_text(body), secret, &clean);
    buffer_free(body);
    *body = clean;
}

/* The answer is there: puts the fault's own in its place, and waits where the fault says so. */
static void finish(struct work *work) {
    struct http_answer *answer = &work->exchange->answer;
    keep_secret(work);
    if (work->fault.status && work->fault.prevented) {
        answer_error(answer, work->fault.status, "this answer is a fault on purpose");
    } else if (work->fault.status) {
        answer->status = work->fault.status;
    }
    if (work->fault.has_body) {
        buffer_clear(&answer->body);
        buffer_append_text(&answer->body, buffer_text(&work->fault.body));
    }
    if (work->fault.delay_ms > 0) {
        work->stage = STAGE_DELAYED;
        http_exchange_wake_after(work->exchange, work->fault.delay_ms);
        return;
    }
    deliver(work);
}

/* ---- data -------------------------------------------------------------------------------------- */

/* data.hang: the write waits for the store, up to the client's own limit. */
static void begin_hanging(struct work *work) {
    struct service *service = work->service;
    work->hanging = (struct hanging_write){
        .app = work->route.app, .request = &work->data, .bytes = work->exchange->request->body.length, .owner = work};
    if (!hanging_add(&service->hanging, &work->hanging)) {
        answer_error(&work->exchange->answer, 503, "as many writes hang already as the store lets hang");
        finish(work);
        return;
    }
    work->stage = STAGE_HANGING;
    if (work->data.timeout_ms > 0) {
        http_exchange_wake_after(work->exchange, work->data.timeout_ms);
    }
}

static void perform_data(struct work *work) {
    struct http_answer *answer = &work->exchange->answer;
    if (data_perform(work->service->store, work->route.app, &work->data, answer) == DATA_NOT_READY) {
        begin_hanging(work);
    } else {
        finish(work);
    }
}

static void handle_data(struct work *work) {
    work->reads_data = true;
    if (data_request_read(&work->data, work->route.operation, work->exchange->request->body, &work->exchange->answer)) {
        perform_data(work);
    } else {
        finish(work);
    }
}

/* Something was published for the app: what hung for it and is ready now goes through, oldest first. */
static void retry_hanging(struct service *service, struct text app) {
    struct hanging_write *write = hanging_of_app(service->hanging.first, app);
    while (write) {
        struct hanging_write *next = hanging_of_app(write->next, app);
        struct text hash = buffer_text(&write->request->schema_hash);
        if (deployment_state(service->store, app, hash) != DEPLOYMENT_NOT_READY) {
            struct work *work = write->owner;
            hanging_remove(&service->hanging, write);
            work->stage = STAGE_WORKING;
            perform_data(work);
        }
        write = next;
    }
}

/* ---- the way of a request ------------------------------------------------------------------------ */

static void handle_admin(struct work *work) {
    struct service *service = work->service;
    bool changed = admin_handle(service->store, &work->route.path, work->exchange->request, admin_secret(service),
                                now_milliseconds(), &work->exchange->answer);
    if (changed) {
        retry_hanging(service, work->route.app);
    }
    finish(work);
}

static void take_effect(struct work *work) {
    struct http_answer *answer = &work->exchange->answer;
    switch (work->route.kind) {
    case ROUTE_ANSWERED:
        finish(work);
        return;
    case ROUTE_HEALTH:
        buffer_append_string(&answer->body, "{\"status\":\"healthy\"}");
        answer->status = 200;
        finish(work);
        return;
    case ROUTE_CONTROL:
        control_handle(&work->service->control, &work->route.path, work->exchange);
        finish(work);
        return;
    case ROUTE_DATA:
        handle_data(work);
        return;
    case ROUTE_ADMIN:
        handle_admin(work);
        return;
    }
}

static void proceed(struct work *work) {
    work->stage = STAGE_WORKING;
    if (work->fault.cut == FAULT_CUT_BEFORE || work->fault.prevented) {
        answer_error(&work->exchange->answer, 500, "this answer is a fault on purpose");
        finish(work);
        return;
    }
    take_effect(work);
}

static void handle(void *context, struct http_exchange *exchange) {
    struct service *service = context;
    struct work *work = calloc(1, sizeof *work);
    if (!work) {
        answer_error(&exchange->answer, 500, "there is not enough memory for this request");
        http_exchange_send(exchange);
        return;
    }
    exchange->work = work;
    work->service = service;
    work->exchange = exchange;
    route_find(&work->route, exchange, service->options->base_path);
    if (work->route.recorded) {
        work->arrived = recorder_arrival(service->recorder);
    }
    if (work->route.kind != ROUTE_CONTROL && exchange->refusal_status == 0) {
        work->struck = fault_strike(service->faults, exchange->request->method,
                                    route_plain_path(exchange->request->target), &work->fault);
    }
    if (work->fault.hold_ms > 0) {
        work->stage = STAGE_HELD;
        http_exchange_wake_after(exchange, work->fault.hold_ms);
        return;
    }
    proceed(work);
}

static void woken(void *context, struct http_exchange *exchange) {
    struct service *service = context;
    struct work *work = exchange->work;
    switch (work->stage) {
    case STAGE_HELD:
        proceed(work);
        return;
    case STAGE_DELAYED:
        deliver(work);
        return;
    case STAGE_HANGING:
        hanging_remove(&service->hanging, &work->hanging);
        work->stage = STAGE_WORKING;
        answer_error(&exchange->answer, 408, "the store did not become ready for this write within timeoutMs");
        finish(work);
        return;
    case STAGE_WORKING:
        return;
    }
}

static void abandoned(void *context, struct http_exchange *exchange) {
    (void)context;
    struct work *work = exchange->work;
    if (work) {
        record(work, 0);
    }
}

static void forget(void *context, struct http_exchange *exchange) {
    struct service *service = context;
    struct work *work = exchange->work;
    if (!work) {
        return;
    }
    hanging_remove(&service->hanging, &work->hanging);
    if (work->reads_data) {
        data_request_free(&work->data);
    }
    buffer_free(&work->fault.body);
    route_free(&work->route);
    free(work);
    exchange->work = NULL;
}

static void refuse(void *context, int status, const char *message, struct buffer *body) {
    (void)context;
    error_body(body, status, text_of(message));
}

struct http_handler service_handler(struct service *service) {
    return (struct http_handler){.context = service,
                                 .handle = handle,
                                 .woken = woken,
                                 .abandoned = abandoned,
                                 .forget = forget,
                                 .refuse = refuse};
}
