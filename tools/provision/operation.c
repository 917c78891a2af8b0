#include "tools/provision/operation.h"

#include "tools/provision/permissions.h"

/* The permissions as far as they can be judged without the store. Classifying needs none, but checks those that it gets. */
static bool check_permissions(struct run *run, const struct request *request, const struct slice *slice) {
    struct input permissions = request->permissions;
    if (!json_present(permissions.root)) {
        if (request->operation == OPERATION_STATUS) return true;
        return problem_set(run, PROBLEM_BAD_INPUT, "provisioning needs the app's permissions; {} says that it has none");
    }
    if (!permissions_check(run, permissions, slice)) return false;
    struct builder unused = {.arena = run->arena};
    return !request->literals_first || permissions_encode(run, permissions, &unused);
}

static bool run_with_store(struct run *run, struct http_client *client, const struct request *request,
                           const struct slice *slice, struct outcome *outcome) {
    struct deployment deployment = {0};
    if (!store_read(run, client, &deployment)) return false;
    outcome->head_hash = deployment.head_hash;
    if (request->operation == OPERATION_STATUS) {
        outcome->classification = classify(run->arena, slice, &deployment);
        return true;
    }
    if (!plan_make(run, slice, request->permissions, &deployment, &outcome->plan)) return false;
    return request->operation == OPERATION_DRY_RUN || plan_apply(run, client, &outcome->plan, &outcome->head_hash);
}

bool operation_run(struct run *run, const struct request *request, struct outcome *outcome) {
    struct slice slice = {0};
    *outcome = (struct outcome){.operation = request->operation};
    if (!slice_from_app(run, request->app, &slice) || !check_permissions(run, request, &slice)) return false;
    struct http_client *client = http_open(run, &request->store);
    if (client == NULL) return false;
    bool done = run_with_store(run, client, request, &slice, outcome);
    http_close(client);
    return done;
}
