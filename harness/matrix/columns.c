#include "harness/matrix/columns.h"

#include <string.h>

#include "harness/base/beside.h"
#include "harness/scenario/schema.h"
#include "harness/scenario/yaml.h"

void columns_begin(struct columns *columns) {
    *columns = (struct columns){.arena = arena_new()};
}

void columns_end(struct columns *columns) {
    arena_free(columns->arena);
    *columns = (struct columns){0};
}

/* ---- from a file ---- */

/* The texts of a file that was read are NUL-terminated; a profile such as 0.9 may stand there as a number. */
static const char *string_of(const struct json_value *value) {
    return value != NULL ? value->text.bytes : NULL;
}

static bool is_true(const struct json_value *value) {
    return value != NULL && value->boolean;
}

static size_t list_of(const char **list, size_t ceiling, const struct json_value *values) {
    size_t count = 0;
    for (const struct json_value *one = values != NULL ? values->first : NULL; one != NULL && count < ceiling; one = one->next) {
        list[count++] = string_of(one);
    }
    return count;
}

static void read_entry(struct columns *columns, const char *path, const struct json_value *said) {
    struct columns_entry *entry = &columns->entries[columns->count++];
    *entry = (struct columns_entry){.name = string_of(json_get(said, "name")),
                                    .transport = string_of(json_get(said, "transport")),
                                    .target = string_of(json_get(said, "target")),
                                    .spawn = string_of(json_get(said, "spawn")),
                                    .provisioner = string_of(json_get(said, "provisioner")),
                                    .store_command = string_of(json_get(said, "store-command")),
                                    .app_id = string_of(json_get(said, "app-id")),
                                    .secret_file = string_of(json_get(said, "admin-secret-file")),
                                    .ca = beside(columns->arena, path, string_of(json_get(said, "ca"))),
                                    .insecure = is_true(json_get(said, "insecure")),
                                    .known_failing = beside(columns->arena, path, string_of(json_get(said, "known-failing"))),
                                    .optional = is_true(json_get(said, "optional")),
                                    .real_time = is_true(json_get(said, "real-time"))};
    entry->profile_count = list_of(entry->profiles, COLUMNS_PROFILES_CEILING, json_get(said, "profiles"));
    list_of(entry->needs, COLUMNS_NEEDS_CEILING, json_get(said, "needs"));
}

static bool too_many(struct error *error) {
    return error_set(error, ERROR_USAGE, "there are more than %d columns", COLUMNS_CEILING);
}

static bool read_entries(struct columns *columns, const char *path, const struct json_value *root, struct error *error) {
    const char *title = string_of(json_get(root, "title"));
    columns->title = title != NULL ? title : columns->title;
    for (const struct json_value *one = json_get(root, "columns")->first; one != NULL; one = one->next) {
        if (columns->count == COLUMNS_CEILING) {
            return too_many(error);
        }
        read_entry(columns, path, one);
    }
    return true;
}

bool columns_read(struct columns *columns, const char *path, const char *home, struct error *error) {
    struct schema *schema = schema_read(arena_format(columns->arena, "%s/fixtures/schemas/matrix.json", home), error);
    const struct json_value *root = schema == NULL ? NULL : yaml_read(columns->arena, path, COLUMNS_FILE_CEILING, error);
    bool good = root != NULL && schema_check(schema, path, root, error) && read_entries(columns, path, root, error);
    schema_free(schema);
    return good;
}

/* ---- from the command line ---- */

static bool read_profiles(struct columns *columns, struct columns_entry *entry, const char *list, struct error *error) {
    for (const char *at = list; at != NULL; at = strchr(at, ',') == NULL ? NULL : strchr(at, ',') + 1) {
        if (entry->profile_count == COLUMNS_PROFILES_CEILING) {
            return error_set(error, ERROR_USAGE, "--column: there are more than %d profiles in \"%s\"", COLUMNS_PROFILES_CEILING, list);
        }
        entry->profiles[entry->profile_count++] = arena_copy(columns->arena, at, strcspn(at, ","));
    }
    return true;
}

bool columns_add(struct columns *columns, const char *argument, struct error *error) {
    const char *equals = strchr(argument, '=');
    if (equals == NULL || equals == argument || equals[1] == '\0') {
        return error_set(error, ERROR_USAGE, "--column takes NAME=TARGET or NAME@PROFILE,…=TARGET, not \"%s\"", argument);
    }
    if (columns->count == COLUMNS_CEILING) {
        return too_many(error);
    }
    struct columns_entry *entry = &columns->entries[columns->count++];
    char *name = arena_copy(columns->arena, argument, (size_t)(equals - argument)), *at = strrchr(name, '@');
    *entry = (struct columns_entry){.name = name, .target = equals + 1};
    if (text_starts_with(text_of(entry->target), TEXT("spawn:"))) {
        entry->spawn = entry->target + strlen("spawn:");
        entry->target = NULL;
    }
    if (at != NULL) {
        *at = '\0';
        return read_profiles(columns, entry, at + 1, error);
    }
    return true;
}
