#include "relay-ref/adapters/control.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/tests/failing_memory.h"

static struct control *control;
static char lines[65536];

static void keep_line(void *context, const char *text, size_t length) {
    char *into = context;
    size_t at = strlen(into);
    cr_assert(at + length + 2 < sizeof lines);
    memcpy(into + at, text, length);
    memcpy(into + at + length, "\n", 2);
}

static void open_control(void) {
    struct control_output output = {lines, keep_line};
    control = relay_control_new(&output);
    cr_assert_not_null(control);
}

static void close_control(void) {
    relay_control_free(control);
}

/* All lines that one command causes. */
static const char *does(const char *command) {
    lines[0] = '\0';
    relay_control_command(control, command, strlen(command));
    return lines;
}

#define HELLO                                                                                                          \
    "{\\\"t\\\":\\\"hello\\\",\\\"room\\\":\\\"r\\\",\\\"origin\\\":\\\"a\\\",\\\"proto\\\":1,\\\"policyVersion\\\":"  \
    "0}"
#define ENV                                                                                                            \
    "{\\\"t\\\":\\\"env\\\",\\\"room\\\":\\\"r\\\",\\\"env\\\":{\\\"proto\\\":1,\\\"policyVersion\\\":0,"              \
    "\\\"writer\\\":\\\"w\\\","                                                                                        \
    "\\\"ops\\\":[{\\\"kind\\\":\\\"set\\\",\\\"path\\\":[\\\"n\\\"],\\\"next\\\":%s}]}}"

TestSuite(control, .init = open_control, .fini = close_control);

Test(control, says_what_it_can) {
    cr_expect_str_eq(does("{\"id\":1,\"do\":\"start\",\"meshspec\":1}"),
                     "{\"id\":1,\"ok\":{\"name\":\"meshspec reference relay\",\"version\":\"1.0.0\",\"language\":\"C\","
                     "\"profiles\":[\"0.1.0\",\"0.1.1\",\"0.2.0\",\"0.9\"],\"can\":[\"options\",\"clock\",\"hydrate\","
                     "\"room\",\"commit\",\"violation\",\"policy.acl\",\"policy.validate\",\"policy.canBump\","
                     "\"policy.verifyCitations\",\"ejection\",\"hold\",\"unload\",\"join\",\"reject\",\"drop\","
                     "\"stalled\"]}}\n");
    cr_expect_str_eq(does("{\"id\":2,\"do\":\"grasp\",\"relay\":\"r\"}"), "{\"id\":2,\"unsupported\":true}\n");
    cr_expect_str_eq(does("{\"id\":\"x\",\"do\":\"\"}"), "{\"id\":\"x\",\"unsupported\":true}\n");
}

Test(control, survives_lines_that_are_no_command) {
    static const char *const bad[] = {"",
                                      "x",
                                      "[]",
                                      "1",
                                      "{}",
                                      "{\"do\":\"start\"}",
                                      "{\"id\":null,\"do\":\"start\"}",
                                      "{\"id\":[1],\"do\":\"start\"}",
                                      "{\"id\":1,\"do\":\"start\"} x",
                                      "\xff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_eq(strncmp(does(bad[i]), "{\"id\":null,\"error\":\"", 20), 0, "%s: %s", bad[i], lines);
    cr_expect_str_eq(does("{\"id\":7}"), "{\"id\":7,\"error\":\"The command has no do.\"}\n");
    cr_expect_eq(strncmp(does("{\"id\":7,\"do\":\"receive\",\"conn\":\"c\"}"), "{\"id\":7,\"error\"", 15), 0);
    cr_expect_eq(strncmp(does("{\"id\":7,\"do\":\"connect\",\"relay\":\"x\"}"), "{\"id\":7,\"error\"", 15), 0);
}

Test(control, plays_a_session) {
    cr_expect_str_eq(does("{\"id\":1,\"do\":\"open\",\"relay\":\"one\",\"profile\":\"0.2.0\",\"options\":{\"policy\":"
                          "{\"validate\":[{\"prefix\":[\"n\"],\"deny\":{\"$lt\":0}}]}}}"),
                     "{\"id\":1,\"ok\":true}\n");
    does("{\"id\":2,\"do\":\"connect\",\"relay\":\"one\",\"conn\":\"c1\",\"principal\":{\"writer\":\"w\",\"kind\":"
         "\"human\"}}");
    cr_expect_str_eq(does("{\"id\":3,\"do\":\"room\",\"relay\":\"one\",\"room\":\"r\"}"), "{\"id\":3,\"ok\":null}\n");
    cr_expect_str_eq(
        does("{\"id\":4,\"do\":\"receive\",\"conn\":\"c1\",\"text\":\"" HELLO "\"}"),
        "{\"on\":\"send\",\"conn\":\"c1\",\"text\":\"{\\\"t\\\":\\\"welcome\\\",\\\"room\\\":\\\"r\\\",\\\"seq\\\":0,"
        "\\\"epoch\\\":\\\"epoch-3\\\",\\\"schemaVersion\\\":0,\\\"peers\\\":[],\\\"members\\\":[],"
        "\\\"mode\\\":\\\"up-to-date\\\"}\"}\n{\"id\":4,\"ok\":true}\n");
    char command[512];
    snprintf(command, sizeof command, "{\"id\":5,\"do\":\"receive\",\"conn\":\"c1\",\"text\":\"" ENV "\"}",
             "\\\"\\\\ud83d\\\"");
    cr_expect_str_eq(
        does(command),
        "{\"on\":\"send\",\"conn\":\"c1\",\"text\":\"{\\\"t\\\":\\\"env\\\",\\\"room\\\":\\\"r\\\",\\\"env\\\":{"
        "\\\"proto\\\":1,"
        "\\\"policyVersion\\\":0,\\\"writer\\\":\\\"w\\\",\\\"ops\\\":[{\\\"kind\\\":\\\"set\\\",\\\"path\\\":["
        "\\\"n\\\"],"
        "\\\"next\\\":\\\"\\\\ud83d\\\"}],\\\"seq\\\":1}}\"}\n"
        "{\"on\":\"commit\",\"relay\":\"one\",\"room\":\"r\",\"env\":{\"proto\":1,\"policyVersion\":0,\"writer\":\"w\","
        "\"ops\":[{\"kind\":\"set\",\"path\":[\"n\"],\"next\":\"\\ud83d\"}],\"seq\":1},"
        "\"state\":{\"seq\":1,\"epoch\":\"epoch-3\",\"root\":{\"n\":\"\\ud83d\"},\"schemaVersion\":0}}\n{\"id\":5,"
        "\"ok\":true}\n");
    snprintf(command, sizeof command, "{\"id\":6,\"do\":\"receive\",\"conn\":\"c1\",\"text\":\"" ENV "\"}", "-1");
    cr_expect_str_eq(does(command),
                     "{\"on\":\"violation\",\"relay\":\"one\",\"room\":\"r\",\"violation\":{\"writer\":\"w\","
                     "\"reason\":\"validate\",\"path\":[\"n\"]}}\n"
                     "{\"on\":\"send\",\"conn\":\"c1\",\"text\":\"{\\\"t\\\":\\\"eject\\\",\\\"room\\\":\\\"r\\\","
                     "\\\"writer\\\":\\\"w\\\",\\\"reason\\\":\\\"validate\\\"}\"}\n"
                     "{\"on\":\"close\",\"conn\":\"c1\"}\n{\"id\":6,\"ok\":true}\n");
    cr_expect_str_eq(does("{\"id\":7,\"do\":\"disconnect\",\"conn\":\"c1\"}"), "{\"id\":7,\"ok\":true}\n");
    cr_expect_str_eq(does("{\"id\":8,\"do\":\"room\",\"relay\":\"one\",\"room\":\"r\"}"),
                     "{\"id\":8,\"ok\":{\"seq\":1,\"members\":0,\"journal\":1}}\n");
    cr_expect_str_eq(does("{\"id\":9,\"do\":\"hydrate\",\"relay\":\"one\",\"room\":\"r\",\"snapshot\":{\"seq\":3}}"),
                     "{\"id\":9,\"ok\":false}\n");
    cr_expect_str_eq(does("{\"id\":10,\"do\":\"hydrate\",\"relay\":\"one\",\"room\":\"q\",\"snapshot\":{\"seq\":3}}"),
                     "{\"id\":10,\"ok\":true}\n");
    cr_expect_str_eq(does("{\"id\":11,\"do\":\"close\",\"relay\":\"one\"}"), "{\"id\":11,\"ok\":true}\n");
    cr_expect_not(relay_control_stopped(control));
    cr_expect_str_eq(does("{\"id\":12,\"do\":\"stop\"}"), "{\"id\":12,\"ok\":true}\n");
    cr_expect(relay_control_stopped(control));
}

/* A client may write line ends between tokens; an event is one line all the same, and what a member receives keeps
 * them. */
Test(control, an_event_is_one_line_however_a_client_writes) {
    does("{\"id\":1,\"do\":\"open\",\"relay\":\"one\",\"profile\":\"0.2.0\",\"options\":{}}");
    does("{\"id\":2,\"do\":\"connect\",\"relay\":\"one\",\"conn\":\"c\",\"principal\":{\"writer\":\"w\"}}");
    does("{\"id\":3,\"do\":\"receive\",\"conn\":\"c\",\"text\":\"" HELLO "\"}");
    const char *env = "{\"id\":4,\"do\":\"receive\",\"conn\":\"c\",\"text\":\"{\\\"t\\\":\\\"env\\\",\\\"room\\\":"
                      "\\\"r\\\",\\\"env\\\":{\\n"
                      "\\\"proto\\\":\\r\\n1,\\\"policyVersion\\\":0,\\\"writer\\\":\\\"w\\\",\\\"ops\\\":[\\n]}}\"}";
    size_t count = 0;
    for (const char *at = does(env); *at != '\0'; at++)
        count += *at == '\n';
    cr_expect_eq(count, 3, "%s", lines);
    cr_expect_not_null(strstr(lines, "{\"on\":\"commit\",\"relay\":\"one\",\"room\":\"r\",\"env\":{ \"proto\":  1,"),
                       "%s", lines);
    cr_expect_not_null(strstr(lines, "\\\"env\\\":{\\n\\\"proto\\\":\\r\\n1,"), "%s", lines);
}

Test(control, says_no_with_a_reason) {
    static const char *const refused[][2] = {
        {"\"profile\":\"0.9.1\"", "This relay speaks the profiles 0.1.0, 0.1.1, 0.2.0 and 0.9 only."},
        {"\"profile\":\"0.2.0\",\"options\":{\"ejection\":\"writer\"}", "This relay has no option ejection."},
        {"\"profile\":\"0.2.0\",\"options\":{\"limits\":{\"maxMembers\":1}}",
         "This relay has no option limits.maxMembers."},
        {"\"profile\":\"0.2.0\",\"options\":{\"journalLimit\":-1}",
         "The option journalLimit is not a whole number from 0 on."},
        {"\"profile\":\"0.2.0\",\"options\":{\"policy\":{\"canGuess\":[]}}",
         "This relay does not know the policy \\\"canGuess\\\"."},
        {"\"profile\":\"0.2.0\",\"options\":{\"policy\":{\"canBump\":{\"allow\":true}}}",
         "The policies canBump and verifyCitations came with protocol version 0.9."},
        {"\"profile\":\"0.9\",\"options\":{\"policy\":{\"canBump\":true}}", "The policy canBump is not an object."},
        {"\"profile\":\"0.9\",\"options\":{\"policy\":{\"canBump\":{}}}", "The policy canBump has no allow."},
        {"\"profile\":\"0.9\",\"options\":{\"policy\":{\"verifyCitations\":1}}",
         "The policy verifyCitations is neither true nor false."},
        {"\"profile\":\"0.9\",\"options\":{\"ejection\":\"room\"}",
         "The option ejection is neither \\\"writer\\\" nor \\\"connection\\\"."},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char command[256], wanted[256];
        snprintf(command, sizeof command, "{\"id\":1,\"do\":\"open\",\"relay\":\"one\",%s}", refused[i][0]);
        snprintf(wanted, sizeof wanted, "{\"id\":1,\"no\":\"%s\"}\n", refused[i][1]);
        cr_expect_str_eq(does(command), wanted);
    }
    does("{\"id\":2,\"do\":\"open\",\"relay\":\"one\",\"profile\":\"0.1.0\"}");
    cr_expect_str_eq(does("{\"id\":3,\"do\":\"hydrate\",\"relay\":\"one\",\"room\":\"r\",\"snapshot\":{\"seq\":1}}"),
                     "{\"id\":3,\"no\":\"Hydrating a room came with protocol version 0.1.1.\"}\n");
}

Test(control, opening_a_name_again_starts_anew) {
    does("{\"id\":1,\"do\":\"open\",\"relay\":\"one\",\"profile\":\"0.2.0\"}");
    does("{\"id\":2,\"do\":\"connect\",\"relay\":\"one\",\"conn\":\"c\",\"principal\":{\"writer\":\"w\"}}");
    does("{\"id\":3,\"do\":\"receive\",\"conn\":\"c\",\"text\":\"" HELLO "\"}");
    cr_expect_str_eq(does("{\"id\":4,\"do\":\"open\",\"relay\":\"one\",\"profile\":\"0.2.0\"}"),
                     "{\"id\":4,\"ok\":true}\n");
    cr_expect_eq(
        strncmp(does("{\"id\":5,\"do\":\"receive\",\"conn\":\"c\",\"text\":\"{}\"}"), "{\"id\":5,\"error\"", 15), 0);
    does("{\"id\":6,\"do\":\"connect\",\"relay\":\"one\",\"conn\":\"c\",\"principal\":{\"writer\":\"w\"}}");
    cr_expect_not_null(strstr(does("{\"id\":7,\"do\":\"receive\",\"conn\":\"c\",\"text\":\"" HELLO "\"}"), "epoch-6"));
}

Test(control, the_clock_only_goes_forward) {
    does("{\"id\":1,\"do\":\"open\",\"relay\":\"one\",\"profile\":\"0.2.0\"}");
    cr_expect_str_eq(does("{\"id\":2,\"do\":\"clock\",\"relay\":\"one\",\"ms\":1700000000000}"),
                     "{\"id\":2,\"ok\":true}\n");
    cr_expect_str_eq(does("{\"id\":3,\"do\":\"clock\",\"relay\":\"one\",\"ms\":1700000005000}"),
                     "{\"id\":3,\"ok\":true}\n");
    cr_expect_eq(
        strncmp(does("{\"id\":4,\"do\":\"clock\",\"relay\":\"one\",\"ms\":1700000004999}"), "{\"id\":4,\"error\"", 15),
        0);
    cr_expect_eq(strncmp(does("{\"id\":5,\"do\":\"clock\",\"relay\":\"one\",\"ms\":\"1\"}"), "{\"id\":5,\"error\"", 15),
                 0);
}

/* A frame whose text holds a lone surrogate as a character cannot be sent as UTF-8: it is garbage. */
Test(control, a_text_that_is_not_utf8_is_garbage) {
    does("{\"id\":1,\"do\":\"open\",\"relay\":\"one\",\"profile\":\"0.2.0\"}");
    does("{\"id\":2,\"do\":\"connect\",\"relay\":\"one\",\"conn\":\"c\",\"principal\":{\"writer\":\"w\"}}");
    cr_expect_str_eq(does("{\"id\":3,\"do\":\"receive\",\"conn\":\"c\",\"text\":\"{\\\"a\\\":\\\"\\ud83d\\\"}\"}"),
                     "{\"on\":\"close\",\"conn\":\"c\"}\n{\"id\":3,\"ok\":true}\n");
}

Test(control, memory_may_run_out_anywhere) {
    static const char *const script[] = {
        "{\"id\":1,\"do\":\"open\",\"relay\":\"one\",\"profile\":\"0.2.0\",\"options\":{\"policy\":{\"acl\":[]}}}",
        "{\"id\":2,\"do\":\"connect\",\"relay\":\"\\u006fne\",\"conn\":\"c\",\"principal\":{\"writer\":\"\\u0077\"}}",
        "{\"id\":3,\"do\":\"receive\",\"conn\":\"c\",\"text\":\"" HELLO "\"}",
        "{\"id\":4,\"do\":\"hydrate\",\"relay\":\"one\",\"room\":\"q\",\"snapshot\":{\"seq\":3}}",
        "{\"id\":5,\"do\":\"disconnect\",\"conn\":\"c\"}",
    };
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        size_t in_use = memory_in_use();
        memory_fails_at(nth, false);
        for (size_t i = 0; i < sizeof script / sizeof *script; i++)
            does(script[i]);
        failed = memory_works_again();
        does("{\"id\":6,\"do\":\"close\",\"relay\":\"one\"}");
        cr_assert_leq(memory_in_use(), in_use + 2, "the two tables of names stay");
    }
    cr_expect_str_eq(does(script[0]), "{\"id\":1,\"ok\":true}\n");
}
