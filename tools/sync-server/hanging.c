#include "tools/sync-server/hanging.h"

#include "tools/sync-server/redact.h"

bool hanging_add(struct hanging_list *list, struct hanging_write *write) {
    if (list->writes >= list->limits.writes || write->bytes > list->limits.bytes - list->bytes) {
        return false;
    }
    write->next = NULL;
    write->previous = list->last;
    write->listed = true;
    if (list->last) {
        list->last->next = write;
    } else {
        list->first = write;
    }
    list->last = write;
    list->writes++;
    list->bytes += write->bytes;
    return true;
}

void hanging_remove(struct hanging_list *list, struct hanging_write *write) {
    if (!write->listed) {
        return;
    }
    if (write->previous) {
        write->previous->next = write->next;
    } else {
        list->first = write->next;
    }
    if (write->next) {
        write->next->previous = write->previous;
    } else {
        list->last = write->previous;
    }
    write->listed = false;
    list->writes--;
    list->bytes -= write->bytes;
}

struct hanging_write *hanging_of_app(struct hanging_write *from, struct text app) {
    while (from && !text_equal(from->app, app)) {
        from = from->next;
    }
    return from;
}

static void append_field(struct buffer *out, const char *name, struct text value) {
    struct buffer readable;
    buffer_init(&readable, BUFFER_CEILING);
    redact(value, (struct text){NULL, 0}, &readable);
    buffer_format(out, "\"%s\":", name);
    json_quote(out, buffer_text(&readable));
    buffer_free(&readable);
}

static void describe_one(const struct hanging_write *write, struct buffer *out) {
    static const char *const operations[] = {"insert", "update", "delete", "list"};
    const struct data_request *request = write->request;
    buffer_append_byte(out, '{');
    append_field(out, "app", write->app);
    buffer_append_byte(out, ',');
    append_field(out, "operation", text_of(operations[request->operation]));
    buffer_append_byte(out, ',');
    append_field(out, "table", buffer_text(&request->table));
    buffer_append_byte(out, ',');
    append_field(out, "schemaHash", buffer_text(&request->schema_hash));
    buffer_append_byte(out, ',');
    append_field(out, "userId", buffer_text(&request->user));
    buffer_append_byte(out, '}');
}

void hanging_describe(const struct hanging_list *list, struct buffer *out) {
    buffer_append_byte(out, '[');
    for (const struct hanging_write *write = list->first; write; write = write->next) {
        if (write != list->first) {
            buffer_append_byte(out, ',');
        }
        describe_one(write, out);
    }
    buffer_append_byte(out, ']');
}
