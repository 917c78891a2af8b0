#include "relay-ref/adapters/ws_server_pace.h"

#include <criterion/criterion.h>

#define SECOND INT64_C(1000000)

Test(server_pace, a_burst_and_then_the_rate) {
    struct pace pace;
    pace_start(&pace, 10, 5 * SECOND);
    for (int i = 0; i < 20; i++)
        cr_assert_eq(pace_take(&pace, 10, 5 * SECOND), 0, "message %d", i);
    int64_t wait = pace_take(&pace, 10, 5 * SECOND);
    cr_assert(wait >= SECOND / 10 && wait <= SECOND / 10 + 1);
    cr_assert_eq(pace_take(&pace, 10, 5 * SECOND + wait + SECOND / 10), 0, "one that waited and one that came in time");
    cr_assert_gt(pace_take(&pace, 10, 5 * SECOND + wait + SECOND / 10), 0);
}

Test(server_pace, the_bucket_is_never_fuller_than_full) {
    struct pace pace;
    pace_start(&pace, 3, 0);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(pace_take(&pace, 3, 1000 * SECOND), 0);
    cr_assert_gt(pace_take(&pace, 3, 1000 * SECOND), 0);
}

Test(server_pace, without_a_rate_nothing_waits) {
    struct pace pace;
    pace_start(&pace, 0, 0);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(pace_take(&pace, 0, 0), 0);
}

Test(server_pace, a_very_low_rate_waits_an_hour_at_most) {
    struct pace pace;
    pace_start(&pace, 1e-300, 0);
    cr_assert_eq(pace_take(&pace, 1e-300, 0), 3600 * SECOND);
}
