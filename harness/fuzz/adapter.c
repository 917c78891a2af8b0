/*
 * What an adapter writes, from any bytes: each line of the input is a line of its standard output. The child process
 * is played by the functions below, which take the place of harness/target/child.c when this program is linked; a
 * process for each input would cost a hundredfold.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/json/value.h"
#include "harness/target/child.h"
#include "harness/target/target.h"

#define LIMIT_MS 1000

/* ---- the child ----------------------------------------------------------------------------------- */

struct child {
    struct text output; /* what it has not written yet */
};

/* A command has no more than its text to say where the input is. */
static struct text input;
static int64_t clock_ms;

int64_t child_now(void) {
    return clock_ms;
}

struct child *child_start(const char *command, struct error *error) {
    (void)command, (void)error;
    struct child *child = malloc(sizeof *child);
    child->output = input;
    return child;
}

void child_write(struct child *child, struct text bytes) {
    (void)child, (void)bytes;
}

enum child_outcome child_read_line(struct child *child, int64_t deadline, struct text *line) {
    (void)deadline;
    clock_ms++;
    if (child->output.length == 0)
        return CHILD_ENDED;
    const char *feed = memchr(child->output.bytes, '\n', child->output.length);
    size_t length = feed == NULL ? child->output.length : (size_t)(feed - child->output.bytes);
    *line = (struct text){child->output.bytes, length};
    child->output.bytes += length + (feed != NULL);
    child->output.length -= length + (feed != NULL);
    return CHILD_LINE;
}

struct text child_log(struct child *child) {
    (void)child;
    return TEXT("");
}

void child_forget_log(struct child *child) {
    (void)child;
}

void child_stop(struct child *child, int grace_ms, struct buffer *how, struct buffer *log) {
    (void)grace_ms, (void)log;
    if (child != NULL && how != NULL)
        buffer_string(how, "ended with status 0");
    free(child);
}

/* ---- a case -------------------------------------------------------------------------------------- */

/* Takes every event that waits; what an event brings must be what its kind promises. */
static void drain(struct target *target) {
    struct target_event event;
    struct error error = {0};
    while (target->table->next_event(target, 0, &event, &error)) {
        struct arena *arena = arena_new();
        struct error reason = {0};
        if (event.kind == TARGET_OBSERVED && (event.name == NULL || json_parse(arena, event.text, &reason) == NULL))
            found("an observation that is no JSON: %.*s", (int)event.text.length, event.text.bytes);
        arena_free(arena);
    }
}

/* False when the case is over. */
static bool check(enum target_outcome outcome, const struct error *error) {
    if (outcome != TARGET_OK && error->text[0] == '\0')
        found("outcome %d without a text", (int)outcome);
    return outcome != TARGET_BROKEN;
}

/* The commands of the adapter protocol that a case puts by their names. */
static bool put_further(struct target *target) {
    static const char *const commands[][2] = {
        {"hold", "{}"}, {"release", "{\"room\":\"r\",\"seq\":1}"}, {"unload", "{\"room\":\"r\",\"discard\":true}"}, {"else", "{}"}};
    bool goes_on = true;
    for (size_t i = 0; goes_on && i < sizeof commands / sizeof *commands; i++) {
        struct error error = {0};
        struct buffer answer = {0};
        goes_on = check(target->table->command(target, commands[i][0], text_of(commands[i][1]), &answer, &error), &error);
        buffer_free(&answer);
        drain(target);
    }
    return goes_on;
}

static void play(struct target *target) {
    const struct target_table *table = target->table;
    struct target_principal who = {.writer = TEXT("ana")};
    struct error error = {0};
    struct buffer info = {0};
    bool answer, goes_on = check(table->open(target, "0.2.0", TEXT("{}"), LIMIT_MS, &error), &error);
    for (int i = 1; goes_on && i <= 3; i++)
        goes_on = check(table->connect(target, i, &who, &error), &error);
    for (int i = 1; goes_on && i <= 6; i++) {
        goes_on = check(table->send(target, i % 3 + 1, TEXT("{}"), TARGET_FRAME_TEXT, 1, &error), &error);
        drain(target);
    }
    goes_on = goes_on && check(table->hydrate(target, TEXT("r"), TEXT("{\"seq\":1}"), &answer, &error), &error) &&
              check(table->room(target, TEXT("r"), &info, &error), &error) &&
              check(table->clock(target, TARGET_CLOCK_START + 1, &error), &error) &&
              put_further(target) && check(table->disconnect(target, 1, false, &error), &error);
    drain(target);
    buffer_free(&info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct error error = {0};
    input = (struct text){(const char *)data, size};
    clock_ms = 0;
    struct target *target = target_exec_new("the fuzzer's input", &error);
    if (target == NULL) {
        check(TARGET_BROKEN, &error);
        return 0;
    }
    play(target);
    target->table->close(target);
    target->table->free(target);
    return 0;
}
