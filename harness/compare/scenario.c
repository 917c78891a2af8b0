/* A difference as a scenario file: what was sent, and what A said to it. */
#include "harness/compare/compare.h"
#include "harness/compare/memory.h"

#include <string.h>

enum { BOUND_CEILING = 64 }; /* names in one scenario; a small one has two or three */

struct writer {
    struct arena *arena;
    struct buffer *out;
    const struct compare_result *result;
    struct error *error;
    struct text bound[BOUND_CEILING]; /* the shared names that an expectation has bound */
    size_t bound_count;
    bool commits, violations; /* the difference is in what these observers saw, so all of it is expected */
};

/* ---- JSON as YAML's flow style ------------------------------------------------------------------- */

/* A blank behind each comma and colon outside of strings makes it one. */
static void print_yaml(struct writer *writer, const struct json_value *value) {
    struct buffer text = {0};
    json_print(&text, value);
    bool quoted = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        buffer_append(writer->out, &c, 1);
        if (quoted && c == '\\') {
            if (i + 2 < text.length && text.bytes[i + 1] == 'u' && text.bytes[i + 2] == 'd')
                error_set(writer->error, ERROR_USAGE, "no scenario is written: a lone surrogate has no place in one");
            buffer_append(writer->out, &text.bytes[++i], 1);
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && (c == ',' || c == ':')) {
            buffer_string(writer->out, " ");
        }
    }
    buffer_free(&text);
}

static void begin(struct writer *writer, struct text actor) {
    buffer_string(writer->out, "  - ");
    buffer_text(writer->out, actor);
    buffer_string(writer->out, ": ");
}

/* `  - ACTOR: {VERB: VALUE}`, and `, in: ROOM` where there is one. */
static void step_with(struct writer *writer, struct text actor, const char *verb, const struct json_value *value, const struct json_value *room) {
    begin(writer, actor);
    buffer_format(writer->out, "{%s: ", verb);
    print_yaml(writer, value);
    if (room != NULL) {
        buffer_string(writer->out, ", in: ");
        print_yaml(writer, room);
    }
    buffer_string(writer->out, "}\n");
}

/* ---- templates and patterns ---------------------------------------------------------------------- */

static struct json_value *operator_of(struct arena *arena, const char *key, struct json_value *value) {
    struct json_value *operator= json_object(arena);
    json_set(operator, text_of(key), value);
    return operator;
}

/* {OPERATOR: iN} for the shared name `$N`. */
static struct json_value *named(struct writer *writer, const char *key, struct text shared) {
    const char *name = arena_format(writer->arena, "i%.*s", (int)shared.length - 1, shared.bytes + 1);
    return operator_of(writer->arena, key, json_string(writer->arena, text_of(name)));
}

static bool is_shared(const struct json_value *name) {
    return name->text.length > 1 && name->text.bytes[0] == '$';
}

static bool is_bound(const struct writer *writer, struct text shared) {
    for (size_t i = 0; i < writer->bound_count; i++)
        if (text_equal(writer->bound[i], shared))
            return true;
    return false;
}

/* The value becomes what `other` is; its place in its parent stays. */
static void become(struct json_value *value, const struct json_value *other) {
    value->type = other->type;
    value->first = other->first;
    value->last = other->last;
    value->count = other->count;
}

/* A new epoch or instance is none of those before (epoch.unique). */
static struct json_value *bind_new(struct writer *writer, struct text shared) {
    struct json_value *patterns = json_array(writer->arena);
    for (size_t i = 0; i < writer->bound_count; i++)
        json_append(patterns, operator_of(writer->arena, "$not", named(writer, "$is", writer->bound[i])));
    json_append(patterns, named(writer, "$bind", shared));
    return operator_of(writer->arena, "$all", patterns);
}

/* In what is expected. */
static void to_pattern(void *context, struct json_value *name) {
    struct writer *writer = context;
    if (!is_shared(name))
        return;
    if (is_bound(writer, name->text) || writer->bound_count == BOUND_CEILING) {
        become(name, named(writer, "$is", name->text));
        return;
    }
    struct text shared = name->text;
    become(name, writer->bound_count == 0 ? named(writer, "$bind", shared) : bind_new(writer, shared));
    writer->bound[writer->bound_count++] = shared;
}

/* In what is sent. */
static void to_template(void *context, struct json_value *name) {
    struct writer *writer = context;
    if (!is_shared(name))
        return;
    if (!is_bound(writer, name->text))
        error_set(writer->error, ERROR_USAGE, "no scenario is written: it would send an epoch or instance that only an observer saw");
    become(name, named(writer, "$is", name->text));
}

/* Makes a list one whose order does not count. */
static void to_unordered(struct writer *writer, struct json_value *holder, const char *key) {
    struct json_value *list = json_get(holder, key);
    if (list == NULL || list->type != JSON_ARRAY || list->count < 2)
        return;
    struct json_value *patterns = json_array(writer->arena);
    for (const struct json_value *one = list->first; one != NULL; one = one->next) {
        struct json_value *pattern = json_copy(writer->arena, one);
        pattern->next = NULL;
        json_append(patterns, operator_of(writer->arena, "$exactly", pattern));
    }
    json_set(holder, text_of(key), operator_of(writer->arena, "$unordered", patterns));
}

static void registers_to_unordered(struct writer *writer, struct json_value *holder) {
    const struct json_value *registers = json_get(holder, "registers");
    for (struct json_value *one = registers != NULL ? registers->first : NULL; one != NULL; one = one->next)
        to_unordered(writer, one, "siblings");
    to_unordered(writer, holder, "registers");
}

/* What a watermark that is ahead may be answered with. */
static struct json_value *pattern_of_ahead(struct writer *writer, struct json_value *welcome) {
    struct json_value *modes = json_array(writer->arena);
    json_append(modes, json_string(writer->arena, TEXT("delta")));
    json_append(modes, json_string(writer->arena, TEXT("snapshot")));
    json_set(welcome, TEXT("mode"), operator_of(writer->arena, "$one-of", modes));
    return welcome;
}

/* What was said, and nothing besides. */
static struct json_value *pattern_of(struct writer *writer, const struct json_value *value) {
    struct json_value *pattern = json_copy(writer->arena, value);
    pattern->next = NULL;
    pattern->key = (struct text){0};
    if (pattern->type != JSON_OBJECT)
        return pattern;
    names_visit(pattern, to_pattern, writer);
    to_unordered(writer, pattern, "peers");
    registers_to_unordered(writer, pattern);
    registers_to_unordered(writer, json_get(pattern, "state"));
    if (json_is_string(json_get(pattern, "mode"), MODE_AHEAD))
        return pattern_of_ahead(writer, pattern);
    return operator_of(writer->arena, "$exactly", pattern);
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
    print_yaml(writer, json_get(step, "snapshot"));
    buffer_string(writer->out, ", in: ");
    print_yaml(writer, json_get(step, "room"));
    buffer_format(writer->out, ", answers: %s}\n", answer != NULL && answer->boolean ? "true" : "false");
}

static void write_room(struct writer *writer, const struct json_value *step, const struct json_value *answer) {
    struct json_value *absent = operator_of(writer->arena, "$absent", json_boolean(writer->arena, true));
    bool none = answer == NULL || answer->type == JSON_NULL;
    /* A room that nothing happened in and none at all are the same. */
    if (!none)
        step_with(writer, TEXT("relay"), "room", pattern_of(writer, answer), json_get(step, "room"));
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

static void write_of_connection(struct writer *writer, const struct json_value *step) {
    const struct json_value *verb = json_get(step, "do"), *message = json_get(step, "msg");
    const struct text conn = json_get(step, "conn")->text;
    if (message != NULL) {
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
    names_visit(step, to_template, writer);
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
    else
        error_set(writer->error, ERROR_USAGE, "no scenario is written: it would need the step \"%.*s\"", (int)verb->text.length, verb->text.bytes);
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
        print_yaml(writer, pattern_of(writer, one->value));
        buffer_string(writer->out, "}}, ");
    }
    buffer_format(writer->out, "{%.*s: closed}]]\n", (int)conn.length, conn.bytes);
}

/* Scenarios have the room of a violation beside its other members. */
static struct json_value *whole_violation(struct writer *writer, const struct json_value *seen) {
    struct json_value *whole = json_object(writer->arena);
    const struct json_value *parts = json_get(seen, "violation");
    json_set(whole, TEXT("room"), json_copy(writer->arena, json_get(seen, "room")));
    for (const struct json_value *part = parts != NULL ? parts->first : NULL; part != NULL; part = part->next)
        json_set(whole, part->key, json_copy(writer->arena, part));
    return whole;
}

static void write_heard(struct writer *writer, const struct heard *heard) {
    bool is_commit = text_equal(heard->stream, TEXT("commit")), is_violation = text_equal(heard->stream, TEXT("violation"));
    if (heard->kind == HEARD_CLOSE) {
        write_close(writer, heard);
    } else if (heard->kind == HEARD_MESSAGE && heard->value != NULL) {
        step_with(writer, heard->stream, "gets", pattern_of(writer, heard->value), NULL);
    } else if (heard->kind == HEARD_OBSERVED && is_commit && writer->commits) {
        step_with(writer, TEXT("relay"), "committed", pattern_of(writer, heard->value), NULL);
    } else if (heard->kind == HEARD_OBSERVED && is_violation && writer->violations) {
        step_with(writer, TEXT("relay"), "violated", pattern_of(writer, whole_violation(writer, heard->value)), NULL);
    }
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
    const struct heard *b = play->difference.a == NULL ? play->difference.b : NULL;
    if (b != NULL && b->kind == HEARD_OBSERVED)
        buffer_format(writer->out, "  - relay: {%s: {$absent: true}}\n", writer->commits ? "committed" : "violated");
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
    struct text kind = kind_of(&play->difference);
    for (size_t i = 0; i < sizeof judged / sizeof *judged; i++)
        if (text_equal(kind, text_of(judged[i].kind)))
            return judged[i].clause_of_gone != NULL && json_get(heard->value, "gone") != NULL ? judged[i].clause_of_gone : judged[i].clause;
    if (json_is_string(json_get(last, "do"), "hydrate"))
        return "hydrate.fresh";
    if (heard->kind == HEARD_CLOSE)
        return json_is_string(json_get(json_get(last, "msg"), "t"), "hello") ? "join.takeover" : "eject.closes-connection";
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
        print_yaml(writer, json_get(step, "principal"));
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
    buffer_format(writer->out, "title: Where two relays differ, seed %llu, step %zu of %zu\n", (unsigned long long)result->seed, result->at, result->of);
    buffer_format(writer->out, "clauses: [%s]\nprofiles: [\"%s\"]\n", clause_of(&result->play), settings->play.profile);
    if (result->options->count > 0) {
        buffer_string(writer->out, "relay: ");
        print_yaml(writer, result->options);
        buffer_string(writer->out, "\n");
    }
    write_clients(writer);
    buffer_string(writer->out, "steps:\n");
}

bool compare_scenario(struct buffer *out, const struct compare_result *result, const struct compare_settings *settings, struct error *error) {
    struct text kind = kind_of(&result->play.difference);
    struct writer writer = {.arena = arena_new(),
                            .out = out,
                            .result = result,
                            .error = error,
                            .commits = text_equal(kind, TEXT("commit")),
                            .violations = text_equal(kind, TEXT("violation"))};
    write_head(&writer, settings);
    write_steps(&writer);
    arena_free(writer.arena);
    return error->code == ERROR_NONE;
}
