/*
 * Scenario files from any bytes, through all that a file goes through: YAML, the schema, patterns, templates and
 * steps. What is refused is refused with its place.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/scenario/scenario.h"
#include "harness/scenario/yaml.h"

/* What stays from one input to the next. */
struct world {
    struct clauses *clauses;
    int file;      /* in memory */
    char name[32]; /* by which it can be opened */
};

static struct world *world_of_all(void) {
    static struct world world;
    struct error error = {0};
    if (world.clauses != NULL)
        return &world;
    world.clauses = clauses_load("fixtures/clauses", &error);
    world.file = memfd_create("scenario", MFD_CLOEXEC);
    if (world.clauses == NULL || world.file < 0)
        found("nothing to load scenarios with (run in the repository's top folder): %s", error.text);
    snprintf(world.name, sizeof world.name, "/proc/self/fd/%d", world.file);
    return &world;
}

static void check_refused(const struct world *world, const struct error *error) {
    if (error->code != ERROR_USAGE || strncmp(error->text, world->name, strlen(world->name)) != 0)
        found("refused without a place: %d, %s", (int)error->code, error->text);
}

/* What YAML gives is JSON that can be printed and read again. */
static bool check_yaml(const struct world *world, struct text text) {
    struct arena *arena = arena_new();
    struct error error = {0};
    const struct json_value *value = yaml_parse(arena, world->name, text, &error);
    if (value == NULL) {
        check_refused(world, &error);
    } else {
        struct buffer printed = {0};
        json_print(&printed, value);
        const struct json_value *again = json_parse(arena, (struct text){printed.bytes, printed.length}, &error);
        if (again == NULL || !json_equal(value, again))
            found("printed it is another value: %s", printed.bytes);
        buffer_free(&printed);
    }
    arena_free(arena);
    return value != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct world *world = world_of_all();
    struct error error = {0};
    if (!check_yaml(world, (struct text){(const char *)data, size}))
        return 0;
    if (ftruncate(world->file, 0) != 0 || pwrite(world->file, data, size, 0) != (ssize_t)size)
        found("the file cannot be written");
    struct scenario *scenario = scenario_load(world->name, "selftest/fuzz", world->clauses, &error);
    if (scenario == NULL)
        check_refused(world, &error);
    scenario_free(scenario);
    return 0;
}
