/*
 * How principals travel, and which options come to the same.
 */
#include "harness/target/options.h"
#include "harness/target/principal.h"
#include "harness/tests/target_support.h"

TestSuite(target_principal, .timeout = 30);

static struct principal_request put(const struct principal_way *way, const struct target_principal *principal) {
    struct error error = {0};
    struct url url;
    struct principal_request request = {0};
    cr_assert(url_read(&url, "ws://h/m?a=1", &error));
    cr_assert(principal_put(&request, &url, way, principal, &error) == TARGET_OK, "%s", error.text);
    url_free(&url);
    return request;
}

static void expect(const struct principal_way *way, const struct target_principal *principal, const char *path,
                   const char *headers, const char *subprotocol) {
    struct principal_request request = put(way, principal);
    cr_expect_str_eq(request.path.bytes, path);
    cr_expect_str_eq(request.headers.length > 0 ? request.headers.bytes : "", headers);
    cr_expect_str_eq(request.subprotocol.length > 0 ? request.subprotocol.bytes : "", subprotocol);
    principal_request_free(&request);
}

static void expect_no(const struct principal_way *way, const struct target_principal *principal, const char *words) {
    struct error error = {0};
    struct url url;
    struct principal_request request = {0};
    cr_assert(url_read(&url, "ws://h/", &error));
    cr_assert(principal_put(&request, &url, way, principal, &error) == TARGET_NO);
    EXPECT_SAYS(error, words);
    principal_request_free(&request);
    url_free(&url);
}

static const struct target_principal agent = {
    .writer = TEXT("a%\r\n\xc3\xa9"), .kind = TEXT("agent"), .claims = TEXT("{\"x\":[1, 2]}")};

Test(target_principal, travels_in_fields_of_any_name) {
    const struct principal_way way = {.query = {.writer = "u", .claims = "c"}, .header = {.kind = "X-Kind"}};
    expect(&way, &agent, "/m?a=1&u=a%25%0D%0A%C3%A9&c=%7B%22x%22%3A%5B1%2C%202%5D%7D", "X-Kind: agent\r\n", "");
}

Test(target_principal, cannot_break_out_of_a_header) {
    const struct principal_way way = {.header = {.writer = "X-U", .kind = "X-K", .claims = "X-C"}};
    expect(&way, &agent, "/m?a=1", "X-U: a%25%0D%0A%C3%A9\r\nX-K: agent\r\nX-C: {\"x\":[1, 2]}\r\n", "");
}

Test(target_principal, fills_a_subprotocol_in) {
    const struct principal_way way = {.subprotocol = "mesh, w.{writer}.{kind}.{claims}"};
    const struct target_principal ana = {.writer = TEXT("a b")};
    expect(&way, &ana, "/m?a=1", "", "mesh, w.a%20b..");
    expect(&way, &agent, "/m?a=1", "", "mesh, w.a%25%0D%0A%C3%A9.agent.%7B%22x%22%3A%5B1%2C%202%5D%7D");
}

static const struct principal_token tokens[] = {
    {.writer = TEXT("ana"), .token = TEXT("t1")},
    {.writer = TEXT("wa"), .token = TEXT("t2"), .kind = TEXT("agent"), .claims = TEXT("{\"a\":1,\"b\":2}")}};

Test(target_principal, a_token_stands_for_a_whole_principal) {
    const struct principal_way way = {.header = {.token = "authorization"}, .tokens = tokens, .token_count = 2};
    const struct target_principal ana = {.writer = TEXT("ana")}, ben = {.writer = TEXT("ben")},
                                  ana_as_agent = {.writer = TEXT("ana"), .kind = TEXT("agent")},
                                  wa = {.writer = TEXT("wa"), .kind = TEXT("agent"), .claims = TEXT("{\"b\":2,\"a\":1}")},
                                  wa_with_less = {.writer = TEXT("wa"), .kind = TEXT("agent"), .claims = TEXT("{}")},
                                  probe = {.writer = TEXT(TARGET_PROBE_WRITER)};
    expect(&way, &ana, "/m?a=1", "authorization: Bearer t1\r\n", "");
    expect(&way, &wa, "/m?a=1", "authorization: Bearer t2\r\n", "");
    expect(&way, &probe, "/m?a=1", "authorization: Bearer t1\r\n", "");
    expect_no(&way, &ben, "no token for");
    expect_no(&way, &ana_as_agent, "needs a kind of writer");
    expect_no(&way, &wa_with_less, "needs claims of a writer");
}

Test(target_principal, a_token_travels_beside_what_is_named) {
    const struct principal_way way = {
        .query = {.token = "t", .kind = "k"}, .subprotocol = "b.{token}", .tokens = tokens, .token_count = 2};
    const struct target_principal ana = {.writer = TEXT("ana"), .kind = TEXT("human")};
    expect(&way, &ana, "/m?a=1&k=human&t=t1", "", "b.t1");
}

Test(target_principal, what_no_way_is_named_for_cannot_travel) {
    const struct principal_way way = {.query = {.writer = "w"}};
    const struct target_principal kind = {.writer = TEXT("w"), .kind = TEXT("k")},
                                  claims = {.writer = TEXT("w"), .claims = TEXT("{}")};
    expect_no(&way, &kind, "needs a kind of writer");
    expect_no(&way, &claims, "needs claims of a writer");
}

Test(target_principal, options_are_the_same_with_the_defaults_filled_in) {
    const char *const same[][2] = {{"{}", "{}"},
                                   {"{}", "{\"journalLimit\":1000}"},
                                   {"{}", "{\"policyVersion\":0,\"limits\":{},\"policy\":{}}"},
                                   {"{\"limits\":{\"maxOpsPerEnvelope\":1024}}", "{}"},
                                   {"{\"journalLimit\":2.0}", "{\"journalLimit\":2}"}};
    const char *const other[][2] = {{"{}", "{\"journalLimit\":999}"},
                                    {"{}", "{\"limits\":{\"maxEnvelopesPerSecond\":5}}"},
                                    {"{}", "{\"policy\":{\"acl\":[]}}"},
                                    {"{}", "{\"unheardOf\":0}"},
                                    {"{\"policyVersion\":1}", "{\"policyVersion\":2}"},
                                    {"{}", "[]"},
                                    {"{}", "{"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        cr_expect(options_same(text_of(same[i][0]), text_of(same[i][1])), "%s", same[i][1]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        cr_expect(!options_same(text_of(other[i][0]), text_of(other[i][1])), "%s", other[i][1]);
        cr_expect(!options_same(text_of(other[i][1]), text_of(other[i][0])), "%s", other[i][1]);
    }
}
