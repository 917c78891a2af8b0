/* provision.secret: the admin secret goes in the header and nowhere else. It never reaches a transcript either. */
#include <string.h>

#include "harness/run/store_play.h"

static struct text replaced(struct play *play, struct text text, const char *secret, bool *found) {
    size_t length = secret == NULL ? 0 : strlen(secret);
    const char *hit = length == 0 || text.length == 0 ? NULL : memmem(text.bytes, text.length, secret, length);
    if (hit == NULL) {
        return text;
    }
    struct buffer out = {0};
    for (; hit != NULL; hit = text.length == 0 ? NULL : memmem(text.bytes, text.length, secret, length)) {
        size_t before = (size_t)(hit - text.bytes);
        buffer_append(&out, text.bytes, before);
        buffer_string(&out, "[secret]");
        text = (struct text){hit + length, text.length - before - length};
    }
    buffer_text(&out, text);
    struct text clean = {arena_copy(play->arena, out.bytes, out.length), out.length};
    buffer_free(&out);
    *found = true;
    return clean;
}

struct text secret_redact(struct play *play, struct text text, const char *where) {
    const struct store *store = play->store->store;
    bool found = false;
    text = replaced(play, text, store->secret, &found);
    text = replaced(play, text, store->wrong_secret, &found);
    if (found && where != NULL && play->store->leak == NULL) {
        play->store->leak = where;
    }
    return text;
}

enum play_status secret_check(struct play *play, enum play_status status) {
    struct store *store = play->store->store;
    struct buffer log = {0};
    store->table->log(store, &log);
    secret_redact(play, (struct text){log.bytes == NULL ? "" : log.bytes, log.length}, "in the store's log");
    buffer_free(&log);
    if (status != PLAY_OK || play->store->leak == NULL) {
        return status;
    }
    play_fail(play, NULL, "the admin secret stands %s; it belongs into its header only", play->store->leak);
    play->failure.rule = "provision.secret";
    return PLAY_FAILED;
}
