/*
 * WebSocket URLs.
 */
#include "harness/target/principal.h"
#include "harness/target/url.h"
#include "harness/tests/target_support.h"

TestSuite(target_url, .timeout = 60);

static void expect_parts(const char *text, bool tls, const char *host, int port, const char *header, const char *path) {
    struct url url;
    struct error error = {0};
    cr_assert(url_read(&url, text, &error), "%s", error.text);
    cr_assert(url.tls == tls);
    cr_assert_str_eq(url.host, host);
    cr_assert(url.port == port, "%d", url.port);
    cr_assert_str_eq(url.host_header, header);
    cr_assert_str_eq(url.path.bytes, path);
    url_free(&url);
}

Test(target_url, is_taken_apart) {
    expect_parts("ws://localhost", false, "localhost", 80, "localhost", "/");
    expect_parts("wss://mesh.example.org", true, "mesh.example.org", 443, "mesh.example.org", "/");
    expect_parts("ws://127.0.0.1:8080/", false, "127.0.0.1", 8080, "127.0.0.1:8080", "/");
    expect_parts("ws://[::1]:9/mesh?x=1", false, "::1", 9, "[::1]:9", "/mesh?x=1");
    expect_parts("ws://[::1]", false, "::1", 80, "[::1]", "/");
    expect_parts("ws://h?room=a", false, "h", 80, "h", "/?room=a");
    expect_parts("ws://h:65535/a/b#c?d", false, "h", 65535, "h:65535", "/a/b");
}

static void expect_bad(const char *text, const char *why) {
    struct url url;
    struct error error = {0};
    cr_assert(!url_read(&url, text, &error), "%s", text);
    cr_assert(error.code == ERROR_USAGE);
    EXPECT_SAYS(error, why);
    EXPECT_SAYS(error, text);
    url_free(&url);
}

Test(target_url, that_is_none_is_bad_usage) {
    expect_bad("http://h", "does not begin with ws://");
    expect_bad("ws:/h", "does not begin with ws://");
    expect_bad("ws://", "has no host");
    expect_bad("ws://:80/", "has no host");
    expect_bad("ws:///path", "has no host");
    expect_bad("ws://[]:1", "has no host");
    expect_bad("ws://[::1", "not closed");
    expect_bad("ws://[::1]x", "port is not a number");
    expect_bad("ws://h:", "port is not a number");
    expect_bad("ws://h:0", "port is not a number");
    expect_bad("ws://h:65536", "port is not a number");
    expect_bad("ws://h:99999999999999999999", "port is not a number");
    expect_bad("ws://h:8o", "port is not a number");
    expect_bad("ws://me@h", "user name");
    expect_bad("ws://h/a b", "blank");
    expect_bad("ws://h/\xc3\xa9", "outside ASCII");
}

static void expect_path(const char *text, const struct target_principal *principal, const char *wanted) {
    struct url url;
    struct error error = {0};
    struct principal_request request = {0};
    cr_assert(url_read(&url, text, &error), "%s", error.text);
    cr_assert(principal_put(&request, &url, &principal_by_query, principal, &error) == TARGET_OK);
    cr_assert_str_eq(request.path.bytes, wanted);
    cr_assert(request.headers.length == 0 && request.subprotocol.length == 0);
    principal_request_free(&request);
    url_free(&url);
}

Test(target_url, carries_the_principal_percent_encoded) {
    struct target_principal ana = {.writer = TEXT("ana")};
    expect_path("ws://h", &ana, "/?writer=ana");
    expect_path("ws://h/m?token=1", &ana, "/m?token=1&writer=ana");
    expect_path("ws://h/m?", &ana, "/m?writer=ana");
    expect_path("ws://h/m?a=1&", &ana, "/m?a=1&writer=ana");
    struct target_principal odd = {
        .writer = TEXT("a-._~Z9 \0&=%\xc3\xa9"), .kind = TEXT("a/b"), .claims = TEXT("{\"x\":[1]}")};
    expect_path("ws://h", &odd, "/?writer=a-._~Z9%20%00%26%3D%25%C3%A9&kind=a%2Fb&claims=%7B%22x%22%3A%5B1%5D%7D");
}
