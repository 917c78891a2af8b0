/* What the server reads before a relay sees a client, and the pieces of messages: the first byte says which. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/fuzz/support/oracle.h"
#include "relay-ref/adapters/options.h"
#include "relay-ref/adapters/query.h"
#include "relay-ref/adapters/tokens.h"
#include "relay-ref/adapters/ws_server_message.h"

#define MOST_FIELDS 64
#define MESSAGE_CEILING 4096

/* ---- tokens -------------------------------------------------------------------------------------- */

static void check_tokens(struct relay_text json) {
    char reason[256] = "";
    struct tokens *tokens = tokens_read(json, reason, sizeof reason);
    if (tokens == NULL && reason[0] == '\0')
        found("a token file is refused without a reason");
    for (size_t i = 0; tokens != NULL && i < tokens_count(tokens); i++) {
        const char *token = tokens_at(tokens, i);
        const struct relay_principal *principal = tokens_find(tokens, (struct relay_text){token, strlen(token)});
        if (principal == NULL || principal->writer.length == 0)
            found("the token %s has no principal", token);
    }
    tokens_free(tokens);
}

/* ---- options ------------------------------------------------------------------------------------- */

static void check_options(struct relay_text json) {
    static const enum relay_protocol protocols[] = {RELAY_PROTOCOL_0_2_0, RELAY_PROTOCOL_0_9};
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        char reason[256] = "";
        struct relay_settings *settings = relay_settings_read(protocols[i], json, reason, sizeof reason);
        if (settings == NULL && reason[0] == '\0')
            found("options are refused without a reason");
        relay_settings_free(settings);
    }
}

/* ---- queries ------------------------------------------------------------------------------------- */

/* Splits at `&` and `=`; decoding is the HTTP side's. */
static size_t split_query(struct relay_text query, struct query_field *fields) {
    size_t count = 0;
    while (query.length > 0 && count < MOST_FIELDS) {
        const char *end = memchr(query.bytes, '&', query.length);
        size_t length = end == NULL ? query.length : (size_t)(end - query.bytes);
        const char *equals = memchr(query.bytes, '=', length);
        size_t name = equals == NULL ? length : (size_t)(equals - query.bytes), value = name + (equals != NULL);
        fields[count++] = (struct query_field){{query.bytes, name}, {query.bytes + value, length - value}};
        query.bytes += length + (end != NULL);
        query.length -= length + (end != NULL);
    }
    return count;
}

static void check_query(struct relay_text query) {
    struct query_field fields[MOST_FIELDS];
    struct relay_principal principal;
    struct refusal refusal = {0};
    if (!query_principal(fields, split_query(query, fields), &principal, &refusal)) {
        if ((refusal.status != 400 && refusal.status != 401) || refusal.text[0] == '\0')
            found("a query is refused with status %u", refusal.status);
        return;
    }
    if (principal.writer.length == 0 || !oracle_utf8(principal.writer.bytes, principal.writer.length) ||
        (principal.kind.bytes != NULL && !oracle_utf8(principal.kind.bytes, principal.kind.length)) ||
        (principal.claims.bytes != NULL && !oracle_accepts(principal.claims.bytes, principal.claims.length)))
        found("a principal that is none was admitted");
}

/* ---- messages ------------------------------------------------------------------------------------ */

/* Feeds the text in pieces of the lengths that its own bytes say; they must come out as they went in. */
static void check_message(struct relay_text text) {
    struct message message = {0};
    enum message_step step = MESSAGE_MORE;
    size_t at = 0;
    do {
        size_t left = text.length - at, length = left == 0 ? 0 : (unsigned char)text.bytes[at] % 16 + (size_t)1;
        length = length < left ? length : left;
        struct message_piece piece = {.bytes = text.bytes + at, .length = length, .last = at + length == text.length};
        step = message_add(&message, &piece, MESSAGE_CEILING);
        at += length;
    } while (step == MESSAGE_MORE && at < text.length);
    bool whole = text.length <= MESSAGE_CEILING && oracle_utf8(text.bytes, text.length);
    if (whole != (step == MESSAGE_WHOLE))
        found("a message that is %s ends as step %d", whole ? "good" : "none", (int)step);
    if (whole && (message.whole.length != text.length ||
                  (text.length > 0 && memcmp(message.whole.bytes, text.bytes, text.length) != 0)))
        found("a message came out otherwise than it went in");
    message_clear(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void (*const checks[])(struct relay_text) = {check_tokens, check_options, check_query, check_message};
    if (size == 0)
        return 0;
    checks[data[0] % 4]((struct relay_text){(const char *)data + 1, size - 1});
    return 0;
}
