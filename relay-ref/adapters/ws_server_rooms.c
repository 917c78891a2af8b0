#include "relay-ref/adapters/ws_server_rooms.h"

#include <signal.h>

#include "relay-ref/adapters/ws_server_sending.h"
#include "relay-ref/core/version.h"

#define INTERNAL 1011
#define TRY_AGAIN_LATER 1013

static int64_t now_of(void *context) {
    (void)context;
    return (int64_t)(lws_now_usecs() / (LWS_US_PER_SEC / 1000));
}

static size_t mint(void *context, char *out, size_t capacity) {
    (void)context;
    return live_mint(out, capacity);
}

static void tell(void *context, const char *sentence) {
    const struct server *server = context;
    fprintf(server->messages, SERVER_NAME ": %s\n", sentence);
    fflush(server->messages);
}

/* A control client's relays all begin anew, which would empty the file. */
static bool check_empty(struct server *server, struct store_error *error) {
    bool empty;
    if (server->flags->control_port == FLAGS_NO_PORT)
        return true;
    if (!durable_is_empty(server->rooms, &empty, error))
        return false;
    if (!empty)
        snprintf(
            error->text, sizeof error->text,
            "%.400s has rooms in it; with --control, whose clients open fresh relays, --db wants a file of its own",
            server->flags->db_file);
    return empty;
}

bool rooms_open(struct server *server, char *reason, size_t capacity) {
    const struct server_flags *flags = server->flags;
    struct store_error error;
    if (flags->db_file == NULL)
        return true;
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk, not the end */
    struct durable_settings settings = {
        .store = {.path = flags->db_file, .durable = flags->durable, .wire = relay_version_of(flags->protocol)->wire},
        .checkpoint_envelopes = flags->checkpoint_envelopes,
        .checkpoint_bytes = flags->checkpoint_bytes,
        .idle_ms = (int64_t)flags->unload_seconds * 1000,
    };
    struct durable_host host = {.context = server, .now = now_of, .mint = mint, .tell = tell};
    server->rooms = durable_open(&settings, &host, &error);
    if (server->rooms != NULL && check_empty(server, &error))
        return true;
    snprintf(reason, capacity, "--db: %s", error.text);
    return false;
}

void rooms_close(struct server *server) {
    durable_close(server->rooms);
    server->rooms = server->live.rooms = NULL;
}

/* Only wakes the event loop, at the end of whose round there is something to do. */
static void on_time(lws_sorted_usec_list_t *timer) {
    (void)timer;
}

void rooms_turn_over(struct server *server) {
    if (server->rooms == NULL || server->draining)
        return;
    struct durable_turn turn = durable_turn_over(server->rooms);
    sending_release(server, turn.lost);
    members_settle(server);
    lws_sul_schedule(server->context, 0, &server->rooms_timer, on_time,
                     turn.wait > 0 ? (lws_usec_t)turn.wait * (LWS_US_PER_SEC / 1000) : 1);
}

bool rooms_hold(const struct server *server) {
    return server->flags->durable && server->rooms != NULL && !server->draining;
}

unsigned rooms_close_code(enum durable_trouble trouble) {
    return trouble == DURABLE_LOCKED ? TRY_AGAIN_LATER : INTERNAL;
}

const char *rooms_close_reason(enum durable_trouble trouble) {
    if (trouble == DURABLE_LOCKED)
        return "the relay's file is locked; try again later";
    if (trouble == DURABLE_UNREADABLE)
        return "the room is in the relay's file but cannot be read";
    return "the relay could not write to its file; the room is as it was before";
}
