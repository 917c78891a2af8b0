#include "harness/compare/compare.h"

#include <string.h>

#include "harness/compare/traffic.h"

static bool both_can(const struct play_settings *settings, const char *capability) {
    for (int side = 0; side < SIDES; side++)
        if (!settings->sides[side]->table->can(settings->sides[side], capability))
            return false;
    return true;
}

/* Each relay is opened once, for some know what they can only for a profile. */
static bool probe(const struct play_settings *settings, struct error *error) {
    for (int side = 0; side < SIDES; side++) {
        struct target *target = settings->sides[side];
        enum target_outcome outcome = target->table->open(target, settings->profile, TEXT("{}"), settings->limit_ms, error);
        if (outcome != TARGET_OK) {
            target->table->close(target);
            error->code = ERROR_TARGET;
            return error_context(error, "%c (%s)", 'A' + side, target->name);
        }
    }
    return true;
}

static struct traffic_features features_of(const struct play_settings *settings) {
    const char *profile = settings->profile;
    bool wire_3 = strcmp(profile, "0.9") == 0, early = strncmp(profile, "0.1.", 4) == 0;
    return (struct traffic_features){.wire_3 = wire_3,
                                     .schema = !early,
                                     .options = both_can(settings, "options"),
                                     .acl = both_can(settings, "policy.acl"),
                                     .validate = both_can(settings, "policy.validate"),
                                     .bump = wire_3 && both_can(settings, "policy.canBump"),
                                     .citations = wire_3 && both_can(settings, "policy.verifyCitations"),
                                     .clock = both_can(settings, "clock"),
                                     .hydrate = strcmp(profile, "0.1.0") != 0 && both_can(settings, "hydrate"),
                                     .commits = both_can(settings, "commit"),
                                     .room = both_can(settings, "room"),
                                     .restart = both_can(settings, "restart"),
                                     .hold = wire_3 && both_can(settings, "hold"),
                                     .unload = wire_3 && both_can(settings, "unload"),
                                     .junk = true,
                                     .spelling = true};
}

/* What differs or breaks a side, made small, into the result. */
static void keep(const struct compare_settings *settings, struct compare_result *result, struct arena *arena, struct compare_case *found) {
    bool broken = found->play.outcome == PLAY_BROKEN;
    result->outcome = broken ? COMPARE_UNABLE : COMPARE_DIFFERENT;
    result->at = found->play.count;
    result->of = found->count;
    result->plays = compare_shrink(arena, &settings->play, found);
    result->play = found->play;
    result->options = found->options;
    result->arena = arena;
    if (!broken)
        return;
    result->error = found->play.error;
    result->error.code = ERROR_TARGET;
    error_context(&result->error, "%c (%s)", 'A' + found->play.side, settings->play.sides[found->play.side]->name);
}

static const struct json_value **listed(struct arena *arena, const struct json_value *steps) {
    const struct json_value **list = arena_alloc(arena, (steps->count + 1) * sizeof *list);
    size_t count = 0;
    for (const struct json_value *step = steps->first; step != NULL; step = step->next)
        list[count++] = step;
    return list;
}

/* Plays one round. False when the run is at its end. */
static bool play_round(const struct compare_settings *settings, const struct traffic_features *features, struct compare_result *result) {
    struct arena *arena = arena_new();
    struct traffic traffic = traffic_make(arena, result->seed, features, settings->steps);
    struct compare_case found = {.options = traffic.options, .steps = listed(arena, traffic.steps), .count = traffic.steps->count};
    found.play = compare_play(arena, &settings->play, found.options, found.steps, found.count);
    result->rounds += found.play.outcome != PLAY_REFUSED;
    result->refused += found.play.outcome == PLAY_REFUSED;
    result->steps += found.play.count;
    result->heard += found.play.heard;
    bool more = found.play.outcome == PLAY_ALIKE || found.play.outcome == PLAY_REFUSED;
    if (more)
        arena_free(arena);
    else
        keep(settings, result, arena, &found);
    return more;
}

struct compare_result compare_run(const struct compare_settings *settings) {
    struct compare_result result = {.outcome = COMPARE_ALIKE};
    if (!probe(&settings->play, &result.error)) {
        result.outcome = COMPARE_UNABLE;
        return result;
    }
    struct traffic_features features = features_of(&settings->play);
    for (const char *const *sort = settings->without; sort != NULL && *sort != NULL; sort++)
        traffic_leave_out(&features, text_of(*sort));
    bool more = true;
    for (size_t round = 0; round < settings->rounds && more; round++) {
        if (settings->progress != NULL)
            settings->progress(settings->context, round + 1, result.steps);
        result.seed = settings->seed + round;
        more = play_round(settings, &features, &result);
    }
    if (result.outcome == COMPARE_ALIKE && result.rounds == 0) {
        result.outcome = COMPARE_UNABLE;
        error_set(&result.error, ERROR_TARGET, "no round could be played: a side took none of the options");
    }
    return result;
}

void compare_free(struct compare_result *result) {
    arena_free(result->arena);
    result->arena = NULL;
}
