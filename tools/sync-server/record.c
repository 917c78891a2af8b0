#include "tools/sync-server/record.h"

#include "tools/sync-server/redact.h"
#include "tools/sync-server/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kept {
    uint64_t number;
    struct buffer line;
};

struct recorder {
    int file; /* -1: none */
    uint64_t arrivals;
    uint64_t last;
    uint64_t dropped;
    size_t bytes;
    size_t first; /* the oldest in the ring */
    size_t count;
    struct kept ring[RECORDS_KEPT];
};

struct recorder *recorder_open(const char *path, struct buffer *why) {
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder) {
        buffer_append_string(why, "there is not enough memory");
        return NULL;
    }
    recorder->file = -1;
    if (path) {
        recorder->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        if (recorder->file < 0) {
            buffer_format(why, "the record %.500s cannot be written: %s", path, strerror(errno));
            free(recorder);
            return NULL;
        }
    }
    return recorder;
}

static void drop_oldest(struct recorder *recorder) {
    struct kept *oldest = &recorder->ring[recorder->first];
    recorder->bytes -= oldest->line.length;
    buffer_free(&oldest->line);
    recorder->first = (recorder->first + 1) % RECORDS_KEPT;
    recorder->count--;
    recorder->dropped++;
}

void recorder_clear(struct recorder *recorder) {
    while (recorder->count > 0) {
        drop_oldest(recorder);
    }
}

void recorder_close(struct recorder *recorder) {
    if (recorder) {
        recorder_clear(recorder);
        if (recorder->file >= 0) {
            close(recorder->file);
        }
        free(recorder);
    }
}

uint64_t recorder_arrival(struct recorder *recorder) {
    return ++recorder->arrivals;
}

static const char *verdict_name(enum secret_verdict verdict) {
    switch (verdict) {
    case SECRET_RIGHT:
        return "right";
    case SECRET_WRONG:
        return "wrong";
    case SECRET_MISSING:
        return "missing";
    default:
        return "none";
    }
}

/* Appends `text` as a JSON string, without the secret and with bytes that are no UTF-8 replaced. */
static bool append_without_secret(struct buffer *out, struct text text, struct text secret) {
    struct buffer clean;
    buffer_init(&clean, BUFFER_CEILING);
    bool found = redact(text, secret, &clean);
    json_quote(out, buffer_text(&clean));
    out->failed = out->failed || clean.failed;
    buffer_free(&clean);
    return found;
}

static void append_place(struct buffer *places, const char *place, struct text name) {
    buffer_append_byte(places, places->length > 1 ? ',' : ' ');
    struct buffer whole;
    buffer_init(&whole, BUFFER_CEILING);
    buffer_append_string(&whole, place);
    buffer_append_text(&whole, name);
    json_quote(places, buffer_text(&whole));
    buffer_free(&whole);
}

static void append_headers(struct buffer *line, const struct record *record, struct buffer *places) {
    const struct http_request *request = record->request;
    for (size_t at = 0; at < request->header_count; at++) {
        const struct http_header *header = &request->headers[at];
        bool own = text_equal_ignoring_case(header->name, TEXT("x-jazz-admin-secret"));
        buffer_append_string(line, at > 0 ? ",[" : "[");
        json_quote(line, header->name);
        buffer_append_byte(line, ',');
        if (own) {
            buffer_append_string(line, "\"[secret]\"");
        } else if (append_without_secret(line, header->value, record->secret)) {
            append_place(places, "header ", header->name);
        }
        buffer_append_byte(line, ']');
    }
}

static void append_base64(struct buffer *line, struct text bytes) {
    size_t encoded = (bytes.length + 2) / 3 * 4;
    char *text = malloc(encoded + 1);
    if (!text) {
        line->failed = true;
        return;
    }
    EVP_EncodeBlock((unsigned char *)text, (const unsigned char *)bytes.bytes, (int)bytes.length);
    buffer_append(line, text, encoded);
    free(text);
}

static void append_body(struct buffer *line, const struct record *record, struct buffer *places) {
    struct text body = record->request->body;
    struct text secret = record->secret;
    if (utf8_valid_length(body) == body.length) {
        buffer_append_string(line, ",\"body\":");
        if (append_without_secret(line, body, secret)) {
            append_place(places, "body", TEXT(""));
        }
        return;
    }
    struct buffer clean;
    buffer_init(&clean, BUFFER_CEILING);
    if (redact_bytes(body, secret, &clean)) {
        append_place(places, "body", TEXT(""));
    }
    buffer_append_string(line, ",\"bodyBase64\":\"");
    append_base64(line, buffer_text(&clean));
    buffer_append_byte(line, '"');
    buffer_free(&clean);
}

static void append_record(struct buffer *line, uint64_t number, const struct record *record) {
    struct buffer places;
    buffer_init(&places, BUFFER_CEILING);
    buffer_format(line, "{\"n\":%llu,\"arrived\":%llu,\"method\":", (unsigned long long)number,
                  (unsigned long long)record->arrived);
    json_quote(line, record->request->method);
    buffer_append_string(line, ",\"path\":");
    if (append_without_secret(line, record->request->target, record->secret)) {
        append_place(&places, "path", TEXT(""));
    }
    buffer_append_string(line, ",\"headers\":[");
    append_headers(line, record, &places);
    buffer_append_string(line, "],\"secret\":\"");
    buffer_append_string(line, verdict_name(admin_secret_verdict(record->request, record->secret)));
    buffer_append_byte(line, '"');
    append_body(line, record, &places);
    buffer_append_string(line, ",\"secretElsewhere\":[");
    buffer_append_text(line, buffer_text(&places));
    buffer_append_string(line, "],\"status\":");
    if (record->status) {
        buffer_append_number(line, record->status);
    } else {
        buffer_append_string(line, "null");
    }
    buffer_append_string(line, record->fault ? ",\"fault\":true}" : ",\"fault\":false}");
    line->failed = line->failed || places.failed;
    buffer_free(&places);
}

/* A whole line at once; a record that cannot be written is said on standard error, and serving goes on. */
static void write_line(const struct recorder *recorder, struct buffer *line) {
    buffer_append_byte(line, '\n');
    size_t at = 0;
    while (recorder->file >= 0 && at < line->length) {
        ssize_t written = write(recorder->file, line->bytes + at, line->length - at);
        if (written < 0 && errno != EINTR) {
            fprintf(stderr, "meshspec-store: the record cannot be written: %s\n", strerror(errno));
            break;
        }
        at += written > 0 ? (size_t)written : 0;
    }
    line->length--;
}

void recorder_add(struct recorder *recorder, const struct record *record) {
    struct kept kept = {.number = ++recorder->last};
    buffer_init(&kept.line, BUFFER_CEILING);
    append_record(&kept.line, kept.number, record);
    if (kept.line.failed) {
        fprintf(stderr, "meshspec-store: a request is too large for the record\n");
        buffer_free(&kept.line);
        recorder->dropped++;
        return;
    }
    write_line(recorder, &kept.line);
    if (recorder->count == RECORDS_KEPT) {
        drop_oldest(recorder);
    }
    recorder->ring[(recorder->first + recorder->count++) % RECORDS_KEPT] = kept;
    recorder->bytes += kept.line.length;
    while (recorder->bytes > RECORD_BYTES_KEPT) {
        drop_oldest(recorder);
    }
}

void recorder_describe(const struct recorder *recorder, uint64_t after, struct buffer *out) {
    buffer_append_string(out, "{\"requests\":[");
    bool first = true;
    for (size_t at = 0; at < recorder->count; at++) {
        const struct kept *kept = &recorder->ring[(recorder->first + at) % RECORDS_KEPT];
        if (kept->number <= after) {
            continue;
        }
        if (!first) {
            buffer_append_byte(out, ',');
        }
        first = false;
        buffer_append_text(out, buffer_text(&kept->line));
    }
    buffer_format(out, "],\"last\":%llu,\"dropped\":%llu}", (unsigned long long)recorder->last,
                  (unsigned long long)recorder->dropped);
}
