/* Somebody else's store, by URL: it is asked and nothing more. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "harness/target/store.h"

#define SECRET_FILE_CEILING ((size_t)64 << 10)
#define APP_ID_CEILING 200 /* bytes */
#define CASE_PLACE "{case}"

struct remote_store {
    struct store store;
    char *app; /* as it was given */
};

static bool can(struct store *store, const char *capability) {
    return strcmp(capability, "fresh") == 0 && strstr(((struct remote_store *)store)->app, CASE_PLACE) != NULL;
}

static enum target_outcome open_case(struct store *store, const char *id, const struct json_value *options,
                                     struct error *error) {
    const char *app = ((struct remote_store *)store)->app, *place = strstr(app, CASE_PLACE);
    (void)error;
    (void)options;
    free(store->app);
    store->app = place == NULL ? store_format("%s", app)
                               : store_format("%.*s%s%s", (int)(place - app), app, id, place + strlen(CASE_PLACE));
    return TARGET_OK;
}

static enum target_outcome restart(struct store *store, struct error *error) {
    (void)store;
    error_set(error, ERROR_TARGET, "a store by URL cannot be restarted from here");
    return TARGET_NO;
}

static enum target_outcome control(struct store *store, const char *method, const char *path, struct text body,
                                   struct buffer *out, struct error *error) {
    (void)store;
    (void)method;
    (void)body;
    (void)out;
    error_set(error, ERROR_TARGET, "a store by URL does not offer /control/%s", path);
    return TARGET_NO;
}

static void log_nothing(struct store *store, struct buffer *out) {
    (void)store;
    (void)out;
}

static void close_case(struct store *store) {
    (void)store;
}

static bool end(struct store *store, struct error *error) {
    (void)error;
    free(((struct remote_store *)store)->app);
    store_release(store);
    free(store);
    return true;
}

static const struct store_table table = {can, open_case, restart, control, log_nothing, close_case, end};

static char *read_secret(const char *file, struct error *error) {
    struct arena *arena = arena_new();
    struct text text;
    char *secret = NULL;
    if (file_read(arena, file, SECRET_FILE_CEILING, &text, error)) {
        size_t length = strcspn(text.bytes, "\r\n");
        if (length == 0) {
            error_set(error, ERROR_USAGE, "%s: the admin secret is expected in its first line, which is empty", file);
        } else {
            secret = store_format("%.*s", (int)length, text.bytes);
        }
    }
    arena_free(arena);
    return secret;
}

/* An id travels as it is, in the path. */
static bool is_app_id(const char *app) {
    size_t length = strlen(app);
    return length > 0 && length <= APP_ID_CEILING &&
           strspn(app, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~{}") == length;
}

struct store *store_remote_new(const char *url, const char *app, const char *secret_file, struct error *error) {
    if (app == NULL || secret_file == NULL) {
        error_set(error, ERROR_USAGE, "a store by URL needs --app-id and --admin-secret-file");
        return NULL;
    }
    if (!is_app_id(app)) {
        error_set(error, ERROR_USAGE,
                  "--app-id: \"%s\" is no app id: at most %d letters, digits, - . _ ~, and {case} for a part of each "
                  "case's own",
                  app, APP_ID_CEILING);
        return NULL;
    }
    char *secret = read_secret(secret_file, error);
    if (secret == NULL) {
        return NULL;
    }
    struct remote_store *remote = memory_zeroed(1, sizeof *remote);
    size_t length = strlen(url);
    while (length > 0 && url[length - 1] == '/') {
        length--;
    }
    remote->app = store_format("%s", app);
    remote->store =
        (struct store){.table = &table, .name = url, .url = store_format("%.*s", (int)length, url), .secret = secret};
    if (store_prepare(&remote->store, error)) {
        return &remote->store;
    }
    struct error ignored;
    end(&remote->store, &ignored);
    return NULL;
}
