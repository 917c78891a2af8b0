/* What the server serves: takes each request from fault to route to record to answer. */
#ifndef SYNC_SERVER_SERVICE_H
#define SYNC_SERVER_SERVICE_H

#include "tools/sync-server/control.h"
#include "tools/sync-server/options.h"
#include "tools/sync-server/store.h"

struct service {
    const struct options *options;
    struct store *store;
    struct recorder *recorder;
    struct fault_list *faults;
    struct hanging_list hanging;
    struct control control;
};

/* Makes the service over what the caller opened and goes on owning. */
void service_init(struct service *service, const struct options *options, struct fault_list *faults,
                  struct store *store, struct recorder *recorder);

/* The functions for the HTTP server; they point to the service. */
struct http_handler service_handler(struct service *service);

#endif
