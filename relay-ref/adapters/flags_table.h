/* The rows that reading, defaults and `--help` share. Inside `flags*` only. */
#ifndef MESHSPEC_FLAGS_TABLE_H
#define MESHSPEC_FLAGS_TABLE_H

#include "relay-ref/adapters/flags.h"

enum flag_kind { KIND_TEXT, KIND_COUNT, KIND_NUMBER, KIND_PROTOCOL, KIND_EJECTION, KIND_SWITCH, KIND_HELP, KIND_VERSION };

struct flag {
    const char *name;
    enum flag_kind kind;
    size_t offset; /* in struct server_flags */
    size_t least, most;
    const char *placeholder; /* NULL: it takes no value */
    const char *meaning;
};

/* Ended by a row without a name. */
extern const struct flag flag_table[];

/* Rows of the table, its end included. */
#define FLAG_ROWS_CEILING 64

#endif
