/* The local store: one server for the whole run, and one of its own for a case that wants it otherwise. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/target/spawn.h"
#include "harness/target/store.h"

struct server {
    struct spawned *spawned; /* NULL: not started */
    char *command;           /* with its options */
    char *secret;            /* NULL: it has none */
    const char *database;    /* the file's name in the folder */
};

struct local_store {
    struct store store;
    char *command; /* as it was given */
    char *folder;  /* for databases and secrets; "": not made */
    char *secret;
    struct server shared; /* of the run */
    struct server own;    /* of the case */
    struct server *current;
    size_t logged;        /* bytes of the log that belong to earlier cases */
    struct error trouble; /* of a server of a case's own, told at the end */
};

static struct local_store *local_of(struct store *store) {
    return (struct local_store *)store;
}

static bool can(struct store *store, const char *capability) {
    (void)store;
    static const char *const all[] = {"fresh", "requests", "faults", "restart", "data", "options", NULL};
    for (const char *const *one = all; *one != NULL; one++) {
        if (strcmp(*one, capability) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- servers ------------------------------------------------------------------------------------- */

static bool make_folder(struct local_store *local, struct error *error) {
    if (local->folder != NULL) {
        return true;
    }
    const char *place = getenv("TMPDIR");
    local->folder = store_format("%s/meshspec-store-XXXXXX", place != NULL && place[0] == '/' ? place : "/tmp");
    if (mkdtemp(local->folder) == NULL) {
        error_set(error, ERROR_INTERNAL, "no folder for the store's database can be made at %s", local->folder);
        free(local->folder);
        local->folder = NULL;
        return false;
    }
    /* Not on a command line: what runs can be listed by everybody. */
    char *path = store_format("%s/secret", local->folder);
    FILE *file = fopen(path, "wx");
    bool written = file != NULL && fprintf(file, "%s\n", local->secret) > 0;
    written = file != NULL && fclose(file) == 0 && written;
    free(path);
    return written || error_set(error, ERROR_INTERNAL, "the store's secret cannot be written into %s", local->folder);
}

static void remove_folder(struct local_store *local) {
    DIR *folder = local->folder == NULL ? NULL : opendir(local->folder);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char *path = store_format("%s/%s", local->folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            unlink(path);
        }
        free(path);
    }
    if (folder != NULL) {
        closedir(folder);
        rmdir(local->folder);
    }
    free(local->folder);
}

static void take_url(struct local_store *local, const struct server *server) {
    const char *url = spawn_url(server->spawned);
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/') {
        length--;
    }
    free(local->store.url);
    local->store.url = store_format("%.*s", (int)length, url);
}

static bool start(struct local_store *local, struct server *server, struct error *error) {
    server->spawned = spawn_start(&(struct spawn_settings){.command = server->command}, SPAWN_READY_LIMIT_MS, error);
    if (server->spawned == NULL) {
        return false;
    }
    take_url(local, server);
    return true;
}

/* A base path goes into a shell's command; the schema of scenarios keeps it to harmless characters. */
static void describe(struct local_store *local, struct server *server, const struct json_value *options) {
    const struct json_value *base = json_get(options, "basePath"), *secret = json_get(options, "adminSecret");
    bool has_secret = secret == NULL || secret->boolean;
    char *base_option = base == NULL ? store_format("%s", "") : store_format(" --base-path '%s'", base->text.bytes);
    char *secret_option =
        has_secret ? store_format(" --admin-secret-file '%s/secret'", local->folder) : store_format("%s", "");
    server->command = store_format("%s --port 0 --control --db '%s/%s'%s%s", local->command, local->folder,
                                   server->database, secret_option, base_option);
    server->secret = has_secret ? local->secret : NULL;
    free(secret_option);
    free(base_option);
}

static bool stop(struct server *server, struct error *error) {
    bool well = server->spawned == NULL || spawn_stop(server->spawned, SPAWN_STOP_LIMIT_MS, error);
    server->spawned = NULL;
    free(server->command);
    server->command = NULL;
    return well;
}

static void use(struct local_store *local, struct server *server) {
    local->current = server;
    take_url(local, server);
    free(local->store.secret);
    local->store.secret = server->secret == NULL ? NULL : store_format("%s", server->secret);
    struct buffer log = {0};
    spawn_errors(server->spawned, &log);
    local->logged = log.length;
    buffer_free(&log);
}

/* ---- the table ----------------------------------------------------------------------------------- */

static bool open_server(struct local_store *local, const struct json_value *options, struct error *error) {
    struct server *server = options == NULL ? &local->shared : &local->own;
    if (!make_folder(local, error)) {
        return false;
    }
    if (server->command == NULL) {
        describe(local, server, options);
    }
    if (server->spawned == NULL && !start(local, server, error)) {
        return false;
    }
    use(local, server);
    return true;
}

static enum target_outcome open_case(struct store *store, const char *id, const struct json_value *options,
                                     struct error *error) {
    if (!open_server(local_of(store), options, error)) {
        return TARGET_BROKEN;
    }
    free(store->app);
    store->app = store_format("case-%s", id);
    return TARGET_OK;
}

static enum target_outcome restart(struct store *store, struct error *error) {
    struct local_store *local = local_of(store);
    spawn_kill(local->current->spawned);
    local->current->spawned = NULL;
    local->logged = 0;
    return start(local, local->current, error) ? TARGET_OK : TARGET_BROKEN;
}

static enum target_outcome control(struct store *store, const char *method, const char *path, struct text body,
                                   struct buffer *out, struct error *error) {
    char *url = store_format("%s/control/%s", store->url, path);
    static const char *const headers[] = {"Content-Type: application/json", NULL};
    struct http_request request = {method, url, body, headers};
    struct http_call *call = http_start(store->client, &request, error);
    enum target_outcome outcome = TARGET_BROKEN;
    if (call == NULL) {
        error_context(error, "/control/%s", path);
    } else if (!http_wait(store->client, &call, 1, STORE_CONTROL_LIMIT_MS)) {
        error_set(error, ERROR_TARGET, "%s %s is not answered", method, url);
    } else if (http_status(call) == 0) {
        error_set(error, ERROR_TARGET, "%s %s: %s", method, url, http_failure(call));
    } else if (http_status(call) >= 300) {
        struct text said = http_body(call);
        error_set(error, ERROR_TARGET, "%s %s: %d %.*s", method, url, http_status(call), (int)said.length, said.bytes);
    } else {
        buffer_text(out, http_body(call));
        outcome = TARGET_OK;
    }
    http_forget(store->client, call);
    free(url);
    return outcome;
}

static void append_log(struct store *store, struct buffer *out) {
    struct local_store *local = local_of(store);
    struct buffer all = {0};
    if (local->current != NULL && local->current->spawned != NULL) {
        spawn_errors(local->current->spawned, &all);
    }
    if (all.length > local->logged) {
        buffer_append(out, all.bytes + local->logged, all.length - local->logged);
    }
    buffer_free(&all);
}

static void remove_database(struct local_store *local, const struct server *server) {
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char *path = store_format("%s/%s%s", local->folder, server->database, ends[i]);
        unlink(path);
        free(path);
    }
}

static void close_case(struct store *store) {
    struct local_store *local = local_of(store);
    struct error error = {0};
    local->current = NULL;
    if (local->own.command == NULL) {
        return;
    }
    if (!stop(&local->own, &error) && local->trouble.code == ERROR_NONE) {
        local->trouble = error;
    }
    remove_database(local, &local->own);
}

static bool end(struct store *store, struct error *error) {
    struct local_store *local = local_of(store);
    close_case(store);
    bool well = stop(&local->shared, error);
    if (well && local->trouble.code != ERROR_NONE) {
        *error = local->trouble;
        well = false;
    }
    remove_folder(local);
    free(local->command);
    free(local->secret);
    store_release(store);
    free(local);
    return well;
}

static const struct store_table table = {can, open_case, restart, control, append_log, close_case, end};

struct store *store_local_new(const char *command, struct error *error) {
    struct local_store *local = memory_zeroed(1, sizeof *local);
    local->store = (struct store){.table = &table, .name = "store"};
    char *beside = store_program_beside("meshspec-store");
    local->command = command != NULL ? store_format("%s", command) : store_format("exec %s", beside);
    free(beside);
    local->secret = store_draw_secret();
    local->shared.database = "shared.db";
    local->own.database = "own.db";
    if (store_prepare(&local->store, error)) {
        return &local->store;
    }
    struct error ignored;
    end(&local->store, &ignored);
    return NULL;
}
