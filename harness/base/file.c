#include "harness/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads until the end or until `size` bytes are there; -1 with errno set when that fails. */
static ssize_t read_all(int descriptor, char *bytes, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(descriptor, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static bool read_open(struct arena *arena, int descriptor, const char *file, size_t ceiling, struct text *text,
                      struct error *error) {
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return error_set(error, ERROR_USAGE, "%s: cannot be read: %s", file, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_USAGE, "%s: expected a plain file", file);
    if ((size_t)status.st_size > ceiling)
        return error_set(error, ERROR_USAGE, "%s: the file has %zu bytes, more than the %zu that are allowed", file,
                         (size_t)status.st_size, ceiling);
    char *bytes = arena_alloc(arena, (size_t)status.st_size + 1);
    ssize_t length = read_all(descriptor, bytes, (size_t)status.st_size);
    if (length < 0)
        return error_set(error, ERROR_USAGE, "%s: cannot be read: %s", file, strerror(errno));
    bytes[length] = '\0';
    *text = (struct text){bytes, (size_t)length};
    return true;
}

bool file_read(struct arena *arena, const char *file, size_t ceiling, struct text *text, struct error *error) {
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not hang */
    if (descriptor < 0)
        return error_set(error, ERROR_USAGE, "%s: cannot be read: %s", file, strerror(errno));
    bool good = read_open(arena, descriptor, file, ceiling, text, error);
    close(descriptor);
    return good;
}
