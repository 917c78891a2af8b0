#include "relay-ref/adapters/control_http.h"

#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/ws_server_answer.h"
#include "relay-ref/adapters/ws_server_state.h"

/* What libwebsockets keeps for each HTTP connection; zeroed by it. */
struct exchange {
    struct relay_buffer command; /* memory NULL between two requests */
    struct relay_buffer answer;  /* with LWS_PRE bytes before it; likewise */
    size_t announced;            /* Content-Length */
};

static void forget(struct exchange *exchange) {
    if (exchange == NULL)
        return;
    relay_buffer_free(&exchange->command);
    relay_buffer_free(&exchange->answer);
}

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

static int on_request(struct lws *wsi, struct exchange *exchange) {
    struct refusal refusal;
    if (!check_request(wsi, &exchange->announced, &refusal))
        return answer_refusal(wsi, &refusal);
    forget(exchange);
    relay_buffer_start(&exchange->command, 0, exchange->announced);
    return exchange->command.failed ? -1 : 0;
}

static int on_body(struct exchange *exchange, const char *bytes, size_t length) {
    if (length > exchange->announced - exchange->command.length)
        return -1;
    relay_buffer_add(&exchange->command, bytes, length);
    return 0;
}

/* libwebsockets says that the body is there once more for what comes behind it: a command is obeyed once. */
static int on_command(struct server *server, struct lws *wsi, struct exchange *exchange) {
    struct refusal refusal;
    struct relay_text command = {exchange->command.memory, exchange->command.length};
    if (command.bytes == NULL)
        return 0;
    relay_buffer_start(&exchange->answer, LWS_PRE, 256);
    bool obeyed = control_http_command(&server->control, command, &exchange->answer);
    relay_buffer_free(&exchange->command);
    if (!obeyed) {
        refuse(&refusal, 400, "A command is a JSON object with an `id` and a `do`.");
        return answer_refusal(wsi, &refusal);
    }
    return exchange->answer.failed ? -1 : answer_head(wsi, "application/json", exchange->answer.length);
}

static int on_writable(struct lws *wsi, struct exchange *exchange) {
    struct relay_buffer *answer = &exchange->answer;
    if (answer->memory == NULL)
        return 0;
    int sent = lws_write(wsi, (unsigned char *)answer->memory + LWS_PRE, answer->length, LWS_WRITE_HTTP_FINAL);
    forget(exchange);
    return sent < 0 || lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int control_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return server_of(wsi)->draining;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return -1;
    case LWS_CALLBACK_HTTP:
        return on_request(wsi, user);
    case LWS_CALLBACK_HTTP_BODY:
        return on_body(user, in, length);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION:
        return on_command(server_of(wsi), wsi, user);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_writable(wsi, user);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_WSI_DESTROY:
        forget(user);
        return 0;
    default:
        return 0;
    }
}

const struct lws_protocols control_protocols[2] = {{.name = "control",
                                                    .callback = control_callback,
                                                    .per_session_data_size = sizeof(struct exchange),
                                                    .rx_buffer_size = SERVER_READ_BYTES,
                                                    .tx_packet_size = (size_t)1 << 30},
                                                   {0}};
