#include "harness/fuzz/support/commits.h"

#include "harness/fuzz/support/bytes.h"

struct committed_room {
    struct text name;
    double seq;
    struct fold fold;
    struct committed_room *next;
};

static struct committed_room *room_of(struct commits *commits, struct text name) {
    for (struct committed_room *room = commits->first; room != NULL; room = room->next)
        if (text_equal(room->name, name))
            return room;
    struct committed_room *room = arena_alloc(commits->arena, sizeof *room);
    *room = (struct committed_room){.name = {arena_copy(commits->arena, name.bytes, name.length), name.length},
                                    .fold.arena = commits->arena,
                                    .next = commits->first};
    commits->first = room;
    return room;
}

static double number_of(const struct json_value *object, const char *key) {
    const struct json_value *number = json_get(object, key);
    if (number == NULL || number->type != JSON_NUMBER)
        found("a commit without the number %s", key);
    return number->number;
}

static void check_root(const struct fold *fold, const struct json_value *root) {
    bool same = fold->root == NULL || root == NULL ? fold->root == root : json_equal(fold->root, root);
    struct buffer text = {0};
    if (fold->is_free || same)
        return;
    if (fold->root != NULL)
        json_print(&text, fold->root);
    buffer_string(&text, " and not ");
    if (root != NULL)
        json_print(&text, root);
    found("commit.fold: the committed envelopes make %s", text.bytes);
}

void commits_take(struct commits *commits, const struct json_value *commit) {
    const struct json_value *name = json_get(commit, "room"), *envelope = json_get(commit, "env"),
                            *state = json_get(commit, "state");
    if (name == NULL || name->type != JSON_STRING || envelope == NULL || state == NULL)
        found("a commit without room, env or state");
    struct committed_room *room = room_of(commits, name->text);
    room->seq++;
    if (number_of(envelope, "seq") != room->seq || number_of(state, "seq") != room->seq)
        found("commit.each: the next commit has seq %.0f, not %.0f", number_of(envelope, "seq"), room->seq);
    fold_envelope(&room->fold, envelope);
    check_root(&room->fold, json_get(state, "root"));
}

void commits_hydrated(struct commits *commits, struct text name, const struct json_value *snapshot) {
    struct committed_room *room = room_of(commits, name);
    const struct json_value *root = json_get(snapshot, "root");
    room->seq = number_of(snapshot, "seq");
    room->fold = (struct fold){.arena = commits->arena, .root = root == NULL ? NULL : json_copy(commits->arena, root)};
}

void commits_restarted(struct commits *commits) {
    commits->first = NULL;
}
