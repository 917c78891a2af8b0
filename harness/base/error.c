#include "harness/base/error.h"

#include <stdio.h>
#include <string.h>

#define CUT_MARK "…"

/* Puts the mark at the end of a text that was too long, without leaving half a character in front of it. */
static void mark_cut(char *text, size_t capacity) {
    size_t end = capacity - sizeof(CUT_MARK);
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
        end--;
    memcpy(text + end, CUT_MARK, sizeof(CUT_MARK));
}

static void set(struct error *error, const char *prefix, const char *rest) {
    char text[ERROR_TEXT_CAPACITY]; /* the parts may lie in error->text itself */
    int length = snprintf(text, sizeof(text), "%s%s", prefix, rest);
    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= sizeof(text))
        mark_cut(text, sizeof(text));
    memcpy(error->text, text, strlen(text) + 1);
}

/* Formats into `text`; marks a cut. */
static void format_into(char *text, size_t capacity, const char *format, va_list arguments) {
    int length = vsnprintf(text, capacity, format, arguments);
    if (length < 0)
        text[0] = '\0';
    else if ((size_t)length >= capacity)
        mark_cut(text, capacity);
}

bool error_set(struct error *error, enum error_code code, const char *format, ...) {
    char text[ERROR_TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    format_into(text, sizeof(text), format, arguments);
    va_end(arguments);
    error->code = code;
    set(error, text, "");
    return false;
}

bool error_context(struct error *error, const char *format, ...) {
    char context[ERROR_TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    format_into(context, sizeof(context) - 2, format, arguments);
    va_end(arguments);
    strcat(context, ": ");
    set(error, context, error->text);
    return false;
}
