#include "harness/target/further.h"

#include <string.h>

#include "harness/json/value.h"
#include "harness/target/outcome.h"

const char *further_capability(const char *name) {
    static const char *const of_holding[] = {"unhold", "release", "fail"};
    for (size_t i = 0; i < sizeof of_holding / sizeof *of_holding; i++)
        if (strcmp(of_holding[i], name) == 0)
            return "hold";
    return name;
}

bool further_put(struct buffer *command, struct text fields) {
    struct arena *arena = arena_new();
    struct error ignored = {0};
    const struct json_value *object = json_parse(arena, fields, &ignored);
    bool good = object != NULL && object->type == JSON_OBJECT;
    for (const struct json_value *field = good ? object->first : NULL; field != NULL; field = field->next) {
        buffer_string(command, ",");
        json_print_string(command, field->key);
        buffer_string(command, ":");
        json_print(command, field);
    }
    arena_free(arena);
    return good;
}

enum target_outcome further_missing(const struct target *target, const char *name, struct error *error) {
    return target_lacks(error, "%s does not offer `%s`", target->name, name);
}
