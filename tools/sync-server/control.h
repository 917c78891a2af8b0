/* The control endpoints below `/control/`: for a harness that looks at what came and makes things go wrong. */
#ifndef SYNC_SERVER_CONTROL_H
#define SYNC_SERVER_CONTROL_H

#include "tools/sync-server/fault.h"
#include "tools/sync-server/hanging.h"
#include "tools/sync-server/path.h"
#include "tools/sync-server/record.h"

struct control {
    bool enabled;       /* with `--control`: to clients of this machine, without a secret */
    struct text secret; /* with `--control-secret`: to whoever sends it as X-Control-Secret; no value: none */
    struct fault_list *faults;
    struct recorder *recorder;
    const struct hanging_list *hanging;
};

/* Answers a request whose first path segment is `control`. */
void control_handle(const struct control *control, const struct path *path, struct http_exchange *exchange);

#endif
