#include "harness/command/judged.h"

#include <stdlib.h>
#include <string.h>

#include "harness/report/report.h"

bool judged_is_store(const struct judged_options *options) {
    return options->spawn == NULL && store_is_named(options->target);
}

bool judged_read(struct judged *judged, const struct judged_options *options, struct error *error) {
    return attach_read(&judged->attachment, options->target, error);
}

bool judged_check_profiles(const struct judged_options *options, const char *const *profiles, size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++) {
        if ((strcmp(profiles[i], PROFILE_STORE) == 0) != judged_is_store(options)) {
            return error_set(error, ERROR_USAGE,
                             judged_is_store(options) ? "--profile: a store is judged by the profile store, not by a version of the mesh protocol"
                                                      : "--profile store goes with --target store, or a store's URL http://…");
        }
    }
    return true;
}

static bool begin_store(struct judged *judged, const struct judged_options *options, struct error *error) {
    bool is_local = strcmp(options->target, "store") == 0;
    judged->store = is_local ? store_local_new(options->store_command, error)
                             : store_remote_new(options->target, options->app_id, options->secret_file, error);
    if (judged->store == NULL) {
        return false;
    }
    char *beside = store_program_beside("meshspec-provision");
    judged->own_provisioner = store_format("exec %s --stdio", beside);
    free(beside);
    judged->pair = (struct store_subject){judged->store, options->provisioner != NULL ? options->provisioner : judged->own_provisioner};
    judged->subject = subject_of_store(&judged->pair);
    return true;
}

bool judged_begin(struct judged *judged, const struct judged_options *options, struct error *error) {
    if (judged_is_store(options)) {
        if (trust_is_chosen(&options->trust)) {
            return error_set(error, ERROR_USAGE, "--ca and --insecure are for relays behind wss://, not for stores");
        }
        return begin_store(judged, options, error);
    }
    if (!attach(&judged->attachment, options->target, options->spawn, &options->trust, error)) {
        return false;
    }
    judged->subject = subject_of_target(judged->attachment.target);
    return true;
}

bool judged_end(struct judged *judged, struct error *error) {
    free(judged->own_provisioner);
    bool store_right = judged->store == NULL || judged->store->table->end(judged->store, error);
    bool right = detach(&judged->attachment, error) && store_right;
    *judged = (struct judged){0};
    return right;
}

const char *judged_name(const struct judged_options *options) {
    return options->spawn != NULL ? options->spawn : options->target;
}

static void repeat(struct buffer *out, const char *name, const char *argument) {
    if (argument != NULL) {
        buffer_format(out, " --%s ", name);
        report_shell_word(out, argument);
    }
}

void judged_repeat(struct buffer *out, const struct judged_options *options) {
    repeat(out, "target", strcmp(options->target, "memory") == 0 ? NULL : options->target);
    repeat(out, "spawn", options->spawn);
    repeat(out, "ca", options->trust.ca);
    if (options->trust.insecure) {
        buffer_string(out, " --insecure");
    }
    repeat(out, "provisioner", options->provisioner);
    repeat(out, "store-command", options->store_command);
    repeat(out, "app-id", options->app_id);
    repeat(out, "admin-secret-file", options->secret_file);
}
