#include "relay-ref/adapters/ws_server_drain.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "relay-ref/adapters/ws_server_door.h"
#include "relay-ref/adapters/ws_server_member.h"
#include "relay-ref/adapters/ws_server_rooms.h"

bool drain_watch_signals(struct server *server) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
        return false;
    int file = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (file < 0)
        return false;
    lws_sock_file_fd_type descriptor = {.filefd = file};
    server->signals = file;
    if (lws_adopt_descriptor_vhost(server->inner, LWS_ADOPT_RAW_FILE_DESC, descriptor, "signals", NULL) != NULL)
        return true;
    close(file);
    return false;
}

int signals_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    (void)user;
    (void)in;
    (void)length;
    if (reason != LWS_CALLBACK_RAW_RX_FILE)
        return 0;
    struct server *server = server_of(wsi);
    struct signalfd_siginfo signal;
    while (read(server->signals, &signal, sizeof signal) == (ssize_t)sizeof signal)
        drain_begin(server);
    return 0;
}

void drain_members(struct server *server, int code, const char *reason) {
    struct list_link *next;
    for (struct list_link *link = server->members.first; link != NULL; link = next) {
        next = link->next;
        member_orphan((struct member *)(void *)((char *)link - offsetof(struct member, in_members)),
                      (enum close_code)code, reason);
    }
}

static void on_late(lws_sorted_usec_list_t *timer) {
    struct server *server = lws_container_of(timer, struct server, drain_timer);
    server->drained_late = true;
    lws_cancel_service(server->context);
}

void drain_begin(struct server *server) {
    if (server->draining) {
        server->drained_late = true;
        return;
    }
    rooms_turn_over(server); /* what came in before is answered */
    server->draining = true;
    door_close(server);
    lws_sul_schedule(server->context, 0, &server->drain_timer, on_late,
                     (lws_usec_t)server->flags->drain_seconds * LWS_US_PER_SEC + 1);
    drain_members(server, CLOSE_GOING_AWAY, "the relay is shutting down");
}

bool drain_is_over(const struct server *server) {
    return server->draining && (server->drained_late || (server->member_count == 0 && server->bridge_count == 0));
}
