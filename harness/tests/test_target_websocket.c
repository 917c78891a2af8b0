/*
 * The WebSocket target against a server that keeps to RFC 6455, or does not, on demand.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/tests/target_support.h"

#define LIMIT 5000

TestSuite(target_websocket, .timeout = 120);

/* ---- the server ---------------------------------------------------------------------------------- */

struct server {
    pid_t pid;
    int input; /* closing it ends the server */
    FILE *output;
    int port;
};

static struct server start_server(const char *certificate, const char *key) {
    int input[2], output[2];
    cr_assert(pipe(input) == 0 && pipe(output) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(input[0], STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        for (int file = 3; file < 100; file++)
            close(file);
        execl("/usr/bin/python3", "python3", "harness/tests/target_websocket_server.py", certificate, key, NULL);
        _exit(127);
    }
    close(input[0]);
    close(output[1]);
    struct server server = {.pid = pid, .input = input[1], .output = fdopen(output[0], "r")};
    char line[20];
    cr_assert(fgets(line, sizeof line, server.output) != NULL);
    server.port = atoi(line);
    cr_assert(server.port > 0);
    return server;
}

/* The server's next line about a connection that ended. */
static void expect_log(struct server *server, const char *wanted) {
    char line[200];
    cr_assert(fgets(line, sizeof line, server->output) != NULL, "nothing instead of %s", wanted);
    line[strcspn(line, "\n")] = '\0';
    cr_assert_str_eq(line, wanted);
}

/* The same while the target's loop runs, because the server waits for our side. Nothing else happens meanwhile. */
static void expect_log_meanwhile(struct server *server, struct target *target, const char *wanted) {
    struct pollfd log = {.fd = fileno(server->output), .events = POLLIN};
    for (int round = 0; round < 1000 && poll(&log, 1, 0) == 0; round++)
        expect_nothing(target, 10);
    expect_log(server, wanted);
}

static void stop_server(struct server *server) {
    close(server->input);
    waitpid(server->pid, NULL, 0);
    fclose(server->output);
}

static struct target *new_target(const char *scheme, const char *host, int port, const char *path) {
    char url[200];
    struct error error = {0};
    snprintf(url, sizeof url, "%s://%s:%d%s", scheme, host, port, path);
    struct target *target = target_websocket_new(url, &error);
    cr_assert(target != NULL, "%s", error.text);
    open_case(target, "0.2.0", LIMIT);
    return target;
}

struct fixture {
    struct server server;
    struct target *target;
};

static struct fixture start_at(const char *path) {
    struct fixture fixture = {.server = start_server(NULL, NULL)};
    fixture.target = new_target("ws", "127.0.0.1", fixture.server.port, path);
    connect_writer(fixture.target, 1, "w");
    return fixture;
}

static struct fixture start(void) {
    return start_at("/ok");
}

static void finish(struct fixture *fixture) {
    fixture->target->table->free(fixture->target);
    stop_server(&fixture->server);
}

/* The server described the message back: this is in what it says. */
static void expect_described(struct target *target, const char *wanted) {
    struct error error = {0};
    struct target_event event;
    cr_assert(target->table->next_event(target, 5000, &event, &error), "nothing came; %s", error.text);
    cr_assert(event.kind == TARGET_MESSAGE && !event.binary, "kind %d", (int)event.kind);
    char text[4000];
    snprintf(text, sizeof text, "%.*s", (int)event.text.length, event.text.bytes);
    cr_assert(contains(text, wanted), "\"%s\" is not in: %s", wanted, text);
}

static void send_frames(struct target *target, struct text message, enum target_frame frame, int fragments) {
    struct error error = {0};
    cr_assert(target->table->send(target, 1, message, frame, fragments, &error) == TARGET_OK, "%s", error.text);
}

static int64_t now_us(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- connecting ---------------------------------------------------------------------------------- */

Test(target_websocket, the_principal_travels_in_the_query) {
    struct fixture it = {.server = start_server(NULL, NULL)};
    it.target = new_target("ws", "127.0.0.1", it.server.port, "/ok?token=1");
    struct target_principal principal = {
        .writer = TEXT("a b\xc3\xa9"), .kind = TEXT("agent"), .claims = TEXT("{\"x\":[1]}")};
    struct error error = {0};
    cr_assert(it.target->table->connect(it.target, 1, &principal, &error) == TARGET_OK, "%s", error.text);
    send_text(it.target, 1, "[[\"request\"],[\"request\"],[\"request\"]]");
    expect_described(it.target,
                     "GET /ok?token=1&writer=a%20b%C3%A9&kind=agent&claims=%7B%22x%22%3A%5B1%5D%7D HTTP/1.1");
    char host[100];
    snprintf(host, sizeof host, "\"Host: 127.0.0.1:%d\"", it.server.port);
    expect_described(it.target, host);
    struct target_event event;
    cr_assert(it.target->table->next_event(it.target, 5000, &event, &error));
    cr_assert(memmem(event.text.bytes, event.text.length, "Extensions", 10) == NULL, "no extension is offered");
    finish(&it);
}

Test(target_websocket, a_long_name_travels_and_a_longer_one_is_no) {
    struct fixture it = start();
    struct buffer name = {0};
    for (int i = 0; i < 10000; i++)
        buffer_string(&name, "\xc3\xa9");
    struct target_principal principal = {.writer = {name.bytes, 10000}};
    struct error error = {0};
    cr_assert(it.target->table->connect(it.target, 2, &principal, &error) == TARGET_OK, "%s", error.text);
    principal.writer.length = 20000;
    cr_assert(it.target->table->connect(it.target, 3, &principal, &error) == TARGET_NO);
    EXPECT_SAYS(error, "too long to travel in a URL");
    buffer_free(&name);
    finish(&it);
}

static void expect_refused(const char *path, const char *why) {
    struct server server = start_server(NULL, NULL);
    struct target *target = new_target("ws", "127.0.0.1", server.port, path);
    struct target_principal principal = {.writer = TEXT("w")};
    for (int round = 1; round <= 2; round++) {
        struct error error = {0};
        cr_assert(target->table->connect(target, round, &principal, &error) == TARGET_BROKEN);
        cr_assert(error.code == ERROR_TARGET);
        EXPECT_SAYS(error, "no WebSocket connection to ws://127.0.0.1");
        EXPECT_SAYS(error, why);
    }
    expect_nothing(target, 0);
    target->table->free(target);
    stop_server(&server);
}

Test(target_websocket, a_refused_handshake_is_told_with_its_status) {
    expect_refused("/status/401", "HTTP status 401");
    expect_refused("/status/503", "HTTP status 503");
    expect_refused("/status/302", "HTTP status 302");
    expect_refused("/status/200", "HTTP status 200");
}

Test(target_websocket, a_broken_handshake_is_told) {
    expect_refused("/garbage", "does not speak HTTP");
    expect_refused("/hang-up", "closed the connection during the handshake");
    expect_refused("/bad-accept", "Sec-WebSocket-Accept");
}

Test(target_websocket, a_relay_that_is_not_there_is_told) {
    struct target *target = new_target("ws", "127.0.0.1", 1, "/");
    struct target_principal principal = {.writer = TEXT("w")};
    struct error error = {0};
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    EXPECT_SAYS(error, "nothing listens there");
    target->table->free(target);
    target = new_target("ws", "no-such-host.invalid", 80, "/");
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    EXPECT_SAYS(error, "host was not found");
    target->table->free(target);
}

Test(target_websocket, a_handshake_takes_no_longer_than_the_limit) {
    struct server server = start_server(NULL, NULL);
    struct target *target = new_target("ws", "127.0.0.1", server.port, "/silent");
    target->table->close(target);
    open_case(target, "0.2.0", 200);
    struct target_principal principal = {.writer = TEXT("w")};
    struct error error = {0};
    int64_t before = now_us(CLOCK_MONOTONIC);
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    int64_t took = now_us(CLOCK_MONOTONIC) - before;
    cr_assert(took >= 200000 && took < 1000000, "took %ld us", (long)took);
    EXPECT_SAYS(error, "did not answer in time");
    target->table->free(target);
    stop_server(&server);
}

Test(target_websocket, a_proxy_of_the_environment_is_not_asked) {
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    struct fixture it = start();
    send_text(it.target, 1, "x");
    expect_described(it.target, "\"length\":1");
    finish(&it);
}

/* ---- sending ------------------------------------------------------------------------------------- */

Test(target_websocket, a_message_goes_out_masked_and_whole) {
    struct fixture it = start();
    send_text(it.target, 1, "hello");
    expect_described(it.target, "{\"frames\":[[129,5]],\"masked\":true,\"length\":5,\"bytes\":\"68656c6c6f\"}");
    send_text(it.target, 1, "");
    expect_described(it.target, "{\"frames\":[[129,0]],\"masked\":true,\"length\":0,\"bytes\":\"\"}");
    finish(&it);
}

Test(target_websocket, bytes_go_out_as_they_are) {
    struct fixture it = start();
    send_frames(it.target, TEXT("\xff\xc0\x80 \xed\xa0\x80"), TARGET_FRAME_TEXT, 1);
    expect_described(it.target, "{\"frames\":[[129,7]],\"masked\":true,\"length\":7,\"bytes\":\"ffc08020eda080\"}");
    send_frames(it.target, TEXT("\0\xff"), TARGET_FRAME_BINARY, 1);
    expect_described(it.target, "{\"frames\":[[130,2]],\"masked\":true,\"length\":2,\"bytes\":\"00ff\"}");
    finish(&it);
}

Test(target_websocket, a_message_is_cut_into_frames) {
    struct fixture it = start();
    send_frames(it.target, TEXT("hello"), TARGET_FRAME_TEXT, 3);
    expect_described(it.target, "{\"frames\":[[1,1],[0,1],[128,3]],\"masked\":true,\"length\":5,");
    send_frames(it.target, TEXT("ab"), TARGET_FRAME_BINARY, 4);
    expect_described(it.target, "{\"frames\":[[2,0],[0,0],[0,0],[128,2]],\"masked\":true,\"length\":2,");
    send_frames(it.target, TEXT("next"), TARGET_FRAME_TEXT, 1);
    expect_described(it.target, "{\"frames\":[[129,4]]");
    finish(&it);
}

Test(target_websocket, a_large_message_goes_out_whole) {
    struct fixture it = start();
    size_t length = (size_t)20 << 20;
    char *bytes = memory_new(length);
    memset(bytes, 'x', length);
    send_frames(it.target, (struct text){bytes, length}, TARGET_FRAME_TEXT, 1);
    send_frames(it.target, (struct text){bytes, length}, TARGET_FRAME_TEXT, 7);
    send_text(it.target, 1, "behind");
    /* The SHA-256 of so many x. */
    const char *whole =
        "\"length\":20971520,\"bytes\":\"6adfa0775cbd16a3f50d1fda1d7bd7f375dd1f9af5e6dfb751a87d3dff68699c\"";
    expect_described(it.target, whole);
    expect_described(it.target, whole);
    expect_described(it.target, "{\"frames\":[[129,6]]");
    free(bytes);
    finish(&it);
}

Test(target_websocket, a_relay_that_does_not_read_is_told) {
    struct fixture it = start();
    it.target->table->close(it.target);
    open_case(it.target, "0.2.0", 300);
    connect_writer(it.target, 1, "w");
    send_text(it.target, 1, "[[\"deaf\"]]");
    size_t length = (size_t)40 << 20;
    char *bytes = memory_zeroed(1, length);
    enum target_outcome outcome = TARGET_OK;
    struct error error = {0};
    int messages = 0;
    for (; outcome == TARGET_OK && messages < 10; messages++)
        outcome = it.target->table->send(it.target, 1, (struct text){bytes, length}, TARGET_FRAME_BINARY, 1, &error);
    free(bytes);
    cr_assert(outcome == TARGET_BROKEN);
    cr_assert(messages == 3, "after %d messages", messages);
    EXPECT_SAYS(error, "does not read");
    finish(&it);
}

/* ---- receiving ----------------------------------------------------------------------------------- */

Test(target_websocket, what_the_relay_sends_is_an_event_valid_or_not) {
    struct fixture it = start();
    send_text(it.target, 1, "[[\"frame\",129,\"\"],[\"frame\",129,\"ff\"],[\"frame\",129,\"610062\"]]");
    expect_message(it.target, 1, "");
    expect_message(it.target, 1, "\xff");
    struct error error = {0};
    struct target_event event;
    cr_assert(it.target->table->next_event(it.target, 5000, &event, &error));
    cr_assert(text_equal(event.text, TEXT("a\0b")) && !event.binary);
    send_text(it.target, 1, "[[\"frame\",130,\"00\"]]");
    cr_assert(it.target->table->next_event(it.target, 5000, &event, &error));
    cr_assert(text_equal(event.text, TEXT("\0")) && event.binary);
    finish(&it);
}

Test(target_websocket, fragments_are_put_together_around_a_ping) {
    struct fixture it = start();
    send_text(it.target, 1,
              "[[\"say-pongs\"],[\"frame\",1,\"61\"],[\"ping\",\"0102\"],[\"frame\",0,\"\"],[\"frame\",0,"
              "\"62\"],[\"frame\",128,\"63\"]]");
    expect_message(it.target, 1, "abc");
    expect_described(it.target, "{\"pong\": \"0102\"}");
    finish(&it);
}

Test(target_websocket, a_message_right_behind_the_handshake_is_not_lost) {
    struct fixture it = start_at("/first");
    expect_message(it.target, 1, "first");
    send_text(it.target, 1, "[[\"text\",\"second\"]]");
    expect_message(it.target, 1, "second");
    finish(&it);
}

Test(target_websocket, messages_stay_in_order) {
    struct fixture it = start();
    char text[100];
    for (int i = 0; i < 2000; i++) {
        snprintf(text, sizeof text, "[[\"text\",\"%d\"]]", i);
        send_text(it.target, 1, text);
    }
    for (int i = 0; i < 2000; i++) {
        snprintf(text, sizeof text, "%d", i);
        expect_message(it.target, 1, text);
    }
    expect_nothing(it.target, 5);
    finish(&it);
}

static void expect_filled(struct target *target, int timeout_ms, size_t length) {
    struct error error = {0};
    struct target_event event;
    cr_assert(target->table->next_event(target, timeout_ms, &event, &error), "nothing came; %s", error.text);
    cr_assert(event.kind == TARGET_MESSAGE && event.text.length == length, "%zu", event.text.length);
    for (size_t i = 0; i < length; i++)
        if (event.text.bytes[i] != 'x')
            cr_assert_fail("byte %zu", i);
}

Test(target_websocket, large_messages_come_in_whole) {
    struct fixture it = start();
    send_text(it.target, 1, "[[\"fill\",129,30000000],[\"fill\",1,70000],[\"fill\",0,65535],[\"fill\",128,126]]");
    expect_filled(it.target, 60000, 30000000);
    expect_filled(it.target, 60000, 70000 + 65535 + 126);
    finish(&it);
}

Test(target_websocket, a_message_past_the_ceiling_breaks_the_case_and_no_more) {
    struct fixture it = start();
    send_text(it.target, 1, "[[\"fill\",129,140000000]]");
    struct error error = {0};
    struct target_event event;
    cr_assert(it.target->table->next_event(it.target, 60000, &event, &error));
    cr_assert(event.kind == TARGET_CLOSED && event.close_code == 1006);
    cr_assert(!it.target->table->next_event(it.target, 0, &event, &error));
    cr_assert(error.code == ERROR_TARGET);
    EXPECT_SAYS(error, "too long a message");
    it.target->table->close(it.target);
    open_case(it.target, "0.2.0", LIMIT);
    connect_writer(it.target, 1, "w");
    send_text(it.target, 1, "[[\"text\",\"alive\"]]");
    expect_message(it.target, 1, "alive");
    finish(&it);
}

/* ---- how a connection ends ----------------------------------------------------------------------- */

static void expect_end(const char *actions, unsigned code, const char *reason) {
    struct fixture it = start();
    send_text(it.target, 1, actions);
    expect_message(it.target, 1, "before");
    struct error error = {0};
    struct target_event event;
    cr_assert(it.target->table->next_event(it.target, 5000, &event, &error));
    cr_assert(event.kind == TARGET_CLOSED && event.close_code == code, "%u", event.close_code);
    cr_assert(text_equal(event.text, text_of(reason)), "%.*s", (int)event.text.length, event.text.bytes);
    send_text(it.target, 1, "nobody hears this");
    expect_nothing(it.target, 20);
    cr_assert(it.target->table->disconnect(it.target, 1, false, &error) == TARGET_OK);
    finish(&it);
}

Test(target_websocket, a_close_is_told_with_code_and_reason) {
    char longest[300];
    snprintf(longest, sizeof longest, "[[\"text\",\"before\"],[\"close\",4001,\"%0123d\"]]", 0);
    expect_end("[[\"text\",\"before\"],[\"close\",4000,\"bye \xc3\xbc\"]]", 4000, "bye \xc3\xbc");
    expect_end("[[\"text\",\"before\"],[\"close\",1011,\"\"]]", 1011, "");
    expect_end("[[\"text\",\"before\"],[\"close\"]]", 0, "");
    char reason[124];
    snprintf(reason, sizeof reason, "%0123d", 0);
    expect_end(longest, 4001, reason);
}

Test(target_websocket, an_end_without_a_close_frame_is_1006) {
    expect_end("[[\"text\",\"before\"],[\"end\"]]", 1006, "");
    expect_end("[[\"text\",\"before\"],[\"frame\",1,\"61\"],[\"end\"]]", 1006, "");
    /* Reserved bits and an unknown opcode: our side ends it. */
    expect_end("[[\"text\",\"before\"],[\"raw\",\"c10161\"]]", 1006, "");
    expect_end("[[\"text\",\"before\"],[\"raw\",\"8f00\"]]", 1006, "");
}

Test(target_websocket, a_reset_is_1006) {
    struct fixture it = start();
    send_text(it.target, 1, "[[\"reset\"]]");
    expect_closed(it.target, 1, 1006);
    finish(&it);
}

Test(target_websocket, leaving_says_goodbye) {
    struct fixture it = start();
    struct error error = {0};
    send_text(it.target, 1, "[[\"text\",\"before\"]]");
    expect_message(it.target, 1, "before");
    cr_assert(it.target->table->disconnect(it.target, 1, false, &error) == TARGET_OK);
    expect_log(&it.server, "close 1000");
    expect_nothing(it.target, 20);
    finish(&it);
}

Test(target_websocket, leaving_sends_what_waits_first) {
    struct fixture it = start();
    struct error error = {0};
    size_t length = (size_t)30 << 20;
    char *bytes = memory_zeroed(1, length);
    for (int i = 0; i < 2; i++)
        send_frames(it.target, (struct text){bytes, length}, TARGET_FRAME_BINARY, 3);
    free(bytes);
    cr_assert(it.target->table->disconnect(it.target, 1, false, &error) == TARGET_OK);
    expect_log_meanwhile(&it.server, it.target, "close 1000");
    finish(&it);
}

Test(target_websocket, breaking_resets_and_keeps_what_came_before) {
    struct fixture it = start();
    struct error error = {0};
    /* Two messages in one packet: when the first is taken, the second has come too. */
    send_text(it.target, 1, "[[\"raw\",\"810161810162\"]]");
    expect_message(it.target, 1, "a");
    cr_assert(it.target->table->disconnect(it.target, 1, true, &error) == TARGET_OK);
    expect_log(&it.server, "broken ConnectionResetError");
    expect_message(it.target, 1, "b");
    expect_nothing(it.target, 20);
    finish(&it);
}

Test(target_websocket, a_close_that_nobody_took_goes_with_the_connection) {
    struct fixture it = start();
    struct error error = {0};
    struct pollfd log = {.fd = fileno(it.server.output), .events = POLLIN};
    connect_writer(it.target, 2, "w");
    send_text(it.target, 1, "[[\"text\",\"before\"],[\"close\",4000,\"\"]]");
    expect_message(it.target, 1, "before");
    int others = 0;
    /* Sending runs the loop: the server's close frame is read and answered. */
    for (; poll(&log, 1, 0) == 0; others++)
        send_text(it.target, 2, "[[\"text\",\"other\"]]");
    expect_log(&it.server, "close 4000");
    cr_assert(it.target->table->disconnect(it.target, 1, false, &error) == TARGET_OK);
    for (; others > 0; others--)
        expect_message(it.target, 2, "other");
    expect_nothing(it.target, 20);
    finish(&it);
}

Test(target_websocket, a_relay_that_dies_is_told_on_every_connection) {
    struct fixture it = start();
    connect_writer(it.target, 2, "w");
    kill(it.server.pid, SIGKILL);
    struct error error = {0};
    struct target_event event;
    bool closed[3] = {false};
    for (int i = 0; i < 2; i++) {
        cr_assert(it.target->table->next_event(it.target, 5000, &event, &error));
        cr_assert(event.kind == TARGET_CLOSED && event.close_code == 1006 && !closed[event.connection]);
        closed[event.connection] = true;
    }
    /* It may be dead on its connections and still listen for a moment. */
    waitpid(it.server.pid, NULL, 0);
    struct target_principal principal = {.writer = TEXT("w")};
    cr_assert(it.target->table->connect(it.target, 3, &principal, &error) == TARGET_BROKEN);
    EXPECT_SAYS(error, "nothing listens there");
    finish(&it);
}

/* ---- reading slowly ------------------------------------------------------------------------------ */

Test(target_websocket, a_stalled_connection_reads_when_it_is_let_go) {
    struct fixture it = start();
    struct error error = {0};
    connect_writer(it.target, 2, "w");
    send_text(it.target, 1, "[[\"text\",\"one\"]]");
    expect_message(it.target, 1, "one");
    cr_assert(it.target->table->stall(it.target, 1, true, &error) == TARGET_OK);
    send_text(it.target, 1, "[[\"text\",\"two\"],[\"fill\",129,20000000],[\"close\",4000,\"\"]]");
    send_text(it.target, 2, "[[\"text\",\"not stalled\"]]");
    expect_message(it.target, 2, "not stalled");
    expect_nothing(it.target, 100);
    cr_assert(it.target->table->stall(it.target, 1, false, &error) == TARGET_OK);
    expect_message(it.target, 1, "two");
    expect_filled(it.target, 60000, 20000000);
    expect_closed(it.target, 1, 4000);
    finish(&it);
}

/* ---- time ---------------------------------------------------------------------------------------- */

Test(target_websocket, waits_are_exact_and_idle) {
    struct fixture it = start();
    const int waits[] = {0, 1, 2, 5, 20, 100};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        int64_t before = now_us(CLOCK_MONOTONIC), worked = now_us(CLOCK_PROCESS_CPUTIME_ID);
        expect_nothing(it.target, waits[i]);
        int64_t took = now_us(CLOCK_MONOTONIC) - before;
        worked = now_us(CLOCK_PROCESS_CPUTIME_ID) - worked;
        cr_assert(took >= waits[i] * 1000, "%ld us instead of %d ms", (long)took, waits[i]);
        cr_assert(took < waits[i] * 1000 + 500000, "%ld us instead of %d ms", (long)took, waits[i]);
        cr_assert(worked < 10000, "%ld us of work in a wait of %d ms", (long)worked, waits[i]);
    }
    finish(&it);
}

/* A wait below a millisecond is no busy one either. */
Test(target_websocket, many_short_waits_are_idle_too) {
    struct fixture it = start();
    int64_t worked = now_us(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < 300; i++)
        expect_nothing(it.target, 1);
    worked = now_us(CLOCK_PROCESS_CPUTIME_ID) - worked;
    cr_assert(worked < 150000, "%ld us of work in 300 waits of a millisecond", (long)worked);
    finish(&it);
}

static int compare_times(const void *a, const void *b) {
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return first < second ? -1 : first > second;
}

/* The quickest tenth tells, for the machine may be busy with other things. */
Test(target_websocket, a_round_trip_takes_far_less_than_a_millisecond) {
    struct fixture it = start();
    int64_t took[1000];
    for (int i = 0; i < 1000; i++) {
        int64_t before = now_us(CLOCK_MONOTONIC);
        send_text(it.target, 1, "[[\"text\",\"x\"]]");
        expect_message(it.target, 1, "x");
        took[i] = now_us(CLOCK_MONOTONIC) - before;
    }
    qsort(took, 1000, sizeof *took, compare_times);
    cr_assert(took[100] < 1000, "%ld us", (long)took[100]);
    finish(&it);
}

/* ---- cases and connections ----------------------------------------------------------------------- */

Test(target_websocket, many_connections_share_one_loop) {
    struct fixture it = start();
    for (int i = 2; i <= 300; i++)
        connect_writer(it.target, i, "w");
    for (int i = 1; i <= 300; i++) {
        char text[40];
        snprintf(text, sizeof text, "[[\"text\",\"%d\"]]", i);
        send_text(it.target, i, text);
    }
    bool seen[301] = {false};
    for (int i = 1; i <= 300; i++) {
        struct error error = {0};
        struct target_event event;
        char text[10];
        cr_assert(it.target->table->next_event(it.target, 5000, &event, &error));
        snprintf(text, sizeof text, "%d", event.connection);
        cr_assert(text_equal(event.text, text_of(text)) && !seen[event.connection]);
        seen[event.connection] = true;
    }
    finish(&it);
}

Test(target_websocket, a_case_ends_with_its_connections_and_events) {
    struct fixture it = start();
    send_text(it.target, 1, "[[\"text\",\"old\"]]");
    it.target->table->close(it.target);
    expect_log(&it.server, "close 1000");
    open_case(it.target, "0.2.0", LIMIT);
    expect_nothing(it.target, 20);
    connect_writer(it.target, 1, "w");
    send_text(it.target, 1, "[[\"text\",\"new\"]]");
    expect_message(it.target, 1, "new");
    finish(&it);
}

Test(target_websocket, what_a_url_cannot_is_no) {
    struct target *target = new_target("ws", "127.0.0.1", 1, "/");
    struct error error = {0};
    bool answer;
    struct buffer info = {0};
    cr_assert(target->table->open(target, "0.2.0", TEXT("{}"), LIMIT, &error) == TARGET_NO);
    EXPECT_SAYS(error, "cannot be restarted");
    cr_assert(target->table->hydrate(target, TEXT("r"), TEXT("{}"), &answer, &error) == TARGET_NO);
    cr_assert(target->table->room(target, TEXT("r"), &info, &error) == TARGET_NO);
    cr_assert(target->table->clock(target, TARGET_CLOCK_START, &error) == TARGET_NO);
    target->table->close(target);
    cr_assert(target->table->open(target, "0.2.0", TEXT("{\"journalLimit\":1}"), LIMIT, &error) == TARGET_NO);
    EXPECT_SAYS(error, "takes no options");
    cr_assert(target->table->open(target, "0.2.0", TEXT(" { } "), LIMIT, &error) == TARGET_OK);
    const char *const yes[] = {"binary", "fragments", "abrupt", "stall"};
    const char *const no[] = {"barrier", "options", "clock", "hydrate", "room", "commit", "restart", "fresh"};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        cr_assert(target->table->can(target, yes[i]), "%s", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        cr_assert(!target->table->can(target, no[i]), "%s", no[i]);
    target->table->free(target);
}

/* ---- TLS ----------------------------------------------------------------------------------------- */

/* A certificate for localhost in a new folder. */
static void make_certificate(char certificate[200], char key[200]) {
    char folder[] = "/tmp/meshspec-tls-XXXXXX", command[1000];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(certificate, 200, "%s/certificate.pem", folder);
    snprintf(key, 200, "%s/key.pem", folder);
    snprintf(command, sizeof command,
             "openssl req -x509 -newkey rsa:2048 -nodes -keyout %s -out %s -days 2 -subj /CN=localhost "
             "-addext subjectAltName=DNS:localhost 2>/dev/null",
             key, certificate);
    cr_assert(system(command) == 0);
}

static void remove_certificate(char certificate[200], char key[200]) {
    unlink(certificate);
    unlink(key);
    *strrchr(key, '/') = '\0';
    rmdir(key);
}

Test(target_websocket, tls_is_spoken_with_who_is_trusted_only) {
    char certificate[200], key[200];
    make_certificate(certificate, key);
    struct server server = start_server(certificate, key);
    struct target_principal principal = {.writer = TEXT("w")};
    struct error error = {0};
    struct target *target = new_target("wss", "localhost", server.port, "/ok");
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    EXPECT_SAYS(error, "certificate is not trusted: self-signed certificate");
    target->table->free(target);
    setenv("SSL_CERT_FILE", certificate, 1);
    target = new_target("wss", "127.0.0.1", server.port, "/ok");
    cr_assert(target->table->connect(target, 1, &principal, &error) == TARGET_BROKEN);
    EXPECT_SAYS(error, "certificate is not trusted: ");
    target->table->free(target);
    target = new_target("wss", "localhost", server.port, "/ok");
    connect_writer(target, 1, "w");
    connect_writer(target, 2, "w");
    send_text(target, 1, "[[\"fill\",129,3000000],[\"close\",4000,\"\"]]");
    expect_filled(target, 60000, 3000000);
    expect_closed(target, 1, 4000);
    cr_assert(target->table->disconnect(target, 2, true, &error) == TARGET_OK);
    target->table->free(target);
    stop_server(&server);
    remove_certificate(certificate, key);
}

/* ---- anything at any time ------------------------------------------------------------------------ */

static const char *const deeds[] = {
    "[[\"text\",\"a\"]]",
    "[[\"close\",1000,\"x\"]]",
    "[[\"end\"]]",
    "[[\"reset\"]]",
    "[[\"fill\",129,1000000]]",
    "[[\"fill\",1,70000],[\"close\",1001,\"\"],[\"fill\",128,300000]]",
    "[[\"raw\",\"c10161\"]]",
    "hello",
    "[[\"text\",\"b\"],[\"fill\",130,200000],[\"text\",\"c\"]]",
    "[[\"close\"],[\"end\"]]",
    "[[\"deaf\"]]",
    "[[\"fill\",129,3000000],[\"end\"]]",
    "[[\"raw\",\"8801\"]]",
    "[[\"ping\",\"0102\"],[\"fill\",1,100],[\"raw\",\"880203e8\"],[\"raw\",\"8102616188\"],[\"fill\",129,100000]]"};

static unsigned next_random(unsigned *state, unsigned below) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* One of the things that can be done to a connection. */
static void do_anything(struct target *target, unsigned *state, int connection) {
    static char large[1000000];
    struct error error = {0};
    struct target_event event;
    switch (next_random(state, 6)) {
    case 0:
    case 1:
        send_text(target, connection, deeds[next_random(state, sizeof deeds / sizeof *deeds)]);
        break;
    case 2:
        target->table->send(target, connection, (struct text){large, next_random(state, sizeof large)},
                            TARGET_FRAME_BINARY, 1 + (int)next_random(state, 4), &error);
        break;
    case 3:
        target->table->disconnect(target, connection, next_random(state, 2) == 0, &error);
        break;
    case 4:
        target->table->stall(target, connection, next_random(state, 2) == 0, &error);
        break;
    default:
        while (target->table->next_event(target, (int)next_random(state, 2), &event, &error))
            cr_assert(event.connection > 0);
    }
}

Test(target_websocket, survives_anything_at_any_time) {
    struct fixture it = start();
    unsigned state = 1;
    for (int round = 0; round < 60; round++) {
        it.target->table->close(it.target);
        open_case(it.target, "0.2.0", LIMIT);
        int connections = 0;
        for (unsigned step = next_random(&state, 50); step > 0; step--)
            if (connections == 0 || next_random(&state, 5) == 0)
                connect_writer(it.target, ++connections, "w");
            else
                do_anything(it.target, &state, 1 + (int)next_random(&state, (unsigned)connections));
    }
    it.target->table->close(it.target);
    open_case(it.target, "0.2.0", LIMIT);
    connect_writer(it.target, 1, "w");
    send_text(it.target, 1, "[[\"text\",\"alive\"]]");
    expect_message(it.target, 1, "alive");
    finish(&it);
}
