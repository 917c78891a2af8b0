#include "relay-ref/adapters/ws_server_answer.h"

#include <string.h>

#define ANSWER_CAPACITY 1024 /* head and body; a refusal's sentence is at most a quarter of it */

static bool add(struct lws *wsi, enum lws_token_indexes token, const char *value, unsigned char **at,
                unsigned char *end) {
    return lws_add_http_header_by_token(wsi, token, (const unsigned char *)value, (int)strlen(value), at, end) == 0;
}

/* What a client is told to do instead, where HTTP has a header for that. */
static bool add_advice(struct lws *wsi, unsigned status, unsigned char **at, unsigned char *end) {
    if (status == HTTP_STATUS_UNAUTHORIZED)
        return add(wsi, WSI_TOKEN_HTTP_WWW_AUTHENTICATE, "Bearer", at, end);
    if (status == 426)
        return add(wsi, WSI_TOKEN_UPGRADE, "websocket", at, end);
    return true;
}

int answer_refusal(struct lws *wsi, const struct refusal *refusal) {
    unsigned char memory[LWS_PRE + ANSWER_CAPACITY];
    unsigned char *start = memory + LWS_PRE, *at = start, *end = memory + sizeof memory;
    size_t length = strlen(refusal->text);
    if (lws_add_http_common_headers(wsi, refusal->status, "text/plain; charset=utf-8", length + 1, &at, end) != 0 ||
        !add(wsi, WSI_TOKEN_CONNECTION, "close", &at, end) || !add_advice(wsi, refusal->status, &at, end) ||
        lws_finalize_http_header(wsi, &at, end) != 0 || (size_t)(end - at) < length + 1)
        return -1;
    memcpy(at, refusal->text, length);
    at[length] = '\n';
    lws_write(wsi, start, (size_t)(at - start) + length + 1, LWS_WRITE_HTTP);
    return -1;
}

int answer_head(struct lws *wsi, const char *type, size_t length) {
    unsigned char memory[LWS_PRE + ANSWER_CAPACITY];
    unsigned char *start = memory + LWS_PRE, *at = start, *end = memory + sizeof memory;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, length, &at, end) != 0 ||
        lws_finalize_write_http_header(wsi, start, &at, end) != 0)
        return -1;
    lws_callback_on_writable(wsi);
    return 0;
}
