/* Where a request belongs, from its path and method. */
#ifndef SYNC_SERVER_ROUTES_H
#define SYNC_SERVER_ROUTES_H

#include "tools/sync-server/data.h"
#include "tools/sync-server/path.h"

enum route_kind {
    ROUTE_ANSWERED, /* nowhere: the answer says why */
    ROUTE_HEALTH,
    ROUTE_CONTROL,
    ROUTE_DATA,
    ROUTE_ADMIN /* everything else below /apps/{appId}/, known or not */
};

struct route {
    enum route_kind kind;
    struct path path;
    struct text app;               /* of ROUTE_DATA and ROUTE_ADMIN */
    enum data_operation operation; /* of ROUTE_DATA */
    bool recorded;                 /* whether the record wants it: all but health, control and data */
};

/* Finds the route; an answer for ROUTE_ANSWERED is put into the exchange. Free the route either way. */
void route_find(struct route *route, struct http_exchange *exchange, struct text base_path);
void route_free(struct route *route);

/* A target without its query. */
struct text route_plain_path(struct text target);

/* Milliseconds since 1970. */
int64_t now_milliseconds(void);

#endif
