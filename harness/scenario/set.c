/* Finding and loading many scenarios. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/base/memory.h"
#include "harness/scenario/scenario.h"

#define FOLDER_DEPTH_CEILING 32 /* folders in folders */

struct found {
    const char *file; /* as it will be named */
    const char *real; /* without links, to tell files apart */
    const char *name;
};

struct search {
    struct arena *arena;
    const char *scenarios; /* the scenarios folder without links; NULL: there is none */
    const char *selftest;  /* and its selftest/ */
    bool with_selftest;    /* the path led into it */
    struct found *found;
    size_t count, capacity;
    void (*report)(void *context, const struct error *error);
    void *context;
    bool good;
};

static void complain(struct search *search, const struct error *error) {
    search->good = false;
    search->report(search->context, error);
}

static void complain_about(struct search *search, const char *path, const char *what) {
    struct error error;
    error_set(&error, ERROR_USAGE, "%s: %s", path, what);
    complain(search, &error);
}

/* The path without links, in the search's arena; NULL when there is no such thing. */
static const char *real_path(struct search *search, const char *path) {
    char *real = realpath(path, NULL);
    if (real == NULL) {
        memory_check_errno(path);
        return NULL;
    }
    const char *kept = arena_copy(search->arena, real, strlen(real));
    free(real);
    return kept;
}

/* What follows `folder`/ in `path`, or NULL when the path does not lead into it. */
static const char *below(const char *path, const char *folder) {
    size_t length = folder != NULL ? strlen(folder) : 0;
    bool inside = length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
    return inside ? path + length + 1 : NULL;
}

/* ---- finding ----------------------------------------------------------------------------------- */

static void add_file(struct search *search, const char *file, const char *real) {
    const char *inside = below(real, search->scenarios);
    const char *path = inside != NULL ? inside : file;
    struct text whole = text_of(path);
    size_t length = text_ends_with(whole, TEXT(".yaml")) ? whole.length - 5 : whole.length;
    search->found = memory_room(search->found, search->count, &search->capacity, sizeof(*search->found));
    search->found[search->count++] =
        (struct found){.file = file, .real = real, .name = arena_copy(search->arena, path, length)};
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

static void add_path(struct search *search, const char *path, unsigned depth);

static void add_folder(struct search *search, const char *folder, unsigned depth) {
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0) {
        memory_check_errno(folder);
        complain_about(search, folder, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        add_path(search, arena_format(search->arena, "%s/%s", folder, entries[i]->d_name), depth + 1);
        free(entries[i]);
    }
    free(entries);
}

/* Recurses as deep as folders lie in each other, up to a ceiling (links may go around in circles). */
static void add_path(struct search *search, const char *path, unsigned depth) {
    struct stat status;
    bool named = depth == 0; /* on the command line, not found in a folder */
    const char *real = real_path(search, path);
    if (real == NULL || stat(path, &status) != 0) {
        if (named)
            complain_about(search, path, "there is no such file or folder");
        return;
    }
    if (named)
        search->with_selftest =
            search->selftest != NULL && (strcmp(real, search->selftest) == 0 || below(real, search->selftest) != NULL);
    if (S_ISREG(status.st_mode) && (named || text_ends_with(text_of(path), TEXT(".yaml"))))
        add_file(search, path, real);
    else if (S_ISDIR(status.st_mode) && depth == FOLDER_DEPTH_CEILING)
        complain_about(search, path, "folders lie in each other too deep");
    else if (S_ISDIR(status.st_mode) &&
             (search->with_selftest || search->selftest == NULL || strcmp(real, search->selftest) != 0))
        add_folder(search, path, depth);
    else if (named && !S_ISDIR(status.st_mode))
        complain_about(search, path, "expected a file or a folder");
}

static void add_named(struct search *search, const char *path) {
    size_t before = search->count, length = strlen(path);
    bool good = search->good;
    search->good = true;
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *trimmed = arena_copy(search->arena, path, length);
    add_path(search, trimmed, 0);
    if (search->count == before && search->good)
        complain_about(search, path, "there is no scenario (*.yaml) here");
    search->good = search->good && good;
}

static int compare_found(const void *a, const void *b) {
    const struct found *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order != 0 ? order : strcmp(left->real, right->real);
}

/* ---- loading ----------------------------------------------------------------------------------- */

static void load_found(struct search *search, struct scenario_set *set) {
    set->scenarios = memory_zeroed(search->count, sizeof(struct scenario *));
    for (size_t i = 0; i < search->count; i++) {
        const struct found *found = &search->found[i];
        struct error error = {0};
        if (i > 0 && strcmp(found->real, search->found[i - 1].real) == 0)
            continue;
        struct scenario *scenario = scenario_load(found->file, found->name, set->clauses, &error);
        if (scenario != NULL)
            set->scenarios[set->count++] = scenario;
        else
            complain(search, &error);
    }
}

static void find_and_load(struct search *search, struct scenario_set *set, const char *root, const char *const *paths,
                          size_t path_count) {
    const char *folder = strcmp(root, ".") == 0 ? "scenarios" : arena_format(search->arena, "%s/scenarios", root);
    search->scenarios = real_path(search, folder);
    if (search->scenarios != NULL)
        search->selftest = arena_format(search->arena, "%s/selftest", search->scenarios);
    for (size_t i = 0; i < path_count; i++)
        add_named(search, paths[i]);
    if (path_count == 0)
        add_named(search, folder);
    if (search->count > 0)
        qsort(search->found, search->count, sizeof(*search->found), compare_found);
    load_found(search, set);
}

bool scenario_set_load(struct scenario_set *set, const char *root, const char *const *paths, size_t path_count,
                       void (*report)(void *context, const struct error *error), void *context) {
    struct search search = {.arena = arena_new(), .report = report, .context = context, .good = true};
    struct error error = {0};
    *set = (struct scenario_set){0};
    set->clauses = clauses_load(
        strcmp(root, ".") == 0 ? "fixtures/clauses" : arena_format(search.arena, "%s/fixtures/clauses", root), &error);
    if (set->clauses == NULL)
        complain(&search, &error);
    else
        find_and_load(&search, set, root, paths, path_count);
    free(search.found);
    arena_free(search.arena);
    return search.good;
}

void scenario_set_free(struct scenario_set *set) {
    for (size_t i = 0; i < set->count; i++)
        scenario_free(set->scenarios[i]);
    free(set->scenarios);
    clauses_free(set->clauses);
    *set = (struct scenario_set){0};
}
