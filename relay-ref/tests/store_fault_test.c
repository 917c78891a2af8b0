/* Files that cannot be served: told, and left as they are. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "relay-ref/tests/store_world.h"

static struct store_world world;

#define ROOM TEXT_OF("r")

/* A closed file with envelopes 1 to `last` of one room. */
static void start_file(uint64_t last) {
    store_world_start(&world, true);
    for (uint64_t seq = 1; seq <= last; seq++)
        cr_assert(store_world_append(&world, ROOM, seq));
    cr_assert(store_commit(world.store, &world.error));
    store_world_close(&world, true);
}

static char *file_bytes(size_t *length) {
    struct stat about;
    FILE *file = fopen(world.path, "rb");
    cr_assert(file != NULL && fstat(fileno(file), &about) == 0);
    char *bytes = malloc((size_t)about.st_size + 1);
    *length = fread(bytes, 1, (size_t)about.st_size, file);
    fclose(file);
    return bytes;
}

/* The file is refused with this code and a sentence that has `words`, and not a byte of it changes. */
static void is_refused(enum store_code code, const char *words) {
    size_t length, length_after;
    char *before = file_bytes(&length);
    cr_assert_not(store_world_open(&world, true));
    cr_expect_eq(world.error.code, code, "code %d", (int)world.error.code);
    cr_expect(strstr(world.error.text, words) != NULL, "%s", world.error.text);
    cr_expect(strncmp(world.error.text, world.path, strlen(world.path)) == 0, "%s", world.error.text);
    char *after = file_bytes(&length_after);
    cr_expect(length == length_after && memcmp(before, after, length) == 0, "the file changed");
    free(before);
    free(after);
}

Test(store_fault, a_newer_version_is_refused) {
    start_file(3);
    store_world_execute(&world, "PRAGMA user_version = 2");
    is_refused(STORE_FOREIGN, "has version 2; this program knows versions up to 1");
    store_world_execute(&world, "PRAGMA user_version = 1");
    cr_assert(store_world_open(&world, true));
    store_world_holds(&world, ROOM, 1, 3);
    store_world_end(&world);
}

Test(store_fault, another_programs_database_is_refused) {
    start_file(1);
    store_world_execute(&world, "PRAGMA application_id = 7");
    is_refused(STORE_FOREIGN, "another program");
    store_world_execute(&world, "PRAGMA application_id = 0");
    is_refused(STORE_FOREIGN, "another program");
    store_world_end(&world);
}

Test(store_fault, what_is_no_database_is_refused) {
    start_file(1);
    FILE *file = fopen(world.path, "wb");
    for (int i = 0; i < 1000; i++)
        fputs("These are my notes. ", file);
    fclose(file);
    is_refused(STORE_FOREIGN, "not a database");
    store_world_end(&world);
}

Test(store_fault, rooms_of_another_wire_version_are_refused) {
    start_file(1);
    struct store_settings settings = {world.path, true, 3};
    cr_assert_null(store_open(&settings, &world.error));
    cr_expect_eq(world.error.code, STORE_FOREIGN);
    cr_expect(strstr(world.error.text, "rooms of wire version 1; this relay speaks wire version 3") != NULL);
    store_world_end(&world);
}

/* Two relays on one file would order two envelopes under one seq. */
Test(store_fault, a_file_is_served_once) {
    store_world_start(&world, true);
    struct store *first = world.store;
    cr_assert_not(store_world_open(&world, true));
    cr_expect_eq(world.error.code, STORE_BUSY);
    cr_expect(strstr(world.error.text, "served by another process") != NULL, "%s", world.error.text);
    world.store = first;
    cr_assert(store_world_append(&world, ROOM, 1) && store_commit(world.store, &world.error));
    store_world_end(&world);
}

Test(store_fault, a_file_that_may_not_be_written_is_refused) {
    start_file(1);
    cr_assert_eq(chmod(world.folder, 0555), 0);
    cr_assert_eq(chmod(world.path, 0444), 0);
    if (geteuid() == 0)
        cr_assert_eq(seteuid(65534), 0);
    is_refused(STORE_FAILED, "Permission denied");
    if (geteuid() != 0 && getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
    chmod(world.folder, 0755);
    chmod(world.path, 0644);
    store_world_end(&world);
}

Test(store_fault, a_folder_that_is_not_there) {
    store_world_start(&world, true);
    struct store_settings settings = {"/nonexistent/rooms.db", true, 1};
    cr_assert_null(store_open(&settings, &world.error));
    cr_expect(strstr(world.error.text, "/nonexistent/rooms.db cannot be opened") != NULL, "%s", world.error.text);
    store_world_end(&world);
}

/* ---- while it is served ------------------------------------------------------------------------- */

Test(store_fault, a_locked_file_is_busy_and_readable) {
    sqlite3 *other;
    start_file(5);
    cr_assert(store_world_open(&world, true));
    cr_assert_eq(sqlite3_open(world.path, &other), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(other, "BEGIN IMMEDIATE; DELETE FROM journal", NULL, NULL, NULL), SQLITE_OK);
    cr_expect_not(store_world_append(&world, ROOM, 6));
    cr_expect_eq(world.error.code, STORE_BUSY);
    cr_expect_not(store_has_batch(world.store));
    store_world_holds(&world, ROOM, 1, 5);
    cr_assert_eq(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    cr_expect(store_world_append(&world, ROOM, 6) && store_commit(world.store, &world.error));
    store_world_holds(&world, ROOM, 1, 6);
    sqlite3_close(other);
    store_world_end(&world);
}

static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Appends envelopes from `seq` on, one batch each, until one fails; gives the first that failed. */
static uint64_t append_until_refused(uint64_t seq, uint64_t end) {
    while (seq < end && store_world_append(&world, ROOM, seq) && store_commit(world.store, &world.error))
        seq++;
    return seq;
}

/* A write that the system refuses half-way. */
Test(store_fault, a_failed_write_loses_only_its_batch) {
    store_world_start(&world, true);
    signal(SIGXFSZ, SIG_IGN);
    limit_files(400000);
    uint64_t refused = append_until_refused(1, 100000);
    cr_assert_lt(refused, 100000);
    cr_expect_eq(world.error.code, STORE_FAILED, "%s", world.error.text);
    store_rollback(world.store);
    store_world_holds(&world, ROOM, 1, refused - 1);
    limit_files(RLIM_INFINITY);
    cr_expect_eq(append_until_refused(refused, refused + 10), refused + 10, "%s", world.error.text);
    store_world_close(&world, false);
    cr_assert(store_world_open(&world, true));
    store_world_holds(&world, ROOM, 1, refused + 9);
    store_world_end(&world);
}

/* ---- damage ------------------------------------------------------------------------------------- */

static void is_unreadable(enum store_code code, const char *words) {
    struct store_room room;
    cr_assert(store_world_open(&world, true), "%s", world.error.text);
    cr_assert_eq(store_load(world.store, ROOM, &room, &world.error), STORE_UNREADABLE);
    cr_expect_eq(world.error.code, code, "code %d", (int)world.error.code);
    cr_expect(strstr(world.error.text, words) != NULL, "%s", world.error.text);
    cr_expect_null(room.memory);
    cr_expect(store_world_append(&world, TEXT_OF("other"), 1) && store_commit(world.store, &world.error));
    store_world_holds(&world, TEXT_OF("other"), 1, 1);
    store_world_end(&world);
}

Test(store_fault, a_hole_in_the_journal_is_damage) {
    start_file(10);
    store_world_execute(&world, "DELETE FROM journal WHERE seq = 5");
    is_unreadable(STORE_DAMAGED, "hole");
}

Test(store_fault, a_journal_whose_start_is_gone_is_damage) {
    start_file(10);
    store_world_execute(&world, "DELETE FROM journal WHERE seq < 5");
    is_unreadable(STORE_DAMAGED, "hole");
}

Test(store_fault, a_room_of_nothing_is_damage) {
    start_file(10);
    store_world_execute(&world, "DELETE FROM journal");
    is_unreadable(STORE_DAMAGED, "neither checkpoint nor journal");
}

Test(store_fault, a_checkpoint_without_pieces_is_damage) {
    start_file(10);
    store_world_execute(&world, "UPDATE rooms SET checkpoint = 1, checkpoint_seq = 10, floor = 11");
    is_unreadable(STORE_DAMAGED, "checkpoint is missing");
}

Test(store_fault, a_journal_short_of_its_checkpoint_is_damage) {
    start_file(10);
    store_world_execute(&world, "UPDATE rooms SET checkpoint = 1, checkpoint_seq = 12, floor = 5;"
                                "INSERT INTO pieces VALUES (1, 1, 0, x'7b7d')");
    is_unreadable(STORE_DAMAGED, "does not reach");
}

/* Pages overwritten behind SQLite's back: it notices, and says so. */
Test(store_fault, overwritten_pages_are_damage) {
    char junk[4096];
    start_file(1000);
    int64_t page = store_world_number(&world, "SELECT rootpage FROM sqlite_schema WHERE name = 'journal'");
    memset(junk, 0x5a, sizeof junk);
    int file = open(world.path, O_WRONLY);
    cr_assert_eq(pwrite(file, junk, sizeof junk, (page - 1) * (int64_t)sizeof junk), (ssize_t)sizeof junk);
    close(file);
    struct store_room room;
    cr_assert(store_world_open(&world, true), "%s", world.error.text);
    cr_assert_eq(store_load(world.store, ROOM, &room, &world.error), STORE_UNREADABLE);
    cr_expect_eq(world.error.code, STORE_DAMAGED, "%s", world.error.text);
    store_world_end(&world);
}

/* A log whose end is torn, as a power cut leaves it: what was whole before is there, and nothing of the torn batch. */
Test(store_fault, a_torn_log_loses_the_torn_batch_alone) {
    char log[128];
    store_world_start(&world, true);
    for (uint64_t seq = 1; seq <= 20; seq++)
        cr_assert(store_world_append(&world, ROOM, seq) && store_commit(world.store, &world.error));
    snprintf(log, sizeof log, "%s-wal", world.path);
    struct stat whole, longer;
    cr_assert_eq(stat(log, &whole), 0);
    cr_assert(store_world_append(&world, ROOM, 21) && store_commit(world.store, &world.error));
    cr_assert_eq(stat(log, &longer), 0);
    cr_assert_gt(longer.st_size, whole.st_size);
    for (off_t length = whole.st_size; length < longer.st_size; length += 997)
        store_world_torn(&world, length, 20);
    store_world_torn(&world, longer.st_size, 21);
    store_world_end(&world);
}
