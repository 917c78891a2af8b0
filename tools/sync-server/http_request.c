#include "tools/sync-server/http_request.h"

#include <string.h>

void http_reader_init(struct http_reader *reader, struct http_limits limits) {
    *reader = (struct http_reader){.limits = limits};
    buffer_init(&reader->head, limits.head);
    buffer_init(&reader->body, limits.body);
}

void http_reader_free(struct http_reader *reader) {
    buffer_free(&reader->head);
    buffer_free(&reader->body);
}

/* A body above this size gives its memory back between requests. */
#define KEPT_BODY_CAPACITY ((size_t)256 * 1024)

void http_reader_restart(struct http_reader *reader) {
    struct buffer head = reader->head;
    struct buffer body = reader->body;
    struct http_limits limits = reader->limits;
    buffer_clear(&head);
    buffer_clear(&body);
    if (body.capacity > KEPT_BODY_CAPACITY) {
        buffer_free(&body);
    }
    *reader = (struct http_reader){.limits = limits, .head = head, .body = body};
}

bool http_reader_begun(const struct http_reader *reader) {
    return reader->head.length > 0;
}

static enum http_progress refuse(struct http_reader *reader, int status, const char *message) {
    reader->refusal_status = status;
    reader->refusal = message;
    reader->stage = HTTP_DONE;
    return HTTP_REFUSED;
}

struct text http_header(const struct http_request *request, const char *name) {
    struct text found = {NULL, 0};
    for (size_t at = 0; at < request->header_count; at++) {
        if (text_equal_ignoring_case(request->headers[at].name, text_of(name))) {
            if (found.bytes) {
                return (struct text){NULL, 0};
            }
            found = request->headers[at].value;
        }
    }
    return found;
}

static bool has_header(const struct http_request *request, const char *name) {
    for (size_t at = 0; at < request->header_count; at++) {
        if (text_equal_ignoring_case(request->headers[at].name, text_of(name))) {
            return true;
        }
    }
    return false;
}

static bool is_token(struct text text) {
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t at = 0; at < text.length; at++) {
        char c = text.bytes[at];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c == '\0' || !strchr(others, c))) {
            return false;
        }
    }
    return text.length > 0;
}

/* No control characters; bytes above ASCII are let through and decoded by whoever cares. */
static bool is_visible(struct text text, bool spaces) {
    for (size_t at = 0; at < text.length; at++) {
        unsigned char c = (unsigned char)text.bytes[at];
        if (c == 0x7F || (c < 0x20 && c != '\t') || (!spaces && (c == ' ' || c == '\t'))) {
            return false;
        }
    }
    return true;
}

static struct text trimmed(struct text text) {
    while (text.length > 0 && (text.bytes[0] == ' ' || text.bytes[0] == '\t')) {
        text.bytes++;
        text.length--;
    }
    while (text.length > 0 && (text.bytes[text.length - 1] == ' ' || text.bytes[text.length - 1] == '\t')) {
        text.length--;
    }
    return text;
}

/* Cuts one line off `rest`; lines end in CRLF, a bare LF is taken too. */
static struct text take_line(struct text *rest) {
    const char *newline = memchr(rest->bytes, '\n', rest->length);
    size_t length = newline ? (size_t)(newline - rest->bytes) : rest->length;
    struct text line = {rest->bytes, length};
    rest->bytes += newline ? length + 1 : length;
    rest->length -= newline ? length + 1 : length;
    if (line.length > 0 && line.bytes[line.length - 1] == '\r') {
        line.length--;
    }
    return line;
}

static enum http_progress read_request_line(struct http_reader *reader, struct text line) {
    struct http_request *request = &reader->request;
    const char *first = memchr(line.bytes, ' ', line.length);
    const char *last = memrchr(line.bytes, ' ', line.length);
    if (!first || first == last) {
        return refuse(reader, 400, "the request line must be: METHOD TARGET HTTP/1.1");
    }
    request->method = (struct text){line.bytes, (size_t)(first - line.bytes)};
    request->target = (struct text){first + 1, (size_t)(last - first) - 1};
    struct text version = {last + 1, (size_t)(line.bytes + line.length - last) - 1};
    if (!is_token(request->method) || request->target.length == 0 || !is_visible(request->target, false)) {
        return refuse(reader, 400, "the request line must be: METHOD TARGET HTTP/1.1");
    }
    if (!text_equal(version, TEXT("HTTP/1.1")) && !text_equal(version, TEXT("HTTP/1.0"))) {
        return refuse(reader, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
    }
    request->keep_alive = text_equal(version, TEXT("HTTP/1.1"));
    return HTTP_MORE;
}

static enum http_progress read_header_line(struct http_reader *reader, struct text line) {
    struct http_request *request = &reader->request;
    const char *colon = memchr(line.bytes, ':', line.length);
    if (!colon || request->header_count == HTTP_HEADERS_CEILING) {
        return colon ? refuse(reader, 431, "the request has more than 128 headers")
                     : refuse(reader, 400, "a header must be: NAME: VALUE");
    }
    struct http_header *header = &request->headers[request->header_count];
    header->name = (struct text){line.bytes, (size_t)(colon - line.bytes)};
    header->value = trimmed((struct text){colon + 1, (size_t)(line.bytes + line.length - colon) - 1});
    if (!is_token(header->name) || !is_visible(header->value, true)) {
        return refuse(reader, 400, "a header must be: NAME: VALUE");
    }
    request->header_count++;
    return HTTP_MORE;
}

static enum http_progress finish(struct http_reader *reader) {
    reader->request.body = buffer_text(&reader->body);
    reader->stage = HTTP_DONE;
    return HTTP_WHOLE;
}

/* How the body comes: with a length, in chunks, or not at all. Both at once is refused, as it hides requests. */
static enum http_progress begin_body(struct http_reader *reader) {
    struct http_request *request = &reader->request;
    struct text connection = http_header(request, "connection");
    if (text_equal_ignoring_case(connection, TEXT("close"))) {
        request->keep_alive = false;
    }
    bool chunked = has_header(request, "transfer-encoding");
    bool sized = has_header(request, "content-length");
    if (chunked && (sized || !text_equal_ignoring_case(http_header(request, "transfer-encoding"), TEXT("chunked")))) {
        return refuse(reader, 400, "a body comes with one Content-Length or as Transfer-Encoding: chunked");
    }
    if (sized) {
        struct text length = http_header(request, "content-length");
        if (length.length > 18) {
            return refuse(reader, 413, "the body is larger than this server takes");
        }
        if (!text_to_number(length, &reader->body_left)) {
            return refuse(reader, 400, "Content-Length must be one decimal number");
        }
        if (reader->body_left > reader->limits.body) {
            return refuse(reader, 413, "the body is larger than this server takes");
        }
    }
    if (!chunked && reader->body_left == 0) {
        return finish(reader);
    }
    reader->stage = chunked ? HTTP_READING_CHUNKS : HTTP_READING_BODY;
    bool waits = text_equal_ignoring_case(http_header(request, "expect"), TEXT("100-continue"));
    return waits ? HTTP_CONTINUE : HTTP_MORE;
}

static enum http_progress read_head(struct http_reader *reader) {
    struct text rest = buffer_text(&reader->head);
    enum http_progress progress = read_request_line(reader, take_line(&rest));
    while (progress == HTTP_MORE && rest.length > 0) {
        struct text line = take_line(&rest);
        if (line.length == 0) {
            break;
        }
        progress = read_header_line(reader, line);
    }
    if (progress != HTTP_MORE) {
        return progress;
    }
    reader->head_known = true;
    return begin_body(reader);
}

/* Where the head ends: behind the empty line. `from` is where to start looking. 0 when the end has not come yet. */
static size_t head_end(struct text head, size_t from) {
    for (size_t at = from; at < head.length; at++) {
        if (head.bytes[at] != '\n') {
            continue;
        }
        size_t before = at > 0 && head.bytes[at - 1] == '\r' ? at - 1 : at;
        if (before > 0 && head.bytes[before - 1] == '\n') {
            return at + 1;
        }
    }
    return 0;
}

static enum http_progress feed_head(struct http_reader *reader, struct text bytes, size_t *used) {
    struct buffer *head = &reader->head;
    size_t known = head->length;
    size_t skipped = 0;
    while (known == 0 && skipped < bytes.length && (bytes.bytes[skipped] == '\r' || bytes.bytes[skipped] == '\n')) {
        skipped++; /* an empty line before a request is harmless */
    }
    size_t room = reader->limits.head - known;
    size_t taken = bytes.length - skipped < room ? bytes.length - skipped : room;
    buffer_append(head, bytes.bytes + skipped, taken);
    if (head->failed) {
        return refuse(reader, 500, "there is not enough memory for this request");
    }
    size_t end = head_end(buffer_text(head), known);
    if (end == 0) {
        *used = skipped + taken;
        return head->length == reader->limits.head ? refuse(reader, 431, "the request's headers are too large")
                                                   : HTTP_MORE;
    }
    head->length = end;
    *used = skipped + (end - known);
    return read_head(reader);
}

static enum http_progress feed_body(struct http_reader *reader, struct text bytes, size_t *used) {
    size_t taken = bytes.length < reader->body_left ? bytes.length : (size_t)reader->body_left;
    buffer_append(&reader->body, bytes.bytes, taken);
    if (reader->body.failed) {
        return refuse(reader, 500, "there is not enough memory for this request");
    }
    reader->body_left -= taken;
    *used = taken;
    return reader->body_left == 0 ? finish(reader) : HTTP_MORE;
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static enum http_progress end_of_size_line(struct http_reader *reader) {
    if (reader->chunk.digits == 0) {
        return refuse(reader, 400, "a chunk must begin with its size in hex digits");
    }
    reader->chunk.stage = reader->chunk.left == 0 ? CHUNK_TRAILER : CHUNK_DATA;
    reader->chunk.line = 0;
    return HTTP_MORE;
}

static enum http_progress feed_chunk_size(struct http_reader *reader, char c) {
    int digit = hex_digit(c);
    if (c == '\n') {
        return end_of_size_line(reader);
    }
    if (c == '\r') {
        return HTTP_MORE;
    }
    if (c == ';' || c == ' ' || c == '\t') {
        reader->chunk.stage = CHUNK_EXTENSION;
        return HTTP_MORE;
    }
    if (digit < 0 || reader->chunk.digits == 15) {
        return refuse(reader, 400, "a chunk must begin with its size in hex digits");
    }
    reader->chunk.digits++;
    reader->chunk.left = reader->chunk.left * 16 + (uint64_t)digit;
    if (reader->chunk.left > reader->limits.body - reader->body.length) {
        return refuse(reader, 413, "the body is larger than this server takes");
    }
    return HTTP_MORE;
}

/* One byte that is not data. */
static enum http_progress feed_chunk_framing(struct http_reader *reader, char c) {
    if (++reader->chunk.framing > reader->limits.head + reader->limits.body) {
        return refuse(reader, 431, "the chunks' framing is too large");
    }
    switch (reader->chunk.stage) {
    case CHUNK_SIZE:
        return feed_chunk_size(reader, c);
    case CHUNK_EXTENSION:
        return c == '\n' ? end_of_size_line(reader) : HTTP_MORE;
    case CHUNK_DATA_END:
        if (c == '\n') {
            reader->chunk.stage = CHUNK_SIZE;
            reader->chunk.digits = 0;
            return HTTP_MORE;
        }
        return c == '\r' ? HTTP_MORE : refuse(reader, 400, "a chunk is longer than its size");
    default: /* CHUNK_TRAILER: lines until an empty one */
        if (c == '\n' && reader->chunk.line == 0) {
            return finish(reader);
        }
        reader->chunk.line = c == '\n' ? 0 : reader->chunk.line + (c != '\r');
        return HTTP_MORE;
    }
}

static enum http_progress feed_chunks(struct http_reader *reader, struct text bytes, size_t *used) {
    enum http_progress progress = HTTP_MORE;
    size_t at = 0;
    while (at < bytes.length && progress == HTTP_MORE) {
        if (reader->chunk.stage != CHUNK_DATA) {
            progress = feed_chunk_framing(reader, bytes.bytes[at++]);
            continue;
        }
        size_t left = bytes.length - at;
        size_t taken = left < reader->chunk.left ? left : (size_t)reader->chunk.left;
        buffer_append(&reader->body, bytes.bytes + at, taken);
        if (reader->body.failed) {
            return refuse(reader, 500, "there is not enough memory for this request");
        }
        at += taken;
        reader->chunk.left -= taken;
        if (reader->chunk.left == 0) {
            reader->chunk.stage = CHUNK_DATA_END;
        }
    }
    *used = at;
    return progress;
}

static enum http_progress feed_stage(struct http_reader *reader, struct text bytes, size_t *used) {
    switch (reader->stage) {
    case HTTP_READING_HEAD:
        return feed_head(reader, bytes, used);
    case HTTP_READING_BODY:
        return feed_body(reader, bytes, used);
    default:
        return feed_chunks(reader, bytes, used);
    }
}

enum http_progress http_reader_feed(struct http_reader *reader, struct text bytes, size_t *used) {
    *used = 0;
    bool continues = false;
    while (*used < bytes.length) {
        size_t step = 0;
        struct text rest = {bytes.bytes + *used, bytes.length - *used};
        enum http_progress progress = feed_stage(reader, rest, &step);
        *used += step;
        if (progress == HTTP_WHOLE || progress == HTTP_REFUSED) {
            return progress;
        }
        continues = continues || progress == HTTP_CONTINUE;
    }
    return continues ? HTTP_CONTINUE : HTTP_MORE;
}
