/*
 * Preloaded into a program (LD_PRELOAD), this makes one of its allocations fail, whichever library asks for it. The
 * environment says which:
 *
 *   FAILING_MEMORY_PROGRAM  the name of the program that is meant; the processes that it starts go on undisturbed
 *   FAILING_MEMORY_AT       the number of the allocation, from 1; 0: none fails, they are counted only
 *   FAILING_MEMORY_FOREVER  when set, all after it fail, too
 *   FAILING_MEMORY_REPORT   a file that gets a line "failed" when one fails, and "allocations N" at an ordinary end
 *   FAILING_MEMORY_TRACE    when set, standard error gets the stack of the call that failed
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STACK_CEILING 40
#define OPENSSL_LOAD_CONFIG 0x40

/* The replaced functions have no argument that could carry this. */
static struct {
    bool armed, forever, traced;
    size_t at;
    atomic_size_t count;
    const char *report;
} plan;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

/* OpenSSL crashes when memory runs out while it sets itself up, at its first use, so that this comes before anything fails. */
static void set_up_openssl(void) {
    int (*set_up)(uint64_t options, const void *settings);
    *(void **)&set_up = dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
    if (set_up != NULL)
        set_up(OPENSSL_LOAD_CONFIG, NULL);
}

/* What the libraries allocate before this is not the program's doing. */
__attribute__((constructor)) static void arm(void) {
    const char *program = getenv("FAILING_MEMORY_PROGRAM"), *at = getenv("FAILING_MEMORY_AT");
    if (program == NULL || at == NULL || strcmp(program, program_invocation_short_name) != 0)
        return;
    plan.at = strtoul(at, NULL, 10);
    plan.forever = getenv("FAILING_MEMORY_FOREVER") != NULL;
    plan.traced = getenv("FAILING_MEMORY_TRACE") != NULL;
    plan.report = getenv("FAILING_MEMORY_REPORT");
    set_up_openssl();
    plan.armed = true;
}

static void report(const char *line) {
    int file = plan.report == NULL ? -1 : open(plan.report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return;
    ssize_t ignored = write(file, line, strlen(line));
    (void)ignored; /* whoever reads the file sees that it is missing */
    close(file);
}

__attribute__((destructor)) static void count_up(void) {
    char line[64];
    if (!plan.armed)
        return;
    plan.armed = false;
    snprintf(line, sizeof line, "allocations %zu\n", (size_t)plan.count);
    report(line);
}

/*
 * Functions of libraries that do not survive it when one of their allocations fails, which nobody who calls them can help: the libc's
 * regcomp frees twice, libwebsockets' lws_create_vhost goes on without a list that it needs later. Here they fail as a whole, afterwards.
 */
static _Thread_local bool shielded, shield_was_hit;

static void trace(void) {
    void *stack[STACK_CEILING];
    plan.armed = false; /* looking at the stack allocates */
    backtrace_symbols_fd(stack, backtrace(stack, STACK_CEILING), STDERR_FILENO);
    plan.armed = true;
}

static bool fails_now(void) {
    if (!plan.armed)
        return false;
    size_t number = atomic_fetch_add(&plan.count, 1) + 1;
    if (plan.at == 0 || (plan.forever ? number < plan.at : number != plan.at))
        return false;
    if (number == plan.at) {
        report("failed\n");
        if (plan.traced)
            trace();
    }
    if (shielded) {
        shield_was_hit = true;
        return false;
    }
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails_now() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails_now() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails_now() ? NULL : __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size) {
    return fails_now() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = memalign(alignment, size);
    return *memory == NULL ? ENOMEM : 0;
}

/* True when an allocation should have failed since `shielded` was set. */
static bool end_shield(void) {
    bool hit = shield_was_hit;
    shielded = shield_was_hit = false;
    if (hit)
        errno = ENOMEM;
    return hit;
}

int regcomp(regex_t *restrict regex, const char *restrict source, int flags) {
    int (*real)(regex_t *, const char *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "regcomp");
    shielded = true;
    int code = real(regex, source, flags);
    if (!end_shield())
        return code;
    if (code == 0)
        regfree(regex);
    return REG_ESPACE;
}

void *lws_create_vhost(void *context, const void *info);
void *lws_create_vhost(void *context, const void *info) {
    void *(*real)(void *, const void *);
    *(void **)&real = dlsym(RTLD_NEXT, "lws_create_vhost");
    shielded = true;
    void *vhost = real(context, info);
    return end_shield() ? NULL : vhost;
}
