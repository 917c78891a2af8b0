/*
 * The queue of target events.
 */
#include <stdlib.h>

#include "harness/base/memory.h"
#include "harness/target/events.h"
#include "harness/tests/target_support.h"

TestSuite(target_events, .timeout = 60);

static void add(struct target_events *events, enum target_event_kind kind, int connection, struct text text) {
    events_add(events, &(struct target_event){.kind = kind, .connection = connection, .text = text});
}

static void expect(struct target_events *events, enum target_event_kind kind, int connection, struct text text) {
    struct target_event event;
    cr_assert(events_take(events, &event));
    cr_assert(event.kind == kind && event.connection == connection);
    cr_assert(text_equal(event.text, text));
}

Test(target_events, come_out_as_they_went_in) {
    struct target_events events = {0};
    struct target_event event;
    cr_assert(!events_take(&events, &event));
    char text[] = "one\0two";
    add(&events, TARGET_MESSAGE, 1, (struct text){text, 7});
    memset(text, 'x', sizeof text);
    char name[] = "commit";
    events_add(&events, &(struct target_event){.kind = TARGET_OBSERVED, .text = TEXT("{}"), .name = name});
    memset(name, 'x', sizeof name);
    add(&events, TARGET_CLOSED, 2, (struct text){0});
    expect(&events, TARGET_MESSAGE, 1, TEXT("one\0two"));
    cr_assert(events_take(&events, &event));
    cr_assert_str_eq(event.name, "commit");
    expect(&events, TARGET_CLOSED, 2, TEXT(""));
    cr_assert(!events_take(&events, &event));
    events_clear(&events);
}

Test(target_events, a_close_can_be_taken_out_wherever_it_is) {
    for (int place = 0; place < 3; place++) {
        struct target_events events = {0};
        for (int i = 0; i < 3; i++)
            add(&events, i == place ? TARGET_CLOSED : TARGET_MESSAGE, 7, TEXT("x"));
        events_drop_closed(&events, 8);
        cr_assert(events.count == 3);
        events_drop_closed(&events, 7);
        cr_assert(events.count == 2 && events.bytes == 2);
        add(&events, TARGET_MESSAGE, 9, TEXT("last"));
        expect(&events, TARGET_MESSAGE, 7, TEXT("x"));
        expect(&events, TARGET_MESSAGE, 7, TEXT("x"));
        expect(&events, TARGET_MESSAGE, 9, TEXT("last"));
        cr_assert(events.count == 0 && events.bytes == 0);
        events_clear(&events);
    }
}

Test(target_events, are_full_at_either_ceiling) {
    struct target_events events = {0};
    struct target_event event;
    while (!events_full(&events))
        add(&events, TARGET_CLOSED, 1, (struct text){0});
    cr_assert(events.count == TARGET_EVENTS_COUNT_CEILING);
    cr_assert(events_take(&events, &event) && !events_full(&events));
    events.bytes = TARGET_EVENTS_BYTES_CEILING;
    cr_assert(events_full(&events));
    events_clear(&events);
    cr_assert(!events_full(&events));
}
