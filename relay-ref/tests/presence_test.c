/* Presence, signals, leaving, rooms: what is not ordered. */
#include <criterion/criterion.h>
#include <string.h>

#include "relay-ref/tests/world.h"

static struct world world;
static struct pair *ana, *ben, *cleo;

static void open_three(void) {
    world_open(&world, RELAY_PROTOCOL_0_2_0, NULL);
    ana = world_client(&world, "wa");
    ben = world_client(&world, "wb");
    cleo = world_client(&world, "wc");
    hello(ana, "r", "a", "");
    hello(ben, "r", "b", "");
    hello(cleo, "r", "c", "");
    drain(ana);
    drain(ben);
    drain(cleo);
}

static void close_three(void) {
    pair_free(ana);
    pair_free(ben);
    pair_free(cleo);
    world_close(&world);
}

TestSuite(presence, .init = open_three, .fini = close_three);
TestSuite(signal, .init = open_three, .fini = close_three);
TestSuite(leave, .init = open_three, .fini = close_three);

#define PRESENCE_A "{\"t\":\"presence\",\"room\":\"r\",\"peer\":{\"origin\":\"a\",\"writer\":\"wa\",\"data\":"

Test(presence, goes_to_all_others) {
    says(ana, "{\"t\":\"presence\",\"room\":\"r\",\"data\":{ \"x\":[1.0] },\"writer\":\"me\",\"origin\":\"b\"}");
    cr_expect_str_eq(next(&world, ana), "(nothing)");
    cr_expect_str_eq(next(&world, ben), PRESENCE_A "{ \"x\":[1.0] }}}");
    cr_expect_str_eq(next(&world, cleo), PRESENCE_A "{ \"x\":[1.0] }}}");
    cr_expect_eq(room_info(&world, "r").seq, 0, "presence.not-ordered");
    cr_expect_str_eq(world.observed, "");
}

Test(presence, replaces_its_entry_in_place) {
    says(ana, "{\"t\":\"presence\",\"room\":\"r\",\"data\":1}");
    says(ben, "{\"t\":\"presence\",\"room\":\"r\"}");
    says(ana, "{\"t\":\"presence\",\"room\":\"r\",\"data\":2}");
    drain(cleo);
    hello(cleo, "r", "c", "");
    cr_expect_not_null(strstr(next(&world, cleo), "\"peers\":[{\"origin\":\"a\",\"writer\":\"wa\",\"data\":2},"
                                                  "{\"origin\":\"b\",\"writer\":\"wb\"}]"));
}

Test(presence, goes_with_its_member) {
    says(ana, "{\"t\":\"presence\",\"room\":\"r\",\"data\":null}");
    drain(ben);
    pair_disconnect(ana);
    cr_expect_str_eq(next(&world, ben), PRESENCE_A "null},\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a\",\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "(nothing)");
    drain(ben);
    hello(ben, "r", "b", "");
    cr_expect_not_null(strstr(next(&world, ben), "\"peers\":[],\"members\":[\"c\"]"));
}

Test(presence, of_a_non_member_changes_nothing) {
    says(ana, "{\"t\":\"presence\",\"room\":\"q\",\"data\":1}");
    cr_expect_str_eq(next(&world, ben), "(nothing)");
    cr_expect_eq(room_info(&world, "q").members, 0);
}

Test(signal, goes_to_its_addressee_only) {
    says(ana, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"b\",\"data\":[1],\"from\":\"c\"}");
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"signal\",\"room\":\"r\",\"from\":\"a\",\"data\":[1]}");
    cr_expect_str_eq(next(&world, ana), "(nothing)");
    cr_expect_str_eq(next(&world, cleo), "(nothing)");
}

Test(signal, stays_in_its_room) {
    struct pair *elsewhere = world_client(&world, "we");
    hello(elsewhere, "q", "e", "");
    hello(ana, "q", "a2", "");
    drain(ana);
    drain(elsewhere);
    says(ana, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"e\",\"data\":1}");
    says(ana, "{\"t\":\"signal\",\"room\":\"q\",\"to\":\"b\",\"data\":1}");
    says(elsewhere, "{\"t\":\"signal\",\"room\":\"r\",\"to\":\"b\",\"data\":1}");
    cr_expect_str_eq(next(&world, elsewhere), "(nothing)");
    cr_expect_str_eq(next(&world, ben), "(nothing)");
    says(ana, "{\"t\":\"signal\",\"room\":\"q\",\"to\":\"e\",\"data\":1}");
    cr_expect_str_eq(next(&world, elsewhere), "{\"t\":\"signal\",\"room\":\"q\",\"from\":\"a2\",\"data\":1}");
    pair_free(elsewhere);
}

Test(leave, a_room_outlives_its_members) {
    writes(ana, "r", "wa", "[{\"kind\":\"set\",\"path\":[],\"next\":7}]", "");
    pair_disconnect(ana);
    pair_disconnect(ben);
    pair_disconnect(cleo);
    struct relay_room_info info = room_info(&world, "r");
    cr_expect(info.seq == 1 && info.members == 0 && info.journal == 1);
    struct pair *dora = world_client(&world, "wd");
    hello(dora, "r", "d", "");
    cr_expect_str_eq(next(&world, dora),
                     "{\"t\":\"welcome\",\"room\":\"r\",\"seq\":1,\"epoch\":\"e1\",\"schemaVersion\":0,"
                     "\"peers\":[],\"members\":[],\"mode\":\"snapshot\",\"root\":7}");
    pair_free(dora);
}

Test(leave, every_room_is_left_in_the_order_of_joining) {
    hello(ana, "q", "a", "");
    hello(ben, "q", "b", "");
    hello(ana, "r", "a", "");
    drain(ben);
    pair_disconnect(ana);
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"r\",\"origin\":\"a\",\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "{\"t\":\"member\",\"room\":\"q\",\"origin\":\"a\",\"gone\":true}");
    cr_expect_str_eq(next(&world, ben), "(nothing)");
}
