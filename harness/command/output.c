#include "harness/command/output.h"

#include <errno.h>
#include <string.h>

bool output_is_standard(const struct output *output) {
    return output->file != NULL && strcmp(output->file, "-") == 0;
}

bool output_check_name(const char *file, struct error *error) {
    return (!text_ends_with(text_of(file), TEXT(".yaml")) && !text_ends_with(text_of(file), TEXT(".yml"))) ||
           error_set(error, ERROR_USAGE, "%s: a report is not written over a scenario; its own name is missing before it", file);
}

bool output_open(struct output *output, struct error *error) {
    if (output->file == NULL) {
        return true;
    }
    if (!output_check_name(output->file, error)) {
        return false;
    }
    output->stream = output_is_standard(output) ? stdout : fopen(output->file, "wb");
    return output->stream != NULL || error_set(error, ERROR_USAGE, "cannot write %s: %s", output->file, strerror(errno));
}

static bool close_stream(struct output *output) {
    FILE *closing = output->stream;
    output->stream = NULL;
    return closing == NULL || (closing == stdout ? fflush(closing) : fclose(closing)) == 0;
}

void output_close(struct output *output) {
    close_stream(output);
}

bool output_write(struct output *output, struct buffer *buffer, struct error *error) {
    bool complete = !buffer->overflowed;
    errno = 0;
    bool written = output->stream == NULL ||
                   (complete && fwrite(buffer->bytes == NULL ? "" : buffer->bytes, 1, buffer->length, output->stream) == buffer->length);
    written = close_stream(output) && written;
    buffer_free(buffer);
    return written || error_set(error, ERROR_USAGE, "cannot write %s: %s", output->file,
                                complete ? strerror(errno) : "it has outgrown its ceiling");
}
