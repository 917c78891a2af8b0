/*
 * The adapter protocol around relay cores in this process: one command line in, event and reply lines out, events
 * before the reply that they belong to. Any number of named relays and connections. Nothing here reads or writes a
 * stream, and time is what the `clock` command says it is.
 */
#ifndef MESHSPEC_RELAY_CONTROL_H
#define MESHSPEC_RELAY_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

/* Milliseconds that a relay's clock shows until the first `clock` command. */
#define CONTROL_CLOCK_START 1700000000000

/* Relays and connections that may be open at once. */
#define CONTROL_RELAY_CEILING 10000
#define CONTROL_CONNECTION_CEILING 100000

struct control;

/* Takes one line, without its end; valid during the call only. */
struct control_output {
    void *context;
    void (*line)(void *context, const char *text, size_t length);
};

/* NULL when memory is out. `output` is copied. */
struct control *relay_control_new(const struct control_output *output);

/* Ends all relays and connections; emits nothing. NULL is allowed. */
void relay_control_free(struct control *control);

/* Obeys one command, any bytes at all. Emits its events, then exactly one reply. */
void relay_control_command(struct control *control, const char *line, size_t length);

/* True after a `stop` command. */
bool relay_control_stopped(const struct control *control);

#endif
