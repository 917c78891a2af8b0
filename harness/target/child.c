#include "harness/target/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/memory.h"

#define CHUNK ((size_t)64 << 10)

extern char **environ;

struct child {
    pid_t pid;                /* and its process group */
    int input, output, error; /* our ends of its pipes; -1: closed */
    struct buffer outgoing;
    size_t written; /* of outgoing */
    struct buffer incoming;
    size_t line_start, searched; /* in incoming: where the next line begins, how far there is no line feed */
    struct buffer log;           /* up to twice CHILD_LOG_CEILING, so that it is seldom moved */
};

int64_t child_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- starting ------------------------------------------------------------------------------------ */

static void close_pipes(int pipes[3][2]) {
    for (int i = 0; i < 3; i++)
        for (int end = 0; end < 2; end++)
            if (pipes[i][end] >= 0)
                close(pipes[i][end]);
}

/* The child's standard input, output and error. */
static int describe_files(posix_spawn_file_actions_t *actions, int pipes[3][2]) {
    int failed = posix_spawn_file_actions_adddup2(actions, pipes[0][0], STDIN_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(actions, pipes[1][1], STDOUT_FILENO);
    return failed != 0 ? failed : posix_spawn_file_actions_adddup2(actions, pipes[2][1], STDERR_FILENO);
}

/* In a group of its own, so that all of it can be killed, and with no signal blocked or ignored by our doing. */
static int spawn(pid_t *pid, const char *command, int pipes[3][2]) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigset_t none, pipe_signal;
    sigemptyset(&none);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    char *arguments[] = {"sh", "-c", (char *)command, NULL};
    int failed = describe_files(&actions, pipes);
    if (failed == 0)
        failed = posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static void never_wait(int file) {
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
}

struct child *child_start(const char *command, struct error *error) {
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    for (int i = 0; i < 3; i++)
        if (pipe2(pipes[i], O_CLOEXEC) != 0) {
            error_set(error, ERROR_TARGET, "no pipe could be made: %s", strerror(errno));
            close_pipes(pipes);
            return NULL;
        }
    pid_t pid;
    int failed = spawn(&pid, command, pipes);
    if (failed != 0) {
        errno = failed;
        memory_check_errno("while a child process was started");
        error_set(error, ERROR_TARGET, "/bin/sh could not be started: %s", strerror(failed));
        close_pipes(pipes);
        return NULL;
    }
    struct child *child = memory_zeroed(1, sizeof *child);
    *child = (struct child){.pid = pid,
                            .input = pipes[0][1],
                            .output = pipes[1][0],
                            .error = pipes[2][0],
                            /* The line that is being read, and what came behind it in the same chunk. */
                            .incoming = {.ceiling = CHILD_LINE_CEILING + CHUNK},
                            .log = {.ceiling = 2 * CHILD_LOG_CEILING}};
    pipes[0][1] = pipes[1][0] = pipes[2][0] = -1;
    close_pipes(pipes);
    never_wait(child->input);
    never_wait(child->output);
    never_wait(child->error);
    return child;
}

/* ---- its three pipes ----------------------------------------------------------------------------- */

static void close_end(int *file) {
    if (*file >= 0)
        close(*file);
    *file = -1;
}

void child_write(struct child *child, struct text bytes) {
    buffer_text(&child->outgoing, bytes);
}

/* Writes to a pipe that may have no reader any more, without the signal that this would raise in the whole process. */
static ssize_t write_without_signal(int file, const char *bytes, size_t length) {
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t written = write(file, bytes, length);
    int reason = errno;
    if (written < 0 && reason == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe_signal, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = reason;
    return written;
}

static bool has_outgoing(const struct child *child) {
    return child->input >= 0 && child->written < child->outgoing.length;
}

/* Writes as much of what is queued as the pipe takes. A child that closed its input is seen by what it answers, or does
 * not. */
static void write_some(struct child *child) {
    while (has_outgoing(child)) {
        ssize_t written = write_without_signal(child->input, child->outgoing.bytes + child->written,
                                               child->outgoing.length - child->written);
        if (written > 0)
            child->written += (size_t)written;
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            close_end(&child->input);
    }
    child->written = 0;
    if (child->outgoing.capacity > CHUNK)
        buffer_free(&child->outgoing);
    child->outgoing.length = 0;
}

/* Collects one chunk of standard error, of which the end is kept. */
static void read_log(struct child *child) {
    char chunk[CHILD_LOG_CEILING];
    ssize_t length = child->error >= 0 ? read(child->error, chunk, sizeof chunk) : -1;
    if (length == 0)
        close_end(&child->error);
    if (length <= 0)
        return;
    if (child->log.length + (size_t)length > child->log.ceiling)
        buffer_consume(&child->log, child->log.length - (CHILD_LOG_CEILING - (size_t)length));
    buffer_append(&child->log, chunk, (size_t)length);
}

/* Reads one chunk of standard output; false at its end. */
static bool read_output(struct child *child) {
    char chunk[CHUNK];
    ssize_t length = read(child->output, chunk, sizeof chunk);
    if (length > 0)
        buffer_append(&child->incoming, chunk, (size_t)length);
    return length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Cuts the next whole line off what was read; false when there is none yet. */
static bool cut_line(struct child *child, struct text *line) {
    struct buffer *incoming = &child->incoming;
    if (child->searched < incoming->length) {
        char *from = incoming->bytes + child->searched;
        char *feed = memchr(from, '\n', incoming->length - child->searched);
        if (feed != NULL) {
            size_t end = (size_t)(feed - incoming->bytes);
            *line = (struct text){incoming->bytes + child->line_start, end - child->line_start};
            child->line_start = child->searched = end + 1;
            return true;
        }
        child->searched = incoming->length;
    }
    /* Only here may the line that was handed out last be moved away. */
    if (child->line_start == incoming->length && incoming->capacity > 16 * CHUNK)
        buffer_free(incoming);
    else
        buffer_consume(incoming, child->line_start);
    child->searched -= child->line_start;
    child->line_start = 0;
    return false;
}

/* Waits until a pipe is ready or the deadline has passed. */
static bool wait_for_pipes(struct child *child, int64_t deadline, bool *output_ready) {
    struct pollfd files[3] = {{.fd = child->output, .events = POLLIN},
                              {.fd = child->error, .events = POLLIN},
                              {.fd = has_outgoing(child) ? child->input : -1, .events = POLLOUT}};
    int64_t left = deadline - child_now();
    if (left <= 0)
        return false;
    int ready = poll(files, 3, left > INT32_MAX ? INT32_MAX : (int)left);
    *output_ready = ready > 0 && files[0].revents != 0;
    if (ready > 0 && files[1].revents != 0)
        read_log(child);
    return true;
}

enum child_outcome child_read_line(struct child *child, int64_t deadline, struct text *line) {
    while (!cut_line(child, line)) {
        if (child->incoming.length > CHILD_LINE_CEILING)
            return CHILD_TOO_LONG;
        write_some(child);
        bool output_ready = false;
        if (!wait_for_pipes(child, deadline, &output_ready))
            return CHILD_LATE;
        if (output_ready && !read_output(child))
            return CHILD_ENDED;
    }
    return CHILD_LINE;
}

/* ---- its log and its end ------------------------------------------------------------------------- */

struct text child_log(struct child *child) {
    struct pollfd file = {.fd = child->error, .events = POLLIN};
    /* Bounded, for a child may write faster than we read. */
    for (size_t chunk = 0; chunk < 64 && child->error >= 0 && poll(&file, 1, 0) > 0; chunk++) {
        read_log(child);
        file.fd = child->error;
    }
    size_t kept = child->log.length < CHILD_LOG_CEILING ? child->log.length : CHILD_LOG_CEILING;
    return (struct text){kept > 0 ? child->log.bytes + (child->log.length - kept) : "", kept};
}

void child_forget_log(struct child *child) {
    child_log(child);
    child->log.length = 0;
}

/* Waits until the process has ended, at most `limit_ms`; what it still writes is collected or thrown away. */
static void wait_for_end(struct child *child, int limit_ms) {
    int process = pidfd_open(child->pid, 0);
    int64_t deadline = child_now() + limit_ms;
    for (int64_t left = limit_ms; left > 0 && process >= 0; left = deadline - child_now()) {
        struct pollfd files[3] = {{.fd = process, .events = POLLIN},
                                  {.fd = child->output, .events = POLLIN},
                                  {.fd = child->error, .events = POLLIN}};
        if (poll(files, 3, (int)left) > 0 && files[0].revents != 0)
            break;
        if (files[1].revents != 0) {
            child->incoming.length = 0;
            if (!read_output(child))
                close_end(&child->output);
        }
        if (files[2].revents != 0)
            read_log(child);
    }
    if (process >= 0)
        close(process);
}

static void say_how(struct buffer *how, int status, bool killed) {
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    /* The shell's way to pass on that what it ran was ended by a signal. */
    if (code > 128 && code < 128 + NSIG)
        buffer_format(how, "ended with status %d (signal %d, %s)", code, code - 128, strsignal(code - 128));
    else if (WIFEXITED(status))
        buffer_format(how, "ended with status %d", code);
    else if (killed && WTERMSIG(status) == SIGKILL)
        buffer_string(how, "did not end by itself and was killed");
    else
        buffer_format(how, "was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
}

void child_stop(struct child *child, int grace_ms, struct buffer *how, struct buffer *log) {
    if (child == NULL)
        return;
    write_some(child);
    close_end(&child->input);
    wait_for_end(child, grace_ms);
    /* Before the process is reaped, so that its number cannot have gone to another one. */
    siginfo_t ended = {0};
    bool running = waitid(P_PID, (id_t)child->pid, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0;
    kill(-child->pid, SIGKILL);
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (how != NULL)
        say_how(how, status, running);
    if (log != NULL)
        buffer_text(log, child_log(child));
    close_end(&child->output);
    close_end(&child->error);
    buffer_free(&child->outgoing);
    buffer_free(&child->incoming);
    buffer_free(&child->log);
    free(child);
}
