#include "tools/provision/read_file.h"

#include <errno.h>
#include <string.h>

bool read_stream(struct run *run, FILE *stream, const char *name, struct text *text) {
    struct builder out = {.arena = run->arena};
    char bytes[16384];
    size_t length;
    while ((length = fread(bytes, 1, sizeof bytes, stream)) > 0) {
        if (length > INPUT_MAX_BYTES - out.length)
            return problem_set(run, PROBLEM_BAD_INPUT, "%s: longer than 64 MiB", name);
        builder_add(&out, (struct text){bytes, length});
    }
    if (ferror(stream)) return problem_set(run, PROBLEM_BAD_INPUT, "%s: cannot be read: %s", name, strerror(errno));
    *text = builder_text(&out);
    return true;
}

bool read_file(struct run *run, const char *path, struct text *text) {
    FILE *stream = fopen(path, "rb");
    if (stream == NULL && errno == ENOMEM) arena_out_of_memory();
    if (stream == NULL) return problem_set(run, PROBLEM_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    bool read = read_stream(run, stream, path, text);
    fclose(stream);
    return read;
}
