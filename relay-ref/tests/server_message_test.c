#include "relay-ref/adapters/ws_server_message.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CEILING 1000

static enum message_step add(struct message *message, const char *bytes, size_t length, bool last) {
    /* A copy of just the right size, so that a sanitizer sees every read beyond it. */
    char *piece_bytes = malloc(length + (length == 0));
    if (length > 0)
        memcpy(piece_bytes, bytes, length);
    struct message_piece piece = {.bytes = piece_bytes, .length = length, .last = last};
    enum message_step step = message_add(message, &piece, CEILING);
    if (step == MESSAGE_WHOLE && message->whole.bytes == piece_bytes) { /* keeps the text beyond the piece */
        message_clear(message);
        message->bytes = piece_bytes;
        message->capacity = length;
        message->whole = (struct relay_text){piece_bytes, length};
        return step;
    }
    free(piece_bytes);
    return step;
}

static void expect_text(struct message *message, const char *text) {
    cr_assert_eq(message->whole.length, strlen(text));
    cr_assert(memcmp(message->whole.bytes, text, strlen(text)) == 0);
}

static const char good[] = "plain \x7f, two \xc2\x80\xdf\xbf, three \xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf, "
                           "four \xf0\x90\x80\x80\xf4\x8f\xbf\xbf";

/* frame.text-json: cut in two at every place, and byte by byte. */
Test(server_message, is_put_together_however_it_is_cut) {
    struct message message = {0};
    size_t length = sizeof good - 1;
    for (size_t cut = 0; cut <= length; cut++) {
        cr_assert_eq(add(&message, good, cut, false), MESSAGE_MORE, "cut at %zu", cut);
        cr_assert_eq(add(&message, good + cut, length - cut, true), MESSAGE_WHOLE, "cut at %zu", cut);
        expect_text(&message, good);
    }
    for (size_t i = 0; i < length; i++)
        cr_assert_eq(add(&message, good + i, 1, i + 1 == length), i + 1 == length ? MESSAGE_WHOLE : MESSAGE_MORE);
    expect_text(&message, good);
    cr_assert_eq(add(&message, "", 0, true), MESSAGE_WHOLE);
    expect_text(&message, "");
    message_clear(&message);
}

static const char *const bad[] = {
    "\x80",         "\xc0\xaf",         "\xc1\xbf",         "\xe0\x9f\xbf",     "\xed\xa0\x80",
    "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80", "\xff",
    "\xc2",         "\xe1\x80",         "\xf1\x80\x80",     "\xc2\x20",         "\xe1\x80\x20"};

Test(server_message, that_is_not_utf8_is_refused_however_it_is_cut) {
    struct message message = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[64];
        int length = snprintf(text, sizeof text, "some eight bytes and more %s", bad[i]);
        for (size_t cut = 0; cut <= (size_t)length; cut++) {
            enum message_step first = add(&message, text, cut, false);
            if (first == MESSAGE_MORE)
                first = add(&message, text + cut, (size_t)length - cut, true);
            cr_assert_eq(first, MESSAGE_NOT_UTF8, "sequence %zu cut at %zu", i, cut);
        }
        cr_assert_eq(add(&message, "fine", 4, true), MESSAGE_WHOLE);
        expect_text(&message, "fine");
    }
    message_clear(&message);
}

Test(server_message, is_not_collected_further_once_it_cannot_be_utf8) {
    struct message message = {0};
    cr_assert_eq(add(&message,
                     "\x80"
                     "abc",
                     4, false),
                 MESSAGE_NOT_UTF8);
    cr_assert_eq(add(&message,
                     "abc"
                     "\xc2",
                     4, false),
                 MESSAGE_MORE);
    cr_assert_eq(add(&message, "\x80", 1, true), MESSAGE_WHOLE);
    message_clear(&message);
}

Test(server_message, has_a_ceiling_that_counts_what_is_announced) {
    struct message message = {0};
    char text[CEILING + 1];
    memset(text, 'x', sizeof text);
    cr_assert_eq(add(&message, text, CEILING, true), MESSAGE_WHOLE);
    cr_assert_eq(add(&message, text, CEILING + 1, true), MESSAGE_TOO_LARGE);
    cr_assert_eq(add(&message, text, CEILING, false), MESSAGE_MORE);
    cr_assert_eq(add(&message, text, 1, true), MESSAGE_TOO_LARGE);
    struct message_piece piece = {.bytes = text, .length = 400, .announced = 600};
    cr_assert_eq(message_add(&message, &piece, CEILING), MESSAGE_MORE);
    piece.announced = 201;
    cr_assert_eq(message_add(&message, &piece, CEILING), MESSAGE_TOO_LARGE);
    piece = (struct message_piece){.bytes = text, .length = 1, .announced = SIZE_MAX};
    cr_assert_eq(message_add(&message, &piece, CEILING), MESSAGE_TOO_LARGE);
    cr_assert_leq(message.capacity, CEILING);
    cr_assert_eq(add(&message, "fine", 4, true), MESSAGE_WHOLE);
    message_clear(&message);
}

Test(server_message, that_is_binary_is_refused_in_its_first_piece) {
    struct message message = {0};
    struct message_piece piece = {.bytes = "{}", .length = 2, .binary = true};
    cr_assert_eq(message_add(&message, &piece, CEILING), MESSAGE_BINARY);
    cr_assert_eq(message.bytes, NULL);
    cr_assert_eq(add(&message, "{}", 2, true), MESSAGE_WHOLE);
    message_clear(&message);
}
