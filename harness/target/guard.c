#include "harness/target/guard.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* It keeps none of our files: each of them would look open to somebody for as long as it lives. */
static void keep_only(int file) {
    dup2(file, STDIN_FILENO);
    close_range(STDIN_FILENO + 1, UINT_MAX, 0);
}

/* Nothing is ever written to the file: it becomes readable when the last one who could write has ended. */
static void watch(int file, pid_t group) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setpgid(0, group);
    keep_only(file);
    poll(&(struct pollfd){.fd = STDIN_FILENO, .events = POLLIN}, 1, -1);
    kill(-group, SIGTERM);
    poll(NULL, 0, GUARD_GRACE_SECONDS * 1000);
    kill(-group, SIGKILL);
}

int guard_start(pid_t group) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        /* A grandchild, so that nobody has to wait for it. */
        if (fork() == 0)
            watch(ends[0], group);
        _exit(0);
    }
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    if (pid >= 0)
        return ends[1];
    close(ends[1]);
    return -1;
}
