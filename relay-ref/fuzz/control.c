/* The adapter protocol's commands from any bytes: each line gets exactly one reply, and every line out is JSON. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/fuzz/support/oracle.h"
#include "relay-ref/adapters/control.h"

static void take_line(void *context, const char *text, size_t length) {
    static const char reply[] = "{\"id\":";
    size_t *replies = context;
    if (!oracle_accepts(text, length))
        found("a line that is no JSON: %.*s", (int)length, text);
    if (length > sizeof reply && memcmp(text, reply, sizeof reply - 1) == 0)
        ++*replies;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t replies = 0;
    struct control *control = relay_control_new(&(struct control_output){&replies, take_line});
    const char *at = (const char *)data, *end = at + size;
    if (control == NULL)
        found("memory was out");
    for (size_t commands = 1; at < end && !relay_control_stopped(control); commands++) {
        const char *feed = memchr(at, '\n', (size_t)(end - at));
        size_t length = feed == NULL ? (size_t)(end - at) : (size_t)(feed - at);
        /* A copy of its own, so that a read past its end is seen. */
        char *line = malloc(length + (length == 0));
        memcpy(line, at, length);
        relay_control_command(control, line, length);
        free(line);
        if (replies != commands)
            found("%zu replies to %zu commands", replies, commands);
        at += length + 1;
    }
    relay_control_free(control);
    return 0;
}
