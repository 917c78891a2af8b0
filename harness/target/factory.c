#include <string.h>

#include "harness/target/target.h"

static bool starts_with(const char *whole, const char *start) {
    return strncmp(whole, start, strlen(start)) == 0;
}

struct target *target_new(const char *name, struct error *error) {
    if (strcmp(name, "memory") == 0)
        return target_memory_new();
    if (starts_with(name, "ws://") || starts_with(name, "wss://"))
        return target_websocket_new(name, error);
    if (starts_with(name, "exec:"))
        return target_exec_new(name + strlen("exec:"), error);
    error_set(error, ERROR_USAGE,
              "there is no target \"%s\": it is one of memory, ws://HOST[:PORT][/PATH], wss://…, exec:COMMAND", name);
    return NULL;
}
