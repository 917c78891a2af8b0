#include "harness/command/load.h"

#include <limits.h>
#include <stdio.h>

#include "harness/command/home.h"

static void print_line(void *context, const struct error *error) {
    size_t *bad = context;
    (*bad)++;
    fprintf(stderr, "%s\n", error->text);
}

bool load_scenarios(struct scenario_set *set, char **paths, int count, struct error *error) {
    char home[PATH_MAX];
    if (!home_find(home, sizeof home, error)) {
        return false;
    }
    size_t bad = 0;
    if (!scenario_set_load(set, home, (const char *const *)paths, (size_t)count, print_line, &bad)) {
        scenario_set_free(set);
        return error_set(error, ERROR_USAGE, "%zu bad file%s; nothing was run", bad, bad == 1 ? "" : "s");
    }
    if (set->count == 0) {
        scenario_set_free(set);
        return error_set(error, ERROR_USAGE, "there is no scenario at the given paths");
    }
    return true;
}
