#include "tools/sync-server/redact.h"

#include "tools/sync-server/json.h"
#include "tools/sync-server/path.h"
#include "tools/sync-server/utf8.h"

bool redact_bytes(struct text bytes, struct text secret, struct buffer *out) {
    bool found = false;
    for (;;) {
        size_t at = text_find(bytes, secret);
        if (at == SIZE_MAX) {
            break;
        }
        found = true;
        buffer_append(out, bytes.bytes, at);
        buffer_append_string(out, "[secret]");
        bytes.bytes += at + secret.length;
        bytes.length -= at + secret.length;
    }
    buffer_append_text(out, bytes);
    return found;
}

static void append_readable(struct text text, struct buffer *out) {
    while (text.length > 0) {
        size_t valid = utf8_valid_length(text);
        buffer_append(out, text.bytes, valid);
        if (valid < text.length) {
            utf8_append(out, 0xFFFD);
            valid++;
        }
        text.bytes += valid;
        text.length -= valid;
    }
}

static bool hidden_by_percent(struct text text, struct text secret) {
    if (text_find(text, TEXT("%")) == SIZE_MAX && text_find(text, TEXT("+")) == SIZE_MAX) {
        return false;
    }
    struct buffer decoded;
    buffer_init(&decoded, BUFFER_CEILING);
    bool hidden = percent_decode(text, false, &decoded) && text_find(buffer_text(&decoded), secret) != SIZE_MAX;
    buffer_clear(&decoded);
    hidden = hidden || (percent_decode(text, true, &decoded) && text_find(buffer_text(&decoded), secret) != SIZE_MAX);
    buffer_free(&decoded);
    return hidden;
}

static bool hidden_by_json(struct text text, struct text secret) {
    struct json_document document;
    struct json_error error;
    if (text_find(text, TEXT("\\")) == SIZE_MAX || !json_read(&document, text, &error)) {
        return false;
    }
    bool hidden = false;
    struct buffer decoded;
    buffer_init(&decoded, BUFFER_CEILING);
    for (uint32_t node = 0; node < document.count && !hidden; node++) {
        if (document.nodes[node].escaped) {
            buffer_clear(&decoded);
            json_decode(&document, node, &decoded);
            hidden = text_find(buffer_text(&decoded), secret) != SIZE_MAX;
        }
    }
    buffer_free(&decoded);
    json_free(&document);
    return hidden;
}

bool redact(struct text text, struct text secret, struct buffer *out) {
    struct buffer clean;
    buffer_init(&clean, BUFFER_CEILING);
    bool found = redact_bytes(text, secret, &clean);
    struct text left = buffer_text(&clean);
    if (secret.bytes && (hidden_by_percent(left, secret) || hidden_by_json(left, secret))) {
        buffer_append_string(out, "[secret]");
        found = true;
    } else {
        append_readable(left, out);
    }
    out->failed = out->failed || clean.failed;
    buffer_free(&clean);
    return found;
}
