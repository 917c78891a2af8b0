/*
 * The record of admin requests as they came, one JSON object each:
 *
 *   {"n":1,"arrived":1,"method":"GET","path":"/apps/x/schemas?…","headers":[["Host","…"],…],"secret":"right",
 *    "secretElsewhere":[],"body":"…","status":200,"fault":false}
 *
 * `n` counts answers, `arrived` arrivals. `status` is null when no answer was sent. A body that is not UTF-8 comes as
 * `bodyBase64`. `secret` says whether X-Jazz-Admin-Secret was `right`, `wrong`, `missing` or `none` is configured. Its
 * value is never written (provision.secret): wherever else it stood it is replaced by `[secret]`, and `secretElsewhere`
 * names these places: `path`, `body`, `header NAME`.
 */
#ifndef SYNC_SERVER_RECORD_H
#define SYNC_SERVER_RECORD_H

#include "tools/sync-server/admin.h"

/* The newest records are also kept in memory; older ones go when there are more than this, in number or bytes. */
#define RECORDS_KEPT 10000
#define RECORD_BYTES_KEPT ((size_t)64 * 1024 * 1024)

struct recorder;

/* `path` may be NULL: in memory only. On failure answers NULL and appends the reason to `why`. */
struct recorder *recorder_open(const char *path, struct buffer *why);
void recorder_close(struct recorder *recorder);

/* The next arrival's number. */
uint64_t recorder_arrival(struct recorder *recorder);

struct record {
    uint64_t arrived;
    const struct http_request *request;
    struct text secret; /* the store's admin secret, so that it can be left out */
    int status;         /* 0: no answer was sent */
    bool fault;         /* a fault had its hand in it */
};

/* Writes one request down. */
void recorder_add(struct recorder *recorder, const struct record *record);

/* Appends `{"requests":[…],"last":N,"dropped":M}`: the kept records with n above `after`, the newest number, and how
 * many are no longer kept. */
void recorder_describe(const struct recorder *recorder, uint64_t after, struct buffer *out);

/* Forgets what is kept in memory; numbers go on. */
void recorder_clear(struct recorder *recorder);

#endif
