/* Requests and answers as patterns see them. */
#include <stdlib.h>
#include <string.h>

#include "harness/json/raw.h"
#include "harness/run/store_play.h"

static struct json_value *string_of(struct arena *arena, struct text text) {
    return json_string(arena, text);
}

/* The key as it reads, from how it is spelled. */
static struct text key_of(struct arena *arena, struct text spelled) {
    struct error error = {0};
    struct json_value *key = json_parse(arena, spelled, &error);
    return key == NULL ? spelled : key->text;
}

/*
 * For each member of the body that is an object: `names` has its keys in their order, doubled ones too, and `raw` the
 * text of each of its members as it came, less whitespace.
 */
static void add_spelling(struct arena *arena, struct json_value *view, struct text body) {
    struct text compact = json_raw_compact(arena, body);
    struct json_value *raw = json_object(arena), *names = json_object(arena);
    struct json_raw_member outer, inner;
    for (size_t at = 0; json_raw_next(compact, &at, &outer);) {
        if (outer.value.length == 0 || outer.value.bytes[0] != '{') {
            continue;
        }
        struct json_value *texts = json_object(arena), *keys = json_array(arena);
        for (size_t within = 0; json_raw_next(outer.value, &within, &inner);) {
            struct text key = key_of(arena, inner.key);
            json_set(texts, key, string_of(arena, inner.value));
            json_append(keys, string_of(arena, key));
        }
        json_set(raw, key_of(arena, outer.key), texts);
        json_set(names, key_of(arena, outer.key), keys);
    }
    json_set(view, TEXT("raw"), raw);
    json_set(view, TEXT("names"), names);
}

static void add_body(struct arena *arena, struct json_value *view, struct text body) {
    struct error error = {0};
    json_set(view, TEXT("text"), string_of(arena, body));
    struct json_value *value = body.length == 0 ? NULL : json_parse(arena, body, &error);
    if (value != NULL) {
        json_set(view, TEXT("body"), value);
        add_spelling(arena, view, body);
    }
}

struct json_value *view_answer(struct arena *arena, int status, struct text body) {
    struct json_value *view = json_object(arena);
    json_set(view, TEXT("status"), json_number(arena, status));
    add_body(arena, view, body);
    return view;
}

struct text view_app_path(struct play *play) {
    const struct store *store = play->store->store;
    const char *host = strstr(store->url, "://"), *path = host == NULL ? NULL : strchr(host + 3, '/');
    return text_of(arena_format(play->arena, "%s/apps/%s/", path == NULL ? "" : path, store->app));
}

static void add_path(struct arena *arena, struct json_value *view, struct text path, struct text app_path) {
    const char *mark = memchr(path.bytes, '?', path.length);
    struct text query = {mark == NULL ? NULL : mark + 1,
                         mark == NULL ? 0 : (size_t)(path.bytes + path.length - mark) - 1};
    struct text plain = {path.bytes, mark == NULL ? path.length : (size_t)(mark - path.bytes)};
    if (text_starts_with(plain, app_path)) {
        plain = (struct text){plain.bytes + app_path.length, plain.length - app_path.length};
    }
    json_set(view, TEXT("path"), string_of(arena, plain));
    if (query.bytes != NULL) {
        json_set(view, TEXT("query"), string_of(arena, query));
    }
}

static struct text lower(struct arena *arena, struct text text) {
    char *copy = arena_copy(arena, text.bytes, text.length);
    for (size_t i = 0; i < text.length; i++) {
        copy[i] = (char)(copy[i] >= 'A' && copy[i] <= 'Z' ? copy[i] - 'A' + 'a' : copy[i]);
    }
    return (struct text){copy, text.length};
}

static struct json_value *headers_of(struct arena *arena, const struct json_value *list) {
    struct json_value *headers = json_object(arena);
    for (const struct json_value *pair = list == NULL ? NULL : list->first; pair != NULL; pair = pair->next) {
        if (pair->count == 2) {
            json_set(headers, lower(arena, pair->first->text), string_of(arena, pair->last->text));
        }
    }
    return headers;
}

struct json_value *view_record(struct arena *arena, const struct json_value *record, struct text app_path) {
    static const char *const kept[] = {"method", "secret", "status", "fault"};
    struct json_value *view = json_object(arena);
    const struct json_value *path = json_get(record, "path"), *body = json_get(record, "body");
    if (path != NULL) {
        add_path(arena, view, path->text, app_path);
    }
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const struct json_value *member = json_get(record, kept[i]);
        if (member != NULL) {
            json_set(view, text_of(kept[i]), json_copy(arena, member));
        }
    }
    json_set(view, TEXT("headers"), headers_of(arena, json_get(record, "headers")));
    if (body != NULL && body->type == JSON_STRING && body->text.length > 0) {
        add_body(arena, view, body->text);
    }
    return view;
}

struct text view_shown(struct play *play, const struct json_value *view) {
    static const char *const left_out[] = {"headers", "raw", "names"};
    struct json_value *shown = json_copy(play->arena, view);
    for (struct json_value *one = shown->type == JSON_ARRAY ? shown->first : shown; one != NULL; one = one->next) {
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
            json_remove(one, text_of(left_out[i]));
        }
        if (json_get(one, "body") != NULL) {
            json_remove(one, TEXT("text"));
        }
        if (shown->type != JSON_ARRAY) {
            break;
        }
    }
    return play_print(play, shown);
}
