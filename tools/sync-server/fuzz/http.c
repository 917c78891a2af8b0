/* The store's HTTP reader: the same bytes, whole and in pieces, are the same requests, and what it hands out is as it says. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sync-server/http_request.h"

#define HEAD_CEILING 2048
#define BODY_CEILING 1024
#define REQUESTS_CEILING 16

static void found(const char *what) {
    fprintf(stderr, "found: %s\n", what);
    abort();
}

/* All that came out of the bytes, printed, so that two ways of feeding can be compared. */
struct told {
    char *text;
    size_t length;
    FILE *out;
};

static void print_text(FILE *out, struct text text) {
    fprintf(out, "%zu:", text.length);
    fwrite(text.bytes, 1, text.length, out);
}

static void check_request(const struct http_request *request) {
    if (request->method.length == 0 || request->target.length == 0 || request->header_count > HTTP_HEADERS_CEILING)
        found("a request without a method or a target, or with too many headers");
    if (request->body.length > BODY_CEILING || memchr(request->target.bytes, ' ', request->target.length) != NULL)
        found("a body past the ceiling, or a target with a space");
    for (size_t i = 0; i < request->header_count; i++)
        if (request->headers[i].name.length == 0 ||
            memchr(request->headers[i].value.bytes, '\n', request->headers[i].value.length) != NULL)
            found("a header without a name, or with more than a line");
}

static void print_request(FILE *out, const struct http_request *request) {
    check_request(request);
    print_text(out, request->method);
    print_text(out, request->target);
    for (size_t i = 0; i < request->header_count; i++) {
        print_text(out, request->headers[i].name);
        print_text(out, request->headers[i].value);
    }
    print_text(out, request->body);
    fprintf(out, "%d\n", request->keep_alive);
}

/* Feeds pieces of at most `piece` bytes, each in memory of its own, so that a read past it is seen. */
static void feed(struct told *told, struct text bytes, size_t piece) {
    struct http_reader reader;
    size_t requests = 0;
    told->out = open_memstream(&told->text, &told->length);
    http_reader_init(&reader, (struct http_limits){.head = HEAD_CEILING, .body = BODY_CEILING});
    while (bytes.length > 0 && requests < REQUESTS_CEILING) {
        size_t used = 0, length = bytes.length < piece ? bytes.length : piece;
        char *copy = malloc(length);
        memcpy(copy, bytes.bytes, length);
        enum http_progress progress = http_reader_feed(&reader, (struct text){copy, length}, &used);
        free(copy);
        if (used > length || (progress == HTTP_MORE && used < length))
            found("it used more bytes than there were, or waits for more and did not use all");
        bytes.bytes += used;
        bytes.length -= used;
        /* HTTP_CONTINUE is said only when the body has not come yet, which depends on the pieces. */
        if (progress == HTTP_REFUSED) {
            if (reader.refusal_status < 400 || reader.refusal == NULL)
                found("a refusal without a status or a reason");
            fprintf(told->out, "refused %d %s\n", reader.refusal_status, reader.refusal);
            break;
        }
        if (progress == HTTP_WHOLE) {
            print_request(told->out, &reader.request);
            http_reader_restart(&reader);
            requests++;
        }
    }
    http_reader_free(&reader);
    fclose(told->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct told whole, pieces;
    if (size < 2)
        return 0;
    struct text bytes = {(const char *)data + 1, size - 1};
    feed(&whole, bytes, bytes.length);
    feed(&pieces, bytes, data[0] % 32 + (size_t)1);
    if (whole.length != pieces.length || memcmp(whole.text, pieces.text, whole.length) != 0) {
        fprintf(stderr, "whole:\n%s\npieces of %d:\n%s\n", whole.text, data[0] % 32 + 1, pieces.text);
        found("cut in pieces the bytes are other requests");
    }
    free(whole.text);
    free(pieces.text);
    return 0;
}
