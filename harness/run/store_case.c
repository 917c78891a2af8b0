#include "harness/run/store_case.h"

#include "harness/run/store_play.h"

/* What a scenario needs and this store does not offer, in words; NULL: it lacks nothing. */
static const char *lacking(struct scenario *scenario, struct store *store) {
    static const struct {
        const char *capability, *words;
    } reasons[] = {
        {"fresh", "needs an app id of its own, and the store has one app id for all (--app-id 'some-{case}' gives each "
                  "case its own)"},
        {"options", "needs a store that is started for the case alone; this one runs already"},
        {"requests", "needs to see what the store is asked, which this store does not tell"},
        {"faults", "needs a store that answers wrongly on purpose; this one does not"},
        {"restart", "needs to kill the store and start it again; this one is not ours"},
        {"data", "needs the data plane of the local store; this one has none that we know"},
    };
    for (const char *const *need = scenario_needs(scenario); *need != NULL; need++) {
        for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
            if (text_equal(text_of(*need), text_of(reasons[i].capability)) && !store->table->can(store, *need)) {
                return reasons[i].words;
            }
        }
    }
    return NULL;
}

/* Nothing of this case may be felt by the next one. */
static void tidy(struct play *play) {
    struct store *store = play->store->store;
    struct buffer out = {0};
    struct error error;
    store_let_go(play);
    if (play->store->has_faults) {
        store->table->control(store, "DELETE", "faults", (struct text){NULL, 0}, &out, &error);
    }
    buffer_free(&out);
    store->table->close(store);
}

static enum play_status play_all(struct play *play) {
    struct store *store = play->store->store;
    const char *lacks = lacking(play->scenario, store);
    if (lacks != NULL) {
        play->reason = text_of(lacks);
        return PLAY_SKIPPED;
    }
    struct error error = {0};
    enum play_status status =
        play_outcome(play, store->table->open(store, play->settings->suffix, play->scenario->options, &error), &error);
    if (status != PLAY_OK) {
        return status;
    }
    /* What it took to start the store is not the case's time. */
    struct run_clock clock = play->settings->clock;
    play->deadline_us = clock.now_us(clock.context) + (int64_t)play->scenario->limit_ms * 1000;
    status = secret_check(play, play_steps(play, &play->scenario->steps));
    play->reason = secret_redact(play, play->reason, NULL);
    tidy(play);
    return status;
}

struct case_result store_case_run(struct scenario *scenario, const struct store_subject *subject,
                                  const struct case_settings *settings) {
    static const enum verdict verdicts[] = {VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP, VERDICT_ERROR};
    struct run_clock clock = settings->clock;
    struct arena *arena = arena_new();
    struct store_play store = {.store = subject->store, .provisioner = subject->provisioner};
    int64_t began = clock.now_us(clock.context);
    struct play play = {.scenario = scenario,
                        .settings = settings,
                        .arena = arena,
                        .bindings = {.arena = arena},
                        .store = &store,
                        .began_us = began,
                        .deadline_us = began + (int64_t)scenario->limit_ms * 1000};
    enum play_status status = play_all(&play);
    return (struct case_result){.scenario = scenario,
                                .profile = settings->profile,
                                .target = subject->store->name,
                                .seed = settings->seed,
                                .verdict = verdicts[status],
                                .reason = play.reason,
                                .failure = play.failure,
                                .trace = play.trace,
                                .plays = 1,
                                .duration_us = clock.now_us(clock.context) - began,
                                .arena = arena};
}
