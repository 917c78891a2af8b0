/* One request to the provisioner, whoever makes it (the command line or a parent process), and what came of it. */
#ifndef PROVISION_OPERATION_H
#define PROVISION_OPERATION_H

#include "tools/provision/apply.h"

enum operation { OPERATION_STATUS, OPERATION_APPLY, OPERATION_DRY_RUN };

struct request {
    enum operation operation;
    struct input app;
    struct input permissions; /* its root may have no value for OPERATION_STATUS */
    struct http_settings store;
    /* Refuse an unsupported literal before the first request, also where the store's state would not need the permissions.
       If not, it is refused where they would be written. */
    bool literals_first;
};

struct outcome {
    enum operation operation;
    struct text head_hash;               /* no text: nothing is deployed */
    struct classification classification; /* OPERATION_STATUS */
    struct plan plan;                     /* OPERATION_APPLY, OPERATION_DRY_RUN */
};

/*
 * Does what is requested. False with the run's problem. Everything that can be seen to be wrong without the store is refused
 * before the first request.
 */
bool operation_run(struct run *run, const struct request *request, struct outcome *outcome);

#endif
