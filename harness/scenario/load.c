#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/nearest.h"
#include "harness/scenario/loader.h"
#include "harness/scenario/yaml.h"

/* ---- faults ------------------------------------------------------------------------------------ */

bool loader_fault(struct loader *loader, uint32_t line, uint32_t column, const char *format, ...) {
    char sentence[ERROR_TEXT_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    return error_set(loader->error, ERROR_USAGE, "%s:%u:%u: %s", loader->scenario->file, line, column, sentence);
}

bool loader_unknown(struct loader *loader, const char *what, struct text name, uint32_t line, uint32_t column,
                    const char *const *names, size_t count) {
    struct buffer text = {.ceiling = ERROR_TEXT_CAPACITY};
    buffer_format(&text, "unknown %s ", what);
    json_print_string(&text, name);
    if (nearest_name(name, names, count) != NULL)
        nearest_suggest(&text, name, names, count);
    else
        for (size_t i = 0; i < count; i++)
            buffer_format(&text, "%s%s", i == 0 ? ", expected one of " : ", ", names[i]);
    loader_fault(loader, line, column, "%s", text.bytes);
    buffer_free(&text);
    return false;
}

bool loader_time(struct loader *loader, const struct json_value *value, int64_t ceiling_ms, int64_t *milliseconds) {
    bool seconds = !text_ends_with(value->text, TEXT("ms"));
    double number = strtod(value->text.bytes, NULL) * (seconds ? 1000 : 1);
    if (number > (double)ceiling_ms)
        return loader_fault(loader, value->line, value->column, "expected a time of at most %.0fs",
                            (double)ceiling_ms / 1000);
    *milliseconds = (int64_t)number;
    return true;
}

/* ---- the head ---------------------------------------------------------------------------------- */

static bool read_clauses(struct loader *loader, const struct json_value *list) {
    struct scenario *scenario = loader->scenario;
    const struct clauses *clauses = loader->clauses;
    scenario->clauses = arena_alloc(loader->arena, list->count * sizeof(*scenario->clauses));
    for (const struct json_value *id = list->first; id != NULL; id = id->next) {
        const struct clause *clause = clauses_find(clauses, id->text.bytes);
        if (clause == NULL && nearest_name(id->text, clauses->ids, clauses->count) == NULL)
            return loader_fault(loader, id->line, id->column,
                                "unknown clause \"%s\", expected an id from fixtures/clauses/", id->text.bytes);
        if (clause == NULL)
            return loader_unknown(loader, "clause", id->text, id->line, id->column, clauses->ids, clauses->count);
        scenario->clauses[scenario->clause_count++] = clause;
    }
    return true;
}

static bool read_profiles(struct loader *loader, const struct json_value *list) {
    struct scenario *scenario = loader->scenario;
    if (list == NULL)
        return true;
    scenario->ranges = arena_alloc(loader->arena, list->count * sizeof(*scenario->ranges));
    for (const struct json_value *range = list->first; range != NULL; range = range->next) {
        bool valid;
        version_in_range("0", range->text.bytes, &valid);
        if (!valid)
            return loader_fault(loader, range->line, range->column,
                                "\"%s\" is no version range, expected one such as \">=0.1.1 <0.9\"", range->text.bytes);
        scenario->ranges[scenario->range_count++] = range->text.bytes;
    }
    return true;
}

static struct text text_or(const struct json_value *value, struct text otherwise) {
    return value != NULL ? value->text : otherwise;
}

static struct text printed(struct arena *arena, const struct json_value *value) {
    struct buffer text = {0};
    if (value == NULL)
        return (struct text){NULL, 0};
    json_print(&text, value);
    struct text kept = {arena_copy(arena, text.bytes, text.length), text.length};
    buffer_free(&text);
    return kept;
}

static void read_clients(struct loader *loader, const struct json_value *map) {
    struct scenario *scenario = loader->scenario;
    scenario->clients = arena_alloc(loader->arena, map->count * sizeof(*scenario->clients));
    for (const struct json_value *entry = map->first; entry != NULL; entry = entry->next)
        scenario->clients[scenario->client_count++] = (struct client){
            .name = entry->key,
            .writer = text_or(json_get(entry, "writer"), entry->key),
            .origin = text_or(json_get(entry, "origin"), entry->key),
            .kind = text_or(json_get(entry, "kind"), (struct text){NULL, 0}),
            .claims = printed(loader->arena, json_get(entry, "claims")),
            .line = entry->key_line,
        };
}

static void read_ignore(struct scenario *scenario, const struct json_value *list) {
    for (const struct json_value *type = list != NULL ? list->first : NULL; type != NULL; type = type->next) {
        scenario->ignore_presence |= json_is_string(type, "presence");
        scenario->ignore_member |= json_is_string(type, "member");
        scenario->ignore_settled |= json_is_string(type, "settled");
    }
}

static void read_outcome(struct scenario *scenario, const struct json_value *outcome) {
    scenario->free_outcome = json_is_string(outcome, "free");
    for (size_t i = 0; i < scenario->clause_count; i++)
        scenario->free_outcome |= scenario->clauses[i]->level == CLAUSE_FREE;
}

static bool read_limit(struct loader *loader, const struct json_value *limit) {
    int64_t milliseconds = loader->scenario->of_store ? SCENARIO_STORE_LIMIT_MS : SCENARIO_LIMIT_MS;
    if (limit != NULL && !loader_time(loader, limit, SCENARIO_LIMIT_CEILING_MS, &milliseconds))
        return false;
    if (milliseconds == 0)
        return loader_fault(loader, limit->line, limit->column, "a case needs some time; \"limit\" must be above 0");
    loader->scenario->limit_ms = (int)milliseconds;
    return true;
}

static bool read_expect(struct loader *loader, const struct json_value *expect) {
    loader->scenario->expect = expect;
    return expect == NULL || text_starts_with(text_of(loader->scenario->name), TEXT("selftest/")) ||
           loader_fault(loader, expect->key_line, expect->key_column,
                        "\"expect\" belongs to scenarios in selftest/ only");
}

/* ---- which family ------------------------------------------------------------------------------ */

/* A scenario is about relays or about stores: its clauses must not be of both. */
static bool read_family(struct loader *loader, const struct json_value *root) {
    struct scenario *scenario = loader->scenario;
    const struct json_value *id = json_get(root, "clauses")->first, *ranges = json_get(root, "profiles");
    scenario->of_store = scenario->clauses[0]->profile != NULL;
    for (size_t i = 0; i < scenario->clause_count; i++, id = id->next)
        if ((scenario->clauses[i]->profile != NULL) != scenario->of_store)
            return loader_fault(loader, id->line, id->column, "the clauses of one scenario are all of relays or all of stores; \"%s\" is not of the first one's sort",
                                id->text.bytes);
    return !scenario->of_store || ranges == NULL ||
           loader_fault(loader, ranges->key_line, ranges->key_column, "\"profiles\" names versions of the mesh protocol, and the clauses are of stores");
}

/* What belongs to one family alone. */
static bool check_head(struct loader *loader, const struct json_value *root) {
    static const struct {
        const char *key;
        bool of_store;
    } keys[] = {{"clients", false}, {"relay", false}, {"ignore", false}, {"outcome", false}, {"store", true}, {"app", true}};
    bool of_store = loader->scenario->of_store;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const struct json_value *member = json_get(root, keys[i].key);
        if (member != NULL && keys[i].of_store != of_store)
            return loader_fault(loader, member->key_line, member->key_column, "\"%s\" belongs to scenarios about %s", keys[i].key,
                                of_store ? "relays" : "stores");
    }
    return of_store || json_get(root, "clients") != NULL ||
           loader_fault(loader, root->line, root->column, "the key \"clients\" is missing");
}

/* ---- the whole --------------------------------------------------------------------------------- */

static bool load(struct loader *loader) {
    struct scenario *scenario = loader->scenario;
    const struct json_value *root = yaml_read(loader->arena, scenario->file, SCENARIO_FILE_CEILING, loader->error);
    if (root == NULL || !schema_check(loader->clauses->scenarios, scenario->file, root, loader->error))
        return false;
    scenario->title = json_get(root, "title")->text;
    if (!read_clauses(loader, json_get(root, "clauses")) || !read_family(loader, root) || !check_head(loader, root))
        return false;
    scenario->options = json_get(root, scenario->of_store ? "store" : "relay");
    scenario->any_app = json_is_string(json_get(root, "app"), "any");
    if (!scenario->of_store)
        read_clients(loader, json_get(root, "clients"));
    read_ignore(scenario, json_get(root, "ignore"));
    bool good = read_profiles(loader, json_get(root, "profiles")) &&
                read_limit(loader, json_get(root, "limit")) && read_expect(loader, json_get(root, "expect")) &&
                loader_steps(loader, json_get(root, "steps"), &scenario->steps) &&
                loader_names(loader, json_get(root, "steps"));
    if (good) {
        read_outcome(scenario, json_get(root, "outcome"));
        loader_needs(loader);
    }
    return good;
}

struct scenario *scenario_load(const char *file, const char *name, const struct clauses *clauses, struct error *error) {
    struct arena *arena = arena_new();
    struct scenario *scenario = arena_alloc(arena, sizeof(*scenario));
    scenario->arena = arena;
    scenario->file = arena_copy(arena, file, strlen(file));
    scenario->name = arena_copy(arena, name, strlen(name));
    struct loader loader = {.scenario = scenario, .arena = arena, .clauses = clauses, .error = error};
    bool good = load(&loader);
    free(loader.joined);
    if (good)
        return scenario;
    scenario_free(scenario);
    return NULL;
}

void scenario_free(struct scenario *scenario) {
    if (scenario != NULL)
        arena_free(scenario->arena);
}
