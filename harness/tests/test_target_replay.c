/*
 * Recordings replayed: alike against relays that do what the published ones did, and different where the recording is
 * changed.
 */
#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/replay/replay.h"
#include "harness/tests/target_support.h"

TestSuite(target_replay, .timeout = 120);

static void collect(void *context, const char *line) {
    struct buffer *lines = context;
    buffer_string(lines, line);
    buffer_string(lines, "\n");
}

static void expect_all_alike(struct target *target, const char *version, size_t sessions, size_t steps, size_t events) {
    char file[100];
    snprintf(file, sizeof file, "fixtures/recordings/mesh-%s.jsonl", version);
    struct replay_summary summary;
    struct buffer lines = {0};
    struct error error = {0};
    cr_assert(replay_file(target, file, 10000, &summary, collect, &lines, &error), "%s", error.text);
    cr_assert(lines.length == 0, "%s", lines.bytes);
    cr_assert(summary.sessions == sessions && summary.alike == sessions);
    cr_assert(summary.steps == steps && summary.events == events, "%zu steps, %zu events", summary.steps,
              summary.events);
}

static void expect_recordings_alike(struct target *target) {
    expect_all_alike(target, "0.1.0", 40, 3443, 3250);
    expect_all_alike(target, "0.1.1", 40, 3441, 4537);
    expect_all_alike(target, "0.2.0", 40, 3431, 4241);
}

/* Of wire version 3, which the second relay does not speak. */
static void expect_newer_recording_alike(struct target *target) {
    expect_all_alike(target, "0.9.1", 25, 2684, 3583);
}

Test(target_replay, the_reference_relay_does_what_the_published_relays_did) {
    struct target *target = target_memory_new();
    expect_recordings_alike(target);
    expect_newer_recording_alike(target);
    target->table->free(target);
}

static struct target *adapter(const char *command) {
    struct error error = {0};
    struct target *target = target_exec_new(command, &error);
    cr_assert(target != NULL, "%s", error.text);
    return target;
}

Test(target_replay, the_second_relay_does_what_the_published_relays_did) {
    struct target *target = adapter(PYTHON "tools/adapters/python-relay/adapter.py");
    expect_recordings_alike(target);
    target->table->free(target);
}

Test(target_replay, the_reference_relay_behind_its_adapter_does_too) {
    char self[4000] = "", command[4100];
    cr_assert(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    snprintf(command, sizeof command, "%s/meshspec-adapter", dirname(dirname(self)));
    struct target *target = adapter(command);
    expect_recordings_alike(target);
    expect_newer_recording_alike(target);
    target->table->free(target);
}

/* ---- recordings of our own ----------------------------------------------------------------------- */

#define OPEN "{\"do\":\"open\",\"profile\":\"0.2.0\",\"options\":{},\"out\":[]},"
#define CONNECT "{\"do\":\"connect\",\"conn\":\"c1\",\"principal\":{\"writer\":\"w\"},\"out\":[]},"
#define HELLO_TO(room)                                                                                                 \
    "{\"do\":\"receive\",\"conn\":\"c1\",\"msg\":{\"t\":\"hello\",\"room\":\"" room "\",\"origin\":\"o\",\"proto\":1," \
    "\"policyVersion\":0},\"out\":["
#define WELCOME(room, epoch)                                                                                           \
    "{\"on\":\"send\",\"conn\":\"c1\",\"msg\":{\"t\":\"welcome\",\"room\":\"" room "\",\"seq\":0,\"epoch\":\"" epoch   \
    "\",\"schemaVersion\":0,\"peers\":[],\"members\":[],\"mode\":\"up-to-date\"}}"
#define HELLO HELLO_TO("r") WELCOME("r", "$1") "]}"

/* Replays one session of these steps against `target`, which it frees; `lines` gets what was reported. */
static struct replay_summary replay_by(struct target *target, const char *steps, struct buffer *lines) {
    char file[] = "/tmp/meshspec-replay-XXXXXX";
    int handle = mkstemp(file);
    cr_assert(handle >= 0);
    dprintf(handle, "{\"seed\":12,\"profile\":\"0.2.0\",\"steps\":[%s]}\n", steps);
    close(handle);
    struct replay_summary summary;
    struct error error = {0};
    bool played = replay_file(target, file, 10000, &summary, collect, lines, &error);
    unlink(file);
    cr_assert(played, "%s", error.text);
    target->table->free(target);
    return summary;
}

static struct replay_summary replay(const char *steps, struct buffer *lines) {
    return replay_by(target_memory_new(), steps, lines);
}

/* By an adapter that answers a further command with what it got. */
static struct replay_summary replay_echoed(const char *steps, struct buffer *lines) {
    return replay_by(adapter(PYTHON "harness/tests/target_fake_adapter.py"), steps, lines);
}

static void expect_alike(const char *steps) {
    struct buffer lines = {0};
    struct replay_summary summary = replay(steps, &lines);
    cr_assert(summary.sessions == 1 && summary.alike == 1, "%s", lines.bytes);
}

static void expect_different(const char *steps, const char *says) {
    struct buffer lines = {0};
    struct replay_summary summary = replay(steps, &lines);
    cr_assert(summary.sessions == 1 && summary.different == 1, "%s", lines.length > 0 ? lines.bytes : "alike");
    cr_assert(contains(lines.bytes, says), "\"%s\" is not in: %s", says, lines.bytes);
    buffer_free(&lines);
}

Test(target_replay, the_first_difference_is_told_with_its_place) {
    expect_alike(OPEN CONNECT HELLO);
    expect_different(OPEN CONNECT HELLO_TO("r") WELCOME("q", "$1") "]}",
                     ":1: session 12 different at step 3 of 3 (receive on c1): c1: msg.room: wanted \"q\", came \"r\"");
}

Test(target_replay, what_is_missing_and_what_is_too_much_differ) {
    expect_different(OPEN CONNECT HELLO_TO("r") "]}", "c1: a message: wanted nothing, came {\"t\":\"welcome\"");
    expect_different(OPEN CONNECT HELLO_TO("r") WELCOME("r", "$1") "," WELCOME("r", "$1") "]}",
                     "c1: a message: wanted {\"t\":\"welcome\"");
    expect_different(OPEN CONNECT HELLO_TO("r") "{\"on\":\"close\",\"conn\":\"c1\"}]}",
                     "c1: a close: wanted a close, came {\"t\":\"welcome\"");
    expect_different(OPEN CONNECT HELLO_TO("r") WELCOME("r", "$1") ",{\"on\":\"close\",\"conn\":\"c1\"}]}",
                     "c1: a close: wanted a close, came nothing");
    expect_different(OPEN CONNECT HELLO_TO("r") WELCOME("r", "$1") ",{\"on\":\"commit\",\"room\":\"r\"}]}",
                     "commit: an observation: wanted {\"room\":\"r\"}, came nothing");
    expect_different(OPEN CONNECT HELLO_TO(
                         "r") "{\"on\":\"send\",\"conn\":\"c1\",\"msg\":{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,"
                              "\"epoch\":\"$1\",\"schemaVersion\":0,\"peers\":[],\"members\":[\"x\"],"
                              "\"mode\":\"up-to-date\"}}]}",
                     "c1: msg.members[0]: wanted \"x\", came nothing");
    expect_different(OPEN CONNECT HELLO_TO(
                         "r") "{\"on\":\"send\",\"conn\":\"c1\",\"msg\":{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,"
                              "\"epoch\":\"$1\",\"peers\":[],\"members\":[],\"mode\":\"up-to-date\"}}]}",
                     "c1: msg.schemaVersion: wanted nothing, came 0");
    expect_different(OPEN CONNECT HELLO_TO(
                         "r") "{\"on\":\"send\",\"conn\":\"c1\",\"msg\":{\"t\":\"welcome\",\"room\":\"r\",\"seq\":0,"
                              "\"epoch\":\"$1\",\"schemaVersion\":0,\"wings\":2,\"peers\":[],\"members\":[],"
                              "\"mode\":\"up-to-date\"}}]}",
                     "c1: msg.wings: wanted 2, came nothing");
}

Test(target_replay, an_epoch_is_the_same_everywhere_and_no_two_are_one) {
    expect_alike(OPEN CONNECT HELLO "," HELLO "," HELLO_TO("q") WELCOME("q", "$2") "]}");
    expect_different(OPEN CONNECT HELLO "," HELLO_TO("r") WELCOME("r", "$2") "]}", "msg.epoch: wanted \"$2\", came ");
    expect_different(OPEN CONNECT HELLO "," HELLO_TO("q") WELCOME("q", "$1") "]}", "msg.epoch: wanted \"");
}

#define HYDRATE(epoch, answer)                                                                                         \
    "{\"do\":\"hydrate\",\"room\":\"q\",\"snapshot\":{\"seq\":0,\"epoch\":\"" epoch "\"},\"out\":[],\"ok\":" answer "}"

Test(target_replay, epochs_go_into_hydrates_as_what_they_are_bound_to) {
    expect_alike(OPEN CONNECT HELLO "," HYDRATE("$1", "true") "," HELLO_TO("q") WELCOME("q", "$1") "]}");
    expect_alike(OPEN CONNECT HYDRATE("$9", "true") "," HELLO_TO("q") WELCOME("q", "$9") "]}");
    expect_different(OPEN CONNECT HYDRATE("$1", "false"), "the answer: wanted false, came true");
}

Test(target_replay, answers_are_compared) {
    expect_alike(OPEN "{\"do\":\"room\",\"room\":\"r\",\"out\":[],\"ok\":null}");
    expect_different(OPEN "{\"do\":\"room\",\"room\":\"r\",\"out\":[],\"ok\":{\"seq\":0,\"members\":0,\"journal\":0}}",
                     "the answer: wanted {\"seq\":0,\"members\":0,\"journal\":0}, came null");
    expect_different(OPEN CONNECT HELLO ",{\"do\":\"room\",\"room\":\"r\",\"out\":[],"
                                        "\"ok\":{\"seq\":0,\"members\":2,\"journal\":0}}",
                     "the answer.members: wanted 2, came 1");
}

#define UNLOAD(discard)                                                                                                \
    "{\"do\":\"unload\",\"relay\":\"relay7\",\"room\":\"r\",\"discard\":true,\"out\":[],\"ok\":{\"do\":\"unload\","         \
    "\"relay\":\"relay1\",\"room\":\"r\",\"discard\":" discard "}}"

Test(target_replay, further_commands_go_to_the_target_with_their_members) {
    struct buffer lines = {0};
    struct replay_summary summary =
        replay_echoed(OPEN "{\"do\":\"hold\",\"relay\":\"relay7\",\"out\":[],\"ok\":{\"do\":\"hold\",\"relay\":\"relay1\"}}"
                           "," UNLOAD("true"),
                      &lines);
    cr_assert(summary.alike == 1 && summary.steps == 3, "%s", lines.bytes);
    summary = replay_echoed(OPEN UNLOAD("false"), &lines);
    cr_assert(summary.different == 1);
    cr_assert(contains(lines.bytes, "step 2 of 2 (unload): the answer.discard: wanted false, came true"), "%s",
              lines.bytes);
    lines.length = 0;
    summary = replay_echoed(OPEN "{\"do\":\"release\",\"room\":\"r\",\"seq\":1,\"out\":[]}", &lines);
    cr_assert(summary.skipped == 1, "%s", lines.bytes);
    cr_assert(contains(lines.bytes, "(release): the adapter says no: nothing is held"), "%s", lines.bytes);
    buffer_free(&lines);
}

Test(target_replay, what_the_target_lacks_is_skipped) {
    struct buffer lines = {0};
    struct replay_summary summary = replay(OPEN "{\"do\":\"dance\",\"out\":[]}", &lines);
    cr_assert(summary.sessions == 1 && summary.skipped == 1);
    cr_assert(contains(lines.bytes, "skipped at step 2 of 2 (dance): `dance` is no command that can be replayed"), "%s",
              lines.bytes);
    lines.length = 0;
    summary = replay("{\"do\":\"open\",\"profile\":\"0.9.1\",\"options\":{},\"out\":[]}", &lines);
    cr_assert(summary.skipped == 1);
    cr_assert(contains(lines.bytes, "not 0.9.1"), "%s", lines.bytes);
    buffer_free(&lines);
}

Test(target_replay, a_broken_target_is_told_and_the_next_session_goes_on) {
    struct error error = {0};
    struct target *target = target_exec_new(PYTHON "harness/tests/target_fake_adapter.py", &error);
    cr_assert(target != NULL, "%s", error.text);
    struct buffer lines = {0};
    struct replay_summary summary;
    cr_assert(replay_file(target, "harness/tests/data/target_broken.jsonl", 2000, &summary, collect, &lines, &error),
              "%s", error.text);
    cr_assert(summary.sessions == 2 && summary.broken == 1 && summary.alike == 1, "%s", lines.bytes);
    cr_assert(contains(lines.bytes, ":1: session 1 broken at step 2 of 2"), "%s", lines.bytes);
    buffer_free(&lines);
    target->table->free(target);
}

/* ---- what is no recording ------------------------------------------------------------------------ */

static void expect_bad_file(const char *content, const char *why) {
    char file[] = "/tmp/meshspec-replay-XXXXXX";
    int handle = mkstemp(file);
    cr_assert(handle >= 0);
    dprintf(handle, "%s", content);
    close(handle);
    struct target *target = target_memory_new();
    struct replay_summary summary;
    struct buffer lines = {0};
    struct error error = {0};
    cr_assert(!replay_file(target, file, 1000, &summary, collect, &lines, &error));
    unlink(file);
    cr_assert(error.code == ERROR_USAGE);
    EXPECT_SAYS(error, why);
    EXPECT_SAYS(error, file);
    target->table->free(target);
}

Test(target_replay, a_file_that_is_no_recording_is_bad_usage) {
    expect_bad_file("", "is empty");
    expect_bad_file("{\"profile\":\"0.2.0\",\"steps\":[]}\nnonsense\n", ":2: ");
    expect_bad_file("[]", ":1: a session needs `profile`");
    expect_bad_file("{\"profile\":\"0.2.0\",\"steps\":[{\"do\":\"clock\",\"ms\":1}]}", "step 1 has no `do`");
    expect_bad_file("{\"profile\":\"0.2.0\",\"steps\":[{\"do\":\"clock\",\"out\":[]}]}",
                    "step 1, `clock`, needs `ms`, a number");
    expect_bad_file("{\"profile\":\"0.9\",\"steps\":[{\"do\":\"fail\",\"room\":\"r\",\"out\":[]}]}",
                    "step 1, `fail`, needs `seq`, a number");
    expect_bad_file("{\"profile\":\"0.2.0\",\"steps\":[{\"do\":\"room\",\"room\":\"r\",\"out\":[{\"on\":\"send\"}]}]}",
                    "step 1 has an event without");
    struct target *target = target_memory_new();
    struct replay_summary summary;
    struct error error = {0};
    cr_assert(!replay_file(target, "/no/such/file", 1000, &summary, collect, NULL, &error));
    cr_assert(error.code == ERROR_USAGE);
    EXPECT_SAYS(error, "/no/such/file could not be opened");
    target->table->free(target);
}

Test(target_replay, a_socket_has_no_barrier) {
    struct error error = {0};
    struct target *target = target_websocket_new("ws://127.0.0.1:1/", &error);
    struct replay_summary summary;
    cr_assert(!replay_file(target, "fixtures/recordings/mesh-0.2.0.jsonl", 1000, &summary, collect, NULL, &error));
    cr_assert(error.code == ERROR_TARGET);
    EXPECT_SAYS(error, "cannot replay a recording");
    target->table->free(target);
}
