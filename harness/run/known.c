#include "harness/run/known.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"

/* A NUL would hide the lines behind it. */
static bool is_text(const char *file, const char *content, size_t length, int failed, struct error *error) {
    if (failed != 0) {
        return error_set(error, ERROR_USAGE, "%s: %s", file, strerror(failed));
    }
    if (length > KNOWN_FILE_CEILING) {
        return error_set(error, ERROR_USAGE, "%s: longer than %zu bytes", file, KNOWN_FILE_CEILING);
    }
    const char *nul = memchr(content, '\0', length);
    return nul == NULL || error_set(error, ERROR_USAGE, "%s: a list of known failures is a text; byte %zu is NUL", file, (size_t)(nul - content));
}

static char *read_file(const char *file, struct error *error) {
    FILE *in = fopen(file, "rb");
    if (in == NULL) {
        memory_check_errno(file);
        error_set(error, ERROR_USAGE, "%s: %s", file, strerror(errno));
        return NULL;
    }
    char *content = memory_new(KNOWN_FILE_CEILING + 1);
    errno = 0;
    size_t length = fread(content, 1, KNOWN_FILE_CEILING + 1, in);
    int failed = ferror(in) ? errno : 0;
    fclose(in);
    if (is_text(file, content, length, failed, error)) {
        content[length] = '\0';
        return content;
    }
    free(content);
    return NULL;
}

static char *trim(char *text) {
    text += strspn(text, " \t\r");
    for (size_t length = strlen(text); length > 0 && strchr(" \t\r", text[length - 1]) != NULL; length--) {
        text[length - 1] = '\0';
    }
    return text;
}

/* Splits one line at its first `: `; false when it has no reason. */
static bool take_line(struct known *known, char *line, unsigned number) {
    char *colon = strchr(line, ':');
    if (colon == NULL) {
        return false;
    }
    *colon = '\0';
    struct known_line taken = {.glob = trim(line), .reason = trim(colon + 1), .line = number};
    if (taken.glob[0] == '\0' || taken.reason[0] == '\0') {
        return false;
    }
    known->lines[known->count++] = taken;
    return true;
}

static size_t count_lines(const char *content) {
    size_t count = 1;
    for (const char *at = strchr(content, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        count++;
    }
    return count;
}

bool known_load(struct known *known, const char *file, struct error *error) {
    *known = (struct known){.content = read_file(file, error)};
    if (known->content == NULL) {
        return false;
    }
    known->lines = memory_zeroed(count_lines(known->content), sizeof *known->lines);
    unsigned number = 0;
    for (char *at = known->content; at != NULL;) {
        char *end = strchr(at, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        char *line = trim(at);
        number++;
        if (line[0] != '\0' && line[0] != '#' && !take_line(known, line, number)) {
            known_free(known);
            return error_set(error, ERROR_USAGE, "%s:%u:1: expected `GLOB: reason`; every known failure needs its reason", file, number);
        }
        at = end == NULL ? NULL : end + 1;
    }
    return true;
}

const struct known_line *known_find(struct known *known, const char *scenario, const char *profile) {
    char full[1024];
    snprintf(full, sizeof full, "%s@%s", scenario, profile);
    for (size_t i = 0; i < known->count; i++) {
        struct known_line *line = &known->lines[i];
        if (text_glob(line->glob, text_of(strchr(line->glob, '@') != NULL ? full : scenario))) {
            line->matched = true;
            return line;
        }
    }
    return NULL;
}

void known_free(struct known *known) {
    free(known->lines);
    free(known->content);
    *known = (struct known){0};
}
