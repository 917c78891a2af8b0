#include "harness/compare/play.h"

#include <math.h>

#include "harness/compare/side.h"

/* ---- one step on both sides ---------------------------------------------------------------------- */

static struct heard *without_stream(struct heard *first, struct text stream) {
    struct heard **at = &first;
    while (*at != NULL)
        if (text_equal((*at)->stream, stream))
            *at = (*at)->next;
        else
            at = &(*at)->next;
    return first;
}

static struct linked *connection_for(struct play *play, const struct json_value *step) {
    const struct json_value *conn = json_get(step, "conn");
    if (conn == NULL || !json_is_string(json_get(step, "do"), "connect"))
        return conn != NULL ? memory_connection(&play->memory, conn->text) : NULL;
    struct linked *connection = arena_alloc(play->arena, sizeof *connection);
    *connection = (struct linked){conn->text, ++play->memory.last_number, {true, true}, NULL, play->memory.connections};
    play->memory.connections = connection;
    return connection;
}

/* What the step does to connections and the clock, whatever is answered. */
static void note_step(struct play *play, const struct json_value *step, struct linked *connection) {
    const struct json_value *verb = json_get(step, "do");
    if (json_is_string(verb, "disconnect"))
        connection->open[SIDE_A] = connection->open[SIDE_B] = false;
    if (json_is_string(verb, "restart"))
        for (struct linked *one = play->memory.connections; one != NULL; one = one->next)
            one->open[SIDE_A] = one->open[SIDE_B] = false;
    if (json_is_string(verb, "clock"))
        play->clock += llround(json_get(step, "ms")->number);
}

static size_t count_heard(const struct heard *heard) {
    size_t count = 0;
    for (; heard != NULL; heard = heard->next)
        count++;
    return count;
}

static enum play_outcome play_step(struct play *play, const struct json_value *step, struct played *played) {
    struct json_value *filled = memory_fill(&play->memory, step);
    *played = (struct played){.step = filled, .clock = play->clock};
    if (filled == NULL)
        return PLAY_ALIKE;
    struct linked *connection = connection_for(play, filled);
    note_step(play, filled, connection);
    for (int side = 0; side < SIDES; side++) {
        if (!play_put(play, side, filled, connection))
            return PLAY_BROKEN;
        played->heard[side] = play->heard[side];
    }
    memory_learn(&play->memory, filled, play->heard[SIDE_A]);
    for (int side = 0; side < SIDES; side++) {
        memory_settle_ahead(&play->memory, play->heard[side]);
        if (json_get(filled, "text") != NULL)
            play->heard[side] = without_stream(play->heard[side], connection->name);
        played->heard[side] = play->heard[side];
    }
    play->result.heard += count_heard(played->heard[SIDE_A]);
    return stream_differs(played->heard[SIDE_A], played->heard[SIDE_B], &play->result.difference) ? PLAY_DIFFERENT : PLAY_ALIKE;
}

static enum play_outcome open_both(struct play *play) {
    for (int side = 0; side < SIDES; side++) {
        struct target *target = play->settings->sides[side];
        enum target_outcome outcome =
            target->table->open(target, play->settings->profile, play->options, play->settings->limit_ms, &play->result.error);
        play->result.side = side;
        if (outcome != TARGET_OK)
            return outcome == TARGET_NO ? PLAY_REFUSED : PLAY_BROKEN;
    }
    return PLAY_ALIKE;
}

struct play_result compare_play(struct arena *arena, const struct play_settings *settings, const struct json_value *options,
                                const struct json_value *const *steps, size_t count) {
    struct play play = {.arena = arena, .settings = settings, .options = play_printed(arena, options), .clock = TARGET_CLOCK_START};
    play.memory.arena = play.names[SIDE_A].arena = play.names[SIDE_B].arena = arena;
    play.result.played = arena_alloc(arena, (count + 1) * sizeof *play.result.played);
    play.result.outcome = open_both(&play);
    for (size_t i = 0; i < count && play.result.outcome == PLAY_ALIKE; i++, play.result.count++)
        play.result.outcome = play_step(&play, steps[i], &play.result.played[i]);
    for (int side = 0; side < SIDES; side++)
        settings->sides[side]->table->close(settings->sides[side]);
    return play.result;
}
