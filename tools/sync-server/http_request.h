/*
 * Reading HTTP/1.1 requests from bytes as they come: no sockets here, so that it can be fed whole, byte by byte or cut.
 *
 * The request target and the headers stay as the client spelled them. libwebsockets' own HTTP role decodes and
 * tidies the target (`//`, `%2F`, `/../`) and drops headers that it does not know before anyone can look, and it hands
 * on chunked bodies raw; a store that must tell what a provisioner really sent reads for itself.
 */
#ifndef SYNC_SERVER_HTTP_REQUEST_H
#define SYNC_SERVER_HTTP_REQUEST_H

#include "tools/sync-server/text.h"

/* The most headers that one request may have. */
#define HTTP_HEADERS_CEILING 128

struct http_header {
    struct text name;
    struct text value; /* without the whitespace around it */
};

struct http_limits {
    size_t head; /* bytes of request line and headers together */
    size_t body; /* bytes */
};

/* A request; its texts point into the reader that read it. */
struct http_request {
    struct text method;
    struct text target;
    struct http_header headers[HTTP_HEADERS_CEILING];
    size_t header_count;
    struct text body;
    bool keep_alive;
};

enum http_progress {
    HTTP_MORE,     /* more bytes are needed */
    HTTP_CONTINUE, /* as HTTP_MORE, and the client waits for "100 Continue"; said once */
    HTTP_WHOLE,    /* the request is whole */
    HTTP_REFUSED   /* it will never be: answer `refusal_status` and close */
};

struct http_reader {
    struct http_limits limits;
    struct buffer head;
    struct buffer body;
    struct http_request request;
    int refusal_status;
    const char *refusal; /* static text */
    enum { HTTP_READING_HEAD, HTTP_READING_BODY, HTTP_READING_CHUNKS, HTTP_DONE } stage;
    uint64_t body_left; /* of a body with a length */
    struct {
        enum { CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_DATA, CHUNK_DATA_END, CHUNK_TRAILER } stage;
        uint64_t left;
        unsigned digits;
        size_t line;    /* bytes in the trailer's current line */
        size_t framing; /* bytes that were not data, held under the head's ceiling */
    } chunk;
    bool head_known; /* method, target and headers can be looked at, even when the request was refused */
};

void http_reader_init(struct http_reader *reader, struct http_limits limits);
void http_reader_free(struct http_reader *reader);

/* Makes the reader ready for the next request on the connection; the former request's texts end here. */
void http_reader_restart(struct http_reader *reader);

/* Whether a request has begun: something of it has come. */
bool http_reader_begun(const struct http_reader *reader);

/* Reads from `bytes` and tells how many it used; what is left belongs to the next request. After HTTP_WHOLE or
 * HTTP_REFUSED only restart and free are allowed. */
enum http_progress http_reader_feed(struct http_reader *reader, struct text bytes, size_t *used);

/* The value of the only header of that name (any case). NULL bytes when there is none, or more than one. */
struct text http_header(const struct http_request *request, const char *name);

#endif
