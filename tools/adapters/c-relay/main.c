/* meshspec-adapter: the reference relay behind the adapter protocol, JSON Lines on standard input and output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/adapters/control.h"

/* A longer command line ends the program: no scenario needs one. */
#define LINE_CEILING ((size_t)256 << 20)

static const char help[] =
    "meshspec-adapter - the reference relay behind the adapter protocol\n"
    "\n"
    "  meshspec-adapter          reads one command a line from standard input and answers on\n"
    "                            standard output, events first, then the reply\n"
    "  meshspec-adapter --help   shows this text\n"
    "\n"
    "A line may be up to 256 MB long. The program ends after a stop command or at the end of its\n"
    "input with exit code 0, with 2 when it was called wrongly, and with 3 when a line is too long\n"
    "or its input or output broke.\n"
    "\n"
    "  meshspec run --target 'exec:build/meshspec-adapter' scenarios/\n";

static void print_line(void *context, const char *text, size_t length) {
    FILE *out = context;
    fwrite(text, 1, length, out);
    putc('\n', out);
}

struct line {
    char *bytes; /* owned */
    size_t length, capacity;
};

static bool add_byte(struct line *line, char byte) {
    if (line->length == line->capacity) {
        size_t capacity = line->capacity == 0 ? 4096 : line->capacity * 2;
        char *bytes = capacity > LINE_CEILING ? NULL : realloc(line->bytes, capacity);
        if (bytes == NULL)
            return false;
        line->bytes = bytes;
        line->capacity = capacity;
    }
    line->bytes[line->length++] = byte;
    return true;
}

enum reading { READ_LINE, READ_END, READ_TOO_LONG };

static enum reading read_line(FILE *in, struct line *line) {
    int byte;
    line->length = 0;
    while ((byte = getc_unlocked(in)) != EOF && byte != '\n')
        if (!add_byte(line, (char)byte))
            return READ_TOO_LONG;
    return byte == EOF && line->length == 0 ? READ_END : READ_LINE;
}

static int serve(struct control *control) {
    struct line line = {NULL, 0, 0};
    enum reading reading = READ_LINE;
    while (!relay_control_stopped(control) && !ferror(stdout) && (reading = read_line(stdin, &line)) == READ_LINE) {
        relay_control_command(control, line.bytes, line.length);
        fflush(stdout);
    }
    free(line.bytes);
    if (reading == READ_TOO_LONG)
        fprintf(stderr, "meshspec-adapter: a line is longer than 256 MB, or memory is out.\n");
    else if (ferror(stdin) || ferror(stdout))
        fprintf(stderr, "meshspec-adapter: standard input or output broke.\n");
    else
        return 0;
    return 3;
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "--help") == 0) {
        fputs(help, stdout);
        return 0;
    }
    if (count != 1) {
        fprintf(stderr, "meshspec-adapter: it takes no arguments but --help.\n");
        return 2;
    }
    struct control_output output = {stdout, print_line};
    struct control *control = relay_control_new(&output);
    if (control == NULL) {
        fprintf(stderr, "meshspec-adapter: memory is out.\n");
        return 3;
    }
    int status = serve(control);
    relay_control_free(control);
    return status;
}
