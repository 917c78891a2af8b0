/* One client's connection: its requests one after the other, their answers, its time limits. */
#ifndef SYNC_SERVER_HTTP_CONNECTION_H
#define SYNC_SERVER_HTTP_CONNECTION_H

#include "tools/sync-server/http_server.h"

struct lws;
struct http_connection;

/* A fresh connection on `wsi`, or NULL when memory ran out. */
struct http_connection *http_connection_open(struct lws *wsi, const struct http_options *options,
                                             const struct http_handler *handler);

/* The socket is gone: abandons what is under way and frees the connection. */
void http_connection_close(struct http_connection *connection);

/* Bytes have come. False: close the socket. */
bool http_connection_receive(struct http_connection *connection, struct text bytes);

/* The socket takes bytes again. False: close the socket. */
bool http_connection_writable(struct http_connection *connection);

/* Appends an answer's status line and headers. */
void http_answer_head(struct buffer *out, int status, const char *allow, size_t body_length, bool keep_alive);

#endif
