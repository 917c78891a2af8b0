/* Putting one step to one side, and what comes of it. */
#include "harness/compare/side.h"

#include "harness/compare/spelling.h"

struct text play_printed(struct arena *arena, const struct json_value *value) {
    struct buffer text = {0};
    json_print(&text, value);
    struct text kept = {arena_copy(arena, text.bytes, text.length), text.length};
    buffer_free(&text);
    return kept;
}

static struct heard *hear(struct play *play, int side, enum heard_kind kind, struct text stream) {
    struct heard *heard = arena_alloc(play->arena, sizeof *heard);
    *heard = (struct heard){.kind = kind, .stream = stream};
    *play->end[side] = heard;
    play->end[side] = &heard->next;
    return heard;
}

/* ---- putting one step to one side ---------------------------------------------------------------- */

static enum target_outcome put_connect(struct play *play, int side, const struct json_value *step, int number, struct error *error) {
    const struct json_value *who = json_get(step, "principal"), *kind = json_get(who, "kind"), *claims = json_get(who, "claims");
    struct target_principal principal = {.writer = json_get(who, "writer")->text};
    if (kind != NULL)
        principal.kind = kind->text;
    if (claims != NULL)
        principal.claims = play_printed(play->arena, claims);
    struct target *target = play->settings->sides[side];
    return target->table->connect(target, number, &principal, error);
}

static enum target_outcome put_restart(struct play *play, int side, struct error *error) {
    struct target *target = play->settings->sides[side];
    enum target_outcome outcome = target->table->open(target, play->settings->profile, play->options, play->settings->limit_ms, error);
    if (outcome != TARGET_OK || play->clock == TARGET_CLOCK_START)
        return outcome;
    return target->table->clock(target, play->clock, error);
}

static enum target_outcome put_hydrate(struct play *play, int side, const struct json_value *step, struct error *error) {
    struct target *target = play->settings->sides[side];
    bool hydrated = false;
    enum target_outcome outcome = target->table->hydrate(target, json_get(step, "room")->text,
                                                         play_printed(play->arena, json_get(step, "snapshot")), &hydrated, error);
    hear(play, side, HEARD_ANSWER, TEXT("answer"))->value = json_boolean(play->arena, hydrated);
    return outcome;
}

/* An untouched room and none at all are the same to a client. */
static bool is_untouched(const struct json_value *info) {
    static const char *const counts[] = {"seq", "members", "journal"};
    for (size_t i = 0; i < 3; i++) {
        const struct json_value *count = json_get(info, counts[i]);
        if (count == NULL || count->type != JSON_NUMBER || count->number != 0)
            return false;
    }
    return true;
}

static enum target_outcome hear_answer(struct play *play, int side, struct buffer *text, enum target_outcome outcome, struct error *error) {
    if (outcome == TARGET_OK) {
        struct text kept = {arena_copy(play->arena, text->bytes, text->length), text->length};
        struct json_value *value = json_parse(play->arena, kept, error);
        outcome = value != NULL ? TARGET_OK : TARGET_BROKEN;
        value = value != NULL && is_untouched(value) ? json_null(play->arena) : value;
        names_share(&play->names[side], value);
        hear(play, side, HEARD_ANSWER, TEXT("answer"))->value = value;
    }
    buffer_free(text);
    return outcome;
}

static enum target_outcome put_room(struct play *play, int side, const struct json_value *step, struct error *error) {
    struct target *target = play->settings->sides[side];
    struct buffer info = {0};
    return hear_answer(play, side, &info, target->table->room(target, json_get(step, "room")->text, &info, error), error);
}

/* Puts a further command; `answer` may be NULL: what it says is not for comparison. */
static enum target_outcome put_further(struct play *play, int side, const struct json_value *step, struct buffer *answer, struct error *error) {
    struct target *target = play->settings->sides[side];
    const struct text verb = json_get(step, "do")->text;
    struct json_value *fields = json_copy(play->arena, step);
    json_remove(fields, TEXT("do"));
    struct buffer ignored = {0};
    enum target_outcome outcome = target->table->command(target, arena_copy(play->arena, verb.bytes, verb.length),
                                                         play_printed(play->arena, fields), answer != NULL ? answer : &ignored, error);
    buffer_free(&ignored);
    return outcome;
}

/* A room that nothing has happened in may be there or not, so what unloading it answers says nothing: the answer is then that of `room`. */
static enum target_outcome put_unload(struct play *play, int side, const struct json_value *step, struct error *error) {
    struct target *target = play->settings->sides[side];
    struct heard **before = play->end[side];
    if (target->table->can(target, "room")) {
        enum target_outcome outcome = put_room(play, side, step, error);
        if (outcome != TARGET_OK || (*before)->value->type == JSON_NULL)
            return outcome == TARGET_OK ? put_further(play, side, step, NULL, error) : outcome;
        *before = NULL;
        play->end[side] = before;
    }
    struct buffer answer = {0};
    return hear_answer(play, side, &answer, put_further(play, side, step, &answer, error), error);
}

/* A client's message, in the step's spelling. */
static struct text spelled(struct play *play, const struct json_value *step) {
    const struct json_value *spelling = json_get(step, "spelling");
    struct text plain = play_printed(play->arena, json_get(step, "msg"));
    if (spelling == NULL)
        return plain;
    struct buffer text = {0};
    spelling_print(&text, plain, (unsigned)spelling->number);
    struct text kept = {arena_copy(play->arena, text.bytes, text.length), text.length};
    buffer_free(&text);
    return kept;
}

static enum target_outcome put(struct play *play, int side, const struct json_value *step, int number, struct error *error) {
    const struct json_value *verb = json_get(step, "do"), *message = json_get(step, "msg");
    struct target *target = play->settings->sides[side];
    if (json_is_string(verb, "connect"))
        return put_connect(play, side, step, number, error);
    if (json_is_string(verb, "receive"))
        return target->table->send(target, number, message != NULL ? spelled(play, step) : json_get(step, "text")->text,
                                   TARGET_FRAME_TEXT, 1, error);
    if (json_is_string(verb, "disconnect"))
        return target->table->disconnect(target, number, false, error);
    if (json_is_string(verb, "hydrate"))
        return put_hydrate(play, side, step, error);
    if (json_is_string(verb, "room"))
        return put_room(play, side, step, error);
    if (json_is_string(verb, "clock"))
        return target->table->clock(target, play->clock, error);
    if (json_is_string(verb, "restart"))
        return put_restart(play, side, error);
    if (json_is_string(verb, "unload"))
        return put_unload(play, side, step, error);
    return put_further(play, side, step, NULL, error);
}

/* ---- what came ----------------------------------------------------------------------------------- */

static struct text name_of(const struct play *play, int number) {
    const struct linked *connection = play->memory.connections;
    while (connection != NULL && connection->number != number)
        connection = connection->next;
    return connection != NULL ? connection->name : TEXT("unknown");
}

/* Whether both sides can show what this observer sees. */
static bool is_shown(const struct play *play, const char *observer) {
    for (int side = 0; side < SIDES; side++)
        if (!play->settings->sides[side]->table->can(play->settings->sides[side], observer))
            return false;
    return true;
}

static void take_event(struct play *play, int side, const struct target_event *event) {
    static const enum heard_kind kinds[] = {[TARGET_MESSAGE] = HEARD_MESSAGE, [TARGET_CLOSED] = HEARD_CLOSE, [TARGET_OBSERVED] = HEARD_OBSERVED};
    bool observed = event->kind == TARGET_OBSERVED;
    if (observed && !is_shown(play, event->name))
        return;
    struct text stream = observed ? text_of(arena_format(play->arena, "%s", event->name)) : name_of(play, event->connection);
    struct heard *heard = hear(play, side, kinds[event->kind], stream);
    if (event->kind == TARGET_CLOSED)
        return;
    struct error ignored;
    heard->text = (struct text){arena_copy(play->arena, event->text.bytes, event->text.length), event->text.length};
    heard->value = json_parse(play->arena, heard->text, &ignored);
}

static bool collect(struct play *play, int side, struct error *error) {
    struct target *target = play->settings->sides[side];
    struct target_event event;
    while (target->table->next_event(target, 0, &event, error))
        take_event(play, side, &event);
    return error->code == ERROR_NONE;
}

static enum target_outcome disconnect(struct play *play, int side, struct linked *connection, struct error *error) {
    struct target *target = play->settings->sides[side];
    if (!connection->open[side])
        return TARGET_OK;
    connection->open[side] = false;
    return target->table->disconnect(target, connection->number, false, error);
}

/* The oldest connection that this side has closed and whose end has not been reported to it. */
static struct linked *next_closed(const struct play *play, int side) {
    struct linked *oldest = NULL;
    for (const struct heard *heard = play->heard[side]; heard != NULL; heard = heard->next) {
        struct linked *connection = heard->kind == HEARD_CLOSE ? memory_connection(&play->memory, heard->stream) : NULL;
        if (connection != NULL && connection->open[side] && (oldest == NULL || connection->number < oldest->number))
            oldest = connection;
    }
    return oldest;
}

/* What the relay closed, the transport reports as ended, in one order for both; what that causes belongs to the same step. */
static enum target_outcome end_closed(struct play *play, int side, struct error *error) {
    enum target_outcome outcome = TARGET_OK;
    struct linked *connection;
    while (outcome == TARGET_OK && (connection = next_closed(play, side)) != NULL) {
        outcome = disconnect(play, side, connection, error);
        if (outcome == TARGET_OK && !collect(play, side, error))
            outcome = TARGET_BROKEN;
    }
    return outcome;
}

bool play_put(struct play *play, int side, const struct json_value *step, struct linked *connection) {
    struct error *error = &play->result.error;
    struct json_value *minted = json_copy(play->arena, step);
    names_mint(&play->names[side], minted);
    play->heard[side] = NULL;
    play->end[side] = &play->heard[side];
    enum target_outcome outcome = put(play, side, minted, connection != NULL ? connection->number : 0, error);
    if (outcome == TARGET_OK && !collect(play, side, error))
        outcome = TARGET_BROKEN;
    if (outcome == TARGET_OK)
        outcome = end_closed(play, side, error);
    /* Junk may cost the connection or not; then it ends, in one way or the other. */
    if (outcome == TARGET_OK && json_get(step, "text") != NULL)
        outcome = disconnect(play, side, connection, error);
    if (outcome == TARGET_OK && !collect(play, side, error))
        outcome = TARGET_BROKEN;
    play->heard[side] = stream_settle(stream_sort(play->heard[side]));
    for (struct heard *heard = play->heard[side]; heard != NULL; heard = heard->next)
        if (heard->kind != HEARD_ANSWER)
            names_share(&play->names[side], heard->value);
    play->result.side = side;
    return outcome == TARGET_OK;
}
