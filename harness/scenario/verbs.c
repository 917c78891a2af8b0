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
    [VERB_DROPPED] = {"dropped", LOOKS},
    [VERB_REJECTED] = {"rejected", LOOKS},
    [VERB_JOINED] = {"joined", LOOKS},
    [VERB_STALLED] = {"stalled", LOOKS},
    [VERB_HOLDS_COMMITS] = {"holds-commits", 0},
    [VERB_DECIDES_COMMITS] = {"decides-commits", 0},
    [VERB_RELEASE] = {"release", 0},
    [VERB_FAIL] = {"fail", 0},
    [VERB_UNLOAD] = {"unload", 0},
    [VERB_RESTART] = {"restart", 0},
    [VERB_ADVANCE] = {"advance", 0},
    [VERB_STORE_GET] = {"get", 0},
    [VERB_STORE_POST] = {"post", 0},
    [VERB_STORE_INSERT] = {"insert", 0},
    [VERB_STORE_UPDATE] = {"update", 0},
    [VERB_STORE_DELETE] = {"delete", 0},
    [VERB_STORE_LIST] = {"list", 0},
    [VERB_STORE_GOES_THROUGH] = {"goes-through", 0},
    [VERB_STORE_STILL_HANGS] = {"still-hangs", 0},
    [VERB_STORE_REQUESTS] = {"requests", 0},
    [VERB_STORE_FAULTS] = {"faults", 0},
    [VERB_STORE_RESTART] = {"restart", 0},
    [VERB_STORE_AT_ONCE] = {"at-once", 0},
    [VERB_PROVISIONER_STATUS] = {"status", 0},
    [VERB_PROVISIONER_APPLY] = {"apply", 0},
    [VERB_PROVISIONER_AT_ONCE] = {"at-once", 0},
    [VERB_RACE] = {"race", 0},
    [VERB_EITHER] = {"either", 0},
    [VERB_REPEAT] = {"repeat", 0},
};

static bool named_among(enum verb first, enum verb end, struct text name, enum verb *verb) {
    for (enum verb one = first; one < end; one++)
        if (text_equal(name, text_of(verbs[one].name))) {
            *verb = one;
            return true;
        }
    return false;
}

bool verb_named(struct text name, enum verb *verb) {
    return named_among(VERB_CONNECTS, VERB_STORE_GET, name, verb) || named_among(VERB_RACE, VERB_REPEAT + 1, name, verb);
}

const struct json_value *verb_of_store_in(const struct json_value *map, bool of_provisioner, enum verb *verb) {
    const struct json_value *member = map->first;
    enum verb first = of_provisioner ? VERB_PROVISIONER_STATUS : VERB_STORE_GET, end = of_provisioner ? VERB_RACE : VERB_PROVISIONER_STATUS;
    while (member != NULL && !named_among(first, end, member->key, verb))
        member = member->next;
    return member;
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
