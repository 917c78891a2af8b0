/* Steps in their order: plain ones, races, alternatives, repetitions; and what must hold when all are done. */
#include "harness/run/play.h"
#include "harness/run/store_play.h"

static enum play_status play_step(struct play *play, const struct step *step);

/* ---- race ---- */

/*
 * Plays one of the racing steps. A relay may take what two connections sent in another order than it was sent in, so an exact race has
 * what the step caused arrive before the next one: that order is the drawn one, and comes again with its seed.
 */
static enum play_status racing_step(struct play *play, const struct step *step) {
    play->racing = !play->exact_race;
    enum play_status status = play_step(play, step);
    play->racing = false;
    return status == PLAY_OK && play->exact_race ? play_fence(play) : status;
}

static enum play_status race(struct play *play, const struct step *step) {
    play->raced = true;
    size_t *at = arena_alloc(play->arena, step->branch_count * sizeof *at);
    for (;;) {
        size_t open = 0;
        for (size_t i = 0; i < step->branch_count; i++) {
            open += at[i] < step->branches[i].count;
        }
        if (open == 0) {
            return PLAY_OK;
        }
        size_t pick = schedule_choose(play->schedule, (unsigned)open);
        size_t branch = 0;
        while (at[branch] >= step->branches[branch].count || pick-- > 0) {
            branch++;
        }
        enum play_status status = racing_step(play, &step->branches[branch].steps[at[branch]++]);
        if (status != PLAY_OK) {
            return status;
        }
    }
}

/* ---- either ---- */

/* What a branch changes when it is tried: how far inboxes were read, and the bindings. */
struct bookmark {
    const struct connection *newest; /* those that a branch makes stand before it */
    struct message **taken;
    bool *close_taken;
    struct message *observed[OBSERVER_COUNT];
    struct binding *bindings;
};

static size_t connection_count(const struct play *play) {
    size_t count = 0;
    for (struct connection *connection = play->connections; connection != NULL; connection = connection->next) {
        count++;
    }
    return count;
}

static struct binding *copy_bindings(struct play *play) {
    struct binding *copies = NULL;
    struct binding **end = &copies;
    for (struct binding *binding = play->bindings.first; binding != NULL; binding = binding->next) {
        *end = arena_alloc(play->arena, sizeof **end);
        **end = *binding;
        (*end)->next = NULL;
        end = &(*end)->next;
    }
    return copies;
}

static struct bookmark set_bookmark(struct play *play) {
    size_t count = connection_count(play);
    struct bookmark mark = {.newest = play->connections,
                            .taken = arena_alloc(play->arena, count * sizeof *mark.taken),
                            .close_taken = arena_alloc(play->arena, count * sizeof *mark.close_taken),
                            .bindings = copy_bindings(play)};
    for (enum observer observer = 0; observer < OBSERVER_COUNT; observer++) {
        mark.observed[observer] = play->observations[observer].taken;
    }
    size_t i = 0;
    for (struct connection *connection = play->connections; connection != NULL; connection = connection->next, i++) {
        mark.taken[i] = connection->taken;
        mark.close_taken[i] = connection->close_taken;
    }
    return mark;
}

static void go_back(struct play *play, const struct bookmark *mark) {
    struct connection *connection = play->connections;
    for (; connection != mark->newest; connection = connection->next) {
        connection->taken = NULL;
        connection->close_taken = false;
    }
    for (size_t i = 0; connection != NULL; connection = connection->next, i++) {
        connection->taken = mark->taken[i];
        connection->close_taken = mark->close_taken[i];
    }
    for (enum observer observer = 0; observer < OBSERVER_COUNT; observer++) {
        play->observations[observer].taken = mark->observed[observer];
    }
    play->bindings.first = mark->bindings;
    for (struct trace_entry *entry = play->trace; entry != NULL; entry = entry->next) {
        entry->unexpected = false;
    }
}

/* Tries each branch with what is there now. */
static enum play_status try_branches(struct play *play, const struct step *step) {
    enum play_status status = PLAY_FAILED;
    play->hurried = false;
    for (size_t i = 0; i < step->branch_count; i++) {
        struct bookmark mark = set_bookmark(play);
        status = play_steps(play, &step->branches[i]);
        if (status != PLAY_FAILED) {
            return status;
        }
        if (i + 1 < step->branch_count) {
            go_back(play, &mark);
        }
    }
    return status;
}

/* What the end of a connection causes may still be on its way; no branch may wait for it at the expense of the others. */
static enum play_status either(struct play *play, const struct step *step) {
    struct bookmark mark = set_bookmark(play);
    play->hasty = true;
    enum play_status status = try_branches(play, step);
    while (status == PLAY_FAILED && play->hurried && play_time_left(play) > 0) {
        go_back(play, &mark);
        status = play_take_in(play, PLAY_PATIENCE_MS);
        status = status == PLAY_OK ? try_branches(play, step) : status;
    }
    play->hasty = false;
    if (status == PLAY_FAILED) {
        play->failure.message =
            text_of(arena_format(play->arena, "none of the %zu outcomes fits; the last: %.*s", step->branch_count,
                                 (int)play->failure.message.length, play->failure.message.bytes));
    }
    return status;
}

/* ---- repeat ---- */

static enum play_status repeat(struct play *play, const struct step *step) {
    for (uint64_t round = 1; round <= step->times; round++) {
        if (step->counter.length > 0) {
            bindings_set(&play->bindings, step->counter, json_number(play->arena, (double)round));
        }
        enum play_status status = play_steps(play, &step->branches[0]);
        if (status != PLAY_OK) {
            return status;
        }
    }
    return PLAY_OK;
}

/* ---- all of them ---- */

static enum play_status play_step(struct play *play, const struct step *step) {
    play->step = step;
    if (play_time_left(play) == 0) {
        return play_fail(play, step, "the case's time limit of %d ms has passed", play->scenario->limit_ms);
    }
    switch (step->verb) {
    case VERB_RACE:
        return race(play, step);
    case VERB_EITHER:
        return either(play, step);
    case VERB_REPEAT:
        return repeat(play, step);
    default:
        if (step->verb >= VERB_HYDRATE && step->verb <= VERB_ADVANCE) {
            return play_relay_step(play, step);
        }
        if (step->verb >= VERB_PROVISIONER_STATUS && step->verb < VERB_RACE) {
            return play_provisioner_step(play, step);
        }
        return step->verb >= VERB_STORE_GET && step->verb < VERB_RACE ? play_store_step(play, step) : play_client_step(play, step);
    }
}

enum play_status play_steps(struct play *play, const struct step_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        enum play_status status = play_step(play, &list->steps[i]);
        if (status != PLAY_OK) {
            return status;
        }
    }
    return PLAY_OK;
}

/* ---- the end ---- */

static enum play_status unexpected(struct play *play, const struct connection *connection) {
    struct text name = connection->actor->name;
    struct message *message = inbox_next(play, connection);
    if (message != NULL) {
        play_fail(play, NULL, "%.*s got a message that no step expected", (int)name.length, name.bytes);
        play->failure.came = message->entry->text;
        message->entry->unexpected = true;
    } else {
        play_fail(play, NULL, "the relay closed %.*s's connection, which no step expected", (int)name.length, name.bytes);
    }
    play->failure.actor = name;
    return PLAY_FAILED;
}

static enum play_status left_over(struct play *play, enum observer observer) {
    const struct observations *observations = &play->observations[observer];
    struct message *message = observations->taken == NULL ? observations->first : observations->taken->next;
    if (!observations->used || message == NULL) {
        return PLAY_OK;
    }
    play_fail(play, NULL, "the relay reported a %s that no step expected", play_observers[observer].what);
    play->failure.came = message->entry->text;
    message->entry->unexpected = true;
    return PLAY_FAILED;
}

enum play_status play_finish(struct play *play) {
    play->step = NULL;
    bool observed = false;
    for (enum observer observer = 0; observer < OBSERVER_COUNT; observer++) {
        observed = observed || play->observations[observer].used;
    }
    enum play_status status = observed ? play_observe(play) : play_fence(play);
    for (struct connection *connection = play->connections; status == PLAY_OK && connection != NULL; connection = connection->next) {
        if (inbox_next(play, connection) != NULL || (connection->closed && !connection->close_taken)) {
            status = unexpected(play, connection);
        }
    }
    for (enum observer observer = 0; status == PLAY_OK && observer < OBSERVER_COUNT; observer++) {
        status = left_over(play, observer);
    }
    return status == PLAY_OK ? play_check_history(play) : status;
}
