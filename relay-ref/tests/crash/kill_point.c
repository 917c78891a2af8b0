/*
 * Loaded in front of a relay's libraries (LD_PRELOAD), it kills the process with SIGKILL at one chosen point of its
 * dealings with the file: MESHSPEC_KILL=KIND:COUNT, where the COUNT-th event of that kind is the last thing that
 * happens.
 *
 *     append, commit, piece, turn, clear, trim, load    before the statement of that kind takes a step
 *     committed                                         after a COMMIT came back, before anybody hears of it
 *     write, torn                                       before a write to the file or its log; in the middle of it
 *     sync                                              before the disk is asked to have it
 *
 * Two kinds kill nobody; the device fails once instead:
 *
 *     bad-read                                          the read that a load's COUNT-th step makes
 *     bad-sync                                          the COUNT-th time that the disk is asked to have something
 *
 * MESHSPEC_KILL_NOTE names a file that gets one line when the point was reached.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *kind, *start;
} statements[] = {
    {"append", "INSERT INTO journal"}, {"commit", "COMMIT"},
    {"piece", "INSERT INTO pieces"},   {"turn", "UPDATE rooms SET check"},
    {"clear", "DELETE FROM pieces"},   {"trim", "DELETE FROM journal"},
    {"load", "SELECT seq, envelope"},  {"load", "SELECT bytes"},
};

/* Counts this event of `kind`; true when it is the one. */
static bool is_the_point(const char *kind) {
    static unsigned long seen;
    const char *wanted = getenv("MESHSPEC_KILL");
    size_t length = strlen(kind);
    if (wanted == NULL || strncmp(wanted, kind, length) != 0 || wanted[length] != ':')
        return false;
    return ++seen == strtoul(wanted + length + 1, NULL, 10);
}

static void die(void) {
    const char *note = getenv("MESHSPEC_KILL_NOTE");
    int file = note != NULL ? open(note, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (file >= 0 && write(file, "reached\n", 8) == 8)
        close(file);
    kill(getpid(), SIGKILL);
}

static void *next_named(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL)
        abort();
    return found;
}

static bool next_read_fails;

int sqlite3_step(sqlite3_stmt *statement) {
    int (*step)(sqlite3_stmt *);
    *(void **)(void *)&step = next_named("sqlite3_step");
    const char *text = sqlite3_sql(statement);
    bool commits = text != NULL && strcmp(text, "COMMIT") == 0;
    for (size_t i = 0; text != NULL && i < sizeof statements / sizeof *statements; i++)
        if (strncmp(text, statements[i].start, strlen(statements[i].start)) == 0 && is_the_point(statements[i].kind))
            die();
    if (text != NULL && strncmp(text, "SELECT seq, envelope", 20) == 0 && is_the_point("bad-read"))
        next_read_fails = true;
    int result = step(statement);
    next_read_fails = false;
    if (commits && is_the_point("committed"))
        die();
    return result;
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t place) {
    ssize_t (*writes)(int, const void *, size_t, off64_t);
    *(void **)(void *)&writes = next_named("pwrite64");
    if (is_the_point("write"))
        die();
    if (is_the_point("torn")) {
        if (writes(file, bytes, length / 2, place) > 0)
            die();
        die();
    }
    return writes(file, bytes, length, place);
}

ssize_t pread64(int file, void *bytes, size_t length, off64_t place) {
    ssize_t (*reads)(int, void *, size_t, off64_t);
    *(void **)(void *)&reads = next_named("pread64");
    if (!next_read_fails)
        return reads(file, bytes, length, place);
    next_read_fails = false;
    errno = EIO;
    return -1;
}

int fdatasync(int file) {
    int (*syncs)(int);
    *(void **)(void *)&syncs = next_named("fdatasync");
    if (is_the_point("sync"))
        die();
    if (is_the_point("bad-sync")) {
        errno = EIO;
        return -1;
    }
    return syncs(file);
}
