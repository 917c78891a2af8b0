#include "harness/target/guard.h"

#include <errno.h>
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
static void watch(int file) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setpgid(0, 0);
    keep_only(file);
    poll(&(struct pollfd){.fd = STDIN_FILENO, .events = POLLIN}, 1, -1);
    kill(0, SIGTERM);
    poll(NULL, 0, GUARD_GRACE_SECONDS * 1000);
    kill(0, SIGKILL);
}

bool guard_start(struct guard *guard) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        watch(ends[0]);
        _exit(0);
    }
    int reason = errno;
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        errno = reason;
        return false;
    }
    setpgid(pid, pid);
    *guard = (struct guard){pid, ends[1]};
    return true;
}

void guard_end(struct guard *guard) {
    kill(-guard->group, SIGKILL);
    while (waitpid(guard->group, NULL, 0) < 0 && errno == EINTR)
        ;
    close(guard->life);
}
