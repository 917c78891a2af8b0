#include <stdio.h>
#include <string.h>

#include "harness/history/history.h"
#include "harness/tests/support.h"

TestSuite(history, .timeout = 120);

/*
 * A run in lines: `1> MESSAGE` is sent by connection 1, `1< MESSAGE` received by it, `1.` is its end, `h MESSAGE` an accepted hydrate, `c MESSAGE` a
 * commit, `u MESSAGE` an unloaded room, `r` a restart. Messages are written with single quotes.
 */
#define EVENTS_CEILING 40

static const struct json_value *message_of(struct arena *arena, const char *text, size_t length) {
    char *json = arena_copy(arena, text, length);
    for (char *at = strchr(json, '\''); at != NULL; at = strchr(at, '\'')) {
        *at = '"';
    }
    return test_json(arena, json);
}

static size_t read_run(struct arena *arena, const char *run, struct history_event *events) {
    size_t count = 0;
    for (const char *line = run; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        cr_assert_lt(count, EVENTS_CEILING);
        struct history_event *event = &events[count++];
        *event = (struct history_event){.connection = line[0] - '0'};
        if (line[0] == 'r') {
            event->kind = HISTORY_RESTARTED;
        } else if (line[0] == 'h' || line[0] == 'c') {
            event->kind = line[0] == 'h' ? HISTORY_HYDRATED : HISTORY_COMMITTED;
            event->message = message_of(arena, line + 2, length - 2);
        } else if (line[0] == 'u') {
            event->kind = HISTORY_UNLOADED;
            event->message = message_of(arena, line + 2, length - 2);
        } else if (line[1] == '.') {
            event->kind = HISTORY_ENDED;
        } else {
            event->kind = line[1] == '>' ? HISTORY_SENT : HISTORY_RECEIVED;
            event->message = message_of(arena, line + 3, length - 3);
        }
        line += length + (line[length] == '\n');
    }
    return count;
}

/* Expects the rule to be broken; NULL: none is. */
static void expect(const char *run, const char *rule) {
    struct arena *arena = arena_new();
    struct history_event events[EVENTS_CEILING];
    size_t count = read_run(arena, run, events);
    struct history_settings settings = {.settled = true};
    struct history_breach breach = history_check(arena, events, count, &settings);
    cr_expect(breach.rule == NULL ? rule == NULL : rule != NULL && strcmp(breach.rule, rule) == 0, "wanted %s, came %s (%s) of\n%s",
              rule == NULL ? "no breach" : rule, breach.rule == NULL ? "no breach" : breach.rule, breach.rule == NULL ? "" : breach.text, run);
    arena_free(arena);
}

#define ANA_JOINS                                   \
    "1> {'t':'hello','room':'r','origin':'a'}\n"    \
    "1< {'t':'welcome','room':'r','seq':0,'mode':'up-to-date','members':[],'peers':[]}\n"
#define BEN_JOINS                                   \
    "2> {'t':'hello','room':'r','origin':'b'}\n"    \
    "2< {'t':'welcome','room':'r','seq':0,'mode':'up-to-date','members':['a'],'peers':[]}\n" \
    "1< {'t':'member','room':'r','origin':'b'}\n"
#define ENVELOPE(version, key) \
    "{'proto':1,'origin':'a','writer':'a','version':" version ",'ops':[{'kind':'set','path':['" key "'],'next':" version "}]"
#define SENDS(version, key) "1> {'t':'env','room':'r','env':" ENVELOPE(version, key) "}}\n"
#define GETS(who, version, key, seq) who "< {'t':'env','room':'r','env':" ENVELOPE(version, key) ",'seq':" seq "}}\n"

Test(history, right_runs_break_nothing) {
    expect(ANA_JOINS BEN_JOINS SENDS("1", "x") GETS("1", "1", "x", "1") GETS("2", "1", "x", "1"), NULL);
    expect(ANA_JOINS SENDS("1", "x") GETS("1", "1", "x", "1") "1.\n"
           "2> {'t':'hello','room':'r','origin':'b'}\n"
           "2< {'t':'welcome','room':'r','seq':1,'mode':'snapshot','root':{'x':1},'members':[],'peers':[]}\n", NULL);
    expect(ANA_JOINS SENDS("1", "x") GETS("1", "1", "x", "1") "r\n" ANA_JOINS, NULL);
    expect("h {'room':'r','snapshot':{'seq':5,'root':{'x':0}}}\n"
           "1> {'t':'hello','room':'r','origin':'a','seq':2}\n"
           "1< {'t':'welcome','room':'r','seq':5,'mode':'snapshot','root':{'x':0},'members':[],'peers':[]}\n"
           SENDS("1", "y") GETS("1", "1", "y", "6"), NULL);
}

Test(history, a_hello_that_is_none_is_not_answered) {
    expect(ANA_JOINS SENDS("1", "x") GETS("1", "1", "x", "1")
           "2> {'t':'hello','room':'r','origin':5}\n"
           "2> {'t':'hello','room':'r','origin':'b','seq':1}\n"
           "2< {'t':'welcome','room':'r','seq':1,'mode':'up-to-date','members':['a'],'peers':[]}\n"
           "1< {'t':'member','room':'r','origin':'b'}\n", NULL);
}

Test(history, a_presence_behind_a_rejected_hello_belongs_to_the_member) {
    expect(ANA_JOINS BEN_JOINS
           "2> {'t':'hello','room':'r','origin':'b','proto':2}\n"
           "2> {'t':'presence','room':'r','data':1}\n"
           "2< {'t':'reject','room':'r','reason':'proto','expected':1}\n"
           "1< {'t':'presence','room':'r','peer':{'origin':'b','writer':'b','data':1}}\n", NULL);
}

Test(history, dense) {
    expect(ANA_JOINS SENDS("1", "x") GETS("1", "1", "x", "2"), "history.dense");
    expect(ANA_JOINS SENDS("1", "x") GETS("1", "1", "x", "1") GETS("1", "1", "x", "1"), "history.dense");
}

Test(history, same_order) {
    expect(ANA_JOINS BEN_JOINS SENDS("1", "x") SENDS("2", "x") GETS("1", "1", "x", "1") GETS("1", "2", "x", "2")
           GETS("2", "2", "x", "1") GETS("2", "1", "x", "2"), "history.same-order");
}

Test(history, no_loss) {
    /* ben never gets it */
    expect(ANA_JOINS BEN_JOINS SENDS("1", "x") GETS("1", "1", "x", "1"), "history.no-loss");
    /* a delta with a hole */
    expect(ANA_JOINS SENDS("1", "x") SENDS("2", "x") GETS("1", "1", "x", "1") GETS("1", "2", "x", "2")
           "2> {'t':'hello','room':'r','origin':'b','seq':0}\n"
           "2< {'t':'welcome','room':'r','seq':2,'mode':'delta','members':['a'],'peers':[],'envs':[" ENVELOPE("2", "x") ",'seq':2}]}\n"
           "1< {'t':'member','room':'r','origin':'b'}\n", "history.no-loss");
    /* a room that has forgotten what was seen */
    expect(ANA_JOINS SENDS("1", "x") GETS("1", "1", "x", "1") "1.\n"
           "2> {'t':'hello','room':'r','origin':'b'}\n"
           "2< {'t':'welcome','room':'r','seq':0,'mode':'up-to-date','members':[],'peers':[]}\n", "history.no-loss");
}

Test(history, echo) {
    expect(ANA_JOINS SENDS("1", "x"), "history.echo");
    expect(ANA_JOINS SENDS("1", "x") GETS("1", "1", "x", "1") GETS("1", "1", "x", "2"), "history.echo");
}

Test(history, fold) {
    expect(ANA_JOINS SENDS("1", "x") GETS("1", "1", "x", "1")
           "2> {'t':'hello','room':'r','origin':'b'}\n"
           "2< {'t':'welcome','room':'r','seq':1,'mode':'snapshot','root':{'x':2},'members':['a'],'peers':[]}\n"
           "1< {'t':'member','room':'r','origin':'b'}\n", "history.fold");
}

Test(history, per_origin_order) {
    expect(ANA_JOINS SENDS("1", "x") SENDS("2", "x") GETS("1", "2", "x", "1") GETS("1", "1", "x", "2"), "history.per-origin-order");
}

Test(history, isolation) {
    expect(ANA_JOINS "1< {'t':'member','room':'q','origin':'b'}\n", "history.isolation");
    expect(ANA_JOINS GETS("1", "1", "x", "1"), "history.isolation");
    expect(ANA_JOINS BEN_JOINS SENDS("1", "x") "2< {'t':'eject','room':'r','writer':'a','reason':'rate'}\n" GETS("2", "1", "x", "1"),
           "history.isolation");
}

Test(history, presence_truth) {
    expect(ANA_JOINS BEN_JOINS "2> {'t':'presence','room':'r','data':1}\n", "history.presence-truth");
    expect(ANA_JOINS BEN_JOINS "2.\n", "history.presence-truth");
    expect(ANA_JOINS "2> {'t':'hello','room':'r','origin':'b'}\n"
           "2< {'t':'welcome','room':'r','seq':0,'mode':'up-to-date','members':[],'peers':[]}\n"
           "1< {'t':'member','room':'r','origin':'b'}\n", "history.presence-truth");
}

Test(history, commits_after_the_broadcast) {
    const char *commit = "c {'room':'r','env':" ENVELOPE("1", "x") ",'seq':1}}\n";
    char run[4000];
    snprintf(run, sizeof run, "%s%s%s%s%s", ANA_JOINS BEN_JOINS, SENDS("1", "x"), GETS("1", "1", "x", "1"), GETS("2", "1", "x", "1"), commit);
    expect(run, NULL);
    snprintf(run, sizeof run, "%s%s%s%s%s", ANA_JOINS BEN_JOINS, SENDS("1", "x"), GETS("1", "1", "x", "1"), commit, GETS("2", "1", "x", "1"));
    expect(run, "commit.each");
}

/* ---- wire version 3 ------------------------------------------------------------------------------ */

static void expect_three(const char *run, const char *rule, bool held) {
    struct arena *arena = arena_new();
    struct history_event events[EVENTS_CEILING];
    size_t count = read_run(arena, run, events);
    struct history_settings settings = {.settled = !held, .held = held, .wire = 3};
    struct history_breach breach = history_check(arena, events, count, &settings);
    cr_expect(breach.rule == NULL ? rule == NULL : rule != NULL && strcmp(breach.rule, rule) == 0, "wanted %s, came %s (%s) of\n%s",
              rule == NULL ? "no breach" : rule, breach.rule == NULL ? "no breach" : breach.rule, breach.rule == NULL ? "" : breach.text, run);
    arena_free(arena);
}

#define STAMP(l) "{'p':1,'l':" l "}"
#define WRITE(origin, version, key, cites) \
    "{'proto':3,'instance':'i','origin':'" origin "','writer':'" origin "','version':" version ",'hlc':" STAMP(version) \
    ",'policyVersion':0,'ops':[{'kind':'set','path':['" key "'],'next':" version ",'cites':" cites ",'epoch':0}]"
#define ANA_WRITES(version, key) "1> {'t':'env','room':'r','env':" WRITE("a", version, key, "[]") "}}\n"
#define ANA_GETS(version, key, seq) "1< {'t':'env','room':'r','env':" WRITE("a", version, key, "[]") ",'seq':" seq "}}\n"
#define SIBLING(origin, version) \
    "{'kind':'set','writer':'" origin "','origin':'" origin "','hlc':" STAMP(version) ",'epoch':0,'value':" version "}"
#define REGISTER(key, siblings, water) "{'path':['" key "'],'siblings':[" siblings "],'water':" water "}"
#define CLEO_JOINS(seq, registers) \
    "3> {'t':'hello','room':'r','origin':'c'}\n" \
    "3< {'t':'welcome','room':'r','seq':" seq ",'mode':'snapshot','members':['a'],'peers':[],'registers':[" registers "]}\n" \
    "1< {'t':'member','room':'r','origin':'c'}\n"
/* ana writes k, then writes it again and cites what she wrote first. */
#define CITED "[{'origin':'a','hlc':" STAMP("1") "}]"
#define ANA_CITES ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") \
    "1> {'t':'env','room':'r','env':" WRITE("b", "2", "k", CITED) "}}\n" \
    "1< {'t':'env','room':'r','env':" WRITE("b", "2", "k", CITED) ",'seq':2}}\n"
#define SETTLED(stamps) "1< {'t':'settled','room':'r','settled':" stamps "}\n"

Test(history, registers_are_what_the_envelopes_leave) {
    const char *kept = ANA_CITES CLEO_JOINS("2", REGISTER("k", SIBLING("b", "2") "," SIBLING("a", "1"), "{'a':" STAMP("1") "}"));
    expect_three(kept, NULL, false);
    expect_three(ANA_CITES CLEO_JOINS("2", REGISTER("k", SIBLING("b", "2"), "{'a':" STAMP("1") "}")), "history.registers", false);
    expect_three(ANA_CITES CLEO_JOINS("2", REGISTER("k", SIBLING("b", "2") "," SIBLING("a", "1"), "{}")), "history.registers", false);
    expect_three(ANA_CITES CLEO_JOINS("2", ""), "history.registers", false);
    expect_three(ANA_CITES CLEO_JOINS("2", REGISTER("k", SIBLING("b", "2") "," SIBLING("a", "1"), "{'a':" STAMP("1") "}") ","
                                           REGISTER("x", SIBLING("b", "2"), "{}")), "history.registers", false);
}

Test(history, a_settled_notice_collects) {
    const char *both = "{'a':" STAMP("1") ",'b':" STAMP("2") "}";
    char run[4000];
    snprintf(run, sizeof run, "%s1< {'t':'settled','room':'r','settled':%s}\n%s", ANA_CITES, both, CLEO_JOINS("2", REGISTER("k", SIBLING("b", "2"), "{}")));
    expect_three(run, NULL, false);
    /* b's stamp is settled, but nobody cited it */
    expect_three(ANA_CITES SETTLED("{'b':" STAMP("2") "}") CLEO_JOINS("2", REGISTER("k", SIBLING("a", "1"), "{'a':" STAMP("1") "}")),
                 "history.registers", false);
    /* two members are told different stamps */
    expect_three(ANA_JOINS BEN_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") SETTLED("{'a':" STAMP("1") "}")
                 "2< {'t':'env','room':'r','env':" WRITE("a", "1", "k", "[]") ",'seq':1}}\n"
                 "2< {'t':'settled','room':'r','settled':{}}\n", "history.registers", false);
}

Test(history, evidence_is_what_was_admitted) {
#define MARKED(seq, registers, marks) \
    "3> {'t':'hello','room':'r','origin':'c'}\n" \
    "3< {'t':'welcome','room':'r','seq':" seq ",'mode':'snapshot','wm':" marks ",'members':['a'],'peers':[],'registers':[" registers "]}\n" \
    "1< {'t':'member','room':'r','origin':'c'}\n"
#define TWO REGISTER("k", SIBLING("b", "2") "," SIBLING("a", "1"), "{'a':" STAMP("1") "}")
    expect_three(ANA_CITES MARKED("2", TWO, "{'a':1,'b':2}"), NULL, false);
    expect_three(ANA_CITES MARKED("2", TWO, "{'a':1,'b':1}"), "register.snapshot", false);
    expect_three(ANA_CITES MARKED("2", TWO, "{'a':1}"), "register.snapshot", false);
    expect_three(ANA_CITES MARKED("2", TWO, "{'a':1,'c':2}"), "register.snapshot", false);
    /* the second write is the first one's version with another path, or comes late */
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") ANA_WRITES("1", "n") ANA_GETS("1", "n", "2"), "admit.duplicate", false);
    expect_three(ANA_JOINS ANA_WRITES("3", "k") ANA_GETS("3", "k", "1") ANA_WRITES("2", "n") ANA_GETS("2", "n", "2"), "admit.order", false);
    /* a gap ends the first run */
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") ANA_WRITES("3", "n") ANA_GETS("3", "n", "2") SETTLED("{'a':" STAMP("1") "}"), NULL, false);
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") ANA_WRITES("3", "n") ANA_GETS("3", "n", "2") SETTLED("{'a':" STAMP("3") "}"),
                 "settle.notice", false);
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") ANA_WRITES("2", "n") ANA_GETS("2", "n", "2") SETTLED("{'a':" STAMP("1") "}"),
                 "settle.notice", false);
}

Test(history, a_migration_begins_anew) {
#define MIGRATES(lead, more) lead "{'t':'env','room':'r','env':" WRITE("a", "2", "n", "[]") ",'schemaVersion':1" more "}}\n"
#define REWELCOMED(registers) "1< {'t':'welcome','room':'r','seq':2,'mode':'snapshot','wm':{},'members':[],'peers':[],'registers':[" registers "]}\n"
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") MIGRATES("1> ", "") MIGRATES("1< ", ",'seq':2")
                 REWELCOMED(REGISTER("n", SIBLING("a", "2"), "{}")), NULL, false);
    /* the migration itself is not admitted, so that its version is free */
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") MIGRATES("1> ", "") MIGRATES("1< ", ",'seq':2")
                 REWELCOMED(REGISTER("n", SIBLING("a", "2"), "{}")) ANA_WRITES("1", "m") ANA_GETS("1", "m", "3"), NULL, false);
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") MIGRATES("1> ", "") MIGRATES("1< ", ",'seq':2")
                 REWELCOMED(REGISTER("n", SIBLING("a", "2"), "{}") "," REGISTER("k", SIBLING("a", "1"), "{}")), "history.registers", false);
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") MIGRATES("1> ", "")
                 REWELCOMED(REGISTER("n", SIBLING("a", "2"), "{}")), "history.no-loss", false);
}

Test(history, a_drop_is_an_answer) {
#define DROPPED(version, reason) "1< {'t':'drop','room':'r','origin':'a','version':" version ",'reason':'" reason "'}\n"
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") ANA_WRITES("1", "k") DROPPED("1", "duplicate"), NULL, false);
    expect_three(ANA_JOINS ANA_WRITES("1", "k") DROPPED("1", "generation"), NULL, false);
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") ANA_WRITES("1", "k"), "history.echo", false);
    /* of two connections that sent the same version the one is dropped that was told so, and the other one was ejected for it */
    expect_three(ANA_JOINS "2> {'t':'hello','room':'r','origin':'b'}\n"
                 "2< {'t':'welcome','room':'r','seq':0,'mode':'up-to-date','members':['a'],'peers':[]}\n1< {'t':'member','room':'r','origin':'b'}\n"
                 "2> {'t':'env','room':'r','env':" WRITE("a", "1", "k", "[]") "}}\n2.\n1< {'t':'member','room':'r','origin':'b','gone':true}\n"
                 ANA_WRITES("1", "k") DROPPED("1", "generation"), NULL, false);
    /* both dropped and ordered */
    expect_three(ANA_JOINS ANA_WRITES("1", "k") DROPPED("1", "order") ANA_GETS("1", "k", "1"), "history.echo", false);
    /* the acknowledgement of what is not there */
    expect_three(ANA_JOINS ANA_WRITES("1", "k") DROPPED("1", "duplicate"), "history.no-loss", false);
    /* to one who has sent no such thing */
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1") DROPPED("2", "duplicate"), "history.isolation", false);
}

Test(history, an_unloaded_room_has_another_life) {
    const char *again = "2> {'t':'hello','room':'r','origin':'b'}\n"
                        "2< {'t':'welcome','room':'r','seq':0,'mode':'up-to-date','members':[],'peers':[]}\n";
    char run[4000];
    snprintf(run, sizeof run, "%s1.\nu {'unloaded':'r'}\n%s", ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1"), again);
    expect_three(run, NULL, false);
    snprintf(run, sizeof run, "%s1.\nu {'unloaded':'q'}\n%s", ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1"), again);
    expect_three(run, "history.no-loss", false);
}

Test(history, what_passes_a_held_welcome_is_no_breach) {
#define PASSED "2> {'t':'hello','room':'r','origin':'b'}\n2< {'t':'member','room':'r','origin':'c'}\n"
    expect_three(ANA_JOINS PASSED, NULL, true);
    expect_three(ANA_JOINS PASSED, "history.isolation", false);
    expect_three(ANA_JOINS "2> {'t':'hello','room':'r','origin':'b'}\n2< {'t':'env','room':'r','env':" WRITE("a", "1", "k", "[]") ",'seq':1}}\n",
                 "history.isolation", true);
}

Test(history, a_held_welcome_answers_the_newest_hello) {
    const char *twice = ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1")
        "2> {'t':'hello','room':'r','origin':'b','seq':0}\n2> {'t':'hello','room':'r','origin':'b','seq':1}\n"
        "2< {'t':'welcome','room':'r','seq':1,'mode':'up-to-date','members':['a'],'peers':[]}\n";
    expect_three(twice, NULL, true);
    expect_three(twice, "history.no-loss", false);
    /* and a rejection passes it */
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1")
                 "2> {'t':'hello','room':'r','origin':'b','seq':1}\n2> {'t':'hello','room':'r','origin':'b','proto':1,'seq':0}\n"
                 "2< {'t':'reject','room':'r','reason':'proto','expected':3}\n"
                 "2< {'t':'welcome','room':'r','seq':1,'mode':'up-to-date','members':['a'],'peers':[]}\n", NULL, true);
    /* nothing else does: an echo before the welcome is none of the member's */
    expect_three(ANA_JOINS ANA_WRITES("1", "k") ANA_GETS("1", "k", "1")
                 "2> {'t':'hello','room':'r','origin':'b'}\n2< {'t':'settled','room':'r','settled':{}}\n", NULL, true);
}
