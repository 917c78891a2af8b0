#include "harness/base/beside.h"

#include <string.h>

const char *beside(struct arena *arena, const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    if (name == NULL || *name == '/' || slash == NULL)
        return name;
    return arena_format(arena, "%.*s/%s", (int)(slash - path), path, name);
}
