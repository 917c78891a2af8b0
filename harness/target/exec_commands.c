/* Commands to an adapter, and what they are made of. */
#include "harness/target/exec_state.h"
#include "harness/target/outcome.h"

struct buffer *exec_begin(struct exec_target *exec, const char *verb) {
    exec->command.length = 0;
    buffer_format(&exec->command, "\"do\":\"%s\",\"relay\":\"relay%" PRIu64 "\"", verb, exec->relay);
    return &exec->command;
}

struct buffer *exec_begin_for(struct exec_target *exec, const char *verb, int number) {
    exec->command.length = 0;
    buffer_format(&exec->command, "\"do\":\"%s\",\"conn\":\"" EXEC_CONNECTION_FORMAT "\"", verb, exec->serial, number);
    return &exec->command;
}

void exec_put_text(struct buffer *command, const char *key, struct text text) {
    buffer_format(command, ",\"%s\":", key);
    json_print_string(command, text);
}

void exec_put_json(struct buffer *command, const char *key, struct text json) {
    buffer_format(command, ",\"%s\":", key);
    adapter_put_json(command, json);
}

enum target_outcome exec_ask(struct exec_target *exec, struct json_value **ok, struct error *error) {
    if (exec->adapter.child != NULL && !exec->opened)
        return target_misused(error, "%s was used before a case was opened", exec->name);
    struct text command = {exec->command.bytes, exec->command.length};
    enum target_outcome outcome = adapter_ask(&exec->adapter, command, exec->limit_ms, ok, error);
    if (exec->command.capacity > ((size_t)1 << 20))
        buffer_free(&exec->command);
    return outcome;
}
