#include "relay-ref/adapters/metrics_http.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "relay-ref/adapters/http_exchange.h"
#include "relay-ref/adapters/options.h"
#include "relay-ref/adapters/ws_server_answer.h"
#include "relay-ref/adapters/ws_server_state.h"

#define CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define PATH_CAPACITY 16

static size_t resident_bytes(void) {
    unsigned long size, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    bool read = fscanf(file, "%lu %lu", &size, &resident) == 2;
    fclose(file);
    return read ? (size_t)resident * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

static size_t open_files(void) {
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count - 1; /* the folder itself */
}

static struct metrics_now look(const struct server *server) {
    struct relay_counts counts = relay_count(server->live.relay);
    double uptime = (double)(lws_now_usecs() - server->started) / LWS_US_PER_SEC;
    return (struct metrics_now){.version = SERVER_VERSION,
                                .protocol = relay_protocol_name(relay_settings_options(server->live.settings)->protocol),
                                .start_seconds = (double)server->started_at,
                                .uptime_seconds = uptime,
                                .connections = server->member_count,
                                .handshakes = server->visitor_count,
                                .rooms = counts.rooms,
                                .members = counts.members,
                                .kept_bytes = counts.kept_bytes,
                                .queued_bytes = server->queued_bytes,
                                .resident_bytes = resident_bytes(),
                                .open_files = open_files()};
}

static bool check_request(struct lws *wsi, struct refusal *refusal) {
    char path[PATH_CAPACITY];
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0)
        return refuse(refusal, 405, "Only GET is understood here.");
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0)
        return refuse(refusal, 403, "Web pages may not read the metrics.");
    if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) <= 0 || strcmp(path, "/metrics") != 0)
        return refuse(refusal, 404, "There is /metrics, and nothing else.");
    return true;
}

static int on_request(struct lws *wsi, struct http_exchange *exchange) {
    struct refusal refusal;
    if (!check_request(wsi, &refusal))
        return answer_refusal(wsi, &refusal);
    struct server *server = server_of(wsi);
    struct metrics_now now = look(server);
    struct durable_counts file;
    if (server->rooms != NULL) {
        file = durable_count(server->rooms);
        now.file = &file;
    }
    http_exchange_forget(exchange);
    http_exchange_begin(exchange, 8192);
    metrics_print(&server->metrics, &now, &exchange->answer);
    return http_exchange_answer(wsi, exchange, CONTENT_TYPE);
}

static int metrics_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    (void)in;
    (void)length;
    return reason == LWS_CALLBACK_HTTP ? on_request(wsi, user) : http_exchange_go_on(wsi, reason, user);
}

const struct lws_protocols metrics_protocols[2] = {{.name = "metrics",
                                                    .callback = metrics_callback,
                                                    .per_session_data_size = sizeof(struct http_exchange),
                                                    .rx_buffer_size = SERVER_READ_BYTES,
                                                    .tx_packet_size = (size_t)1 << 20},
                                                   {0}};
