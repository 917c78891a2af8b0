/* The traffic of `meshspec compare`, its names, and what it does not compare. */
#include <criterion/criterion.h>
#include <string.h>

#include "harness/compare/compare.h"
#include "harness/compare/memory.h"
#include "harness/compare/spelling.h"
#include "harness/compare/traffic.h"

static const struct traffic_features everything[] = {
    {.options = true, .acl = true, .validate = true, .clock = true, .room = true, .restart = true, .junk = true, .spelling = true},
    {.schema = true, .options = true, .acl = true, .validate = true, .clock = true, .hydrate = true, .commits = true, .room = true, .restart = true, .junk = true, .spelling = true},
    {.wire_3 = true, .schema = true, .options = true, .acl = true, .validate = true, .bump = true, .citations = true, .clock = true, .hydrate = true,
     .commits = true, .room = true, .restart = true, .junk = true, .spelling = true, .hold = true, .unload = true}};

enum { FEATURES = sizeof everything / sizeof *everything };

static struct text printed(struct arena *arena, const struct traffic *traffic) {
    struct buffer out = {0};
    cr_assert_not_null(traffic->options);
    cr_assert_not_null(traffic->steps);
    json_print(&out, traffic->options);
    json_print(&out, traffic->steps);
    struct text kept = {arena_copy(arena, out.bytes, out.length), out.length};
    buffer_free(&out);
    return kept;
}

Test(compare_traffic, the_same_seed_gives_the_same_traffic) {
    for (size_t i = 0; i < FEATURES; i++)
        for (uint64_t seed = 1; seed <= 40; seed++) {
            struct arena *arena = arena_new();
            struct traffic once = traffic_make(arena, seed, &everything[i], 80), again = traffic_make(arena, seed, &everything[i], 80),
                           other = traffic_make(arena, seed + 1, &everything[i], 80);
            cr_assert(text_equal(printed(arena, &once), printed(arena, &again)));
            cr_assert_not(text_equal(printed(arena, &once), printed(arena, &other)));
            cr_assert_geq(once.steps->count, 80);
            arena_free(arena);
        }
}

static const struct json_value *any_origin(const struct json_value *steps, struct text conn) {
    for (const struct json_value *step = steps->first; step != NULL; step = step->next) {
        const struct json_value *message = json_get(step, "msg");
        if (json_get(step, "conn") != NULL && text_equal(json_get(step, "conn")->text, conn) && json_is_string(json_get(message, "t"), "hello"))
            return json_get(message, "origin");
    }
    return NULL;
}

Test(compare_traffic, a_connection_has_one_origin) {
    struct arena *arena = arena_new();
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct traffic traffic = traffic_make(arena, seed, &everything[1], 100);
        for (const struct json_value *step = traffic.steps->first; step != NULL; step = step->next)
            if (json_is_string(json_get(json_get(step, "msg"), "t"), "hello"))
                cr_assert(json_equal(any_origin(traffic.steps, json_get(step, "conn")->text), json_get(json_get(step, "msg"), "origin")));
    }
    arena_free(arena);
}

Test(compare_traffic, it_has_all_that_the_features_allow) {
    static const char *const verbs[] = {"connect", "disconnect", "receive", "hydrate", "room", "clock", "restart", "hold", "unhold", "release", "fail", "unload"};
    struct arena *arena = arena_new();
    size_t seen[sizeof verbs / sizeof *verbs] = {0};
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct traffic traffic = traffic_make(arena, seed, &everything[2], 60);
        for (const struct json_value *step = traffic.steps->first; step != NULL; step = step->next)
            for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
                seen[i] += json_is_string(json_get(step, "do"), verbs[i]);
    }
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        cr_assert_gt(seen[i], 0, "no %s", verbs[i]);
    arena_free(arena);
}

/* ---- spellings ------------------------------------------------------------------------------------- */

static struct json_value *parsed(struct arena *arena, const char *text) {
    struct error error = {0};
    struct json_value *value = json_parse(arena, text_of(text), &error);
    cr_assert_not_null(value, "%s: %s", text, error.text);
    return value;
}

Test(compare_spelling, it_means_the_same_and_looks_different) {
    static const char *const texts[] = {"{}", "[]", "{\"a/b\":[1,-2,0.5,1e21,1700000000000,true,null],\"\":{\"x\\u0000\\n\\\"y\":\"\\ud83d\"},\"ключ😀\":\"😀 abc\"}", "12", "\"text\""};
    struct arena *arena = arena_new();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (unsigned spelling = 0; spelling < SPELLINGS; spelling++) {
            struct buffer out = {0};
            spelling_print(&out, text_of(texts[i]), spelling);
            cr_assert(json_equal(parsed(arena, out.bytes), parsed(arena, texts[i])), "%s", out.bytes);
            cr_assert(spelling != 0 || strcmp(out.bytes, texts[i]) == 0);
            cr_assert(i != 2 || spelling == 0 || strcmp(out.bytes, texts[i]) != 0);
            buffer_free(&out);
        }
    arena_free(arena);
}

/* ---- names --------------------------------------------------------------------------------------- */

static void assert_equal(const struct json_value *value, const char *wanted) {
    struct arena *arena = arena_new();
    struct buffer out = {0};
    json_print(&out, value);
    cr_assert(json_equal(value, parsed(arena, wanted)), "%s", out.bytes);
    buffer_free(&out);
    arena_free(arena);
}

Test(compare_names, minted_values_get_shared_names_and_come_back) {
    struct arena *arena = arena_new();
    struct shared_names names = {.arena = arena};
    struct json_value *first = parsed(arena, "{\"t\":\"welcome\",\"instance\":\"abc\",\"envs\":[{\"instance\":\"abc\"},{\"instance\":\"def\"}]}");
    names_share(&names, first);
    assert_equal(first, "{\"t\":\"welcome\",\"instance\":\"$1\",\"envs\":[{\"instance\":\"$1\"},{\"instance\":\"$2\"}]}");
    struct json_value *step = parsed(arena, "{\"msg\":{\"env\":{\"instance\":\"$2\"}},\"snapshot\":{\"epoch\":\"stored\",\"journal\":[{\"instance\":\"$1\"}]}}");
    names_mint(&names, step);
    assert_equal(step, "{\"msg\":{\"env\":{\"instance\":\"def\"}},\"snapshot\":{\"epoch\":\"stored\",\"journal\":[{\"instance\":\"abc\"}]}}");
    struct json_value *restored = parsed(arena, "{\"state\":{\"epoch\":\"stored\"}}");
    names_share(&names, restored);
    assert_equal(restored, "{\"state\":{\"epoch\":\"stored\"}}");
    arena_free(arena);
}

/* ---- what is left open ----------------------------------------------------------------------------- */

static struct heard *heard(struct arena *arena, enum heard_kind kind, const char *stream, const char *value, struct heard *next) {
    struct heard *one = arena_alloc(arena, sizeof *one);
    *one = (struct heard){.kind = kind, .stream = text_of(stream), .value = value != NULL ? parsed(arena, value) : NULL, .next = next};
    return one;
}

static bool differ(struct heard *a, struct heard *b) {
    struct stream_difference difference;
    return stream_differs(stream_settle(stream_sort(a)), stream_settle(stream_sort(b)), &difference);
}

Test(compare_stream, order_across_streams_means_nothing_and_within_one_it_does) {
    struct arena *arena = arena_new();
    struct heard *a = heard(arena, HEARD_MESSAGE, "c10", "1", heard(arena, HEARD_OBSERVED, "commit", "2", heard(arena, HEARD_MESSAGE, "c2", "3", NULL)));
    struct heard *b = heard(arena, HEARD_MESSAGE, "c2", "3", heard(arena, HEARD_MESSAGE, "c10", "1", heard(arena, HEARD_OBSERVED, "commit", "2", NULL)));
    cr_assert_not(differ(a, b));
    a = heard(arena, HEARD_MESSAGE, "c1", "1", heard(arena, HEARD_MESSAGE, "c1", "2", NULL));
    b = heard(arena, HEARD_MESSAGE, "c1", "2", heard(arena, HEARD_MESSAGE, "c1", "1", NULL));
    cr_assert(differ(a, b));
    cr_assert(differ(heard(arena, HEARD_CLOSE, "c1", NULL, NULL), NULL));
    arena_free(arena);
}

Test(compare_stream, registers_siblings_and_peers_have_no_order_and_members_have) {
    struct arena *arena = arena_new();
    cr_assert_not(differ(heard(arena, HEARD_MESSAGE, "c", "{\"registers\":[{\"path\":[1],\"siblings\":[{\"origin\":\"b\"},{\"origin\":\"a\"}]},{\"path\":[]}]}", NULL),
                         heard(arena, HEARD_MESSAGE, "c", "{\"registers\":[{\"path\":[]},{\"path\":[1],\"siblings\":[{\"origin\":\"a\"},{\"origin\":\"b\"}]}]}", NULL)));
    cr_assert_not(differ(heard(arena, HEARD_MESSAGE, "c", "{\"peers\":[{\"origin\":\"b\"},{\"origin\":\"a\"}]}", NULL),
                         heard(arena, HEARD_MESSAGE, "c", "{\"peers\":[{\"origin\":\"a\"},{\"origin\":\"b\"}]}", NULL)));
    cr_assert(differ(heard(arena, HEARD_MESSAGE, "c", "{\"members\":[\"b\",\"a\"]}", NULL), heard(arena, HEARD_MESSAGE, "c", "{\"members\":[\"a\",\"b\"]}", NULL)));
    arena_free(arena);
}

Test(compare_stream, an_ejected_connection_may_see_departures_and_others_must) {
    struct arena *arena = arena_new();
    const char *eject = "{\"t\":\"eject\"}", *gone = "{\"t\":\"member\",\"origin\":\"o\",\"gone\":true}";
    cr_assert_not(differ(heard(arena, HEARD_MESSAGE, "c", eject, heard(arena, HEARD_MESSAGE, "c", gone, heard(arena, HEARD_CLOSE, "c", NULL, NULL))),
                         heard(arena, HEARD_MESSAGE, "c", eject, heard(arena, HEARD_CLOSE, "c", NULL, NULL))));
    cr_assert(differ(heard(arena, HEARD_MESSAGE, "c", eject, heard(arena, HEARD_MESSAGE, "c", gone, NULL)), heard(arena, HEARD_MESSAGE, "c", eject, NULL)));
    arena_free(arena);
}

/* ---- whole plays ----------------------------------------------------------------------------------- */

Test(compare_play, two_of_the_same_do_the_same_and_anything_can_be_left_out) {
    struct play_settings settings = {.sides = {target_memory_new(), target_memory_new()}, .profile = "0.2.0", .limit_ms = 5000};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct arena *arena = arena_new();
        struct traffic traffic = traffic_make(arena, seed, &everything[1], 60);
        const struct json_value *steps[200];
        size_t count = 0, place = 0;
        /* Every second or third step only. */
        for (const struct json_value *step = traffic.steps->first; step != NULL && count < 200; step = step->next, place++)
            if (seed % 3 == 0 || place % (1 + seed % 3) != 0)
                steps[count++] = step;
        struct play_result result = compare_play(arena, &settings, traffic.options, steps, count);
        cr_assert_eq(result.outcome, PLAY_ALIKE, "seed %d, step %zu: %s", (int)seed, result.count, result.error.text);
        cr_assert_eq(result.count, count);
        arena_free(arena);
    }
    for (int side = 0; side < SIDES; side++)
        settings.sides[side]->table->free(settings.sides[side]);
}
