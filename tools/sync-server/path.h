/* A request target taken apart: decoded path segments and the query. */
#ifndef SYNC_SERVER_PATH_H
#define SYNC_SERVER_PATH_H

#include "tools/sync-server/text.h"

/* More segments than any route has; a longer path is unknown anyway. */
#define PATH_SEGMENTS_CEILING 8

struct path {
    struct buffer decoded;
    struct text segments[PATH_SEGMENTS_CEILING]; /* percent-decoded; may be empty; any bytes */
    size_t count;
    struct text query; /* behind the `?`, as it came */
};

enum path_result { PATH_OK, PATH_UNKNOWN, PATH_BAD_ESCAPE, PATH_NO_MEMORY };

/* Takes `target` apart. `base` (such as `/store`, or empty) must stand in front and is left out. PATH_UNKNOWN: it does
 * not begin with a slash, the base is not there, or it has too many segments. Free the path with `path_free` either
 * way. */
enum path_result path_read(struct path *path, struct text target, struct text base);
void path_free(struct path *path);

/* Whether segment `at` is this word. */
bool path_is(const struct path *path, size_t at, const char *word);

/* Appends the decoded value of the query's first field of that name; false when there is none or it is badly escaped.
 */
bool query_field(struct text query, const char *name, struct buffer *value);

/* Appends `text` with %XX decoded (and `+` as a space when `plus`); false for a broken escape. */
bool percent_decode(struct text text, bool plus, struct buffer *out);

#endif
