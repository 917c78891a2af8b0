#include "relay-ref/tests/store_world.h"

#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void store_world_start(struct store_world *world, bool durable) {
    *world = (struct store_world){.folder = "/tmp/meshspec-store-XXXXXX"};
    cr_assert_not_null(mkdtemp(world->folder));
    snprintf(world->path, sizeof world->path, "%s/rooms.db", world->folder);
    cr_assert(store_world_open(world, durable), "%s", world->error.text);
}

bool store_world_open(struct store_world *world, bool durable) {
    struct store_settings settings = {world->path, durable, 1};
    world->store = store_open(&settings, &world->error);
    return world->store != NULL;
}

void store_world_close(struct store_world *world, bool orderly) {
    store_close(world->store, orderly);
    world->store = NULL;
}

void store_world_end(struct store_world *world) {
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char path[128];
    store_world_close(world, true);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(path, sizeof path, "%s%s", world->path, suffixes[i]);
        unlink(path);
    }
    rmdir(world->folder);
}

static struct relay_text envelope_text(char *memory, size_t capacity, struct relay_text room, uint64_t seq) {
    int length = snprintf(memory, capacity, "{\"room\":\"%.*s\",\"seq\":%llu}", (int)room.length, room.bytes,
                          (unsigned long long)seq);
    return (struct relay_text){memory, (size_t)length};
}

bool store_world_append(struct store_world *world, struct relay_text room, uint64_t seq) {
    char memory[256];
    int64_t id;
    return store_room_id(world->store, room, TEXT_OF("first"), &id, &world->error) &&
           store_append(world->store, id, seq, envelope_text(memory, sizeof memory, room, seq), &world->error);
}

void store_world_holds(struct store_world *world, struct relay_text name, uint64_t first, uint64_t last) {
    char memory[256];
    struct store_room room;
    cr_assert_eq(store_load(world->store, name, &room, &world->error), STORE_FOUND, "%s", world->error.text);
    cr_assert_eq(room.floor, first);
    cr_assert_eq(room.journal_count, last - first + 1, "%zu envelopes", room.journal_count);
    for (uint64_t seq = first; seq <= last; seq++) {
        const struct relay_text *entry = &room.journal[seq - first];
        struct relay_text wanted = envelope_text(memory, sizeof memory, name, seq);
        cr_assert_eq(entry->length, wanted.length);
        cr_assert_arr_eq(entry->bytes, wanted.bytes, wanted.length);
    }
    store_room_free(&room);
}

void store_world_execute(const struct store_world *world, const char *text) {
    sqlite3 *database;
    cr_assert_eq(sqlite3_open(world->path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(database, text, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(database));
    sqlite3_close(database);
}

int64_t store_world_number(const struct store_world *world, const char *query) {
    sqlite3 *database;
    sqlite3_stmt *statement;
    cr_assert_eq(sqlite3_open(world->path, &database), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(database, query, -1, &statement, NULL), SQLITE_OK, "%s", sqlite3_errmsg(database));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return number;
}

/* Copies at most `length` bytes; a negative length means all. */
static void copy_file(const char *from, const char *to, int64_t length) {
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    cr_assert(in != NULL && out != NULL);
    for (int byte; length != 0 && (byte = fgetc(in)) != EOF; length--)
        fputc(byte, out);
    fclose(in);
    fclose(out);
}

void store_world_torn(const struct store_world *world, int64_t length, uint64_t last) {
    struct store_world torn;
    char from[128], to[128];
    store_world_start(&torn, true);
    store_world_close(&torn, true);
    copy_file(world->path, torn.path, -1);
    snprintf(from, sizeof from, "%s-wal", world->path);
    snprintf(to, sizeof to, "%s-wal", torn.path);
    copy_file(from, to, length);
    cr_assert(store_world_open(&torn, true), "%s", torn.error.text);
    store_world_holds(&torn, TEXT_OF("r"), 1, last);
    store_world_end(&torn);
}
