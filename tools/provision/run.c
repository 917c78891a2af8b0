#include "tools/provision/run.h"

#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_SIZE 512

const char *problem_name(enum problem_code code) {
    switch (code) {
    case PROBLEM_BAD_INPUT: return "bad-input";
    case PROBLEM_NOT_NESTED: return "not-nested";
    case PROBLEM_OUTSIDE_NAMESPACE: return "outside-namespace";
    case PROBLEM_SCHEMA_DRIFT: return "schema-drift";
    case PROBLEM_POLICY_LITERAL: return "policy-literal";
    case PROBLEM_HTTP: return "http";
    case PROBLEM_NONE: break;
    }
    return "none";
}

static void write_message(struct run *run, enum problem_code code, struct builder *message, const char *format,
                          va_list arguments) {
    char line[MESSAGE_SIZE];
    vsnprintf(line, sizeof line, format, arguments);
    builder_add_string(message, line);
    run->problem.code = code;
    run->problem.message = builder_text(message);
}

bool problem_set(struct run *run, enum problem_code code, const char *format, ...) {
    struct builder message = {.arena = run->arena};
    va_list arguments;
    va_start(arguments, format);
    write_message(run, code, &message, format, arguments);
    va_end(arguments);
    return false;
}

bool problem_at(struct run *run, enum problem_code code, struct text file, struct json value, const char *format, ...) {
    struct builder message = {.arena = run->arena};
    run->problem.file = file;
    run->problem.place = json_place(run->arena, value);
    builder_add(&message, file);
    builder_format(&message, ":%lu:%lu: ", run->problem.place.line, run->problem.place.column);
    builder_add(&message, run->problem.place.path);
    builder_add_string(&message, ": ");
    va_list arguments;
    va_start(arguments, format);
    write_message(run, code, &message, format, arguments);
    va_end(arguments);
    return false;
}

bool input_scan(struct run *run, struct text file, struct text text, struct input *input) {
    struct json_fault fault = {0};
    *input = (struct input){file, json_scan(run->arena, text, &fault)};
    if (json_present(input->root)) return true;
    struct place place = text_place(text, fault.offset);
    problem_set(run, PROBLEM_BAD_INPUT, "%.*s:%lu:%lu: not JSON: %s", TEXT_ARGUMENTS(file), place.line, place.column, fault.what);
    run->problem.file = file;
    run->problem.place = place;
    return false;
}
