#include "tools/provision/stdio.h"

static bool take_operation(struct run *run, struct input all, struct request *request) {
    struct json op = json_member(all.root, "op");
    if (json_string_is(op, "status"))
        request->operation = OPERATION_STATUS;
    else if (json_string_is(op, "apply"))
        request->operation = OPERATION_APPLY;
    else
        return problem_at(run, PROBLEM_BAD_INPUT, all.file, json_present(op) ? op : all.root,
                          "\"op\" must be \"status\" or \"apply\"");
    return true;
}

static bool take_text(struct run *run, struct input all, const char *name, struct text *text) {
    struct json target = json_member(all.root, "target"), value = json_member(target, name);
    if (!json_is(value, JSON_STRING))
        return problem_at(run, PROBLEM_BAD_INPUT, all.file, json_present(target) ? target : all.root,
                          "\"target\" must be an object with the texts \"url\", \"appId\" and \"adminSecret\"; %s is missing", name);
    *text = json_string(run->arena, value);
    return true;
}

bool stdio_read_request(struct run *run, struct text text, const struct options *options, struct request *request) {
    struct input all = {0};
    *request = (struct request){.store = {.connect_milliseconds = options->connect_milliseconds,
                                          .total_milliseconds = options->total_milliseconds,
                                          .max_answer_bytes = options->max_answer_bytes}};
    if (!input_scan(run, text_from("request"), text, &all)) return false;
    struct json app = json_member(all.root, "app");
    if (!json_present(app)) return problem_at(run, PROBLEM_BAD_INPUT, all.file, all.root, "a request needs an \"app\"");
    request->app = (struct input){all.file, app};
    if (!take_operation(run, all, request)) return false;
    struct json permissions = json_member(all.root, "permissions");
    if (request->operation == OPERATION_APPLY) request->permissions = (struct input){all.file, permissions};
    return take_text(run, all, "url", &request->store.base_url) && take_text(run, all, "appId", &request->store.app_id) &&
           take_text(run, all, "adminSecret", &request->store.secret);
}
