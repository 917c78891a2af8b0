/*
 * What the tests of targets share.
 */
#ifndef MESHSPEC_TESTS_TARGET_SUPPORT_H
#define MESHSPEC_TESTS_TARGET_SUPPORT_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "harness/target/target.h"

#define PYTHON "/usr/bin/python3 "

/* Opens a case of a profile with the default options. */
static inline void open_case(struct target *target, const char *profile, int limit_ms) {
    struct error error = {0};
    cr_assert(target->table->open(target, profile, TEXT("{}"), limit_ms, &error) == TARGET_OK, "%s", error.text);
}

static inline void connect_writer(struct target *target, int number, const char *writer) {
    struct error error = {0};
    struct target_principal principal = {.writer = text_of(writer)};
    cr_assert(target->table->connect(target, number, &principal, &error) == TARGET_OK, "%s", error.text);
}

static inline void send_text(struct target *target, int number, const char *text) {
    struct error error = {0};
    cr_assert(target->table->send(target, number, text_of(text), TARGET_FRAME_TEXT, 1, &error) == TARGET_OK, "%s",
              error.text);
}

/* The next event is this message. */
static inline void expect_message(struct target *target, int number, const char *text) {
    struct error error = {0};
    struct target_event event;
    cr_assert(target->table->next_event(target, 5000, &event, &error), "nothing came instead of %s; %s", text,
              error.text);
    cr_assert(event.kind == TARGET_MESSAGE && event.connection == number, "kind %d of connection %d", (int)event.kind,
              event.connection);
    cr_assert(text_equal(event.text, text_of(text)), "%.*s instead of %s", (int)event.text.length, event.text.bytes,
              text);
}

static inline void expect_closed(struct target *target, int number, unsigned code) {
    struct error error = {0};
    struct target_event event;
    cr_assert(target->table->next_event(target, 5000, &event, &error), "nothing came; %s", error.text);
    cr_assert(event.kind == TARGET_CLOSED && event.connection == number, "kind %d: %.*s", (int)event.kind,
              (int)event.text.length, event.text.bytes);
    cr_assert(event.close_code == code, "code %u instead of %u", event.close_code, code);
}

static inline void expect_nothing(struct target *target, int timeout_ms) {
    struct error error = {0};
    struct target_event event;
    bool came = target->table->next_event(target, timeout_ms, &event, &error);
    cr_assert(!came, "came: %.*s", (int)event.text.length, event.text.bytes);
    cr_assert(error.code == ERROR_NONE, "%s", error.text);
}

static inline bool contains(const char *whole, const char *part) {
    return strstr(whole, part) != NULL;
}

#define EXPECT_SAYS(error, part) cr_assert(contains((error).text, part), "\"%s\" is not in: %s", part, (error).text)

#endif
