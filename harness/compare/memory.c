#include "harness/compare/memory.h"

struct linked *memory_connection(const struct memory *memory, struct text name) {
    struct linked *connection = memory->connections;
    while (connection != NULL && !text_equal(connection->name, name))
        connection = connection->next;
    return connection;
}

struct room_memory *memory_of_room(struct memory *memory, struct text name) {
    for (struct room_memory *room = memory->rooms; room != NULL; room = room->next)
        if (text_equal(room->name, name))
            return room;
    struct room_memory *room = arena_alloc(memory->arena, sizeof *room);
    *room = (struct room_memory){.name = name, .committed = json_array(memory->arena), .next = memory->rooms};
    memory->rooms = room;
    return room;
}

/* ---- filling in ---------------------------------------------------------------------------------- */

/* "@now:ROOM" and "@before:ROOM". */
static void fill_name(void *context, struct json_value *name) {
    struct memory *memory = context;
    bool is_now = text_starts_with(name->text, TEXT("@now:"));
    if (!is_now && !text_starts_with(name->text, TEXT("@before:")))
        return;
    size_t start = is_now ? sizeof "@now:" - 1 : sizeof "@before:" - 1;
    const struct room_memory *room = memory_of_room(memory, (struct text){name->text.bytes + start, name->text.length - start});
    struct text known = is_now ? room->now : room->before;
    name->text = known.bytes != NULL ? known : TEXT("none");
}

/* The last state that commits showed of a room, and the newest envelopes. NULL: there was no commit. */
static struct json_value *snapshot_of(struct memory *memory, const struct json_value *step) {
    const struct room_memory *room = memory_of_room(memory, json_get(step, "of")->text);
    if (room->state == NULL)
        return NULL;
    struct json_value *snapshot = json_copy(memory->arena, room->state), *journal = json_array(memory->arena);
    snapshot->next = NULL;
    json_remove(snapshot, json_get(step, "without")->text);
    size_t skipped = room->committed->count, tail = (size_t)json_get(step, "tail")->number;
    skipped = skipped > tail ? skipped - tail : 0;
    for (const struct json_value *one = room->committed->first; one != NULL; one = one->next)
        if (skipped > 0)
            skipped--;
        else
            json_append(journal, json_copy(memory->arena, one));
    if (tail > 0)
        json_set(snapshot, TEXT("journal"), journal);
    return snapshot;
}

static struct json_value *fill_hydrate(struct memory *memory, struct json_value *step) {
    if (json_get(step, "of") == NULL)
        return step;
    struct json_value *snapshot = snapshot_of(memory, step);
    if (snapshot == NULL)
        return NULL;
    json_set(step, TEXT("snapshot"), snapshot);
    json_remove(step, TEXT("of"));
    json_remove(step, TEXT("tail"));
    json_remove(step, TEXT("without"));
    return step;
}

/* Picks one of the held commits: from the oldest on, the last one at most. */
static struct json_value *fill_decision(struct memory *memory, struct json_value *step) {
    const struct held_commit *held = memory->held;
    for (double pick = json_get(step, "pick")->number; held != NULL && held->next != NULL && pick > 0; pick--)
        held = held->next;
    if (held == NULL)
        return NULL;
    json_remove(step, TEXT("pick"));
    json_set(step, TEXT("room"), json_string(memory->arena, held->room));
    json_set(step, TEXT("seq"), json_copy(memory->arena, held->seq));
    return step;
}

struct json_value *memory_fill(struct memory *memory, const struct json_value *step) {
    const struct json_value *conn = json_get(step, "conn"), *verb = json_get(step, "do");
    const struct linked *connection = conn != NULL ? memory_connection(memory, conn->text) : NULL;
    bool connects = json_is_string(verb, "connect");
    if (conn != NULL && (connects ? connection != NULL : connection == NULL || !connection->open[0] || !connection->open[1]))
        return NULL;
    struct json_value *filled = json_copy(memory->arena, step);
    filled->next = NULL;
    if (json_is_string(verb, "hydrate"))
        filled = fill_hydrate(memory, filled);
    else if (json_is_string(verb, "release") || json_is_string(verb, "fail"))
        filled = fill_decision(memory, filled);
    if (filled != NULL)
        names_visit(filled, fill_name, memory);
    return filled;
}

/* ---- learning ------------------------------------------------------------------------------------ */

static void learn_name(struct memory *memory, const struct json_value *room_name, const struct json_value *holder) {
    const struct json_value *name = json_get(holder, "epoch");
    name = name != NULL ? name : json_get(holder, "instance");
    if (room_name == NULL || room_name->type != JSON_STRING || name == NULL || name->type != JSON_STRING)
        return;
    struct room_memory *room = memory_of_room(memory, room_name->text);
    if (room->now.bytes != NULL && text_equal(room->now, name->text))
        return;
    room->before = room->now;
    room->now = name->text;
}

static void learn_commit(struct memory *memory, const struct json_value *commit) {
    const struct json_value *room_name = json_get(commit, "room"), *env = json_get(commit, "env"), *state = json_get(commit, "state");
    if (room_name == NULL || room_name->type != JSON_STRING || env == NULL || state == NULL || state->type != JSON_OBJECT)
        return;
    struct room_memory *room = memory_of_room(memory, room_name->text);
    struct json_value *kept = json_copy(memory->arena, env);
    kept->key = (struct text){0};
    kept->next = NULL;
    json_append(room->committed, kept);
    room->state = state;
    if (!memory->holds || json_get(env, "seq") == NULL)
        return;
    struct held_commit *held = arena_alloc(memory->arena, sizeof *held), **end = &memory->held;
    *held = (struct held_commit){.room = room->name, .seq = json_get(env, "seq")};
    while (*end != NULL)
        end = &(*end)->next;
    *end = held;
}

static void forget_held(struct memory *memory, const struct json_value *step) {
    struct held_commit **at = &memory->held;
    while (*at != NULL && !(text_equal((*at)->room, json_get(step, "room")->text) && json_equal((*at)->seq, json_get(step, "seq"))))
        at = &(*at)->next;
    if (*at != NULL)
        *at = (*at)->next;
}

static void learn_hello(struct memory *memory, const struct json_value *step) {
    const struct json_value *message = json_get(step, "msg"), *seq = json_get(message, "seq"), *room = json_get(message, "room");
    if (!json_is_string(json_get(message, "t"), "hello"))
        return;
    struct linked *connection = memory_connection(memory, json_get(step, "conn")->text);
    struct hello *hello = arena_alloc(memory->arena, sizeof *hello);
    *hello = (struct hello){.room = room->text, .seq = seq != NULL ? seq->number : 0, .next = connection->hellos};
    connection->hellos = hello;
}

static void learn_step(struct memory *memory, const struct json_value *step) {
    const struct json_value *verb = json_get(step, "do");
    if (json_is_string(verb, "restart")) {
        memory->held = NULL;
        memory->holds = false;
    } else if (json_is_string(verb, "hold")) {
        memory->holds = true;
    } else if (json_is_string(verb, "unhold")) {
        memory->holds = false;
    } else if (json_is_string(verb, "release") || json_is_string(verb, "fail")) {
        forget_held(memory, step);
    }
}

void memory_learn(struct memory *memory, const struct json_value *step, const struct heard *heard) {
    learn_step(memory, step);
    for (; heard != NULL; heard = heard->next) {
        if (heard->kind == HEARD_MESSAGE && json_is_string(json_get(heard->value, "t"), "welcome"))
            learn_name(memory, json_get(heard->value, "room"), heard->value);
        if (heard->kind == HEARD_OBSERVED && text_equal(heard->stream, TEXT("commit"))) {
            learn_name(memory, json_get(heard->value, "room"), json_get(heard->value, "state"));
            learn_commit(memory, heard->value);
        }
    }
    if (json_is_string(json_get(step, "do"), "receive") && json_get(step, "msg") != NULL)
        learn_hello(memory, step);
}

/* ---- a watermark ahead of the room ---------------------------------------------------------------- */

static const struct hello *hello_of(const struct memory *memory, const struct heard *heard) {
    const struct json_value *room = json_get(heard->value, "room");
    const struct linked *connection = memory_connection(memory, heard->stream);
    const struct hello *hello = connection != NULL && room != NULL && room->type == JSON_STRING ? connection->hellos : NULL;
    while (hello != NULL && !text_equal(hello->room, room->text))
        hello = hello->next;
    return hello;
}

static void settle_ahead(const struct memory *memory, struct json_value *welcome) {
    static const char *const told[] = {"envs", "root", "registers", "wm"};
    const struct json_value *envs = json_get(welcome, "envs");
    bool is_delta = json_is_string(json_get(welcome, "mode"), "delta") && envs != NULL && envs->count == 0;
    if (!is_delta && !json_is_string(json_get(welcome, "mode"), "snapshot"))
        return;
    json_set(welcome, TEXT("mode"), json_string(memory->arena, TEXT(MODE_AHEAD)));
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        json_remove(welcome, text_of(told[i]));
}

void memory_settle_ahead(const struct memory *memory, const struct heard *heard) {
    for (; heard != NULL; heard = heard->next) {
        const struct json_value *seq = json_get(heard->value, "seq");
        if (heard->kind != HEARD_MESSAGE || !json_is_string(json_get(heard->value, "t"), "welcome") || seq == NULL || seq->number < 1)
            continue;
        const struct hello *hello = hello_of(memory, heard);
        if (hello != NULL && hello->seq > seq->number)
            settle_ahead(memory, heard->value);
    }
}
