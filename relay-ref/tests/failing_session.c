#include "relay-ref/tests/failing_session.h"

#include <criterion/criterion.h>

#include "relay-ref/tests/failing_memory.h"

/* True when an allocation failed. */
static bool run_once(const struct failing_session *session, size_t nth, bool forever) {
    size_t in_use = memory_in_use();
    world_open(session->world, session->protocol, session->options);
    struct pair *ana = world_client(session->world, "w"), *ben = world_client(session->world, "v");
    memory_fails_at(nth, forever);
    session->run(ana, ben);
    bool failed = memory_works_again();
    session->check();
    pair_free(ana);
    session->check_without_ana();
    pair_free(ben);
    world_close(session->world);
    cr_assert_eq(memory_in_use(), in_use, "allocation %zu left something behind", nth);
    return failed;
}

void every_allocation_fails(const struct failing_session *session, bool forever, size_t least) {
    size_t nth = 1;
    while (run_once(session, nth, forever))
        nth++;
    cr_expect(nth > least, "only %zu allocations were tried", nth);
}
