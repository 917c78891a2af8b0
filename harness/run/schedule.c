#include "harness/run/schedule.h"

struct schedule schedule_exhaustive(void) {
    return (struct schedule){.exhaustive = true};
}

struct schedule schedule_seeded(uint64_t seed) {
    return (struct schedule){.random = seed};
}

/* splitmix64: every seed, 0 too, gives a good sequence. */
static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

unsigned schedule_choose(struct schedule *schedule, unsigned ways) {
    if (!schedule->exhaustive) {
        return (unsigned)(draw(&schedule->random) % ways);
    }
    size_t at = schedule->depth++;
    if (at >= SCHEDULE_CHOICES_CEILING) {
        return 0;
    }
    if (at >= schedule->known) {
        schedule->chosen[at] = 0;
        schedule->known = at + 1;
    }
    schedule->ways[at] = ways;
    return schedule->chosen[at];
}

bool schedule_next(struct schedule *schedule) {
    if (!schedule->exhaustive) {
        return true;
    }
    size_t made = schedule->depth < SCHEDULE_CHOICES_CEILING ? schedule->depth : SCHEDULE_CHOICES_CEILING;
    schedule->depth = 0;
    while (made > 0 && schedule->chosen[made - 1] + 1 >= schedule->ways[made - 1]) {
        made--;
    }
    schedule->known = made;
    if (made == 0) {
        return false;
    }
    schedule->chosen[made - 1]++;
    return true;
}
