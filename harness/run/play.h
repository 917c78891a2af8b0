/*
 * One play of a scenario: the state that the steps share. Internal to harness/run.
 */
#ifndef MESHSPEC_PLAY_H
#define MESHSPEC_PLAY_H

#include "harness/run/case.h"
#include "harness/run/names.h"
#include "harness/run/schedule.h"
#include "harness/run/wire.h"

#define PLAY_MESSAGES_CEILING 200000             /* messages that one play takes in */
#define PLAY_BYTES_CEILING ((size_t)512 << 20)   /* and their bytes in all */
#define PLAY_PATIENCE_MS 20     /* how long a message is waited for before fences are sent to find out whether it will still come */
#define PLAY_AGAIN_MS 2          /* between two questions about what the end of a connection causes */
#define PLAY_FENCE_LIMIT_MS 5000 /* how long a fence may take before its connection counts as deaf */

struct message {
    struct json_value *value; /* names stripped; NULL when it is not JSON */
    struct trace_entry *entry;
    bool binary;
    struct message *next;
};

/* A room (on the wire) and the origin that the connection is a member with. */
struct membership {
    struct text room;
    struct text origin;
    struct membership *next;
};

struct connection {
    int number;
    struct actor *actor;
    bool ended;       /* no side can send any more */
    bool closed;      /* it was the relay that ended it */
    bool close_taken; /* a step has accounted for that */
    bool stalled;
    unsigned close_code;
    struct text close_reason;
    struct message *first, *last;
    struct message *taken; /* the last message that a step has taken; NULL: none */
    struct membership *members;
    struct membership *hellos; /* sent and not answered, oldest first */
    unsigned fences_out;       /* fence signals on their way */
    bool in_fence_room;
    struct connection *next;
};

struct actor {
    struct text name;
    const struct client *client; /* whose principal it has */
    struct text origin;
    struct connection *connection; /* the newest; NULL: none yet */
    struct actor *next;
};

/* The relay's observers that steps can wait for; play_observers names the step's verb and the target's event. */
enum observer { OBSERVER_COMMIT, OBSERVER_VIOLATION, OBSERVER_DROP, OBSERVER_REJECT, OBSERVER_JOIN, OBSERVER_STALLED, OBSERVER_COUNT };

struct observer_name {
    const char *event; /* of the target, and the capability */
    const char *what;  /* for people */
    enum verb verb;
};

extern const struct observer_name play_observers[OBSERVER_COUNT];

/* What observers of one kind reported, and how far steps have accounted for it. */
struct observations {
    struct message *first, *last, *taken;
    bool used; /* a step of the scenario waits for them: all must be accounted for */
};

enum play_status { PLAY_OK, PLAY_FAILED, PLAY_SKIPPED, PLAY_BROKEN };

struct play {
    struct scenario *scenario;
    struct target *target;    /* NULL: a store is judged */
    struct store_play *store; /* NULL: a relay is judged */
    const struct case_settings *settings;
    struct arena *arena;
    struct bindings bindings;
    struct names names;
    struct schedule *schedule;
    struct actor *actors;
    struct connection *connections; /* newest first */
    struct observations observations[OBSERVER_COUNT];
    struct trace_entry *trace, *trace_last;
    int64_t began_us, deadline_us;
    int64_t clock_ms;
    int next_number;
    uint64_t fence; /* number of the current fence */
    int wire;                   /* version, see wire.h */
    struct instance *instances; /* newest first */
    struct origin_log *logs;
    bool held; /* a step has had commits held: what is not released may rightly never come */
    bool barrier;
    bool hello_fences; /* a signal may overtake on this target */
    bool hasty;    /* one of several outcomes is tried: what the end of a connection causes is not waited for */
    bool hurried;  /* a step would have waited for that */
    bool departed; /* some connection has ended: what that causes cannot be fenced */
    size_t message_count, message_bytes;
    const struct step *step; /* the one that is played; NULL at the end */
    struct failure failure;
    struct text reason; /* of PLAY_SKIPPED and PLAY_BROKEN */
    bool opened;        /* the target has taken the case */
    bool broke;         /* of PLAY_BROKEN: it was the target's doing, after it had taken the case */
    bool exact_race;    /* without a barrier: racing steps are fenced, so that they happen in the drawn order */
    bool racing;        /* a race is played that is not exact: nothing is fenced */
    bool raced;         /* a race step was played: the play depends on the schedule */
};

/* ---- play.c ---- */

/* Milliseconds until the case's limit; 0 when it has passed. */
int play_time_left(const struct play *play);

/* Adds a line to the transcript. `value` may be NULL; the text is kept, not copied. */
struct trace_entry *play_trace(struct play *play, enum trace_kind kind, struct text actor, int connection, struct text text,
                               const struct json_value *value, uint32_t line);

/* The actor of that name; NULL when it does not exist (yet). */
struct actor *play_actor(struct play *play, struct text name);
struct actor *play_add_actor(struct play *play, struct text name, const struct client *client, struct text origin);

/* The actor's connection, made now when it has none that is open. NULL with play->reason set: `status` says which. */
struct connection *play_connect(struct play *play, struct actor *actor, uint32_t line, enum play_status *status);

/* Fails the play at a step. Always returns PLAY_FAILED. */
enum play_status play_fail(struct play *play, const struct step *step, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Turns what a target command gave into a status, keeping the reason. */
enum play_status play_outcome(struct play *play, enum target_outcome outcome, const struct error *error);

/* Fences, then takes in what the relay's observers saw up to now. */
enum play_status play_observe(struct play *play);

/* Prints a value as compact JSON into the play's arena. */
struct text play_print(struct play *play, const struct json_value *value);

/* ---- inbox.c ---- */

/* Takes in every event that is there, waiting up to `wait_ms` for the first. */
enum play_status play_take_in(struct play *play, int wait_ms);

/* The next message that no step has taken, ignored ones skipped; NULL: none yet. */
struct message *inbox_next(const struct play *play, const struct connection *connection);

/* Waits until `there(context)` holds, or a fence tells that it will not. PLAY_OK either way. */
enum play_status play_wait_fenced(struct play *play, bool (*there)(const struct play *play, void *context), void *context);

/* Waits until `there(context)` holds: as long as it can still come to hold. PLAY_OK either way. */
enum play_status play_wait(struct play *play, bool (*there)(const struct play *play, void *context), void *context);

/* ---- fence.c ---- */

/*
 * Fences every open connection twice: when it returns PLAY_OK, all that earlier steps caused by messages has arrived. On a barrier target it has nothing to do.
 */
enum play_status play_fence(struct play *play);

/* Whether what an observer saw is about a fence's room. */
bool fence_is_of(const struct json_value *observed);

/* Whether the message is a fence's answer; it is taken notice of then. */
bool fence_takes(struct play *play, struct connection *connection, const struct json_value *value);

/* ---- outgoing.c ---- */

/* Sends what a client's sending step says (hello, writes, presence, signal, sends, sends-text, sends-bytes). */
enum play_status play_send_step(struct play *play, struct actor *actor, const struct step *step);

/* ---- client_steps.c, relay_steps.c, command_steps.c, steps.c ---- */

enum play_status play_client_step(struct play *play, const struct step *step);
enum play_status play_relay_step(struct play *play, const struct step *step);
enum play_status play_command_step(struct play *play, const struct step *step);

/*
 * What the end of a connection causes has no fence. Where one has ended, an answer that is not the wanted one yet is asked for again, until the time
 * that play_settled_by gives; a target with a barrier answers right at once. play_goes_on waits a little; false when it is time to believe the answer.
 */
int64_t play_settled_by(const struct play *play);
bool play_goes_on(struct play *play, int64_t until, enum play_status *status);

enum play_status play_steps(struct play *play, const struct step_list *list);

/* Fences all and fails the play when something is left that nobody expected. */
enum play_status play_finish(struct play *play);

/* ---- history_check.c ---- */

/* Holds the whole transcript against what a client relies on (history.*). */
enum play_status play_check_history(struct play *play);

#endif
