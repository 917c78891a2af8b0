#include "tools/provision/http.h"

#include "tools/provision/excerpt.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct http_client {
    struct run *run;
    struct http_settings settings;
    CURL *curl;
    struct curl_slist *headers;
    struct text app_url; /* ends in a slash */
    /* the latest exchange */
    struct text request; /* "GET http://…" */
    struct builder body;
    bool too_long;
    char failure[CURL_ERROR_SIZE];
};

/* ---- opening ----------------------------------------------------------------------------------- */

static bool has_control(struct text text) {
    for (size_t i = 0; i < text.length; i++)
        if ((unsigned char)text.bytes[i] < 0x20 || text.bytes[i] == 0x7F) return true;
    return false;
}

/* A URL is not to be called bad because there was no memory to look at it; libcurl does not always tell the two apart. */
static bool succeeds(CURLUcode code) {
    if (code == CURLUE_OUT_OF_MEMORY || (code != CURLUE_OK && errno == ENOMEM)) arena_out_of_memory();
    return code == CURLUE_OK;
}

/* Why the store's URL cannot be used, or NULL. */
static const char *url_fault(CURLU *url, const char *string) {
    errno = 0;
    if (!succeeds(curl_url_set(url, CURLUPART_URL, string, CURLU_NON_SUPPORT_SCHEME))) return "it is not a URL";
    const struct {
        CURLUPart part;
        const char *fault;
    } parts[] = {{CURLUPART_USER, "it must not hold a user name"},
                 {CURLUPART_PASSWORD, "it must not hold a password"},
                 {CURLUPART_QUERY, "it must not hold a query"},
                 {CURLUPART_FRAGMENT, "it must not hold a fragment"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char *part = NULL;
        bool there = succeeds(curl_url_get(url, parts[i].part, &part, 0));
        curl_free(part);
        if (there) return parts[i].fault;
    }
    char *scheme = NULL;
    bool known = succeeds(curl_url_get(url, CURLUPART_SCHEME, &scheme, 0)) &&
                 (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    curl_free(scheme);
    return known ? NULL : "it must begin with http:// or https://";
}

/* The URL itself is not repeated: where it is refused for a password, the message would show it. */
static bool check_settings(struct run *run, const struct http_settings *settings) {
    struct text app_id = settings->app_id, secret = settings->secret;
    if (app_id.length == 0 || text_is(app_id, ".") || text_is(app_id, "..") || has_control(app_id))
        return problem_set(run, PROBLEM_BAD_INPUT, "the app id is empty or cannot be part of a URL");
    if (secret.length == 0) return problem_set(run, PROBLEM_BAD_INPUT, "the admin secret is empty");
    if (has_control(secret)) return problem_set(run, PROBLEM_BAD_INPUT, "the admin secret holds a control character");
    if (has_control(settings->base_url)) return problem_set(run, PROBLEM_BAD_INPUT, "the store's URL holds a control character");
    CURLU *url = curl_url();
    if (url == NULL) arena_out_of_memory();
    const char *fault = url_fault(url, text_string(run->arena, settings->base_url));
    curl_url_cleanup(url);
    return fault == NULL || problem_set(run, PROBLEM_BAD_INPUT, "the store's URL cannot be used: %s", fault);
}

static bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != '\0' && strchr("-._~", c) != NULL);
}

/* provision.base-url: trailing slashes do not matter and a base path is kept. */
static struct text make_app_url(struct run *run, const struct http_settings *settings) {
    struct builder url = {.arena = run->arena};
    struct text base = settings->base_url;
    while (base.length > 0 && base.bytes[base.length - 1] == '/') base.length--;
    builder_add(&url, base);
    builder_add_string(&url, "/apps/");
    for (size_t i = 0; i < settings->app_id.length; i++) {
        char c = settings->app_id.bytes[i];
        if (is_unreserved(c))
            builder_add(&url, (struct text){&c, 1});
        else
            builder_format(&url, "%%%02X", (unsigned char)c);
    }
    builder_add_string(&url, "/");
    return builder_text(&url);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
    struct http_client *client = context;
    size_t length = size * count;
    if (length > client->settings.max_answer_bytes - client->body.length) {
        client->too_long = true;
        return 0;
    }
    builder_add(&client->body, (struct text){bytes, length});
    return length;
}

/* provision.secret: the header is the only place where the secret goes. */
static bool set_headers(struct http_client *client) {
    struct builder secret = {.arena = client->run->arena};
    builder_add_string(&secret, "X-Jazz-Admin-Secret: ");
    builder_add(&secret, client->settings.secret);
    const char *const lines[] = {builder_text(&secret).bytes, "Content-Type: application/json", "Accept: application/json", "Expect:"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct curl_slist *more = curl_slist_append(client->headers, lines[i]);
        if (more == NULL) return problem_set(client->run, PROBLEM_HTTP, "memory is out");
        client->headers = more;
    }
    return true;
}

/*
 * Every request gets a connection of its own: on one that was used before, libcurl sends a request again by itself when the
 * connection closes without an answer, and a POST whose fate is unknown must not be sent twice (provision.chained).
 */
static void set_options(struct http_client *client) {
    CURL *curl = client->curl;
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, client->headers);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "meshspec-provision");
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, client->settings.connect_milliseconds);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, client->settings.total_milliseconds);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, client->failure);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, client);
}

struct http_client *http_open(struct run *run, const struct http_settings *settings) {
    if (!check_settings(run, settings)) return NULL;
    struct http_client *client = arena_take(run->arena, sizeof *client);
    client->run = run;
    client->settings = *settings;
    client->app_url = make_app_url(run, settings);
    client->curl = curl_easy_init();
    if (client->curl == NULL) {
        problem_set(run, PROBLEM_HTTP, "libcurl could not be started");
        return NULL;
    }
    if (!set_headers(client)) {
        http_close(client);
        return NULL;
    }
    set_options(client);
    return client;
}

void http_close(struct http_client *client) {
    if (client == NULL) return;
    curl_easy_cleanup(client->curl);
    curl_slist_free_all(client->headers);
}

/* ---- one exchange ------------------------------------------------------------------------------ */

/* Reports the latest exchange: the request, what happened, and the beginning of the body where there is one. */
static bool report(struct http_client *client, const char *happened) {
    struct run *run = client->run;
    struct builder message = {.arena = run->arena};
    builder_add(&message, client->request);
    builder_add_string(&message, happened);
    struct text whole = excerpt_redact(run->arena, builder_text(&message), client->settings.secret);
    struct builder complete = {.arena = run->arena};
    builder_add(&complete, whole);
    if (client->body.length > 0) {
        builder_add_string(&complete, ": ");
        builder_add(&complete, excerpt_make(run->arena, builder_text(&client->body), client->settings.secret));
    }
    run->problem.code = PROBLEM_HTTP;
    run->problem.message = builder_text(&complete);
    run->problem.request = excerpt_redact(run->arena, client->request, client->settings.secret);
    return false;
}

static bool report_status(struct http_client *client, const char *rest) {
    struct builder happened = {.arena = client->run->arena};
    builder_format(&happened, " answered %ld%s", client->run->problem.status, rest);
    return report(client, builder_text(&happened).bytes);
}

bool http_unexpected(struct http_client *client, const char *what) {
    struct builder rest = {.arena = client->run->arena};
    builder_format(&rest, ", but %s", what);
    return report_status(client, builder_text(&rest).bytes);
}

static bool report_failure(struct http_client *client, CURLcode code) {
    struct builder happened = {.arena = client->run->arena};
    builder_add_string(&happened, " failed: ");
    if (client->too_long)
        builder_format(&happened, "the answer is longer than %zu bytes", client->settings.max_answer_bytes);
    else
        builder_add_string(&happened, client->failure[0] != '\0' ? client->failure : curl_easy_strerror(code));
    client->body = (struct builder){.arena = client->run->arena};
    return report(client, builder_text(&happened).bytes);
}

static bool exchange(struct http_client *client, struct text url, struct json *answer) {
    struct run *run = client->run;
    client->body = (struct builder){.arena = run->arena};
    client->too_long = false;
    client->failure[0] = '\0';
    run->problem.status = 0;
    curl_easy_setopt(client->curl, CURLOPT_URL, url.bytes);
    CURLcode code = curl_easy_perform(client->curl);
    if (code != CURLE_OK) return report_failure(client, code);
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &run->problem.status);
    if (run->problem.status < 200 || run->problem.status > 299) return report_status(client, "");
    struct json_fault fault = {0};
    *answer = json_scan(run->arena, builder_text(&client->body), &fault);
    if (json_present(*answer)) return true;
    struct builder what = {.arena = run->arena};
    builder_format(&what, "the body is not JSON (%s, byte %zu)", fault.what, fault.offset);
    return http_unexpected(client, builder_text(&what).bytes);
}

static struct text start_request(struct http_client *client, const char *method, struct text path) {
    struct builder url = {.arena = client->run->arena}, request = {.arena = client->run->arena};
    builder_add(&url, client->app_url);
    builder_add(&url, path);
    builder_add_string(&request, method);
    builder_add_string(&request, " ");
    builder_add(&request, builder_text(&url));
    client->request = builder_text(&request);
    return builder_text(&url);
}

bool http_get(struct http_client *client, struct text path, struct json *answer) {
    struct text url = start_request(client, "GET", path);
    curl_easy_setopt(client->curl, CURLOPT_HTTPGET, 1L);
    return exchange(client, url, answer);
}

bool http_post(struct http_client *client, struct text path, struct text body, struct json *answer) {
    struct text url = start_request(client, "POST", path);
    curl_easy_setopt(client->curl, CURLOPT_POSTFIELDS, body.bytes);
    curl_easy_setopt(client->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.length);
    curl_easy_setopt(client->curl, CURLOPT_POST, 1L);
    return exchange(client, url, answer);
}
