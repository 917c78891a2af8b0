#include "relay-ref/adapters/ws_server_callback.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/ws_server_answer.h"
#include "relay-ref/adapters/ws_server_handshake.h"
#include "relay-ref/adapters/ws_server_member.h"
#include "relay-ref/adapters/ws_server_sending.h"

/* What libwebsockets keeps for each socket; zeroed by it. */
struct session {
    struct member *member; /* NULL before the upgrade and after the end */
};

static int on_upgrade(struct server *server, struct lws *wsi, const char *wanted) {
    struct refusal refusal;
    if (strcasecmp(wanted, "websocket") != 0)
        return -1;
    if (handshake_check(server, wsi, &refusal))
        return 0;
    server->metrics.refusals++;
    return answer_refusal(wsi, &refusal);
}

static int on_plain_http(struct lws *wsi) {
    struct refusal refusal;
    refuse(&refusal, 426, "This is a mesh relay; it speaks WebSocket.");
    server_of(wsi)->metrics.refusals++;
    return answer_refusal(wsi, &refusal);
}

static int on_established(struct server *server, struct lws *wsi, struct session *session) {
    struct identity identity;
    struct refusal refusal;
    if (handshake_identity(server, wsi, &identity, &refusal))
        session->member = member_open(server, wsi, lws_get_opaque_user_data(wsi), &identity.principal);
    identity_free(&identity);
    return session->member != NULL ? 0 : -1;
}

static int on_receive(struct lws *wsi, struct session *session, const char *bytes, size_t length) {
    if (session->member == NULL)
        return 0;
    bool deflate = server_of(wsi)->flags->deflate; /* then what is announced is what it is compressed */
    struct message_piece piece = {.bytes = bytes != NULL ? bytes : "",
                                  .length = length,
                                  .announced = deflate ? 0 : lws_remaining_packet_payload(wsi),
                                  .last = lws_is_final_fragment(wsi) != 0,
                                  .binary = lws_frame_is_binary(wsi) != 0};
    member_receive(session->member, &piece);
    return 0;
}

static void on_destroy(struct lws *wsi) {
    address_release(&server_of(wsi)->addresses, lws_get_opaque_user_data(wsi));
    lws_set_opaque_user_data(wsi, NULL);
}

static int on_end(struct session *session) {
    if (session != NULL && session->member != NULL) {
        member_free(session->member);
        session->member = NULL;
    }
    return 0;
}

/* A socket takes its address over while the door is handing it over, at its second callback: libwebsockets forgets what
   is set at the first one. */
static void claim_address(struct server *server, struct lws *wsi, enum lws_callback_reasons reason) {
    if (server->arriving == NULL || reason == LWS_CALLBACK_WSI_CREATE)
        return;
    lws_set_opaque_user_data(wsi, server->arriving);
    server->arriving = NULL;
}

static int relay_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct session *session = user;
    claim_address(server_of(wsi), wsi, reason);
    switch (reason) {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return on_upgrade(server_of(wsi), wsi, in);
    case LWS_CALLBACK_HTTP:
        return on_plain_http(wsi);
    case LWS_CALLBACK_ESTABLISHED:
        return on_established(server_of(wsi), wsi, session);
    case LWS_CALLBACK_RECEIVE:
        return on_receive(wsi, session, in, length);
    case LWS_CALLBACK_RECEIVE_PONG:
        if (session->member != NULL)
            session->member->heard = true;
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return session->member == NULL || sending_writable(session->member) ? 0 : -1;
    case LWS_CALLBACK_TIMER:
        if (session->member != NULL)
            member_tick(session->member);
        return 0;
    case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
        if (session->member != NULL)
            member_peer_closed(session->member);
        return 0;
    case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL:
        if (session->member != NULL)
            member_stop(session->member);
        return 0;
    case LWS_CALLBACK_CLOSED:
        return on_end(session);
    case LWS_CALLBACK_WSI_DESTROY:
        on_end(session);
        on_destroy(wsi);
        return 0;
    default:
        return 0;
    }
}

#define RELAY_PROTOCOL_NAME "relay"
#define SUBPROTOCOL_PREFIX "bearer."

static struct lws_protocols protocol_named(const char *name) {
    return (struct lws_protocols){.name = name,
                                  .callback = relay_callback,
                                  .per_session_data_size = sizeof(struct session),
                                  .rx_buffer_size = SERVER_READ_BYTES,
                                  .tx_packet_size = (size_t)1 << 30}; /* a frame goes out in one write */
}

struct lws_protocols *make_protocols(const struct tokens *tokens) {
    size_t count = tokens != NULL ? tokens_count(tokens) : 0;
    struct lws_protocols *protocols = calloc(count + 2, sizeof *protocols);
    if (protocols == NULL)
        return NULL;
    protocols[0] = protocol_named(RELAY_PROTOCOL_NAME);
    for (size_t i = 0; i < count; i++) {
        char *name = NULL;
        if (asprintf(&name, SUBPROTOCOL_PREFIX "%s", tokens_at(tokens, i)) < 0) {
            free_protocols(protocols);
            return NULL;
        }
        protocols[i + 1] = protocol_named(name);
    }
    return protocols;
}

void free_protocols(struct lws_protocols *protocols) {
    if (protocols == NULL)
        return;
    for (size_t i = 1; protocols[i].name != NULL; i++)
        free((char *)(uintptr_t)protocols[i].name);
    free(protocols);
}
