/* Answers: JSON bodies, and errors as `{"error": text, "code": word}`. */
#ifndef SYNC_SERVER_ANSWER_H
#define SYNC_SERVER_ANSWER_H

#include "tools/sync-server/http_server.h"
#include "tools/sync-server/json.h"

/* The code that belongs to a status: bad_request, unauthorized, forbidden, not_found or internal. */
const char *error_code(int status);

/* Appends an error body. */
void error_body(struct buffer *body, int status, struct text message);

/* Makes the answer an error, whatever was in it. */
void answer_error(struct http_answer *answer, int status, const char *message);
void answer_error_text(struct http_answer *answer, int status, struct text message);

/* 405 with what the route does allow (static text). */
void answer_not_allowed(struct http_answer *answer, const char *allow);

/* 400 for a body that is not JSON: where and why. 500 when memory ran out. */
void answer_bad_json(struct http_answer *answer, const struct json_error *error);

/* 500 for what the store could not do; the reason is not the client's business, it goes to standard error. */
void answer_store_failed(struct http_answer *answer, const char *reason);

#endif
