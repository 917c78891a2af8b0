/*
 * A file of rooms that is damaged: single bytes of a good one are changed, or its end is missing. It is refused or read, and what is read
 * is whole: envelopes dense from the floor on. No crash, and no endless search.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/fuzz/support/oracle.h"
#include "relay-ref/adapters/store_sqlite.h"

#define ENVELOPES 40
#define CHANGES_CEILING 24

static const struct relay_text epoch = {"e", 1}, names[] = {{"r", 1}, {"q", 1}};

/* libFuzzer calls without a context; the file is made once. */
static struct {
    char folder[64], path[80];
    uint8_t *bytes;
    size_t length;
} good;

static void must(bool done, const struct store_error *error) {
    if (!done)
        found("a good file cannot be made: %s", error->text);
}

static void fill(struct store *store, struct relay_text name) {
    struct store_error error;
    char text[400];
    int64_t id;
    must(store_room_id(store, name, epoch, &id, &error), &error);
    for (unsigned seq = 1; seq <= ENVELOPES; seq++) {
        int length = snprintf(text, sizeof text, "{\"seq\":%u,\"ops\":[],\"x\":\"%0*u\"}", seq, seq % 7 == 0 ? 300 : 10, seq);
        must(store_append(store, id, seq, (struct relay_text){text, (size_t)length}, &error), &error);
    }
    struct store_checkpoint checkpoint = {.room = id, .seq = ENVELOPES / 2, .floor = 5, .snapshot = {"{\"seq\":20}", 10}};
    while (checkpoint.phase != STORE_DONE)
        must(store_checkpoint_step(store, &checkpoint, &error), &error);
    must(store_commit(store, &error), &error);
}

static struct store *open_file(struct store_error *error) {
    return store_open(&(struct store_settings){good.path, false, 3}, error);
}

static void remove_all(void) {
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char path[96];
        snprintf(path, sizeof path, "%s%s", good.path, suffixes[i]);
        unlink(path);
    }
}

static void remove_folder(void) {
    remove_all();
    rmdir(good.folder);
}

static void make_good(void) {
    struct store_error error;
    struct stat about;
    const char *place = getenv("TMPDIR");
    snprintf(good.folder, sizeof good.folder, "%s/meshspec-fuzz-XXXXXX", place != NULL && strlen(place) < 32 ? place : "/tmp");
    if (mkdtemp(good.folder) == NULL)
        found("no folder can be made");
    snprintf(good.path, sizeof good.path, "%s/rooms.db", good.folder);
    atexit(remove_folder);
    struct store *store = open_file(&error);
    must(store != NULL, &error);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fill(store, names[i]);
    store_close(store, true);
    int file = open(good.path, O_RDONLY);
    if (file < 0 || fstat(file, &about) != 0)
        found("the good file is gone");
    good.length = (size_t)about.st_size;
    good.bytes = malloc(good.length);
    if (read(file, good.bytes, good.length) != (ssize_t)good.length)
        found("the good file cannot be read");
    close(file);
}

static void write_damaged(struct bytes *bytes) {
    uint8_t *damaged = malloc(good.length);
    size_t length = good.length;
    memcpy(damaged, good.bytes, good.length);
    if (bytes_choose(bytes, 8) == 7)
        length = good.length * bytes_choose(bytes, 256) / 256;
    for (int i = 0; i < CHANGES_CEILING && bytes->left > 0; i++) {
        size_t page = bytes_choose(bytes, 256), place = bytes_choose(bytes, 2) * 256 + bytes_choose(bytes, 256);
        damaged[(page * 512 + place) % good.length] = (uint8_t)bytes_choose(bytes, 256);
    }
    int file = open(good.path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, damaged, length) != (ssize_t)length)
        found("the damaged file cannot be written");
    close(file);
    free(damaged);
}

static void check_room(const struct store_room *room) {
    if (room->journal_count > 0 && room->journal == NULL)
        found("a journal that is not there");
    for (size_t i = 0; i < room->journal_count; i++)
        if (room->journal[i].bytes == NULL)
            found("envelope %zu has no text", i);
    if (room->covered > room->journal_count)
        found("%zu of %zu envelopes are covered", room->covered, room->journal_count);
}

static void read_rooms(struct store *store) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct store_error error = {0};
        struct store_room room;
        switch (store_load(store, names[i], &room, &error)) {
        case STORE_FOUND:
            check_room(&room);
            store_room_free(&room);
            break;
        case STORE_UNREADABLE:
            if (error.text[0] == '\0')
                found("a room cannot be read, without a reason");
            break;
        default:
            break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct bytes bytes = {data, size};
    struct store_error error = {0};
    if (good.bytes == NULL)
        make_good();
    remove_all();
    write_damaged(&bytes);
    struct store *store = open_file(&error);
    if (store != NULL)
        read_rooms(store);
    else if (error.text[0] == '\0')
        found("a file is refused without a reason");
    store_close(store, true);
    return 0;
}
