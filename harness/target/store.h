/*
 * A sync store under test, behind one table of functions. Nothing above this header knows whether it is the local
 * store, started for the run, or somebody else's by URL.
 *
 * A store is used for one case after another: open, requests, close. What is asked over HTTP is the same for all stores
 * (store_start); the table has what differs.
 */
#ifndef MESHSPEC_TARGET_STORE_H
#define MESHSPEC_TARGET_STORE_H

#include "harness/json/value.h"
#include "harness/target/http.h"
#include "harness/target/target.h"

struct store;

struct store_table {
    /*
     * Whether the store has a capability: "fresh" (each case gets an app id of its own), "requests" (it tells what it
     * was asked), "faults", "restart", "data" (the data plane, and what hangs there), "options" (it is started as a
     * case wants it).
     */
    bool (*can)(struct store *store, const char *capability);
    /*
     * Begins a case. `id` is unique for it, of letters, digits and `-`. `options` is the scenario's `store` map, NULL:
     * none. After TARGET_OK `url`, `app` and the secrets of the store are set for the case.
     */
    enum target_outcome (*open)(struct store *store, const char *id, const struct json_value *options,
                                struct error *error);
    /* Kills the server and starts it again on the same data. `url` may be another afterwards. */
    enum target_outcome (*restart)(struct store *store, struct error *error);
    /*
     * Asks what belongs to the local store alone: `method` and a path below its /control/, such as "requests?after=7".
     * Appends the answer. TARGET_BROKEN for any status from 300 on.
     */
    enum target_outcome (*control)(struct store *store, const char *method, const char *path, struct text body,
                                   struct buffer *out, struct error *error);
    /* Appends what the server logged so far in this case; nothing where that cannot be seen. */
    void (*log)(struct store *store, struct buffer *out);
    void (*close)(struct store *store);
    /* Ends and frees it. False with ERROR_TARGET when the server did not end as it should (a sanitizer's report, a
     * crash). */
    bool (*end)(struct store *store, struct error *error);
};

struct store {
    const struct store_table *table;
    const char *name; /* as reports show it: "store", "http://…" */
    struct http_client *client;
    char *url;          /* of the server, base path included, without a slash at its end */
    char *app;          /* the case's app id */
    char *secret;       /* the admin secret; NULL: the server has none */
    char *wrong_secret; /* one that is not it */
};

enum store_secret { STORE_SECRET_RIGHT, STORE_SECRET_WRONG, STORE_SECRET_NONE };

struct store_request {
    const char *method;
    struct text path;      /* below /apps/{appId}/; one that starts with a slash is below the server's root */
    struct text other_app; /* put behind the app id with a `-`; empty: the case's own app */
    struct text body;      /* bytes NULL: none */
    enum store_secret secret;
    const char *const *headers; /* more of them, "Name: value", ended by NULL */
};

#define STORE_CONTROL_LIMIT_MS 10000 /* of one request to the local store's /control/ */

/* Begins a request of the open case. NULL with ERROR_TARGET when it cannot be made. http_wait and http_forget with
 * `store->client` do the rest. */
struct http_call *store_start(struct store *store, const struct store_request *request, struct error *error);

/*
 * The local store, started for the run by its command (without options) in /bin/sh; NULL: the meshspec-store that lies
 * beside this program. The server is started by the first `open`.
 */
struct store *store_local_new(const char *command, struct error *error);

/*
 * A store by URL (http:// or https://). `app` is the app id at it; where it has `{case}` in it, every case gets an id
 * of its own. `secret_file` is a file whose first line is the admin secret. NULL with ERROR_USAGE for a bad argument.
 */
struct store *store_remote_new(const char *url, const char *app, const char *secret_file, struct error *error);

/* Whether a target's name on the command line means a store: "store", http://…, https://…. */
bool store_is_named(const char *target);

/* The path of a program that lies beside this one, quoted for a shell; free it with free(). */
char *store_program_beside(const char *name);

/* ---- for those that implement a store ---- */

/* Sets up client and wrong secret. False with ERROR_INTERNAL. */
bool store_prepare(struct store *store, struct error *error);
void store_release(struct store *store);

/* A text of random hex digits that stands nowhere else; free it with free(). */
char *store_draw_secret(void);

/* A printf-formatted text; free it with free(). */
char *store_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
