#include "relay-ref/adapters/ws_server_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "relay-ref/adapters/control_line.h"
#include "relay-ref/adapters/control_observe.h"
#include "relay-ref/adapters/ws_server_limits.h"

static int64_t monotonic_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t read_clock(void *context) {
    struct live *live = context;
    int64_t now = live->fixed ? live->shown : monotonic_ms() + live->offset;
    if (now > live->shown)
        live->shown = now;
    return live->shown;
}

#define EPOCH_BYTES 16
#define EVENTS_AT_FIRST 256 /* bytes */

size_t live_mint(char *out, size_t capacity) {
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[EPOCH_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        abort(); /* cannot happen for so few bytes; an epoch that repeats would be worse */
    size_t length = 0;
    for (size_t i = 0; i < sizeof bytes && length + 2 <= capacity; i++) {
        out[length++] = digits[bytes[i] >> 4];
        out[length++] = digits[bytes[i] & 15];
    }
    return length;
}

static size_t mint(void *context, char *out, size_t capacity) {
    (void)context;
    return live_mint(out, capacity);
}

static enum relay_kept on_restore(void *context, struct relay_text room) {
    return durable_restore(((struct live *)context)->rooms, room);
}

/* Begins one event; the same shape as an adapter's (control.c). */
static void begin_event(const struct live *live, struct control_line *line, const char *kind, struct relay_text room) {
    relay_control_line_event(line, kind);
    relay_control_line_json(line, "relay", (struct relay_text){live->name, strlen(live->name)});
    relay_control_line_string(line, "room", room);
}

/* Keeps a finished event, or counts it as lost when there is no room for it any more. */
static void keep_event(struct live *live, struct control_line *line) {
    struct relay_buffer *kept = &live->events.text;
    struct relay_text event = relay_control_line_finish(line);
    if (event.bytes == NULL || kept->failed || event.length > LIVE_EVENTS_CEILING - kept->length) {
        live->events.lost++;
    } else {
        if (kept->length > 0)
            relay_buffer_add_words(kept, ",");
        relay_buffer_add_text(kept, event);
    }
    relay_control_line_free(line);
}

static const struct relay_version *version_of(const struct live *live) {
    return relay_version_of(relay_settings_options(live->settings)->protocol);
}

/* Whether rooms are in a file, too: rooms of the first version cannot be restored. */
static bool keeps(const struct live *live, const struct relay_version *version) {
    return live->rooms != NULL && version->hydrates;
}

static enum relay_committed on_commit(void *context, struct relay_text room, struct relay_text envelope,
                                      const struct relay_commit_state *state, struct relay_commit *commit) {
    struct live *live = context;
    struct control_line line;
    enum relay_committed committed = live->holds ? RELAY_COMMIT_HELD : RELAY_COMMIT_DECIDED;
    if (keeps(live, version_of(live)))
        durable_commit(live->rooms, room, envelope, state);
    if (!live->observed)
        return committed;
    begin_event(live, &line, "commit", room);
    relay_observe_commit(&line, version_of(live), envelope, state, commit);
    keep_event(live, &line);
    return committed;
}

static void on_violation(void *context, struct relay_text room, const struct relay_violation *violation) {
    struct live *live = context;
    struct control_line line;
    metrics_ejection(live->metrics, violation->reason);
    if (!live->observed)
        return;
    begin_event(live, &line, "violation", room);
    relay_observe_violation(&line, violation);
    keep_event(live, &line);
}

static void on_limit(void *context, enum relay_limit limit) {
    struct live *live = context;
    live->metrics->limits[limit]++;
    if (limit == RELAY_LIMIT_ARRAY)
        return;
    live->limited = true;
    live->limit = limit;
}

/* Rejects and drops are events of 0.9 on, but counted in every version. */
static bool tells_all(const struct live *live) {
    return live->observed && relay_version_of(relay_settings_options(live->settings)->protocol)->generations;
}

static void on_join(void *context, struct relay_text room, struct relay_text writer, struct relay_text origin) {
    struct live *live = context;
    struct control_line line;
    begin_event(live, &line, "join", room);
    relay_observe_join(&line, writer, origin);
    keep_event(live, &line);
}

static void on_reject(void *context, struct relay_text room, const struct relay_rejection *rejection) {
    struct live *live = context;
    struct control_line line;
    metrics_reject(live->metrics, rejection->reason);
    if (!tells_all(live))
        return;
    begin_event(live, &line, "reject", room);
    relay_observe_reject(&line, rejection);
    keep_event(live, &line);
}

static void on_drop(void *context, struct relay_text room, const struct relay_dropped *dropped) {
    struct live *live = context;
    struct control_line line;
    metrics_drop(live->metrics, dropped->reason);
    if (!tells_all(live))
        return;
    begin_event(live, &line, "drop", room);
    relay_observe_drop(&line, dropped);
    keep_event(live, &line);
}

static void on_durability_failed(void *context, struct relay_text room, uint64_t seq) {
    struct live *live = context;
    struct control_line line;
    begin_event(live, &line, "stalled", room);
    relay_control_line_count(&line, "seq", seq);
    keep_event(live, &line);
}

/* What only a control client wants to see; further observers from 0.9 on. */
static void observe(struct relay_env *env, const struct relay_version *version) {
    env->on_commit = on_commit;
    if (!version->generations)
        return;
    env->on_join = on_join;
    env->on_durability_failed = on_durability_failed;
}

bool live_start(struct live *live, bool observed, const struct server_flags *flags, struct metrics *metrics) {
    *live = (struct live){.observed = observed, .flags = flags, .metrics = metrics, .name = strdup("\"relay\"")};
    relay_buffer_start(&live->events.text, 0, EVENTS_AT_FIRST);
    return live->name != NULL && !live->events.text.failed;
}

/* A relay in another's place has none of its rooms. */
static bool begins_anew(struct live *live, const struct relay_version *version, char *reason, size_t capacity) {
    struct store_error error;
    snprintf(reason, capacity, "out of memory"); /* what else can go wrong */
    if (live->rooms == NULL || live->relay == NULL || durable_forget_all(live->rooms, version->wire, &error))
        return true;
    snprintf(reason, capacity, "%s", error.text);
    return false;
}

bool live_open(struct live *live, enum relay_protocol protocol, struct relay_text options, char *reason,
               size_t capacity) {
    struct relay_settings *settings = relay_settings_read(protocol, options, reason, capacity);
    if (settings == NULL)
        return false;
    const struct relay_version *version = relay_version_of(protocol);
    struct relay_options wanted = *relay_settings_options(settings);
    limits_put(&wanted, live->flags);
    struct relay_env env = {
        .context = live, .now = read_clock, .mint = mint, .on_violation = on_violation, .on_limit = on_limit,
        .on_reject = on_reject, .on_drop = on_drop};
    if (live->observed)
        observe(&env, version);
    if (keeps(live, version)) {
        env.on_commit = on_commit;
        env.restore = on_restore;
    }
    struct relay *relay = begins_anew(live, version, reason, capacity) ? relay_new(&env, &wanted) : NULL;
    if (relay == NULL) {
        relay_settings_free(settings);
        return false;
    }
    relay_free(live->relay);
    relay_settings_free(live->settings);
    live->relay = relay;
    live->settings = settings;
    live->holds = false;
    if (live->rooms != NULL)
        durable_serve(live->rooms, relay);
    return true;
}

void live_set_clock(struct live *live, int64_t ms) {
    live->fixed = true;
    if (ms > live->shown)
        live->shown = ms;
}

void live_restart_clock(struct live *live) {
    live->fixed = false;
    live->shown = LIVE_CLOCK_START;
    live->offset = LIVE_CLOCK_START - monotonic_ms();
}

void live_set_name(struct live *live, struct relay_text name) {
    char *copy = strndup(name.bytes, name.length);
    if (copy == NULL)
        return;
    free(live->name);
    live->name = copy;
}

uint64_t live_take_events(struct live *live, struct relay_buffer *out) {
    struct live_events *events = &live->events;
    uint64_t lost = events->lost;
    if (events->text.failed)
        lost++;
    else
        relay_buffer_add(out, events->text.memory, events->text.length);
    relay_buffer_free(&events->text);
    relay_buffer_start(&events->text, 0, EVENTS_AT_FIRST);
    events->lost = 0;
    return lost;
}

void live_end(struct live *live) {
    relay_free(live->relay);
    relay_settings_free(live->settings);
    relay_buffer_free(&live->events.text);
    free(live->name);
    *live = (struct live){0};
}
