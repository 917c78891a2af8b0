/*
 * The data plane: insert, update, delete and list rows, each request naming the client's schema hash and its session.
 * README.md in this folder describes the requests and answers.
 */
#ifndef SYNC_SERVER_DATA_H
#define SYNC_SERVER_DATA_H

#include "tools/sync-server/http_server.h"
#include "tools/sync-server/json.h"
#include "tools/sync-server/store.h"

/* How many rows a list answers at most, and unless the client asks for another number. */
#define DATA_LIST_CEILING 10000
#define DATA_LIST_USUAL 1000

/* The longest time limit that a client can give its write: an hour. */
#define DATA_TIMEOUT_CEILING_MS 3600000

enum data_operation { DATA_INSERT, DATA_UPDATE, DATA_DELETE, DATA_LIST };

/* A request that was read. It borrows the request's body. */
struct data_request {
    enum data_operation operation;
    struct json_document document;
    struct buffer schema_hash;
    struct buffer table;
    struct buffer user;
    struct buffer id; /* lower case; empty: none given */
    uint32_t session;
    uint32_t values;
    uint64_t timeout_ms; /* 0: none */
    uint64_t limit;
};

/* The operation of that name: insert, update, delete or list. */
bool data_operation_read(struct text name, enum data_operation *operation);

/* Reads the body; false after an error was put into `answer`. Free the request either way. */
bool data_request_read(struct data_request *request, enum data_operation operation, struct text body,
                       struct http_answer *answer);
void data_request_free(struct data_request *request);

enum data_outcome { DATA_ANSWERED, DATA_NOT_READY };

/* Performs the request in a transaction of its own. DATA_NOT_READY: a write for which nothing is deployed yet, or whose
 * schema hash is not connected to the head; nothing was done, and it is to be tried again when that changes
 * (data.hang). */
enum data_outcome data_perform(struct store *store, struct text app, const struct data_request *request,
                               struct http_answer *answer);

#endif
