#include "harness/run/subject.h"

#include "harness/run/probe.h"

static bool reach_target(void *context, const char *profile, struct error *error) {
    return target_preflight(context, profile, SCENARIO_LIMIT_MS, error) != TARGET_BROKEN;
}

static struct case_result play_target(void *context, struct scenario *scenario, const struct case_settings *settings) {
    return case_run(scenario, context, settings);
}

struct subject subject_of_target(struct target *target) {
    return (struct subject){target->name, target, reach_target, play_target};
}

/* A store that is there answers its health, whatever it thinks of us. */
static bool reach_store(void *context, const char *profile, struct error *error) {
    struct store *store = ((struct store_subject *)context)->store;
    (void)profile;
    if (store->table->open(store, "health", NULL, error) != TARGET_OK) {
        return false;
    }
    struct store_request request = {
        .method = "GET", .path = TEXT("/health"), .other_app = TEXT(""), .secret = STORE_SECRET_NONE};
    struct http_call *call = store_start(store, &request, error);
    bool answered = call != NULL && http_wait(store->client, &call, 1, SCENARIO_LIMIT_MS) && http_failure(call) == NULL;
    if (call != NULL && !answered) {
        error_set(error, ERROR_TARGET, "%s/health: %s", store->url,
                  http_is_done(call) ? http_failure(call) : "no answer");
    }
    http_forget(store->client, call);
    store->table->close(store);
    return answered;
}

static struct case_result play_store(void *context, struct scenario *scenario, const struct case_settings *settings) {
    return store_case_run(scenario, context, settings);
}

struct subject subject_of_store(struct store_subject *store) {
    return (struct subject){store->store->name, store, reach_store, play_store};
}
