/*
 * From the command line to a subject that a suite can judge: a relay in this process, by URL, behind an adapter or
 * started for the run, or a store with a provisioner.
 */
#ifndef MESHSPEC_JUDGED_H
#define MESHSPEC_JUDGED_H

#include "harness/command/attach.h"
#include "harness/run/suite.h"

/* As the options of `meshspec run` name it; NULL: not given. All of it is borrowed. */
struct judged_options {
    const char *target; /* never NULL */
    const char *spawn;  /* the server's command; NULL: none is started, or the target file says which */
    const char *provisioner, *store_command, *app_id, *secret_file;
    struct trust trust; /* for wss:// */
};

/* Zero-initialise it; end with judged_end. */
struct judged {
    struct attachment attachment; /* its target file is there from judged_read on */
    struct store *store;          /* NULL: a relay is judged */
    struct store_subject pair;
    char *own_provisioner;
    struct subject subject; /* from judged_begin on */
};

/* Whether a store is named, whose one and only profile is PROFILE_STORE. */
bool judged_is_store(const struct judged_options *options);

/* Reads the target file, if one is named; nothing else happens yet. False with ERROR_USAGE. */
bool judged_read(struct judged *judged, const struct judged_options *options, struct error *error);

/* Checks that stores are judged by PROFILE_STORE and relays by all others. False with ERROR_USAGE. */
bool judged_check_profiles(const struct judged_options *options, const char *const *profiles, size_t count, struct error *error);

/* Starts what has to be started and makes the subject. False with ERROR_USAGE or ERROR_TARGET; end with judged_end all the same. */
bool judged_begin(struct judged *judged, const struct judged_options *options, struct error *error);

/* Ends and frees all. False with ERROR_TARGET when a server that was started did not end as it should. */
bool judged_end(struct judged *judged, struct error *error);

/* As a reader names it: the target, or the command of the server that is started. */
const char *judged_name(const struct judged_options *options);

/* Appends the options that name it, for the line that repeats a case, each with a blank before it; nothing for the default target. */
void judged_repeat(struct buffer *out, const struct judged_options *options);

#endif
