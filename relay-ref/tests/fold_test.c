#include "relay-ref/core/fold.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/json/string.h"
#include "relay-ref/tests/equal.h"
#include "relay-ref/tests/world.h"

static const struct table_seed seed = {1, 2};

/* Applies ops in their JSON form by way of the message reader, as a room does. */
static void apply(struct fold *fold, const char *ops, size_t length) {
    struct message message;
    struct message_ops read = {0};
    char *text = malloc(length + 64);
    cr_assert_not_null(text);
    int size = snprintf(text, length + 64, "{\"t\":\"env\",\"env\":{\"ops\":%.*s}}", (int)length, ops);
    cr_assert_eq(relay_message_read(&message, &read, 100000, text, (size_t)size), JSON_FINE);
    cr_assert(message.envelope.has_ops && !message.envelope.bad_op, "%s", text);
    cr_assert(relay_fold_apply(fold, read.items, read.count));
    cr_assert_eq(fold->bytes, relay_node_weigh(fold->root), "%s", text);
    free(read.items);
    free(text);
}

static void does(struct fold *fold, const char *ops) {
    apply(fold, ops, strlen(ops));
}

static void start(struct fold *fold, const char *root) {
    struct json_value value;
    relay_fold_start(fold, &seed, 1000);
    if (root == NULL)
        return;
    cr_assert_eq(relay_json_check(root, strlen(root), &value), JSON_FINE);
    cr_assert(relay_fold_replace(fold, value));
}

static void gives(const char *root, const char *ops, const char *wanted) {
    struct fold fold;
    struct relay_text text;
    start(&fold, root);
    does(&fold, ops);
    cr_assert(relay_fold_text(&fold, &text));
    if (wanted == NULL)
        cr_expect_null(text.bytes, "%s on %s", ops, root);
    else
        cr_expect(text.bytes != NULL && text.length == strlen(wanted) && memcmp(text.bytes, wanted, text.length) == 0,
                  "%s on %s gave %.*s", ops, root, (int)text.length, text.bytes);
    relay_fold_free(&fold);
}

/* ---- the recorded vectors ------------------------------------------------------------------------ */

struct vector {
    struct json_value root, ops, gives;
};

static struct vector read_vector(const char *line, size_t length) {
    struct vector vector;
    struct json_scanner scanner;
    struct json_value name, other;
    memset(&vector, 0, sizeof vector);
    relay_scan_start(&scanner, line, length);
    cr_assert(relay_scan_enter(&scanner));
    while (relay_scan_member(&scanner, &name))
        cr_assert(relay_scan_value(&scanner, relay_string_is(&name, "root")    ? &vector.root
                                             : relay_string_is(&name, "ops")   ? &vector.ops
                                             : relay_string_is(&name, "gives") ? &vector.gives
                                                                               : &other));
    cr_assert(relay_scan_finish(&scanner));
    relay_scan_end(&scanner);
    return vector;
}

static void check_vector(const struct vector *vector, size_t number) {
    struct fold fold;
    struct relay_text text;
    start(&fold, NULL);
    if (vector->root.kind != JSON_ABSENT)
        cr_assert(relay_fold_replace(&fold, vector->root));
    apply(&fold, vector->ops.bytes, vector->ops.length);
    cr_assert(relay_fold_text(&fold, &text));
    cr_expect_eq(text.bytes == NULL, vector->gives.kind == JSON_ABSENT, "vector %zu", number);
    if (text.bytes != NULL)
        cr_expect(equal_json(text.bytes, text.length, vector->gives.bytes, vector->gives.length),
                  "vector %zu gave %.*s, not %.*s", number, (int)text.length, text.bytes, (int)vector->gives.length,
                  vector->gives.bytes);
    relay_fold_free(&fold);
}

Test(fold, gives_what_the_published_relay_gave) {
    FILE *file = fopen("fixtures/recordings/fold.jsonl", "r");
    char *line = NULL;
    size_t capacity = 0, number = 0;
    ssize_t length;
    cr_assert_not_null(file, "run the tests from the top of the repository");
    while ((length = getline(&line, &capacity, file)) > 0) {
        struct vector vector = read_vector(line, (size_t)length);
        check_vector(&vector, ++number);
    }
    cr_assert_eq(number, 500);
    free(line);
    fclose(file);
}

/* ---- one rule after the other -------------------------------------------------------------------- */

Test(fold, root) {
    gives(NULL, "[]", NULL);
    gives(NULL, "[{\"kind\":\"delete\",\"path\":[]}]", NULL);
    gives("1", "[{\"kind\":\"delete\",\"path\":[]}]", "1");
    gives("1", "[{\"kind\":\"set\",\"path\":[],\"next\":{\"a\":[]}}]", "{\"a\":[]}");
    gives("{\"a\":1}", "[{\"kind\":\"set\",\"path\":[],\"next\":null}]", "null");
}

Test(fold, containers_on_the_way) {
    gives(NULL, "[{\"kind\":\"set\",\"path\":[\"a\",0,\"b\"],\"next\":1}]", "{\"a\":[{\"b\":1}]}");
    gives(NULL, "[{\"kind\":\"set\",\"path\":[0],\"next\":1}]", "[1]");
    gives("{\"a\":null}", "[{\"kind\":\"set\",\"path\":[\"a\",\"b\"],\"next\":1}]", "{\"a\":{\"b\":1}}");
    gives("{\"a\":\"x\"}", "[{\"kind\":\"set\",\"path\":[\"a\",1],\"next\":1}]", "{\"a\":[null,1]}");
    gives("{}", "[{\"kind\":\"delete\",\"path\":[\"a\",2,\"b\"]}]", "{\"a\":[null,null,{}]}");
}

Test(fold, arrays) {
    gives("[1,2,3]", "[{\"kind\":\"delete\",\"path\":[1]}]", "[1,null,3]");
    gives("[1,2,3]", "[{\"kind\":\"delete\",\"path\":[\"2\"]}]", "[1,2,null]");
    gives("[1]", "[{\"kind\":\"delete\",\"path\":[5]}]", "[1]");
    gives("[1]", "[{\"kind\":\"set\",\"path\":[\"3\"],\"next\":4}]", "[1,null,null,4]");
    gives("[1]", "[{\"kind\":\"set\",\"path\":[0.0],\"next\":2}]", "[2]");
    gives("[1]", "[{\"kind\":\"set\",\"path\":[1e0],\"next\":2}]", "[1,2]");
}

/* fold.odd-segments: left out, and the rest of the envelope is folded. */
Test(fold, what_an_array_cannot_take_is_left_out) {
    static const char *const odd[] = {"\"01\"", "\"+1\"", "\"1.0\"", "\"length\"", "\"__proto__\"", "\"a\"", "\"\"",
                                      "-1",     "0.5",    "1e300",   "\"-0\"",     "4294967295",    "1e400"};
    static const char *const forms[] = {"{\"kind\":\"set\",\"path\":[%s],\"next\":9}",
                                        "{\"kind\":\"set\",\"path\":[%s,\"x\"],\"next\":9}",
                                        "{\"kind\":\"delete\",\"path\":[%s]}"};
    for (size_t i = 0; i < 3 * (sizeof odd / sizeof *odd); i++) {
        char op[128], ops[256];
        snprintf(op, sizeof op, forms[i % 3], odd[i / 3]);
        snprintf(ops, sizeof ops, "[%s,{\"kind\":\"set\",\"path\":[2],\"next\":2}]", op);
        gives("[1,0]", ops, "[1,0,2]");
    }
}

Test(fold, odd_names_are_ordinary_keys_of_objects) {
    gives("{}", "[{\"kind\":\"set\",\"path\":[\"__proto__\",\"x\"],\"next\":1}]", "{\"__proto__\":{\"x\":1}}");
    gives("{}", "[{\"kind\":\"set\",\"path\":[\"length\"],\"next\":1}]", "{\"length\":1}");
    gives("{}", "[{\"kind\":\"set\",\"path\":[-1],\"next\":1}]", "{\"-1\":1}");
    gives("{}", "[{\"kind\":\"set\",\"path\":[1e21],\"next\":1}]", "{\"1e+21\":1}");
    gives("{}", "[{\"kind\":\"set\",\"path\":[1.50],\"next\":1}]", "{\"1.5\":1}");
    gives("{}", "[{\"kind\":\"set\",\"path\":[-0],\"next\":1}]", "{\"0\":1}");
}

Test(fold, a_set_without_next_is_left_out) {
    gives("{\"a\":1}", "[{\"kind\":\"set\",\"path\":[\"a\"]},{\"kind\":\"set\",\"path\":[]}]", "{\"a\":1}");
}

Test(fold, keys_are_equal_by_their_characters) {
    gives("{\"a\":1}", "[{\"kind\":\"set\",\"path\":[\"\\u0061\"],\"next\":2}]", "{\"a\":2}");
    gives("{\"\\u0061\":1}", "[{\"kind\":\"set\",\"path\":[\"a\"],\"next\":2}]", "{\"a\":2}");
    gives("{\"\\ud83d\\ude00\":1}", "[{\"kind\":\"set\",\"path\":[\"\xf0\x9f\x98\x80\"],\"next\":2}]",
          "{\"\xf0\x9f\x98\x80\":2}");
    gives("{}",
          "[{\"kind\":\"set\",\"path\":[\"\\ud83d\"],\"next\":1},{\"kind\":\"set\",\"path\":[\"\\u0000\"],\"next\":2}]",
          "{\"\\ud83d\":1,\"\\u0000\":2}");
}

Test(fold, the_last_of_equal_keys_wins) {
    gives("{\"a\":1,\"b\":2,\"\\u0061\":{\"c\":3}}", "[{\"kind\":\"set\",\"path\":[\"b\"],\"next\":4}]",
          "{\"a\":{\"c\":3},\"b\":4}");
}

/* What no op goes into keeps its spelling. */
Test(fold, values_keep_their_spelling) {
    gives("{}", "[{\"kind\":\"set\",\"path\":[\"a\"],\"next\": [1.0, 1e2 ,\"\\u0041\"]}]",
          "{\"a\":[1.0, 1e2 ,\"\\u0041\"]}");
    gives("{\"a\":{\"b\":9007199254740993,\"c\":-0}}", "[{\"kind\":\"set\",\"path\":[\"a\",\"c\"],\"next\":1e-7}]",
          "{\"a\":{\"b\":9007199254740993,\"c\":1e-7}}");
}

/* ---- ceilings ------------------------------------------------------------------------------------ */

/* fold.huge-index; the ceiling in these tests is 1000 elements. */
Test(fold, huge_index_is_left_out) {
    gives("[]", "[{\"kind\":\"set\",\"path\":[4294967294],\"next\":1},{\"kind\":\"set\",\"path\":[1000],\"next\":1}]",
          "[]");
    gives("{}", "[{\"kind\":\"set\",\"path\":[\"a\",4294967294],\"next\":1}]", "{}");
    gives("{}", "[{\"kind\":\"set\",\"path\":[\"a\",1000,\"b\"],\"next\":1}]", "{}");
    gives("[]", "[{\"kind\":\"set\",\"path\":[1],\"next\":1}]", "[null,1]");
}

static size_t array_length(struct fold *fold, const char *key) {
    struct object_entry *entry =
        relay_object_find((struct object_node *)fold->root, (struct relay_text){key, strlen(key)});
    return entry == NULL ? 0 : ((struct array_node *)entry->value)->length;
}

static void extend(struct fold *fold, const char *key, size_t index) {
    char ops[128];
    snprintf(ops, sizeof ops, "[{\"kind\":\"set\",\"path\":[\"%s\",%zu],\"next\":1}]", key, index);
    does(fold, ops);
}

Test(fold, holes_of_a_room_are_counted_together_and_given_back) {
    struct fold fold;
    start(&fold, "{}");
    static const char *const keys[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < 4; i++)
        extend(&fold, keys[i], 999);
    cr_expect_eq(fold.gaps, 4 * 999);
    extend(&fold, "e", 4);
    cr_expect_eq(array_length(&fold, "e"), 5);
    cr_expect_eq(fold.gaps, 4000);
    extend(&fold, "f", 1);
    cr_expect_eq(array_length(&fold, "f"), 0, "no room for another hole");
    extend(&fold, "f", 0);
    cr_expect_eq(array_length(&fold, "f"), 1, "an element without a hole is fine");
    does(&fold, "[{\"kind\":\"delete\",\"path\":[\"a\"]},{\"kind\":\"set\",\"path\":[\"b\"],\"next\":1}]");
    cr_expect_eq(fold.gaps, 4000 - 2 * 999);
    extend(&fold, "f", 900);
    cr_expect_eq(array_length(&fold, "f"), 901);
    relay_fold_free(&fold);
}

Test(fold, holes_of_what_was_left_out_are_given_back) {
    struct fold fold;
    start(&fold, "{\"a\":[]}");
    does(&fold, "[{\"kind\":\"set\",\"path\":[\"x\",5,\"y\",4294967294],\"next\":1},"
                "{\"kind\":\"set\",\"path\":[\"a\",5000,7],\"next\":1}]");
    cr_expect_eq(fold.gaps, 0);
    relay_fold_free(&fold);
}

/* ---- depth and width ----------------------------------------------------------------------------- */

static void deep_value(size_t levels) {
    struct fold fold;
    struct relay_text text;
    char *open = repeated("{\"n\":[", levels), *close = repeated("]}", levels);
    size_t length = strlen(open) + strlen(close) + 128;
    char *ops = malloc(length), *wanted = malloc(length);
    cr_assert(ops != NULL && wanted != NULL);
    start(&fold, NULL);
    int size = snprintf(ops, length, "[{\"kind\":\"set\",\"path\":[],\"next\":%s1%s}]", open, close);
    apply(&fold, ops, (size_t)size);
    does(&fold, "[{\"kind\":\"set\",\"path\":[\"n\",1],\"next\":2}]");
    size = snprintf(wanted, length, "%s1%s", open, close);
    strcpy(wanted + size - 2, ",2]}");
    cr_assert(relay_fold_text(&fold, &text));
    cr_expect(text.length == strlen(wanted) && memcmp(text.bytes, wanted, text.length) == 0, "%zu levels", levels);
    relay_fold_free(&fold);
    free(ops);
    free(wanted);
    free(open);
    free(close);
}

Test(fold, deep_values_need_no_stack) {
    deep_value(2500);
    deep_value(50000);
}

Test(fold, deep_paths_need_no_stack) {
    const size_t levels = 100000;
    struct fold fold;
    struct relay_text text;
    char *segments = repeated("\"k\",0,", levels / 2);
    size_t length = strlen(segments) + 128;
    char *ops = malloc(length);
    cr_assert_not_null(ops);
    start(&fold, NULL);
    int size = snprintf(ops, length, "[{\"kind\":\"set\",\"path\":[%s\"end\"],\"next\":1}]", segments);
    apply(&fold, ops, (size_t)size);
    size = snprintf(ops, length, "[{\"kind\":\"delete\",\"path\":[%s\"end\"]}]", segments);
    apply(&fold, ops, (size_t)size);
    cr_assert(relay_fold_text(&fold, &text));
    cr_expect_eq(text.length, levels / 2 * strlen("{\"k\":[]}") + 2);
    relay_fold_free(&fold);
    free(ops);
    free(segments);
}

/* Past a handful of keys an object is indexed: adding, replacing and deleting keep the order of first coming. */
Test(fold, wide_objects_keep_their_order) {
    enum { KEYS = 500 };
    struct fold fold;
    struct relay_text text;
    char ops[128], wanted[KEYS * 16] = "{";
    start(&fold, "{}");
    for (int key = 0; key < KEYS; key++) {
        int size = snprintf(ops, sizeof ops, "[{\"kind\":\"set\",\"path\":[\"k%d\"],\"next\":%d}]", key, key);
        apply(&fold, ops, (size_t)size);
    }
    for (int key = 0; key < KEYS; key += 2) {
        int size = snprintf(ops, sizeof ops, "[{\"kind\":\"delete\",\"path\":[\"k%d\"]}]", key);
        apply(&fold, ops, (size_t)size);
    }
    does(
        &fold,
        "[{\"kind\":\"set\",\"path\":[\"k3\"],\"next\":true},{\"kind\":\"set\",\"path\":[\"k0\"],\"next\":\"again\"}]");
    does(&fold, "[{\"kind\":\"delete\",\"path\":[\"k5\"]},{\"kind\":\"set\",\"path\":[\"k5\"],\"next\":\"at once\"}]");
    for (int key = 1; key < KEYS; key += key == 3 ? 4 : 2)
        sprintf(wanted + strlen(wanted), key == 3 ? "\"k%d\":true," : "\"k%d\":%d,", key, key);
    strcat(wanted, "\"k0\":\"again\",\"k5\":\"at once\"}");
    cr_assert(relay_fold_text(&fold, &text));
    cr_expect(text.length == strlen(wanted) && memcmp(text.bytes, wanted, text.length) == 0);
    relay_fold_free(&fold);
}

Test(fold, text_is_built_once_and_kept_until_the_next_write) {
    struct fold fold;
    struct relay_text first, second;
    start(&fold, "{\"a\":1}");
    cr_assert(relay_fold_text(&fold, &first) && relay_fold_text(&fold, &second));
    cr_expect_eq(first.bytes, second.bytes);
    does(&fold, "[{\"kind\":\"set\",\"path\":[\"a\"],\"next\":2}]");
    cr_assert(relay_fold_text(&fold, &second));
    cr_expect(second.length == 7 && memcmp(second.bytes, "{\"a\":2}", 7) == 0);
    relay_fold_free(&fold);
}
