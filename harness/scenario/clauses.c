#include "harness/scenario/clauses.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/scenario/catalogue.h"
#include "harness/scenario/yaml.h"

#define CATALOGUE_FILE_CEILING ((size_t)4 << 20) /* bytes */

static const char *const level_names[] = {"MUST", "SHOULD", "MAY", "FREE"};

const char *clause_level_name(enum clause_level level) {
    return level_names[level];
}

static const char *optional_text(const struct json_value *entry, const char *key) {
    const struct json_value *value = json_get(entry, key);
    return value != NULL ? value->text.bytes : NULL; /* yaml_parse puts a NUL behind every text */
}

static void add_clause(struct clauses *clauses, const char *profile, const struct json_value *entry) {
    clauses->clauses = memory_room(clauses->clauses, clauses->count, &clauses->capacity, sizeof(*clauses->clauses));
    struct clause *clause = &clauses->clauses[clauses->count++];
    *clause = (struct clause){.id = optional_text(entry, "id"),
                              .text = optional_text(entry, "text"),
                              .profile = profile,
                              .since = optional_text(entry, "since"),
                              .until = optional_text(entry, "until")};
    clause->area = arena_copy(clauses->arena, clause->id, strcspn(clause->id, "."));
    while (!json_is_string(json_get(entry, "level"), level_names[clause->level]))
        clause->level++;
    const struct json_value *observed = json_get(entry, "observed");
    clause->observed = observed != NULL && observed->boolean;
    clause->line = entry->line;
}

static bool load_page(struct clauses *clauses, const struct schema *schema, const char *file, struct error *error) {
    struct json_value *page = yaml_read(clauses->arena, file, CATALOGUE_FILE_CEILING, error);
    if (page == NULL || !schema_check(schema, file, page, error))
        return false;
    const char *profile = optional_text(page, "profile");
    const struct json_value *entries = page->type == JSON_OBJECT ? json_get(page, "clauses") : page;
    for (const struct json_value *entry = entries->first; entry != NULL; entry = entry->next) {
        add_clause(clauses, profile, entry);
        clauses->clauses[clauses->count - 1].file = arena_copy(clauses->arena, file, strlen(file));
    }
    return true;
}

static int is_page(const struct dirent *entry) {
    struct text name = text_of(entry->d_name);
    return entry->d_name[0] != '.' && text_ends_with(name, TEXT(".yaml"));
}

static bool load_pages(struct clauses *clauses, const struct schema *schema, const char *folder, struct error *error) {
    struct dirent **pages;
    int count = scandir(folder, &pages, is_page, alphasort);
    if (count < 0)
        memory_check_errno(folder);
    if (count < 0)
        return error_set(error, ERROR_USAGE, "%s: the folder of clauses cannot be read: %s", folder, strerror(errno));
    bool good = true;
    for (int i = 0; i < count; i++) {
        const char *file = arena_format(clauses->arena, "%s/%s", folder, pages[i]->d_name);
        good = good && load_page(clauses, schema, file, error);
        free(pages[i]);
    }
    free(pages);
    return good;
}

/* ---- finding ----------------------------------------------------------------------------------- */

static int compare_clauses(const void *a, const void *b) {
    const struct clause *const *left = a, *const *right = b;
    int order = strcmp((*left)->id, (*right)->id);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

static bool sort(struct clauses *clauses, struct error *error) {
    clauses->sorted = arena_alloc(clauses->arena, clauses->count * sizeof(*clauses->sorted));
    clauses->ids = arena_alloc(clauses->arena, clauses->count * sizeof(*clauses->ids));
    for (size_t i = 0; i < clauses->count; i++) {
        clauses->sorted[i] = &clauses->clauses[i];
        clauses->ids[i] = clauses->clauses[i].id;
    }
    qsort(clauses->sorted, clauses->count, sizeof(*clauses->sorted), compare_clauses);
    for (size_t i = 1; i < clauses->count; i++) {
        const struct clause *first = clauses->sorted[i - 1], *second = clauses->sorted[i];
        if (strcmp(first->id, second->id) == 0)
            return error_set(error, ERROR_USAGE,
                             "%s:%u:1: the id \"%s\" stands at %s:%u already; ids are permanent and unique",
                             second->file, second->line, second->id, first->file, first->line);
    }
    return true;
}

const struct clause *clauses_find(const struct clauses *clauses, const char *id) {
    size_t low = 0, high = clauses->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(clauses->sorted[middle]->id, id);
        if (order == 0)
            return clauses->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

size_t clauses_count(const struct clauses *clauses) {
    return clauses->count;
}

const struct clause *clauses_at(const struct clauses *clauses, size_t index) {
    return &clauses->clauses[index];
}

/* ---- loading ----------------------------------------------------------------------------------- */

/* "fixtures" of "fixtures/clauses". */
static const char *parent_of(struct arena *arena, const char *folder) {
    const char *slash = strrchr(folder, '/');
    return slash == NULL ? ".." : arena_copy(arena, folder, (size_t)(slash - folder));
}

static bool load(struct clauses *clauses, const char *folder, struct error *error) {
    clauses->fixtures = parent_of(clauses->arena, folder);
    const char *own_schema = arena_format(clauses->arena, "%s/../schemas/clauses.json", folder);
    struct schema *schema = schema_read(own_schema, error);
    bool good = schema != NULL && load_pages(clauses, schema, folder, error) && sort(clauses, error);
    schema_free(schema);
    if (!good)
        return false;
    clauses->scenarios = schema_read(arena_format(clauses->arena, "%s/../schemas/scenario.json", folder), error);
    return clauses->scenarios != NULL;
}

struct clauses *clauses_load(const char *folder, struct error *error) {
    struct clauses *clauses = memory_zeroed(1, sizeof(*clauses));
    clauses->arena = arena_new();
    if (load(clauses, folder, error))
        return clauses;
    clauses_free(clauses);
    return NULL;
}

void clauses_free(struct clauses *clauses) {
    if (clauses == NULL)
        return;
    schema_free(clauses->scenarios);
    free(clauses->clauses);
    arena_free(clauses->arena);
    free(clauses);
}
