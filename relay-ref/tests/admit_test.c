/* Who gets in (admit.*), and ejection by connection. */
#include <criterion/criterion.h>
#include <string.h>

#include "relay-ref/tests/generation_world.h"

static struct world world;
static struct pair *ana, *ben;

static void open_room(const char *options) {
    open_room_of_two(&world, options, &ana, &ben);
}

static void close_room(void) {
    close_room_of_two(&world, ana, ben);
}

static void ana_writes(unsigned version, const char *instance, const char *ops, const char *more) {
    submits(ana, &(struct submission){"r", instance, "ana", "wa", version, version, ops, more});
}

static void expect_seen(const char *wanted) {
    cr_expect_eq(strncmp(world.observed, wanted, strlen(wanted)), 0, "%s", world.observed);
    world.observed[0] = '\0';
}

/* admit.duplicate, admit.order: a gap is fine, what lies in it is not. */
Test(admit, versions_only_go_up) {
    open_room(NULL);
    ana_writes(2, "e1", "[]", "");
    ana_writes(5, "e1", "[]", "");
    cr_expect_eq(room_info(&world, "r").seq, 2);
    world.observed[0] = '\0';
    ana_writes(2, "e1", "[]", "");
    expect_seen("drop r ana 2 duplicate\n");
    ana_writes(3, "e1", "[]", "");
    expect_seen("drop r ana 3 order\n");
    ana_writes(1, "e1", "[]", "");
    expect_seen("drop r ana 1 order\n");
    cr_expect_str_eq(next_of(&world, ana, "drop"),
                     "{\"t\":\"drop\",\"room\":\"r\",\"origin\":\"ana\",\"version\":2,\"reason\":\"duplicate\"}");
    cr_expect_str_eq(next_of(&world, ben, "drop"), "(nothing)", "only the sender hears of it");
    ana_writes(6, "e1", "[]", "");
    cr_expect_eq(room_info(&world, "r").seq, 3);
    close_room();
}

/* admit.precedence: generation, schema, duplicate, order. */
Test(admit, the_first_reason_counts) {
    open_room(NULL);
    ana_writes(4, "e1", "[]", ",\"schemaVersion\":3"); /* a new generation, e2 */
    world.observed[0] = '\0';
    ana_writes(4, "e1", "[]", ",\"schemaVersion\":1");
    expect_seen("drop r ana 4 generation\n");
    ana_writes(4, "e2", "[]", ",\"schemaVersion\":3");
    expect_seen("commit r seq 2 epoch e2 schema 3");
    ana_writes(4, "e2", "[]", ",\"schemaVersion\":2");
    expect_seen("drop r ana 4 schema\n");
    ana_writes(4, "e2", "[]", ",\"schemaVersion\":3");
    expect_seen("drop r ana 4 duplicate\n");
    close_room();
}

/* admit.bump */
Test(admit, epochs_rise_by_permission) {
    open_room("{\"policy\":{\"canBump\":{\"allow\":{\"writer\":\"wb\"}}}}");
    submits(ben, &(struct submission){"r", "e1", "ben", "wb", 1, 1, sets("[\"x\"]", "1", "", 2), NULL});
    expect_seen("commit r seq 1");
    ana_writes(1, "e1", sets("[\"x\"]", "2", "", 2), NULL);
    expect_seen("commit r seq 2");
    ana_writes(2, "e1", sets("[\"x\"]", "3", "", 1), NULL);
    expect_seen("commit r seq 3");
    ana_writes(3, "e1", sets("[\"y\"]", "3", "", 1), NULL);
    expect_seen("violation r wa epoch-bump [\"y\"]\n");
    close_room();
}

/* admit.citations: a sibling, water, a settled stamp, or the envelope's own dot. */
Test(admit, cites_must_be_known) {
    open_room("{\"policy\":{\"verifyCitations\":true}}");
    ana_writes(1, "e1", sets("[\"x\"]", "1", cites("\\u0061na", 1), 0), NULL);
    expect_seen("commit r seq 1");
    submits(ben, &(struct submission){"r", "e1", "ben", "wb", 4, 9, sets("[\"x\"]", "2", cites("ana", 1), 0), NULL});
    expect_seen("commit r seq 2");
    ana_writes(2, "e1", sets("[\"y\"]", "1", cites("ben", 9), 0), NULL);
    expect_seen("commit r seq 3"); /* settled: ben's first run ends with it */
    ana_writes(3, "e1", sets("[\"x\"]", "1", cites("ben", 10), 0), NULL);
    expect_seen("violation r wa unknown-citation [\"x\"]\n");
    cr_expect_eq(room_info(&world, "r").seq, 3, "nothing of it is ordered (admit.whole)");
    close_room();
}

/* eject.connection */
Test(admit, one_connection_is_ejected_alone) {
    open_room("{\"ejection\":\"connection\"}");
    struct pair *tab = world_client(&world, "wa"), *again = world_client(&world, "wa");
    joins(tab, "r", "tab", "");
    drain(ben);
    says(ana, "{\"t\":\"presence\",\"room\":\"r\",\"data\":1}");
    ana_writes(1, "e1", "{}", "");
    cr_expect_str_eq(next_of(&world, ana, "eject"),
                     "{\"t\":\"eject\",\"room\":\"r\",\"writer\":\"wa\",\"reason\":\"malformed\"}");
    cr_expect_str_eq(next(&world, ana), "(closed)");
    next(&world, ben);
    cr_expect_not_null(strstr(next(&world, ben), "\"gone\":true"));
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"ana\",\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "(nothing)");
    submits(tab, &(struct submission){"r", "e1", "tab", "wa", 1, 1, "[]", NULL});
    joins(again, "r", "ana", "");
    cr_expect_not_null(strstr(next(&world, again), "\"t\":\"welcome\""));
    cr_expect_eq(room_info(&world, "r").seq, 1);
    pair_free(again);
    pair_free(tab);
    close_room();
}
