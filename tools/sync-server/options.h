/* The command line. */
#ifndef SYNC_SERVER_OPTIONS_H
#define SYNC_SERVER_OPTIONS_H

#include "tools/sync-server/fault.h"
#include "tools/sync-server/hanging.h"
#include "tools/sync-server/http_server.h"
#include "tools/sync-server/store.h"

struct options {
    struct http_options http;
    const char *database; /* NULL: in memory */
    enum store_sync sync;
    const char *record;           /* NULL: no file */
    struct text base_path;        /* begins with a slash and does not end with one, or is empty */
    struct buffer admin_secret;   /* empty: none */
    struct buffer control_secret; /* empty: none */
    bool control;
    struct hanging_limits hanging;
    struct fault_list faults;
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD };

/* Reads the command line. OPTIONS_BAD: the reason is in `why`. Free the options either way. */
enum options_result options_read(struct options *options, int count, char **arguments, struct buffer *why);
void options_free(struct options *options);

/* The text of --help. */
extern const char options_help[];

#endif
