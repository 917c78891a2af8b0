#include "harness/command/attach.h"

#include <limits.h>
#include <string.h>

#include "harness/command/home.h"

bool attach_read(struct attachment *attachment, const char *target, struct error *error) {
    char home[PATH_MAX];
    return !target_file_is_one(target) ||
           (home_find(home, sizeof home, error) && target_file_read(&attachment->file, target, home, error));
}

/*
 * The URLs, how a started relay says them, and whom to trust are the file's; a relay that the command line starts says them
 * itself, and what it says of trust goes before.
 */
static bool attach_url(struct attachment *attachment, const char *url, const char *spawn, const struct trust *trust,
                       struct error *error) {
    struct target_file *file = &attachment->file;
    if (spawn != NULL)
        file->url = file->ready = file->control = NULL, file->trust = (struct trust){0};
    else
        spawn = file->spawn;
    struct websocket_settings settings = {.url = file->url != NULL ? file->url : url,
                                          .trust = trust_is_chosen(trust) ? *trust : file->trust,
                                          .principal = file->principal,
                                          .control = file->control,
                                          .options = file->options,
                                          .profiles = file->profiles,
                                          .hello_fences = file->hello_fences};
    if (spawn != NULL) {
        const struct spawn_settings wanted = {.command = spawn, .ready = file->ready, .url = file->url};
        attachment->server = spawn_start(&wanted, SPAWN_READY_LIMIT_MS, error);
        if (attachment->server == NULL)
            return false;
        settings.url = spawn_url(attachment->server);
        if (settings.control == NULL)
            settings.control = spawn_control(attachment->server);
    }
    attachment->target = target_websocket_open(&settings, error);
    return attachment->target != NULL;
}

bool attach(struct attachment *attachment, const char *target, const char *spawn, const struct trust *trust,
            struct error *error) {
    const struct target_file *file = &attachment->file;
    bool is_url = strncmp(target, "ws://", 5) == 0 || strncmp(target, "wss://", 6) == 0;
    if (spawn != NULL || file->spawn != NULL || file->url != NULL || is_url)
        return attach_url(attachment, is_url ? target : NULL, spawn, trust, error);
    if (trust_is_chosen(trust))
        return error_set(error, ERROR_USAGE, "--ca and --insecure are for relays behind wss://, not for %s", target);
    attachment->target = file->exec != NULL ? target_exec_new(file->exec, error) : target_new(target, error);
    return attachment->target != NULL;
}

bool detach(struct attachment *attachment, struct error *error) {
    if (attachment->target != NULL)
        attachment->target->table->free(attachment->target);
    bool right = attachment->server == NULL || spawn_stop(attachment->server, SPAWN_STOP_LIMIT_MS, error);
    target_file_free(&attachment->file);
    *attachment = (struct attachment){0};
    return right;
}
