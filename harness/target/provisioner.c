/* Its three streams are nameless files in memory: nobody waits for anybody, and all that it wrote is there when it has
 * ended. */
#include "harness/target/provisioner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/json/value.h"

#define LOOK_MS 20 /* between two looks at the answer */

struct provisioner_run {
    pid_t pid;
    int files[3]; /* standard input, output and error */
};

static void close_files(struct provisioner_run *run) {
    for (int i = 0; i < 3; i++) {
        if (run->files[i] >= 0) {
            close(run->files[i]);
        }
    }
}

static bool open_files(struct provisioner_run *run, struct text request) {
    static const char *const names[] = {"request", "answer", "errors"};
    for (int i = 0; i < 3; i++) {
        run->files[i] = memfd_create(names[i], MFD_CLOEXEC);
        if (run->files[i] < 0) {
            return false;
        }
    }
    for (size_t written = 0; written < request.length;) {
        ssize_t count = write(run->files[0], request.bytes + written, request.length - written);
        if (count <= 0) {
            return false;
        }
        written += (size_t)count;
    }
    return lseek(run->files[0], 0, SEEK_SET) == 0;
}

static void become(const struct provisioner_run *run, const char *command) {
    struct rlimit ceiling = {PROVISIONER_OUTPUT_CEILING, PROVISIONER_OUTPUT_CEILING};
    setpgid(0, 0);
    for (int i = 0; i < 3; i++) {
        dup2(run->files[i], i);
    }
    setrlimit(RLIMIT_FSIZE, &ceiling);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

struct provisioner_run *provisioner_start(const char *command, struct text request, struct error *error) {
    struct provisioner_run *run = memory_new(sizeof *run);
    *run = (struct provisioner_run){.pid = -1, .files = {-1, -1, -1}};
    if (open_files(run, request)) {
        run->pid = fork();
    }
    if (run->pid == 0) {
        become(run, command);
    }
    if (run->pid < 0) {
        error_set(error, ERROR_TARGET, "the provisioner cannot be started: %s", strerror(errno));
        close_files(run);
        free(run);
        return NULL;
    }
    setpgid(run->pid, run->pid);
    return run;
}

/* Files share their place with the child, which may still write: nothing here moves it. */
static off_t size_of(int file) {
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_size : 0;
}

static struct text read_all(struct arena *arena, int file) {
    off_t size = size_of(file);
    size_t length = size > 0 ? (size_t)size : 0, have = 0;
    char *bytes = arena_alloc(arena, length + 1);
    while (have < length) {
        ssize_t count = pread(file, bytes + have, length - have, (off_t)have);
        if (count <= 0) {
            break;
        }
        have += (size_t)count;
    }
    return (struct text){bytes, have};
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_json(int file) {
    struct arena *arena = arena_new();
    struct error error = {0};
    bool whole = json_parse(arena, read_all(arena, file), &error) != NULL;
    arena_free(arena);
    return whole;
}

enum waited { WAITED_ENDED, WAITED_ANSWERED, WAITED_IN_VAIN };

/* Looks now and then whether the answer is whole; it is parsed only when it has not grown since the last look. */
static enum waited await_end(const struct provisioner_run *run, int limit_ms) {
    struct pollfd ended = {.fd = pidfd_open(run->pid, 0), .events = POLLIN};
    int64_t until = now_ms() + limit_ms;
    off_t size = 0;
    bool whole = false, came = ended.fd < 0;
    while (!came && now_ms() < until) {
        int64_t left = until - now_ms();
        came = poll(&ended, 1, (int)(left < LOOK_MS ? left : LOOK_MS)) > 0;
        off_t grown = size_of(run->files[1]);
        if (!came && !whole && grown > 0 && grown == size && is_json(run->files[1])) {
            whole = true;
            until = now_ms() + PROVISIONER_GRACE_MS < until ? now_ms() + PROVISIONER_GRACE_MS : until;
        }
        size = grown;
    }
    if (ended.fd >= 0) {
        close(ended.fd);
    }
    return came ? WAITED_ENDED : whole ? WAITED_ANSWERED : WAITED_IN_VAIN;
}

struct provisioner_result provisioner_finish(struct provisioner_run *run, struct arena *arena, int limit_ms) {
    enum waited waited = await_end(run, limit_ms);
    struct provisioner_result result = {.ended = waited != WAITED_IN_VAIN};
    int status = 0;
    if (waited == WAITED_ENDED) {
        waitpid(run->pid, &status, 0);
    }
    kill(-run->pid, SIGKILL);
    if (waited != WAITED_ENDED) {
        waitpid(run->pid, &status, 0);
    }
    if (waited == WAITED_ANSWERED) {
        result.well = true;
        result.how = arena_format(arena, "was still there %d ms after its answer and was ended", PROVISIONER_GRACE_MS);
    } else if (waited == WAITED_IN_VAIN) {
        result.how = arena_format(arena, "had not ended after %d ms and was killed", limit_ms);
    } else {
        result.well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        result.how = arena_format(arena, "ended with %s %d", WIFSIGNALED(status) ? "signal" : "status",
                                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    result.output = read_all(arena, run->files[1]);
    result.errors = read_all(arena, run->files[2]);
    close_files(run);
    free(run);
    return result;
}
