/*
 * One step of a recording held against what came: what counts as a difference with wire version 3, and what does not.
 */
#include <string.h>

#include "harness/replay/step.h"
#include "harness/tests/target_support.h"

TestSuite(replay_step, .timeout = 20);

static bool shows_all(void *context, const struct json_value *observer) {
    (void)context;
    (void)observer;
    return true;
}

static struct comparison *fixture_new(void) {
    static struct comparison fixture;
    fixture = (struct comparison){.names = {.arena = arena_new()}, .shows = shows_all};
    return &fixture;
}

static void fixture_free(struct comparison *fixture) {
    buffer_free(&fixture->difference);
    arena_free(fixture->names.arena);
}

static struct json_value *parse(struct comparison *fixture, const char *text) {
    struct error error = {0};
    struct json_value *value = json_parse(fixture->names.arena, text_of(text), &error);
    cr_assert(value != NULL, "%s: %s", text, error.text);
    return value;
}

/* Whether what one observer saw, or the message of one connection (stream NULL), is alike. */
static bool compare(struct comparison *fixture, const char *stream, const char *wanted, const char *came) {
    struct buffer out = {0};
    buffer_format(&out, stream != NULL ? "[{\"on\":\"%s\",%s]" : "[{\"on\":\"send\",\"conn\":\"%s\",\"msg\":%s}]",
                  stream != NULL ? stream : "c", stream != NULL ? wanted + 1 : wanted);
    struct came_event event = {.kind = stream != NULL ? TARGET_OBSERVED : TARGET_MESSAGE,
                               .stream = text_of(stream != NULL ? stream : "c"),
                               .value = parse(fixture, came)};
    size_t before = fixture->compared;
    buffer_free(&fixture->difference);
    bool alike = step_compare(fixture, parse(fixture, out.bytes), &event);
    buffer_free(&out);
    cr_assert_eq(fixture->compared, before + 1);
    return alike;
}

#define ALIKE(stream, wanted, came)                                                                                    \
    cr_assert(compare(fixture, stream, wanted, came), "%s", fixture->difference.bytes)
#define DIFFERENT(stream, wanted, came, says)                                                                          \
    do {                                                                                                               \
        cr_assert(!compare(fixture, stream, wanted, came), "alike: %s", came);                                         \
        cr_assert(contains(fixture->difference.bytes, says), "\"%s\" is not in: %s", says, fixture->difference.bytes); \
    } while (0)

/* ---- names --------------------------------------------------------------------------------------- */

Test(replay_step, an_instance_is_the_same_wherever_it_stands) {
    struct comparison *fixture = fixture_new();
    ALIKE(NULL, "{\"t\":\"welcome\",\"instance\":\"$1\"}", "{\"t\":\"welcome\",\"instance\":\"x\"}");
    ALIKE(NULL, "{\"t\":\"env\",\"env\":{\"instance\":\"$1\"}}", "{\"t\":\"env\",\"env\":{\"instance\":\"x\"}}");
    DIFFERENT(NULL, "{\"t\":\"env\",\"env\":{\"instance\":\"$1\"}}", "{\"t\":\"env\",\"env\":{\"instance\":\"y\"}}",
              "msg.env.instance: wanted \"x\", came \"y\"");
    ALIKE("commit", "{\"env\":{\"instance\":\"$1\"},\"state\":{\"instance\":\"$2\"}}",
          "{\"env\":{\"instance\":\"x\"},\"state\":{\"instance\":\"y\"}}");
    DIFFERENT("commit", "{\"env\":{\"instance\":\"$1\"},\"state\":{\"instance\":\"$3\"}}",
              "{\"env\":{\"instance\":\"x\"},\"state\":{\"instance\":\"x\"}}", "state.instance: wanted \"$3\"");
    ALIKE(NULL, "{\"envs\":[{\"instance\":\"$1\"},{\"instance\":\"$2\"}],\"instance\":\"$2\"}",
          "{\"envs\":[{\"instance\":\"x\"},{\"instance\":\"y\"}],\"instance\":\"y\"}");
    DIFFERENT(NULL, "{\"envs\":[{\"instance\":\"$1\"},{\"instance\":\"$2\"}]}",
              "{\"envs\":[{\"instance\":\"x\"},{\"instance\":\"x\"}]}", "envs[1].instance: wanted \"y\", came \"x\"");
    fixture_free(fixture);
}

Test(replay_step, an_instance_in_opaque_data_is_nobodys) {
    struct comparison *fixture = fixture_new();
    ALIKE(NULL, "{\"t\":\"welcome\",\"instance\":\"$1\"}", "{\"t\":\"welcome\",\"instance\":\"x\"}");
    DIFFERENT(NULL, "{\"data\":{\"instance\":\"$1\"}}", "{\"data\":{\"instance\":\"x\"}}", "data.instance");
    ALIKE(NULL, "{\"data\":{\"instance\":\"$1\"}}", "{\"data\":{\"instance\":\"$1\"}}");
    fixture_free(fixture);
}

static void expect_printed(const struct json_value *value, const char *wanted) {
    struct buffer text = {0};
    json_print(&text, value);
    cr_assert_str_eq(text.bytes, wanted);
    buffer_free(&text);
}

Test(replay_step, inputs_get_what_was_minted) {
    struct comparison *fixture = fixture_new();
    ALIKE(NULL, "{\"t\":\"welcome\",\"instance\":\"$1\"}", "{\"t\":\"welcome\",\"instance\":\"x\"}");
    struct json_value *message = parse(fixture, "{\"t\":\"env\",\"env\":{\"instance\":\"$1\",\"ops\":[\"$1\"]}}");
    names_fill_message(&fixture->names, message);
    expect_printed(message, "{\"t\":\"env\",\"env\":{\"instance\":\"x\",\"ops\":[\"$1\"]}}");
    struct json_value *snapshot =
        parse(fixture, "{\"instance\":\"$1\",\"journal\":[{\"instance\":\"old\"},{\"instance\":\"$1\"},{}]}");
    names_fill_snapshot(&fixture->names, snapshot);
    expect_printed(snapshot, "{\"instance\":\"x\",\"journal\":[{\"instance\":\"old\"},{\"instance\":\"x\"},{}]}");
    fixture_free(fixture);
}

Test(replay_step, what_no_output_showed_stands_for_itself) {
    struct comparison *fixture = fixture_new();
    struct json_value *message = parse(fixture, "{\"t\":\"env\",\"env\":{\"instance\":\"never\"}}");
    names_fill_message(&fixture->names, message);
    expect_printed(message, "{\"t\":\"env\",\"env\":{\"instance\":\"never\"}}");
    /* A client that merely says it takes it from nobody. */
    ALIKE(NULL, "{\"t\":\"welcome\",\"instance\":\"$1\"}", "{\"t\":\"welcome\",\"instance\":\"never\"}");
    /* A room that was restored with it has it, and no other may. */
    names_fill_snapshot(&fixture->names, parse(fixture, "{\"instance\":\"old\"}"));
    ALIKE(NULL, "{\"t\":\"welcome\",\"instance\":\"old\"}", "{\"t\":\"welcome\",\"instance\":\"old\"}");
    DIFFERENT(NULL, "{\"t\":\"welcome\",\"instance\":\"$2\"}", "{\"t\":\"welcome\",\"instance\":\"old\"}", "\"$2\"");
    fixture_free(fixture);
}

/* ---- order --------------------------------------------------------------------------------------- */

#define REGISTER(path, siblings) "{\"path\":" path ",\"siblings\":[" siblings "],\"water\":{}}"
#define SIBLING(origin, value) "{\"origin\":\"" origin "\",\"value\":" value "}"

Test(replay_step, registers_and_siblings_have_no_order) {
    struct comparison *fixture = fixture_new();
    const char *wanted = "{\"t\":\"welcome\",\"registers\":[" REGISTER(
        "[\"a\"]", SIBLING("o", "1") "," SIBLING("p", "2")) "," REGISTER("[1]", "") "," REGISTER("[]", "") "]}";
    ALIKE(NULL, wanted,
          "{\"t\":\"welcome\",\"registers\":[" REGISTER("[]", "") "," REGISTER(
              "[\"a\"]", SIBLING("p", "2") "," SIBLING("o", "1")) "," REGISTER("[1]", "") "]}");
    DIFFERENT(NULL, wanted,
              "{\"t\":\"welcome\",\"registers\":[" REGISTER("[]", "") "," REGISTER(
                  "[\"a\"]", SIBLING("p", "2") "," SIBLING("o", "3")) "," REGISTER("[1]", "") "]}",
              "msg.registers[0].siblings[0].value: wanted 1, came 3");
    DIFFERENT(NULL, wanted,
              "{\"t\":\"welcome\",\"registers\":[" REGISTER("[]", "") "," REGISTER(
                  "[\"a\"]", SIBLING("p", "2") "," SIBLING("o", "1")) "," REGISTER("[\"1\"]", "") "]}",
              "msg.registers[1]");
    fixture_free(fixture);
}

Test(replay_step, what_is_missing_twice_or_too_much_among_registers_differs) {
    struct comparison *fixture = fixture_new();
    const char *two = "{\"state\":{\"registers\":[" REGISTER("[1]", "") "," REGISTER("[2]", "") "]}}";
    ALIKE("commit", two, "{\"state\":{\"registers\":[" REGISTER("[2]", "") "," REGISTER("[1]", "") "]}}");
    DIFFERENT("commit", two, "{\"state\":{\"registers\":[" REGISTER("[2]", "") "]}}", "registers");
    DIFFERENT("commit", two, "{\"state\":{\"registers\":[]}}", "registers[0]");
    DIFFERENT("commit", two, "{\"state\":{\"registers\":7}}", "registers");
    DIFFERENT("commit", two, "{\"state\":{\"registers\":[" REGISTER("[2]", "") "," REGISTER("[2]", "") "]}}",
              "registers");
    DIFFERENT("commit", two,
              "{\"state\":{\"registers\":[" REGISTER("[3]", "") "," REGISTER("[2]", "") "," REGISTER("[1]", "") "]}}",
              "registers[2]: wanted nothing, came {\"path\":[3]");
    DIFFERENT("commit", "{\"state\":{\"registers\":[]}}", two, "registers[0]: wanted nothing");
    fixture_free(fixture);
}

Test(replay_step, other_lists_keep_their_order) {
    struct comparison *fixture = fixture_new();
    DIFFERENT(NULL, "{\"members\":[\"a\",\"b\"]}", "{\"members\":[\"b\",\"a\"]}", "members[0]");
    DIFFERENT(NULL, "{\"env\":{\"registers\":[{\"path\":1},{\"path\":2}]}}",
              "{\"env\":{\"registers\":[{\"path\":2},{\"path\":1}]}}", "env.registers[0].path");
    fixture_free(fixture);
}

/* ---- details ------------------------------------------------------------------------------------- */

#define VIOLATION(reason, detail) "{\"violation\":{\"reason\":\"" reason "\"" detail "}}"

Test(replay_step, a_detail_counts_for_malformed_only) {
    struct comparison *fixture = fixture_new();
    ALIKE("violation", VIOLATION("epoch-bump", ",\"detail\":\"1 > 0\""), VIOLATION("epoch-bump", ",\"detail\":\"x\""));
    ALIKE("violation", VIOLATION("epoch-bump", ",\"detail\":\"1 > 0\""), VIOLATION("epoch-bump", ""));
    ALIKE("violation", VIOLATION("rate", ""), VIOLATION("rate", ",\"detail\":\"x\""));
    ALIKE("violation", VIOLATION("malformed", ",\"detail\":\"hlc\""), VIOLATION("malformed", ",\"detail\":\"hlc\""));
    DIFFERENT("violation", VIOLATION("malformed", ",\"detail\":\"hlc\""), VIOLATION("malformed", ",\"detail\":\"x\""),
              "violation.detail: wanted \"hlc\", came \"x\"");
    DIFFERENT("violation", VIOLATION("malformed", ",\"detail\":\"hlc\""), VIOLATION("malformed", ""), "detail");
    DIFFERENT("violation", VIOLATION("rate", ",\"path\":[]"), VIOLATION("rate", ",\"path\":[1]"), "violation.path");
    DIFFERENT("violation", VIOLATION("rate", ",\"detail\":\"x\""), VIOLATION("malformed", ",\"detail\":\"x\""),
              "violation.reason");
    DIFFERENT("violation", VIOLATION("rate", ""), "{\"violation\":7}", "violation");
    fixture_free(fixture);
}

/* ---- connections that are over ------------------------------------------------------------------- */

#define CLOSE "{\"on\":\"close\",\"conn\":\"c\"}"
#define SEND "{\"on\":\"send\",\"conn\":\"c\",\"msg\":1}"

/* Compares with a close of c, a message to it, or both, as far as they are asked for. */
static bool compare_close(struct comparison *fixture, const char *wanted, bool closes, bool sends) {
    struct came_event send = {.kind = TARGET_MESSAGE, .stream = TEXT("c"), .value = parse(fixture, "1")};
    struct came_event end = {.kind = TARGET_CLOSED, .stream = TEXT("c"), .next = sends ? &send : NULL};
    return step_compare(fixture, parse(fixture, wanted), closes ? &end : sends ? &send : NULL);
}

Test(replay_step, what_is_sent_to_a_closed_connection_counts_for_nothing) {
    struct comparison *fixture = fixture_new();
    cr_assert(compare_close(fixture, "[" CLOSE "," SEND "]", true, false), "the recorded one did not come");
    cr_assert(compare_close(fixture, "[]", false, true), "one came that was not recorded");
    cr_assert(compare_close(fixture, "[" SEND "]", false, false));
    step_connect(fixture, TEXT("c"));
    cr_assert(!compare_close(fixture, "[" SEND "]", false, false), "a new connection is none that is over");
    cr_assert(!compare_close(fixture, "[]", false, true));
    fixture_free(fixture);
    fixture = fixture_new();
    cr_assert(compare_close(fixture, "[" CLOSE "]", true, true));
    fixture_free(fixture);
}

Test(replay_step, what_is_sent_before_the_close_counts) {
    struct comparison *fixture = fixture_new();
    cr_assert(!compare_close(fixture, "[" SEND "," CLOSE "]", true, false));
    cr_assert(!compare_close(fixture, "[" SEND "," CLOSE "]", true, true));
    cr_assert(!compare_close(fixture, "[" CLOSE "]", false, true));
    cr_assert(!compare_close(fixture, "[]", true, false));
    fixture_free(fixture);
}
