/* The adapter protocol's commands and events of 0.9. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "relay-ref/adapters/control.h"

static char lines[16384];
static struct control *control;

static void keep_line(void *context, const char *text, size_t length) {
    char *end = (char *)context + strlen(context);
    cr_assert((size_t)(end - lines) + length + 2 < sizeof lines);
    memcpy(end, text, length);
    memcpy(end + length, "\n", 2);
}

static void open_control(void) {
    control = relay_control_new(&(struct control_output){lines, keep_line});
    cr_assert_not_null(control);
}

static void close_control(void) {
    relay_control_free(control);
}

/* All lines that one command causes; `rest` is what stands behind its verb. */
static const char *does(const char *verb, const char *rest) {
    char command[1024];
    int length = snprintf(command, sizeof command, "{\"id\":1,\"do\":\"%s\",\"relay\":\"x\"%s}", verb, rest);
    lines[0] = '\0';
    relay_control_command(control, command, (size_t)length);
    return lines;
}

static const char *receives(const char *text) {
    char rest[900];
    snprintf(rest, sizeof rest, ",\"conn\":\"c\",\"text\":\"%s\"", text);
    return does("receive", rest);
}

#define HELLO                                                                                                          \
    "{\\\"t\\\":\\\"hello\\\",\\\"room\\\":\\\"r\\\",\\\"origin\\\":\\\"a\\\",\\\"proto\\\":3,\\\"policyVersion\\\":%" \
    "d}"
#define ENV                                                                                                            \
    "{\\\"t\\\":\\\"env\\\",\\\"room\\\":\\\"r\\\",\\\"env\\\":{\\\"proto\\\":3,\\\"policyVersion\\\":0,"              \
    "\\\"instance\\\":\\\"epoch-%d\\\",\\\"origin\\\":\\\"a\\\",\\\"writer\\\":\\\"w\\\",\\\"version\\\":%d,"          \
    "\\\"hlc\\\":{\\\"p\\\":1,\\\"l\\\":1},\\\"ops\\\":[]}}"

static const char *says_hello(int policy_version) {
    char text[400];
    snprintf(text, sizeof text, HELLO, policy_version);
    return receives(text);
}

static const char *says_envelope(int life, int version) {
    char text[600];
    snprintf(text, sizeof text, ENV, life, version);
    return receives(text);
}

static void open_and_connect(void) {
    cr_assert_str_eq(does("open", ",\"profile\":\"0.9\""), "{\"id\":1,\"ok\":true}\n");
    does("connect", ",\"conn\":\"c\",\"principal\":{\"writer\":\"w\"}");
}

TestSuite(control_generation, .init = open_control, .fini = close_control);

Test(control_generation, commits_are_held_and_decided) {
    open_and_connect();
    says_hello(0);
    cr_expect_str_eq(does("hold", ""), "{\"id\":1,\"ok\":true}\n");
    cr_expect_str_eq(
        says_envelope(3, 1),
        "{\"on\":\"commit\",\"relay\":\"x\",\"room\":\"r\",\"env\":{\"proto\":3,\"policyVersion\":0,"
        "\"instance\":\"epoch-3\",\"origin\":\"a\",\"writer\":\"w\",\"version\":1,\"hlc\":{\"p\":1,\"l\":1},"
        "\"ops\":[],\"seq\":1},\"state\":{\"seq\":1,\"instance\":\"epoch-3\",\"registers\":[],"
        "\"wm\":{\"a\":1},\"ranges\":{\"a\":[[1,1]]},\"settled\":{\"a\":{\"p\":1,\"l\":1}},"
        "\"schemaVersion\":0}}\n{\"id\":1,\"ok\":true}\n");
    cr_expect_str_eq(does("release", ",\"room\":\"r\",\"seq\":2"), "{\"id\":1,\"ok\":false}\n");
    cr_expect_str_eq(does("release", ",\"room\":\"r\""), "{\"id\":1,\"error\":\"The command needs seq, a count.\"}\n");
    cr_expect_eq(strncmp(does("release", ",\"room\":\"r\",\"seq\":1"), "{\"on\":\"send\",\"conn\":\"c\"", 22), 0);
    says_envelope(3, 2);
    cr_expect_str_eq(does("fail", ",\"room\":\"r\",\"seq\":2"),
                     "{\"on\":\"stalled\",\"relay\":\"x\",\"room\":\"r\",\"seq\":2}\n{\"id\":1,\"ok\":true}\n");
    cr_expect_str_eq(does("room", ",\"room\":\"r\""), "{\"id\":1,\"ok\":{\"seq\":2,\"instance\":\"epoch-3\","
                                                      "\"members\":1,\"journal\":2,\"stalled\":true}}\n");
    cr_expect_str_eq(does("unload", ",\"room\":\"r\",\"discard\":true"), "{\"id\":1,\"ok\":false}\n");
    does("disconnect", ",\"conn\":\"c\"");
    cr_expect_str_eq(does("unload", ",\"room\":\"r\",\"discard\":false"), "{\"id\":1,\"ok\":false}\n");
    cr_expect_str_eq(does("unload", ",\"room\":\"r\",\"discard\":true"), "{\"id\":1,\"ok\":true}\n");
    cr_expect_str_eq(does("room", ",\"room\":\"r\""), "{\"id\":1,\"ok\":null}\n");
}

Test(control_generation, further_observers) {
    open_and_connect();
    cr_expect_not_null(strstr(says_hello(7), "{\"on\":\"reject\",\"relay\":\"x\",\"room\":\"r\",\"writer\":\"w\","
                                             "\"reason\":\"policy-version\",\"expected\":0}\n"));
    cr_expect_not_null(
        strstr(says_hello(0), "{\"on\":\"join\",\"relay\":\"x\",\"room\":\"r\",\"writer\":\"w\",\"origin\":\"a\"}\n"));
    cr_expect_not_null(strstr(says_envelope(9, 4), "{\"on\":\"drop\",\"relay\":\"x\",\"room\":\"r\",\"origin\":\"a\","
                                                   "\"version\":4,\"reason\":\"generation\"}\n"));
    cr_expect_not_null(strstr(says_envelope(3, 0),
                              "{\"on\":\"violation\",\"relay\":\"x\",\"room\":\"r\",\"violation\":"
                              "{\"writer\":\"w\",\"reason\":\"malformed\",\"detail\":\"version\"}}"));
}

Test(control_generation, older_versions_have_none_of_it) {
    does("open", ",\"profile\":\"0.2.0\"");
    does("connect", ",\"conn\":\"c\",\"principal\":{\"writer\":\"w\"}");
    static const char *const verbs[] = {"hold", "unhold", "release", "fail", "unload"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        cr_expect_str_eq(does(verbs[i], ",\"room\":\"r\",\"seq\":1"),
                         "{\"id\":1,\"no\":\"This command came with protocol version 0.9.\"}\n");
    cr_expect_null(strstr(says_hello(0), "\"on\":\"reject\""));
}
