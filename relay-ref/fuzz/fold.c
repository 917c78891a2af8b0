/* The relay's fold against the harness' fold, which was written apart from it (fold.*). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/fuzz/support/oracle.h"
#include "relay-ref/core/fold.h"

#define MOST_OPS 40
#define MOST_ENVELOPES 3

static const struct table_seed seed = {1, 2};

struct written {
    char *text;
    size_t length;
};

static FILE *start(struct written *written) {
    FILE *out = open_memstream(&written->text, &written->length);
    if (out == NULL)
        found("no memory for an input");
    return out;
}

/* Applies ops by way of the message reader, as a room does. */
static void apply(struct fold *fold, const struct written *ops) {
    static const char head[] = "{\"t\":\"env\",\"env\":{\"ops\":";
    struct written frame;
    struct message message;
    struct message_ops read = {0};
    FILE *out = start(&frame);
    fprintf(out, "%s%.*s}}", head, (int)ops->length, ops->text);
    fclose(out);
    if (relay_message_read(&message, &read, MOST_OPS, frame.text, frame.length) != JSON_FINE ||
        !message.envelope.has_ops || message.envelope.bad_op)
        found("good ops were not read: %s", frame.text);
    if (!relay_fold_apply(fold, read.items, read.count))
        found("memory was out");
    if (fold->bytes != relay_node_weigh(fold->root))
        found("the fold believes in %zu bytes, not %zu", fold->bytes, relay_node_weigh(fold->root));
    free(read.items);
    free(frame.text);
}

/* One envelope on top of `base`, which becomes what the relay's fold makes of it. */
static void check_envelope(struct fold *fold, struct bytes *bytes, struct written *base) {
    struct written ops;
    struct relay_text root;
    FILE *out = start(&ops);
    bytes_ops(bytes, MOST_OPS, out);
    fclose(out);
    apply(fold, &ops);
    if (!relay_fold_text(fold, &root))
        found("memory was out");
    if (!oracle_folds(base->text, base->length, ops.text, ops.length, root.bytes, root.length))
        found("on %.*s the ops\n%s\ngave %.*s", (int)base->length, base->text == NULL ? "" : base->text, ops.text,
              (int)root.length, root.bytes == NULL ? "" : root.bytes);
    free(ops.text);
    free(base->text);
    *base = (struct written){NULL, root.length};
    if (root.bytes != NULL) {
        base->text = malloc(root.length + 1);
        memcpy(base->text, root.bytes, root.length);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, size};
    struct written base = {NULL, 0};
    struct fold fold;
    struct json_value value;
    relay_fold_start(&fold, &seed, 1000000);
    if (bytes_choose(&bytes, 2) == 1) {
        FILE *out = start(&base);
        bytes_json(&bytes, out);
        fclose(out);
        if (relay_json_check(base.text, base.length, &value) != JSON_FINE || !relay_fold_replace(&fold, value))
            found("the root was not taken: %s", base.text);
    }
    for (unsigned i = 0; i < MOST_ENVELOPES && bytes.left > 0; i++)
        check_envelope(&fold, &bytes, &base);
    free(base.text);
    relay_fold_free(&fold);
    return 0;
}
