#include "harness/target/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/memory.h"
#include "harness/target/guard.h"

struct spawned {
    pid_t pid;
    int output;  /* its standard output */
    struct guard guard; /* of the process group that it is in */
    FILE *errors; /* its standard error goes to this nameless file */
    char url[SPAWN_URL_CEILING], control[SPAWN_URL_CEILING];
};

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Puts what the server wrote on standard error behind the error's text. */
static bool quote(struct spawned *spawned, struct error *error) {
    char tail[SPAWN_EVIDENCE_CEILING + 1];
    long size = fseek(spawned->errors, 0, SEEK_END) == 0 ? ftell(spawned->errors) : 0;
    long from = size > SPAWN_EVIDENCE_CEILING ? size - SPAWN_EVIDENCE_CEILING : 0;
    size_t length = fseek(spawned->errors, from, SEEK_SET) == 0 ? fread(tail, 1, SPAWN_EVIDENCE_CEILING, spawned->errors) : 0;
    tail[length] = '\0';
    struct error plain = *error;
    if (length == 0) {
        return false;
    }
    return error_set(error, plain.code, "%.900s; its standard error ends with:\n%s", plain.text, tail);
}

static void release(struct spawned *spawned) {
    guard_end(&spawned->guard);
    close(spawned->output);
    fclose(spawned->errors);
    free(spawned);
}

static void become(const char *command, pid_t parent, pid_t group, int output, int errors) {
    setpgid(0, group);
    if (getppid() != parent) {
        _exit(127); /* the guard may have been there and gone */
    }
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Makes what a server needs to be started, its pipe at `output`. False with nothing left open. */
static bool prepare(struct spawned *spawned, int *output) {
    int ends[2];
    spawned->errors = tmpfile();
    if (spawned->errors == NULL) {
        return false;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        fclose(spawned->errors);
        return false;
    }
    if (!guard_start(&spawned->guard)) {
        close(ends[0]);
        close(ends[1]);
        fclose(spawned->errors);
        return false;
    }
    spawned->output = ends[0];
    *output = ends[1];
    return true;
}

static struct spawned *launch(const char *command, struct error *error) {
    int output;
    struct spawned *spawned = memory_zeroed(1, sizeof *spawned);
    if (!prepare(spawned, &output)) {
        error_set(error, ERROR_INTERNAL, "cannot start %s: %s", command, strerror(errno));
        free(spawned);
        return NULL;
    }
    pid_t parent = getpid();
    spawned->pid = fork();
    if (spawned->pid == 0) {
        become(command, parent, spawned->guard.group, output, fileno(spawned->errors));
    }
    close(output);
    if (spawned->pid < 0) {
        error_set(error, ERROR_INTERNAL, "cannot start %s: %s", command, strerror(errno));
        release(spawned);
        return NULL;
    }
    setpgid(spawned->pid, spawned->guard.group);
    return spawned;
}

/* Takes what follows `start` out of the first line that begins with it; false when there is none in `output`. */
static bool find_line(const char *output, const char *start, char rest[SPAWN_URL_CEILING]) {
    size_t length = strlen(start);
    for (const char *line = output; line != NULL; line = strchr(line, '\n') == NULL ? NULL : strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n');
        if (end != NULL && strncmp(line, start, length) == 0 && (size_t)(end - line) - length < SPAWN_URL_CEILING) {
            size_t cut = (size_t)(end - line) - length;
            while (cut > 0 && strchr(" \t\r", line[length + cut - 1]) != NULL) {
                cut--;
            }
            snprintf(rest, SPAWN_URL_CEILING, "%.*s", (int)cut, line + length);
            return true;
        }
    }
    return false;
}

static bool wait_until_ready(struct spawned *spawned, const struct spawn_settings *settings, int limit_ms, struct error *error) {
    const char *ready = settings->ready != NULL ? settings->ready : "listening ", *rest = settings->url == NULL ? "URL" : "…";
    char output[SPAWN_OUTPUT_CEILING];
    size_t length = 0;
    int64_t until = now_ms() + limit_ms;
    output[0] = '\0';
    while (!find_line(output, ready, spawned->url)) {
        int64_t left = until - now_ms();
        struct pollfd input = {.fd = spawned->output, .events = POLLIN};
        if (left <= 0 || length + 1 >= sizeof output) {
            return error_set(error, ERROR_TARGET, "the server printed no line \"%s%s\" within %d ms", ready, rest, limit_ms);
        }
        if (poll(&input, 1, (int)left) <= 0) {
            continue;
        }
        ssize_t got = read(spawned->output, output + length, sizeof output - 1 - length);
        if (got <= 0) {
            return error_set(error, ERROR_TARGET, "the server ended before it printed a line \"%s%s\"", ready, rest);
        }
        length += (size_t)got;
        output[length] = '\0';
    }
    find_line(output, "control ", spawned->control);
    return true;
}

/*
 * The server may go on talking, and a full pipe would stop it: `cat` reads on until the server ends. It is a grandchild, so that nobody has
 * to wait for it.
 */
static void read_on(int output) {
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0) {
            int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
            dup2(output, STDIN_FILENO);
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
            execlp("cat", "cat", (char *)NULL);
        }
        _exit(0);
    }
    if (pid > 0) {
        waitpid(pid, NULL, 0);
    }
}

struct spawned *spawn_start(const struct spawn_settings *settings, int limit_ms, struct error *error) {
    struct spawned *spawned = launch(settings->command, error);
    if (spawned == NULL) {
        return NULL;
    }
    if (!wait_until_ready(spawned, settings, limit_ms, error)) {
        kill(-spawned->guard.group, SIGKILL);
        waitpid(spawned->pid, NULL, 0);
        quote(spawned, error);
        error_context(error, "%s", settings->command);
        release(spawned);
        return NULL;
    }
    read_on(spawned->output);
    if (settings->url != NULL) {
        snprintf(spawned->url, sizeof spawned->url, "%s", settings->url);
    }
    return spawned;
}

const char *spawn_url(const struct spawned *spawned) {
    return spawned->url;
}

const char *spawn_control(const struct spawned *spawned) {
    return spawned->control[0] != '\0' ? spawned->control : NULL;
}

/* Waits for the child's end; false when it did not come in time. */
static bool await_end(pid_t pid, int limit_ms, int *status) {
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);
    if (handle >= 0) {
        struct pollfd ended = {.fd = handle, .events = POLLIN};
        int came = poll(&ended, 1, limit_ms);
        close(handle);
        if (came == 0) {
            return false;
        }
    }
    return waitpid(pid, status, 0) == pid;
}

bool spawn_stop(struct spawned *spawned, int limit_ms, struct error *error) {
    int status = 0;
    bool right = true;
    if (waitpid(spawned->pid, &status, WNOHANG) == spawned->pid) {
        right = error_set(error, ERROR_TARGET, "the server had ended by itself, with %s %d", WIFSIGNALED(status) ? "signal" : "status",
                          WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    } else {
        kill(-spawned->guard.group, SIGTERM);
        if (!await_end(spawned->pid, limit_ms, &status)) {
            kill(-spawned->guard.group, SIGKILL);
            waitpid(spawned->pid, &status, 0);
            right = error_set(error, ERROR_TARGET, "the server did not end within %d ms of SIGTERM and was killed", limit_ms);
        } else if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0) && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)) {
            right = error_set(error, ERROR_TARGET, "the server ended with %s %d", WIFSIGNALED(status) ? "signal" : "status",
                              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        }
    }
    if (!right) {
        quote(spawned, error);
    }
    release(spawned);
    return right;
}

void spawn_kill(struct spawned *spawned) {
    kill(-spawned->guard.group, SIGKILL);
    waitpid(spawned->pid, NULL, 0);
    release(spawned);
}

void spawn_errors(const struct spawned *spawned, struct buffer *out) {
    char chunk[SPAWN_EVIDENCE_CEILING];
    size_t length;
    off_t at = 0;
    /* The server writes to the same file: a reader's place of its own must not move the writer's. */
    while ((length = (size_t)pread(fileno(spawned->errors), chunk, sizeof chunk, at)) > 0 && length <= sizeof chunk) {
        buffer_append(out, chunk, length);
        at += (off_t)length;
    }
}
