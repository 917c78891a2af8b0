#include "harness/target/http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/base/memory.h"

struct http_call {
    CURL *easy;
    struct curl_slist *headers;
    char *sent; /* the request's body */
    struct buffer body;
    int status;
    bool done;
    CURLcode code;
    char detail[CURL_ERROR_SIZE];
    struct http_call *next;
};

struct http_client {
    CURLM *multi;
    struct http_call *calls;
};

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct http_client *http_client_new(struct error *error) {
    struct http_client *client = memory_zeroed(1, sizeof *client);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK && (client->multi = curl_multi_init()) != NULL) {
        return client;
    }
    free(client);
    error_set(error, ERROR_INTERNAL, "libcurl cannot be set up");
    return NULL;
}

void http_client_free(struct http_client *client) {
    if (client == NULL) {
        return;
    }
    while (client->calls != NULL) {
        http_forget(client, client->calls);
    }
    curl_multi_cleanup(client->multi);
    curl_global_cleanup();
    free(client);
}

/* ---- one request --------------------------------------------------------------------------------- */

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
    struct http_call *call = context;
    buffer_append(&call->body, bytes, size * count);
    return call->body.overflowed ? 0 : size * count;
}

/* Two headers that libcurl would add and nobody asked for are taken away. */
static bool add_headers(struct http_call *call, const char *const *headers) {
    static const char *const none[] = {"Expect:", NULL};
    size_t count = 0;
    for (const char *const *lists[] = {none, headers, NULL}, *const **list = lists; *list != NULL; list++) {
        for (const char *const *header = *list; *header != NULL; header++) {
            struct curl_slist *longer = curl_slist_append(call->headers, *header);
            if (longer == NULL || ++count > HTTP_HEADERS_CEILING) {
                return false;
            }
            call->headers = longer;
        }
    }
    return true;
}

/* libcurl copies strings. A request that lacks a part must not be put down to the store. */
static void check(CURLcode code) {
    if (code == CURLE_OUT_OF_MEMORY) {
        memory_is_out("while a request to the store was made");
    }
}

static void describe(struct http_call *call, const struct http_request *request) {
    CURL *easy = call->easy;
    check(curl_easy_setopt(easy, CURLOPT_URL, request->url));
    check(curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method));
    check(curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https"));
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    check(curl_easy_setopt(easy, CURLOPT_PROXY, ""));
    /* On a connection that was used before, libcurl sends a request again when the server closed it; here each request
     * is sent once. */
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    check(curl_easy_setopt(easy, CURLOPT_USERAGENT, HTTP_USER_AGENT));
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, call->detail);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, call);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, call->headers);
    if (request->body.bytes != NULL) {
        call->sent = memory_new(request->body.length + 1);
        memcpy(call->sent, request->body.bytes, request->body.length);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.length);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->sent);
    }
}

static void release(struct http_call *call) {
    curl_easy_cleanup(call->easy);
    curl_slist_free_all(call->headers);
    buffer_free(&call->body);
    free(call->sent);
    free(call);
}

struct http_call *http_start(struct http_client *client, const struct http_request *request, struct error *error) {
    struct http_call *call = memory_zeroed(1, sizeof *call);
    call->body.ceiling = HTTP_ANSWER_CEILING;
    call->easy = curl_easy_init();
    if (call->easy == NULL || !add_headers(call, request->headers)) {
        release(call);
        error_set(error, ERROR_TARGET, "no request can be made: at most %d headers, and memory for them",
                  HTTP_HEADERS_CEILING);
        return NULL;
    }
    describe(call, request);
    if (curl_multi_add_handle(client->multi, call->easy) != CURLM_OK) {
        release(call);
        error_set(error, ERROR_TARGET, "no request can be made to %s", request->url);
        return NULL;
    }
    call->next = client->calls;
    client->calls = call;
    return call;
}

/* ---- all of them --------------------------------------------------------------------------------- */

static void take_results(struct http_client *client) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
        char *private = NULL;
        long status = 0;
        if (message->msg != CURLMSG_DONE) {
            continue;
        }
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
        struct http_call *call = (struct http_call *)(void *)private;
        call->done = true;
        call->code = message->data.result;
        if (call->code == CURLE_OUT_OF_MEMORY) {
            memory_is_out("in a request to the store"); /* which must not be blamed for it */
        }
        call->status = call->code == CURLE_OK ? (int)status : 0;
    }
}

static bool all_done(struct http_call *const *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!calls[i]->done) {
            return false;
        }
    }
    return true;
}

bool http_wait(struct http_client *client, struct http_call *const *calls, size_t count, int limit_ms) {
    int64_t until = now_ms() + limit_ms;
    for (;;) {
        int running;
        curl_multi_perform(client->multi, &running);
        take_results(client);
        int64_t left = until - now_ms();
        if (all_done(calls, count) || left <= 0) {
            return all_done(calls, count);
        }
        curl_multi_poll(client->multi, NULL, 0, (int)left, NULL);
    }
}

int http_status(const struct http_call *call) {
    return call->status;
}

struct text http_body(const struct http_call *call) {
    return (struct text){call->body.bytes == NULL ? "" : call->body.bytes, call->body.length};
}

const char *http_failure(const struct http_call *call) {
    if (!call->done || call->code == CURLE_OK) {
        return NULL;
    }
    return call->body.overflowed     ? "the answer is too long"
           : call->detail[0] != '\0' ? call->detail
                                     : curl_easy_strerror(call->code);
}

bool http_is_done(const struct http_call *call) {
    return call->done;
}

void http_forget(struct http_client *client, struct http_call *call) {
    if (call == NULL) {
        return;
    }
    struct http_call **link = &client->calls;
    while (*link != call) {
        link = &(*link)->next;
    }
    *link = call->next;
    curl_multi_remove_handle(client->multi, call->easy);
    release(call);
}
