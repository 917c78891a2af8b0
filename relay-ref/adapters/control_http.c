#include "relay-ref/adapters/control_http.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/http_exchange.h"
#include "relay-ref/adapters/ws_server_answer.h"
#include "relay-ref/adapters/ws_server_state.h"

struct command_exchange {
    struct http_exchange http; /* first: libwebsockets hands both out as one; the body is a command */
    size_t announced;          /* Content-Length */
};

static bool read_length(struct lws *wsi, size_t *out) {
    char text[24];
    char *end;
    if (lws_hdr_copy(wsi, text, sizeof text, WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 0)
        return false;
    unsigned long long length = strtoull(text, &end, 10);
    *out = (size_t)length;
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool check_request(struct lws *wsi, size_t *length, struct refusal *refusal) {
    if (lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) == 0)
        return refuse(refusal, 405, "Send one command as the body of a POST.");
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0)
        return refuse(refusal, 403, "Web pages may not use the control server.");
    if (!read_length(wsi, length) || *length == 0)
        return refuse(refusal, 411, "The POST needs a Content-Length above 0.");
    if (*length > CONTROL_COMMAND_CEILING)
        return refuse(refusal, 413, "A command may have %zu bytes.", CONTROL_COMMAND_CEILING);
    return true;
}

static int on_request(struct lws *wsi, struct command_exchange *exchange) {
    struct refusal refusal;
    if (!check_request(wsi, &exchange->announced, &refusal))
        return answer_refusal(wsi, &refusal);
    http_exchange_forget(&exchange->http);
    relay_buffer_start(&exchange->http.body, 0, exchange->announced);
    return exchange->http.body.failed ? -1 : 0;
}

static int on_body(struct command_exchange *exchange, const char *bytes, size_t length) {
    if (length > exchange->announced - exchange->http.body.length)
        return -1;
    relay_buffer_add(&exchange->http.body, bytes, length);
    return 0;
}

/* libwebsockets says that the body is there once more for what comes behind it: a command is obeyed once. */
static int on_command(struct server *server, struct lws *wsi, struct http_exchange *exchange) {
    struct refusal refusal;
    struct relay_text command = {exchange->body.memory, exchange->body.length};
    if (command.bytes == NULL)
        return 0;
    http_exchange_begin(exchange, 256);
    bool obeyed = control_http_command(&server->control, command, &exchange->answer);
    relay_buffer_free(&exchange->body);
    if (!obeyed) {
        refuse(&refusal, 400, "A command is a JSON object with an `id` and a `do`.");
        return answer_refusal(wsi, &refusal);
    }
    return http_exchange_answer(wsi, exchange, "application/json");
}

static int control_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return on_request(wsi, user);
    case LWS_CALLBACK_HTTP_BODY:
        return on_body(user, in, length);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return on_command(server_of(wsi), wsi, user);
    default:
        return http_exchange_go_on(wsi, reason, user);
    }
}

const struct lws_protocols control_protocols[2] = {{.name = "control",
                                                    .callback = control_callback,
                                                    .per_session_data_size = sizeof(struct command_exchange),
                                                    .rx_buffer_size = SERVER_READ_BYTES,
                                                    .tx_packet_size = (size_t)1 << 30},
                                                   {0}};
