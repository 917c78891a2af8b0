/* Reading the steps of a store and a provisioner. The schema has been checked: what is left are the things that a
 * schema cannot say. */
#include <string.h>

#include "harness/base/file.h"
#include "harness/base/memory.h"
#include "harness/scenario/loader.h"
#include "harness/scenario/verbs.h"

#define APP_FILE_CEILING ((size_t)16 << 20) /* bytes of a file below fixtures/apps or fixtures/permissions */

/* ---- files --------------------------------------------------------------------------------------- */

const struct json_value *scenario_file(const struct scenario *scenario, const char *folder, struct text name) {
    for (const struct scenario_file *file = scenario->files; file != NULL; file = file->next)
        if (strcmp(file->folder, folder) == 0 && text_equal(file->name, name))
            return file->value;
    return NULL;
}

static bool read_app_file(struct loader *loader, const char *folder, const struct json_value *name) {
    struct scenario *scenario = loader->scenario;
    const char *path =
        arena_format(loader->arena, "%s/%s/%s.json", loader->clauses->fixtures, folder, name->text.bytes);
    struct text text;
    struct error error = {0};
    struct json_value *value = NULL;
    if (!file_read(loader->arena, path, APP_FILE_CEILING, &text, &error))
        return loader_fault(loader, name->line, name->column, "%s", error.text);
    value = json_parse(loader->arena, text, &error);
    if (value == NULL)
        return loader_fault(loader, name->line, name->column, "%s: %s", path, error.text);
    struct scenario_file *file = arena_alloc(loader->arena, sizeof(*file));
    *file = (struct scenario_file){folder, name->text, value, scenario->files};
    scenario->files = file;
    return true;
}

/* A name means a file, a map is the thing itself. */
static bool check_content(struct loader *loader, const char *folder, const struct json_value *content) {
    if (content == NULL || content->type != JSON_STRING)
        return loader_template(loader, content);
    return scenario_file(loader->scenario, folder, content->text) != NULL || read_app_file(loader, folder, content);
}

/* ---- what hangs ---------------------------------------------------------------------------------- */

static bool hangs_already(const struct loader *loader, struct text name) {
    for (const struct hanging_name *one = loader->hanging; one != NULL; one = one->next)
        if (text_equal(one->name, name))
            return true;
    return false;
}

static void note_hanging(struct loader *loader, struct text name) {
    struct hanging_name *one = arena_alloc(loader->arena, sizeof(*one));
    *one = (struct hanging_name){name, loader->hanging};
    loader->hanging = one;
}

static bool check_hanging(struct loader *loader, const struct json_value *name) {
    return hangs_already(loader, name->text) ||
           loader_fault(loader, name->line, name->column, "no write before this step `hangs: %s`", name->text.bytes);
}

/* ---- one request, one run ------------------------------------------------------------------------ */

static bool check_request(struct loader *loader, const struct json_value *request) {
    return loader_template(loader, json_get(request, "path")) && loader_template(loader, json_get(request, "body")) &&
           loader_template(loader, json_get(request, "raw")) && loader_template(loader, json_get(request, "headers"));
}

static bool check_run(struct loader *loader, const struct json_value *run) {
    return check_content(loader, "apps", json_get(run, "app")) &&
           check_content(loader, "permissions", json_get(run, "permissions"));
}

static bool check_one(struct loader *loader, enum verb verb, const struct json_value *argument) {
    switch (verb) {
    case VERB_STORE_GET:
    case VERB_STORE_POST:
        return check_request(loader, argument);
    case VERB_STORE_INSERT:
    case VERB_STORE_UPDATE:
    case VERB_STORE_DELETE:
    case VERB_STORE_LIST:
    case VERB_STORE_FAULTS:
        return loader_template(loader, argument);
    case VERB_STORE_REQUESTS:
        return loader_pattern(loader, argument);
    case VERB_STORE_GOES_THROUGH:
    case VERB_STORE_STILL_HANGS:
        return check_hanging(loader, argument);
    case VERB_PROVISIONER_STATUS:
    case VERB_PROVISIONER_APPLY:
        return check_run(loader, argument);
    default:
        return true;
    }
}

static bool check_at_once(struct loader *loader, const struct json_value *list, bool of_provisioner) {
    for (const struct json_value *one = list->first; one != NULL; one = one->next) {
        enum verb verb = VERB_STORE_GET;
        const struct json_value *argument = verb_of_store_in(one, of_provisioner, &verb);
        loader->uses[verb] = true;
        if (!check_one(loader, verb, argument))
            return false;
    }
    return true;
}

bool loader_store_step(struct loader *loader, struct step *step, const struct json_value *what) {
    bool of_provisioner = text_equal(step->actor, TEXT("provisioner"));
    step->verb = VERB_STORE_RESTART;
    step->argument = what->type == JSON_STRING ? NULL : verb_of_store_in(what, of_provisioner, &step->verb);
    loader->uses[step->verb] = true;
    if (step->argument == NULL)
        return true;
    const struct json_value *hangs = json_get(what, "hangs");
    if (hangs != NULL)
        note_hanging(loader, hangs->text);
    bool at_once = step->verb == VERB_STORE_AT_ONCE || step->verb == VERB_PROVISIONER_AT_ONCE;
    return (at_once ? check_at_once(loader, step->argument, of_provisioner)
                    : check_one(loader, step->verb, step->argument)) &&
           loader_pattern(loader, json_get(what, "answers")) && loader_pattern(loader, json_get(what, "gives")) &&
           loader_pattern(loader, json_get(what, "fails"));
}
