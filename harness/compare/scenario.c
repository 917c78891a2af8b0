/* A difference as a scenario file: what was sent, and what A said to it. */
#include "harness/compare/scenario_writer.h"
#include "harness/compare/spelling.h"

static void begin(struct writer *writer, struct text actor) {
    buffer_string(writer->out, "  - ");
    buffer_text(writer->out, actor);
    buffer_string(writer->out, ": ");
}

/* `  - ACTOR: {VERB: VALUE}`, and `, in: ROOM` where there is one. */
static void step_with(struct writer *writer, struct text actor, const char *verb, const struct json_value *value, const struct json_value *room) {
    begin(writer, actor);
    buffer_format(writer->out, "{%s: ", verb);
    writer_print(writer, value);
    if (room != NULL) {
        buffer_string(writer->out, ", in: ");
        writer_print(writer, room);
    }
    buffer_string(writer->out, "}\n");
}

/* ---- steps --------------------------------------------------------------------------------------- */

static const struct json_value *answer_of(const struct played *played) {
    const struct heard *heard = played->heard[SIDE_A];
    while (heard != NULL && heard->kind != HEARD_ANSWER)
        heard = heard->next;
    return heard != NULL ? heard->value : NULL;
}

/* The values are written first to last, the modifier behind them. */
static void write_hydrate(struct writer *writer, const struct json_value *step, const struct json_value *answer) {
    begin(writer, TEXT("relay"));
    buffer_string(writer->out, "{hydrate: ");
    writer_print(writer, json_get(step, "snapshot"));
    buffer_string(writer->out, ", in: ");
    writer_print(writer, json_get(step, "room"));
    buffer_format(writer->out, ", answers: %s}\n", answer != NULL && answer->boolean ? "true" : "false");
}

/* What unloading an untouched room answers is open, and nothing follows from it. */
static void write_unload(struct writer *writer, const struct json_value *step, const struct json_value *answer) {
    if (answer == NULL || answer->type != JSON_BOOLEAN)
        return;
    begin(writer, TEXT("relay"));
    buffer_format(writer->out, "{unload: {discard: %s}, in: ", json_get(step, "discard")->boolean ? "true" : "false");
    writer_print(writer, json_get(step, "room"));
    buffer_format(writer->out, ", answers: %s}\n", answer->boolean ? "true" : "false");
}

static void write_room(struct writer *writer, const struct json_value *step, const struct json_value *answer) {
    struct json_value *absent = json_object(writer->arena);
    json_set(absent, TEXT("$absent"), json_boolean(writer->arena, true));
    bool none = answer == NULL || answer->type == JSON_NULL;
    /* A room that nothing happened in and none at all are the same. */
    if (!none)
        step_with(writer, TEXT("relay"), "room", writer_pattern(writer, answer), json_get(step, "room"));
    else if (answer_of(&writer->result->play.played[writer->result->play.count - 1]) == answer)
        step_with(writer, TEXT("relay"), "room", absent, json_get(step, "room"));
}

static void write_junk(struct writer *writer, const struct json_value *step) {
    const struct text conn = json_get(step, "conn")->text;
    step_with(writer, conn, "sends-text", json_get(step, "text"), NULL);
    buffer_format(writer->out, "  - either: [[{%.*s: closed}], [{%.*s: quiet}]]\n", (int)conn.length, conn.bytes, (int)conn.length, conn.bytes);
    begin(writer, conn);
    buffer_string(writer->out, "leaves\n");
}

/* The text itself: only it will do. */
static void write_spelled(struct writer *writer, const struct json_value *step) {
    struct buffer plain = {0}, text = {0};
    json_print(&plain, json_get(step, "msg"));
    spelling_print(&text, (struct text){plain.bytes, plain.length}, (unsigned)json_get(step, "spelling")->number);
    if (json_get(json_get(json_get(step, "msg"), "env"), "instance") != NULL)
        error_set(writer->error, ERROR_USAGE, "no scenario is written: a message whose spelling matters holds an instance");
    step_with(writer, json_get(step, "conn")->text, "sends-text", json_string(writer->arena, (struct text){text.bytes, text.length}), NULL);
    buffer_free(&text);
    buffer_free(&plain);
}

static void write_of_connection(struct writer *writer, const struct json_value *step) {
    const struct json_value *verb = json_get(step, "do"), *message = json_get(step, "msg");
    const struct text conn = json_get(step, "conn")->text;
    if (json_get(step, "spelling") != NULL) {
        write_spelled(writer, step);
    } else if (message != NULL) {
        step_with(writer, conn, "sends", message, NULL);
    } else if (json_get(step, "text") != NULL) {
        write_junk(writer, step);
    } else {
        begin(writer, conn);
        buffer_string(writer->out, json_is_string(verb, "connect") ? "connects\n" : "leaves\n");
    }
}

static void write_step(struct writer *writer, const struct played *played) {
    struct json_value *step = json_copy(writer->arena, played->step);
    writer_template(writer, step);
    const struct json_value *verb = json_get(step, "do"), *answer = answer_of(played);
    if (json_get(step, "conn") != NULL)
        write_of_connection(writer, step);
    else if (json_is_string(verb, "hydrate"))
        write_hydrate(writer, step, answer);
    else if (json_is_string(verb, "room"))
        write_room(writer, step, answer);
    else if (json_is_string(verb, "clock"))
        buffer_format(writer->out, "  - clock: {advance: %.0fms}\n", json_get(step, "ms")->number);
    else if (json_is_string(verb, "restart"))
        buffer_string(writer->out, "  - relay: restart\n");
    else if (json_is_string(verb, "hold") || json_is_string(verb, "unhold"))
        buffer_format(writer->out, "  - relay: %s-commits\n", json_is_string(verb, "hold") ? "holds" : "decides");
    else if (json_is_string(verb, "unload"))
        write_unload(writer, step, answer);
    else
        step_with(writer, TEXT("relay"), json_is_string(verb, "release") ? "release" : "fail", json_get(step, "seq"), json_get(step, "room"));
}

/* The end of an ejected connection, with or without the departures that it may see on its way out. */
static void write_close(struct writer *writer, const struct heard *close) {
    const struct text conn = close->stream;
    if (close->spared == NULL) {
        begin(writer, conn);
        buffer_string(writer->out, "closed\n");
        return;
    }
    buffer_format(writer->out, "  - either: [[{%.*s: closed}], [", (int)conn.length, conn.bytes);
    for (const struct heard *one = close->spared; one != NULL; one = one->next) {
        buffer_format(writer->out, "{%.*s: {gets: ", (int)conn.length, conn.bytes);
        writer_print(writer, writer_pattern(writer, one->value));
        buffer_string(writer->out, "}}, ");
    }
    buffer_format(writer->out, "{%.*s: closed}]]\n", (int)conn.length, conn.bytes);
}

static const struct {
    const char *observer, *verb;
} observers[] = {{"commit", "committed"}, {"violation", "violated"}, {"drop", "dropped"}, {"reject", "rejected"}, {"join", "joined"}, {"stalled", "stalled"}};

static const char *verb_of(struct text observer) {
    for (size_t i = 0; i < sizeof observers / sizeof *observers; i++)
        if (text_equal(observer, text_of(observers[i].observer)))
            return observers[i].verb;
    return NULL;
}

static void write_heard(struct writer *writer, const struct heard *heard) {
    bool observed = heard->kind == HEARD_OBSERVED && text_equal(heard->stream, writer->observer);
    if (heard->kind == HEARD_CLOSE)
        write_close(writer, heard);
    else if (heard->kind == HEARD_MESSAGE && heard->value != NULL)
        step_with(writer, heard->stream, "gets", writer_pattern(writer, heard->value), NULL);
    else if (observed && heard->value != NULL)
        step_with(writer, TEXT("relay"), verb_of(heard->stream), writer_observation(writer, heard->value), NULL);
}

static void write_steps(struct writer *writer) {
    const struct play_result *play = &writer->result->play;
    for (size_t i = 0; i < play->count; i++) {
        if (play->played[i].step == NULL)
            continue;
        write_step(writer, &play->played[i]);
        for (const struct heard *heard = play->played[i].heard[SIDE_A]; heard != NULL; heard = heard->next)
            write_heard(writer, heard);
    }
    if (play->difference.a == NULL && writer->observer.length > 0)
        buffer_format(writer->out, "  - relay: {%s: {$absent: true}}\n", verb_of(writer->observer));
}

/* ---- the head ------------------------------------------------------------------------------------ */

/* The rule that a difference of some kind is most likely about. */
static const struct {
    const char *kind, *clause, *clause_of_gone;
} judged[] = {{"welcome", "join.welcome-fields", NULL},   {"env", "seq.echo-all", NULL},
              {"presence", "presence.fan-out", "presence.gone"}, {"reject", "join.reject-order", NULL},
              {"eject", "eject.broadcast", NULL},         {"member", "join.member-broadcast", "leave.member-gone"},
              {"signal", "signal.addressed", NULL},       {"drop", "admit.precedence", NULL},
              {"settled", "settle.notice", NULL},         {"commit", "commit.each", NULL},
              {"violation", "eject.observed", NULL},      {"join", "join.member-broadcast", NULL},
              {"stalled", "durable.stall", NULL}};

static struct text kind_of(const struct stream_difference *difference) {
    const struct heard *heard = difference->a != NULL ? difference->a : difference->b;
    const struct json_value *type = json_get(heard->value, "t");
    return heard->kind == HEARD_MESSAGE && type != NULL && type->type == JSON_STRING ? type->text : heard->kind == HEARD_OBSERVED ? heard->stream : TEXT("");
}

static const char *clause_of(const struct play_result *play) {
    const struct heard *heard = play->difference.a != NULL ? play->difference.a : play->difference.b;
    const struct json_value *last = play->played[play->count - 1].step;
    if (heard == NULL)
        return "frame.garbage-isolated";
    struct text kind = kind_of(&play->difference);
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++)
        if (text_equal(kind, text_of(judged[i].kind)))
            return judged[i].clause_of_gone != NULL && json_get(heard->value, "gone") != NULL ? judged[i].clause_of_gone : judged[i].clause;
    if (json_is_string(json_get(last, "do"), "hydrate"))
        return "hydrate.fresh";
    if (heard->kind == HEARD_CLOSE)
        return json_is_string(json_get(json_get(last, "msg"), "t"), "hello") ? "join.takeover" : "eject.closes-connection";
    if (json_is_string(json_get(last, "do"), "unload"))
        return "room.unload";
    return heard->kind == HEARD_ANSWER ? "journal.limit" : "frame.text-json";
}

static void write_clients(struct writer *writer) {
    size_t clients = 0;
    buffer_string(writer->out, "clients:\n");
    for (size_t i = 0; i < writer->result->play.count; i++) {
        const struct json_value *step = writer->result->play.played[i].step;
        if (!json_is_string(json_get(step, "do"), "connect"))
            continue;
        buffer_string(writer->out, "  ");
        buffer_text(writer->out, json_get(step, "conn")->text);
        buffer_string(writer->out, ": ");
        writer_print(writer, json_get(step, "principal"));
        buffer_string(writer->out, "\n");
        clients++;
    }
    if (clients == 0)
        buffer_string(writer->out, "  nobody: {}\n");
}

static void write_head(struct writer *writer, const struct compare_settings *settings) {
    const struct compare_result *result = writer->result;
    buffer_format(writer->out, "# Written by `meshspec compare`. A, which it takes for right: %s. B: %s.\n", settings->play.sides[SIDE_A]->name,
                  settings->play.sides[SIDE_B]->name);
    buffer_format(writer->out, "title: %s, seed %llu, step %zu of %zu\n", result->outcome == COMPARE_DIFFERENT ? "Where two relays differ" : "What breaks a relay",
                  (unsigned long long)result->seed, result->at, result->of);
    buffer_format(writer->out, "clauses: [%s]\nprofiles: [\"%s\"]\n", clause_of(&result->play), settings->play.profile);
    if (result->options->count > 0) {
        buffer_string(writer->out, "relay: ");
        writer_print(writer, result->options);
        buffer_string(writer->out, "\n");
    }
    write_clients(writer);
    buffer_string(writer->out, "steps:\n");
}

bool compare_scenario(struct buffer *out, const struct compare_result *result, const struct compare_settings *settings, struct error *error) {
    const struct stream_difference *difference = &result->play.difference;
    const struct heard *heard = difference->a != NULL ? difference->a : difference->b;
    struct writer writer = {.arena = arena_new(), .out = out, .result = result, .error = error};
    if (heard != NULL && heard->kind == HEARD_OBSERVED && verb_of(heard->stream) != NULL)
        writer.observer = heard->stream;
    write_head(&writer, settings);
    write_steps(&writer);
    arena_free(writer.arena);
    return error->code == ERROR_NONE;
}
