/* Small input files, read whole. */
#ifndef MESHSPEC_WS_SERVER_FILE_H
#define MESHSPEC_WS_SERVER_FILE_H

#include <stddef.h>

#include "relay-ref/core/relay.h"

/*
 * Reads the file at `path`, at most `ceiling` bytes. The text is owned by the caller (free); on failure its `bytes` is
 * NULL and `reason` (at most `capacity` bytes with its NUL) says why.
 */
struct relay_text file_read(const char *path, size_t ceiling, char *reason, size_t capacity);

#endif
