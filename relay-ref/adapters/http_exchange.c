#include "relay-ref/adapters/http_exchange.h"

#include "relay-ref/adapters/ws_server_answer.h"
#include "relay-ref/adapters/ws_server_state.h"

void http_exchange_forget(struct http_exchange *exchange) {
    if (exchange == NULL)
        return;
    relay_buffer_free(&exchange->body);
    relay_buffer_free(&exchange->answer);
}

void http_exchange_begin(struct http_exchange *exchange, size_t capacity) {
    relay_buffer_start(&exchange->answer, LWS_PRE, capacity);
}

int http_exchange_answer(struct lws *wsi, const struct http_exchange *exchange, const char *type) {
    return exchange->answer.failed ? -1 : answer_head(wsi, type, exchange->answer.length);
}

static int on_writable(struct lws *wsi, struct http_exchange *exchange) {
    struct relay_buffer *answer = &exchange->answer;
    if (answer->memory == NULL)
        return 0;
    int sent = lws_write(wsi, (unsigned char *)answer->memory + LWS_PRE, answer->length, LWS_WRITE_HTTP_FINAL);
    http_exchange_forget(exchange);
    return sent < 0 || lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

int http_exchange_go_on(struct lws *wsi, enum lws_callback_reasons reason, struct http_exchange *exchange) {
    switch (reason) {
    case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
        return server_of(wsi)->draining;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return -1;
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return on_writable(wsi, exchange);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_WSI_DESTROY:
        http_exchange_forget(exchange);
        return 0;
    default:
        return 0;
    }
}
