/*
 * The exec target against an adapter that behaves, and misbehaves, on demand.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/tests/target_support.h"

#define FAKE PYTHON "harness/tests/target_fake_adapter.py "
#define LIMIT 2000

TestSuite(target_exec, .timeout = 60);

static struct target *start(const char *command) {
    struct error error = {0};
    struct target *target = target_exec_new(command, &error);
    cr_assert(target != NULL, "%s", error.text);
    return target;
}

static struct target *start_case_of(const char *command) {
    struct target *target = start(command);
    open_case(target, "0.2.0", LIMIT);
    connect_writer(target, 1, "w");
    expect_message(target, 1, "{\"writer\": \"w\"}");
    return target;
}

static struct target *start_case(void) {
    return start_case_of(FAKE);
}

/* Sends `text`, which breaks the adapter; `error` gets what the target says. */
static void break_it(struct target *target, const char *text, struct error *error) {
    *error = (struct error){0};
    enum target_outcome outcome = target->table->send(target, 1, text_of(text), TARGET_FRAME_TEXT, 1, error);
    cr_assert(outcome == TARGET_BROKEN, "outcome %d: %s", (int)outcome, error->text);
    cr_assert(error->code == ERROR_TARGET);
}

/* After a broken case the next one is served by a new child. */
static void expect_recovery(struct target *target) {
    target->table->close(target);
    open_case(target, "0.2.0", LIMIT);
    connect_writer(target, 1, "again");
    expect_message(target, 1, "{\"writer\": \"again\"}");
    send_text(target, 1, "alive");
    expect_message(target, 1, "alive");
    expect_nothing(target, 0);
    target->table->free(target);
}

/* ---- the handshake ------------------------------------------------------------------------------- */

static void expect_no_start(const char *command, const char *why) {
    struct error error = {0};
    struct target *target = target_exec_new(command, &error);
    cr_assert(target == NULL);
    cr_assert(error.code == ERROR_TARGET);
    EXPECT_SAYS(error, why);
}

Test(target_exec, says_what_the_adapter_says_of_itself) {
    struct target *target = start(FAKE);
    cr_assert_str_eq(target->about, "fake 1.2 (Python), issues: https://example.org/issues");
    cr_assert_str_eq(target->name, "exec:" FAKE);
    target->table->free(target);
}

Test(target_exec, finds_out_an_adapter_that_says_yes_to_everything) {
    expect_no_start(FAKE "yes-man", "ok to a command that nobody knows");
}

Test(target_exec, wants_a_whole_introduction) {
    expect_no_start(FAKE "nameless", "without its `name`");
    expect_no_start(FAKE "profileless", "without `profiles`");
    expect_no_start(FAKE "other", "another version of the adapter protocol");
    expect_no_start(FAKE "refuses", "refuses to `start`");
}

Test(target_exec, tells_of_a_command_that_cannot_run) {
    expect_no_start("/no/such/adapter", "ended with status 127");
    expect_no_start("/no/such/adapter", "not found");
    expect_no_start("true", "closed its standard output instead of answering \"do\":\"start\"");
}

Test(target_exec, a_blank_command_is_bad_usage) {
    struct error error = {0};
    cr_assert(target_exec_new("  ", &error) == NULL);
    cr_assert(error.code == ERROR_USAGE);
}

Test(target_exec, can_what_the_adapter_lists_and_what_the_protocol_gives) {
    struct target *target = start(FAKE);
    const char *const yes[] = {"barrier", "restart", "fresh", "options", "clock", "hydrate", "room", "commit"};
    const char *const no[] = {"violation", "policy.acl", "binary", "fragments", "abrupt", "stall"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        cr_assert(target->table->can(target, yes[i]), "%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        cr_assert(!target->table->can(target, no[i]), "%s", no[i]);
    target->table->free(target);
}

/* ---- cases --------------------------------------------------------------------------------------- */

static void expect_no(struct target *target, const char *profile, const char *options, const char *why) {
    struct error error = {0};
    cr_assert(target->table->open(target, profile, text_of(options), LIMIT, &error) == TARGET_NO, "%s", error.text);
    EXPECT_SAYS(error, why);
}

Test(target_exec, what_the_adapter_cannot_honour_is_no) {
    struct target *target = start(FAKE);
    expect_no(target, "0.9.1", "{}", "does not offer 0.9.1");
    expect_no(target, "0.2.0", "{\"journalLimit\":7}", "seven is too many");
    open_case(target, "0.1.1", LIMIT);
    target->table->free(target);
    target = start(FAKE "plain");
    expect_no(target, "0.2.0", "{\"journalLimit\":1}", "takes no options");
    open_case(target, "0.2.0", LIMIT);
    struct error error = {0};
    bool answer;
    struct buffer info = {0};
    cr_assert(target->table->hydrate(target, TEXT("r"), TEXT("{}"), &answer, &error) == TARGET_NO);
    cr_assert(target->table->room(target, TEXT("r"), &info, &error) == TARGET_NO);
    cr_assert(target->table->clock(target, TARGET_CLOCK_START, &error) == TARGET_NO);
    cr_assert(target->table->stall(target, 1, true, &error) == TARGET_NO);
    target->table->free(target);
}

Test(target_exec, carries_a_principal_whole) {
    struct target *target = start(FAKE);
    open_case(target, "0.2.0", LIMIT);
    struct error error = {0};
    struct target_principal principal = {
        .writer = TEXT("a\0b\"\xc3\xa9"), .kind = TEXT("agent"), .claims = TEXT("{\n\"x\":\r\n[1]}")};
    cr_assert(target->table->connect(target, 4, &principal, &error) == TARGET_OK, "%s", error.text);
    expect_message(target, 4, "{\"writer\": \"a\\u0000b\\\"\\u00e9\", \"kind\": \"agent\", \"claims\": {\"x\": [1]}}");
    target->table->free(target);
}

Test(target_exec, carries_any_text_and_refuses_what_it_cannot) {
    struct target *target = start_case();
    struct error error = {0};
    struct text odd = TEXT("line\nfeed \0 quote\" \\ \xf0\x9f\x98\x80");
    cr_assert(target->table->send(target, 1, odd, TARGET_FRAME_TEXT, 1, &error) == TARGET_OK, "%s", error.text);
    struct target_event event;
    cr_assert(target->table->next_event(target, 0, &event, &error));
    cr_assert(text_equal(event.text, odd));
    cr_assert(target->table->send(target, 1, TEXT("\xff"), TARGET_FRAME_TEXT, 1, &error) == TARGET_NO);
    cr_assert(target->table->send(target, 1, TEXT("x"), TARGET_FRAME_BINARY, 1, &error) == TARGET_NO);
    cr_assert(target->table->send(target, 1, TEXT("x"), TARGET_FRAME_TEXT, 2, &error) == TARGET_NO);
    expect_nothing(target, 0);
    target->table->free(target);
}

Test(target_exec, carries_large_and_deep_texts) {
    struct target *target = start(FAKE);
    open_case(target, "0.2.0", 30000);
    connect_writer(target, 1, "w");
    expect_message(target, 1, "{\"writer\": \"w\"}");
    struct buffer text = {0};
    for (int i = 0; i < 100000; i++)
        buffer_string(&text, "[");
    for (int i = 0; i < 400000; i++)
        buffer_string(&text, "0123456789\"\\\n\xc3\xa9 ");
    struct error error = {0};
    struct text whole = {text.bytes, text.length};
    cr_assert(target->table->send(target, 1, whole, TARGET_FRAME_TEXT, 1, &error) == TARGET_OK, "%s", error.text);
    struct target_event event;
    cr_assert(target->table->next_event(target, 0, &event, &error));
    cr_assert(text_equal(event.text, whole));
    buffer_free(&text);
    target->table->free(target);
}

Test(target_exec, a_closed_connection_stays_closed) {
    struct target *target = start_case();
    send_text(target, 1, "kick");
    expect_closed(target, 1, 0);
    struct error error = {0};
    cr_assert(target->table->disconnect(target, 1, false, &error) == TARGET_OK);
    send_text(target, 1, "hello?");
    expect_nothing(target, 0);
    target->table->free(target);
}

Test(target_exec, a_disconnect_keeps_messages_and_takes_the_close_away) {
    struct target *target = start_case();
    send_text(target, 1, "before");
    send_text(target, 1, "kick");
    struct error error = {0};
    cr_assert(target->table->disconnect(target, 1, true, &error) == TARGET_OK);
    expect_message(target, 1, "before");
    expect_nothing(target, 0);
    target->table->free(target);
}

Test(target_exec, what_a_disconnected_connection_is_sent_is_no_event) {
    struct target *target = start_case_of(FAKE "chatty");
    struct error error = {0};
    cr_assert(target->table->disconnect(target, 1, false, &error) == TARGET_OK, "%s", error.text);
    expect_nothing(target, 0);
    target->table->free(target);
}

Test(target_exec, observers_of_the_open_relay_are_events) {
    struct target *target = start_case();
    send_text(target, 1, "observe");
    struct error error = {0};
    struct target_event event;
    cr_assert(target->table->next_event(target, 0, &event, &error));
    cr_assert(event.kind == TARGET_OBSERVED);
    cr_assert_str_eq(event.name, "commit");
    cr_assert(text_equal(event.text, TEXT("{\"room\":\"r\",\"env\":{\"seq\":1},\"state\":{\"seq\":1}}")), "%.*s",
              (int)event.text.length, event.text.bytes);
    expect_nothing(target, 0);
    target->table->free(target);
}

/* The adapter shows its clock and its relay's name in a room's info. */
static void expect_room(struct target *target, const char *wanted) {
    struct error error = {0};
    struct buffer info = {0};
    cr_assert(target->table->room(target, TEXT("r\n"), &info, &error) == TARGET_OK, "%s", error.text);
    cr_assert_str_eq(info.bytes, wanted);
    buffer_free(&info);
}

Test(target_exec, each_open_is_a_relay_of_its_own_and_the_clock_goes_on_within_a_case) {
    struct target *target = start_case();
    struct error error = {0};
    expect_room(target, "{\"clock\":1700000000000,\"relay\":\"relay1\",\"room\":\"r\\n\"}");
    cr_assert(target->table->clock(target, TARGET_CLOCK_START + 500, &error) == TARGET_OK);
    open_case(target, "0.2.0", LIMIT);
    expect_room(target, "{\"clock\":1700000000500,\"relay\":\"relay2\",\"room\":\"r\\n\"}");
    target->table->close(target);
    open_case(target, "0.2.0", LIMIT);
    expect_room(target, "{\"clock\":1700000000000,\"relay\":\"relay3\",\"room\":\"r\\n\"}");
    target->table->free(target);
}

Test(target_exec, hydrate_answers_true_or_false_and_nothing_else) {
    struct target *target = start_case();
    struct error error = {0};
    bool answer = false;
    cr_assert(target->table->hydrate(target, TEXT("r"), TEXT("{\"seq\":\n1}"), &answer, &error) == TARGET_OK);
    cr_assert(answer);
    cr_assert(target->table->hydrate(target, TEXT("r"), TEXT("{\"answer\":false}"), &answer, &error) == TARGET_OK);
    cr_assert(!answer);
    cr_assert(target->table->hydrate(target, TEXT("r"), TEXT("{\"answer\":[]}"), &answer, &error) == TARGET_BROKEN);
    EXPECT_SAYS(error, "answered `hydrate` with array instead of true or false");
    expect_recovery(target);
}

static void expect_command(struct target *target, const char *name, const char *fields, enum target_outcome wanted, const char *says) {
    struct error error = {0};
    struct buffer answer = {0};
    enum target_outcome outcome = target->table->command(target, name, text_of(fields), &answer, &error);
    cr_assert(outcome == wanted, "%s: outcome %d; %s", name, (int)outcome, error.text);
    if (outcome == TARGET_OK)
        cr_assert_str_eq(answer.bytes, says);
    else
        EXPECT_SAYS(error, says);
    buffer_free(&answer);
}

Test(target_exec, further_commands_carry_the_relay_and_their_members) {
    struct target *target = start_case();
    expect_command(target, "hold", "{}", TARGET_OK, "{\"do\":\"hold\",\"relay\":\"relay1\"}");
    expect_command(target, "unload", "{\"room\":\"r\\n\",\n\"discard\":true}", TARGET_OK,
                   "{\"do\":\"unload\",\"relay\":\"relay1\",\"room\":\"r\\n\",\"discard\":true}");
    expect_command(target, "release", "{\"room\":\"r\",\"seq\":1}", TARGET_NO, "the adapter says no: nothing is held");
    expect_command(target, "hold", "[]", TARGET_BROKEN, "the members of `hold` are no JSON object");
    target->table->free(target);
}

Test(target_exec, a_further_command_that_is_not_offered_is_no) {
    struct target *target = start_case();
    expect_command(target, "fly", "{}", TARGET_NO, "does not offer `fly`");
    expect_command(target, "stretch", "{}", TARGET_NO, "the adapter does not know this command");
    target->table->free(target);
    target = start(FAKE "plain");
    open_case(target, "0.2.0", LIMIT);
    expect_command(target, "release", "{}", TARGET_NO, "does not offer `release`");
    target->table->free(target);
}

Test(target_exec, events_of_the_case_before_are_none_of_this_one) {
    struct target *target = start_case();
    target->table->close(target);
    open_case(target, "0.2.0", LIMIT);
    connect_writer(target, 1, "w");
    expect_message(target, 1, "{\"writer\": \"w\"}");
    send_text(target, 1, "late:1");
    expect_nothing(target, 0);
    target->table->free(target);
}

/* ---- what goes wrong ----------------------------------------------------------------------------- */

Test(target_exec, a_crash_costs_one_case) {
    struct target *target = start_case();
    struct error error;
    break_it(target, "crash", &error);
    EXPECT_SAYS(error, "closed its standard output instead of answering");
    EXPECT_SAYS(error, "ended with status 3");
    EXPECT_SAYS(error, "first words\nlast words");
    break_it(target, "hello?", &error);
    EXPECT_SAYS(error, "has ended earlier in this case");
    struct target_event event;
    cr_assert(!target->table->next_event(target, 0, &event, &error) && error.code == ERROR_TARGET);
    expect_recovery(target);
}

Test(target_exec, a_signal_is_named) {
    struct target *target = start_case();
    struct error error;
    break_it(target, "signal", &error);
    EXPECT_SAYS(error, "ended with status 143 (signal 15, Terminated)");
    expect_recovery(target);
    target = start_case_of("exec " FAKE);
    break_it(target, "signal", &error);
    EXPECT_SAYS(error, "was ended by signal 15 (Terminated), and wrote nothing to its standard error");
    expect_recovery(target);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

Test(target_exec, a_hang_costs_one_case_and_the_limit) {
    struct target *target = start(FAKE);
    open_case(target, "0.2.0", 300);
    connect_writer(target, 1, "w");
    expect_message(target, 1, "{\"writer\": \"w\"}");
    struct error error;
    int64_t before = now_ms();
    break_it(target, "hang", &error);
    int64_t took = now_ms() - before;
    cr_assert(took >= 300 && took < 1500, "took %" PRId64 " ms", took);
    EXPECT_SAYS(error, "within 300 ms");
    EXPECT_SAYS(error, "was killed");
    expect_recovery(target);
}

/* Whoever the adapter has started goes with it: the last end of this pipe is closed then. */
Test(target_exec, a_hang_leaves_no_process_behind) {
    int ends[2];
    cr_assert(pipe(ends) == 0);
    struct target *target = start(FAKE);
    close(ends[1]);
    open_case(target, "0.2.0", 300);
    connect_writer(target, 1, "w");
    struct error error;
    break_it(target, "hang", &error);
    struct pollfd file = {.fd = ends[0], .events = POLLIN};
    cr_assert(poll(&file, 1, 5000) == 1 && (file.revents & POLLHUP) != 0);
    close(ends[0]);
    target->table->free(target);
}

Test(target_exec, a_child_that_closes_its_output_and_stays_is_killed) {
    struct target *target = start_case_of("exec " FAKE);
    struct error error;
    break_it(target, "mute", &error);
    EXPECT_SAYS(error, "closed its standard output");
    EXPECT_SAYS(error, "was killed");
    expect_recovery(target);
}

static void expect_nonsense(const char *text, const char *why) {
    struct target *target = start_case();
    struct error error;
    break_it(target, text, &error);
    EXPECT_SAYS(error, why);
    expect_recovery(target);
}

Test(target_exec, nonsense_costs_one_case) {
    expect_nonsense("say:oops", "a line that is not a JSON object: oops");
    expect_nonsense("say:[1]", "a line that is not a JSON object: [1]");
    expect_nonsense("say:", "a line that is not a JSON object: ");
    expect_nonsense("say:{}", "neither an event nor a reply: {}");
    expect_nonsense("say:{\"id\":99,\"ok\":true}", "answered a command that is not open: {\"id\":99,\"ok\":true}");
    expect_nonsense("say:{\"id\":\"x\",\"ok\":true}", "answered a command that is not open");
    expect_nonsense("say:{\"on\":\"send\",\"conn\":\"case0-1\"}", "a `send` without its `text`");
    expect_nonsense("say:{\"on\":\"close\"}", "a connection that was never made");
    expect_nonsense("ghost", "a connection that was never made");
    expect_nonsense("nothing", "answered none of `ok`, `no` and `unsupported`");
}

Test(target_exec, a_second_reply_is_found_out_by_the_next_command) {
    struct target *target = start_case();
    send_text(target, 1, "twice");
    struct error error;
    break_it(target, "next", &error);
    EXPECT_SAYS(error, "answered a command that is not open");
    expect_recovery(target);
}

Test(target_exec, a_flood_ends_at_the_limit) {
    struct target *target = start(FAKE);
    open_case(target, "0.2.0", 500);
    connect_writer(target, 1, "w");
    struct error error;
    int64_t before = now_ms();
    break_it(target, "flood", &error);
    EXPECT_SAYS(error, "did not answer");
    EXPECT_SAYS(error, "within 500 ms");
    cr_assert(now_ms() - before < 20000);
    expect_recovery(target);
}

Test(target_exec, the_end_of_standard_error_is_kept_with_the_case) {
    struct target *target = start_case();
    send_text(target, 1, "log:200000");
    expect_message(target, 1, "log:200000");
    struct text log = target->table->log(target);
    cr_assert(log.length == 16 << 10, "%zu", log.length);
    cr_assert(text_ends_with(log, TEXT("xxx\nend\n")));
    target->table->close(target);
    cr_assert(target->table->log(target).length == 0);
    open_case(target, "0.2.0", LIMIT);
    connect_writer(target, 1, "w");
    struct error error;
    break_it(target, "crash", &error);
    cr_assert(text_equal(target->table->log(target), TEXT("first words\nlast words\n")));
    target->table->free(target);
}

Test(target_exec, a_misused_target_is_a_fault_of_the_suite) {
    struct target *target = start(FAKE);
    struct error error = {0};
    struct target_principal principal = {.writer = TEXT("w")};
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    cr_assert(error.code == ERROR_INTERNAL);
    target->table->close(target);
    open_case(target, "0.2.0", LIMIT);
    connect_writer(target, 1, "w");
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    EXPECT_SAYS(error, "connected twice");
    target->table->free(target);
}
