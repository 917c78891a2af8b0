#include "relay-ref/adapters/control_durable.h"

#include "relay-ref/adapters/control_reply.h"

/* True for a relay of 0.9; others say no. */
static bool has_generations(struct control *control, const struct control_command *command,
                            const struct control_relay *relay) {
    if (!relay->version->generations)
        relay_control_reply_words(control, command, "no", "This command came with protocol version 0.9.");
    return relay->version->generations;
}

void relay_control_hold(struct control *control, const struct control_command *command, struct control_relay *relay) {
    if (!has_generations(control, command, relay))
        return;
    relay->holds = true;
    relay_control_reply_ok(control, command);
}

void relay_control_unhold(struct control *control, const struct control_command *command, struct control_relay *relay) {
    if (!has_generations(control, command, relay))
        return;
    relay->holds = false;
    relay_control_reply_ok(control, command);
}

static void decide(struct control *control, const struct control_command *command, struct control_relay *relay,
                   bool (*decision)(struct relay *, struct relay_text, uint64_t)) {
    uint64_t seq;
    if (!has_generations(control, command, relay))
        return;
    if (!relay_control_seq(command, &seq))
        relay_control_reply_error(control, command, "The command needs seq, a count.");
    else
        relay_control_reply_bool(control, command,
                                 decision(relay->relay, relay_control_text(command, CONTROL_ROOM), seq));
}

void relay_control_release(struct control *control, const struct control_command *command,
                           struct control_relay *relay) {
    decide(control, command, relay, relay_release);
}

void relay_control_fail(struct control *control, const struct control_command *command, struct control_relay *relay) {
    decide(control, command, relay, relay_fail);
}

void relay_control_unload(struct control *control, const struct control_command *command, struct control_relay *relay) {
    if (has_generations(control, command, relay))
        relay_control_reply_bool(
            control, command,
            relay_unload(relay->relay, relay_control_text(command, CONTROL_ROOM), relay_control_discards(command)));
}
