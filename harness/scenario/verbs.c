#include "harness/scenario/verbs.h"

enum { RACES = 1, LOOKS = 2 };

static const struct {
    const char *name;
    unsigned may;
} verbs[] = {
    [VERB_CONNECTS] = {"connects", 0},
    [VERB_HELLO] = {"hello", RACES},
    [VERB_WRITES] = {"writes", RACES},
    [VERB_PRESENCE] = {"presence", RACES},
    [VERB_SIGNAL] = {"signal", RACES},
    [VERB_SENDS] = {"sends", RACES},
    [VERB_SENDS_TEXT] = {"sends-text", RACES},
    [VERB_SENDS_BYTES] = {"sends-bytes", RACES},
    [VERB_GETS] = {"gets", LOOKS},
    [VERB_GETS_IN_ANY_ORDER] = {"gets-in-any-order", LOOKS},
    [VERB_QUIET] = {"quiet", LOOKS},
    [VERB_CLOSED] = {"closed", LOOKS},
    [VERB_LEAVES] = {"leaves", 0},
    [VERB_DROPS] = {"drops", 0},
    [VERB_STALLS] = {"stalls", 0},
    [VERB_RESUMES] = {"resumes", 0},
    [VERB_JOINS_AS] = {"joins-as", 0},
    [VERB_HYDRATE] = {"hydrate", RACES},
    [VERB_ROOM] = {"room", LOOKS},
    [VERB_COMMITTED] = {"committed", LOOKS},
    [VERB_VIOLATED] = {"violated", LOOKS},
    [VERB_RESTART] = {"restart", 0},
    [VERB_ADVANCE] = {"advance", 0},
    [VERB_RACE] = {"race", 0},
    [VERB_EITHER] = {"either", 0},
    [VERB_REPEAT] = {"repeat", 0},
};

bool verb_named(struct text name, enum verb *verb) {
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
        if (text_equal(name, text_of(verbs[i].name))) {
            *verb = (enum verb)i;
            return true;
        }
    return false;
}

const struct json_value *verb_in(const struct json_value *map, enum verb *verb) {
    const struct json_value *member = map->first;
    while (member != NULL && !verb_named(member->key, verb))
        member = member->next;
    return member;
}

const char *verb_name(enum verb verb) {
    return verbs[verb].name;
}

bool verb_may_race(enum verb verb) {
    return (verbs[verb].may & RACES) != 0;
}

bool verb_may_be_either(enum verb verb) {
    return (verbs[verb].may & LOOKS) != 0;
}
