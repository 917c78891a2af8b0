#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/scenario/clauses.h"
#include "harness/tests/support.h"

TestSuite(clauses, .timeout = 120);

Test(clauses, versions_compare_by_their_numbers) {
    static const struct {
        const char *a, *b;
        int order;
    } cases[] = {{"0.2.0", "0.2.0", 0}, {"0.2", "0.2.0", 0},  {"0.10.0", "0.9.1", 1}, {"0.1.1", "0.2.0", -1}, {"1", "0.9.9", 1},
                 {"0.02", "0.2", 0},    {"0.0", "", 0},       {"0.0.1", "0", 1},      {"10000000000000000000000", "9", 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int order = version_compare(cases[i].a, cases[i].b), reverse = version_compare(cases[i].b, cases[i].a);
        cr_expect_eq((order > 0) - (order < 0), cases[i].order, "%s and %s", cases[i].a, cases[i].b);
        cr_expect_eq((reverse > 0) - (reverse < 0), -cases[i].order, "%s and %s", cases[i].b, cases[i].a);
    }
}

Test(clauses, ranges) {
    static const struct {
        const char *range;
        bool valid, has_0_1_0, has_0_2_0;
    } cases[] = {
        {">=0.1.0 <0.9", true, true, true}, {">0.1.0", true, false, true}, {"<0.2.0", true, true, false}, {"<=0.1", true, true, false},
        {"0.2.0", true, false, true},       {"=0.1.0", true, true, false}, {"  0.1  ", true, true, false}, {">0.1.0 <0.2.0", true, false, false},
        {"", false, false, false},          {" ", false, false, false},    {"0.x", false, false, false},   {">= 0.1", false, false, false},
        {"0.1.", false, false, false},      {"~0.1", false, false, false}, {"0.1,0.2", false, false, false}, {"==0.1", false, false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool valid = !cases[i].valid;
        cr_expect_eq(version_in_range("0.1.0", cases[i].range, &valid), cases[i].has_0_1_0, "%s", cases[i].range);
        cr_expect_eq(valid, cases[i].valid, "%s", cases[i].range);
        cr_expect_eq(version_in_range("0.2.0", cases[i].range, &valid), cases[i].has_0_2_0, "%s", cases[i].range);
    }
}

Test(clauses, the_catalogue_is_found_by_id) {
    struct error error = {0};
    struct clauses *clauses = clauses_load("fixtures/clauses", &error);
    cr_assert_not_null(clauses, "%s", error.text);
    for (size_t i = 0; i < clauses_count(clauses); i++)
        cr_expect_eq(clauses_find(clauses, clauses_at(clauses, i)->id), clauses_at(clauses, i));
    cr_expect_null(clauses_find(clauses, "join.nothing"));
    const struct clause *schema = clauses_find(clauses, "join.reject-schema"), *ignored = clauses_find(clauses, "join.schema-ignored");
    cr_assert(schema != NULL && ignored != NULL);
    test_expect_text(schema->area, "join", "area");
    test_expect_text(clause_level_name(schema->level), "MUST", "level");
    cr_expect(clause_holds(schema, "0.2.0") && !clause_holds(schema, "0.1.1"));
    cr_expect(clause_holds(ignored, "0.1.1") && !clause_holds(ignored, "0.2.0"));
    cr_expect_eq(clauses_find(clauses, "frame.lone-surrogate")->level, CLAUSE_SHOULD);
    const struct clause *fresh = clauses_find(clauses, "store.fresh");
    cr_assert_not_null(fresh);
    cr_expect(clause_holds(fresh, PROFILE_STORE) && !clause_holds(fresh, "0.2.0"));
    cr_expect_not(clause_holds(schema, PROFILE_STORE));
    cr_expect_not(clause_holds(clauses_find(clauses, "join.delta"), PROFILE_STORE));
    cr_expect(clauses_find(clauses, "eject.observed")->observed);
    cr_expect_not(schema->observed);
    clauses_free(clauses);
    clauses_free(NULL);
}

/* A folder as fixtures/ is, with one page of clauses. */
static void expect_refused(const char *page, const char *wanted) {
    char folder[] = "/tmp/meshspec-clauses-XXXXXX", file[100], here[500], link_to[600];
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_not_null(getcwd(here, sizeof(here)));
    snprintf(link_to, sizeof(link_to), "%s/fixtures/schemas", here);
    snprintf(file, sizeof(file), "%s/schemas", folder);
    cr_assert_eq(symlink(link_to, file), 0);
    snprintf(file, sizeof(file), "%s/clauses", folder);
    cr_assert_eq(mkdir(file, 0700), 0);
    snprintf(file, sizeof(file), "%s/clauses/page.yaml", folder);
    FILE *stream = fopen(file, "w");
    cr_assert(stream != NULL && fputs(page, stream) >= 0 && fclose(stream) == 0);

    struct error error = {0};
    char path[100];
    snprintf(path, sizeof(path), "%s/clauses", folder);
    cr_expect_null(clauses_load(path, &error), "%s", page);
    cr_expect(text_ends_with(text_of(error.text), text_of(wanted)), "wanted …%s\n  came %s", wanted, error.text);

    unlink(file);
    rmdir(path);
    snprintf(file, sizeof(file), "%s/schemas", folder);
    unlink(file);
    rmdir(folder);
}

Test(clauses, pages_with_mistakes_are_refused) {
    expect_refused("- {id: a.b, level: MUST, text: x}\n- {id: a.c, level: MUST, text: x}\n- {id: a.b, level: MAY, text: y}\n",
                   "/page.yaml:1 already; ids are permanent and unique");
    expect_refused("- {id: a.b, level: MUSST, text: x}\n", "/page.yaml:1:20: unknown level \"MUSST\"; did you mean \"MUST\"?");
    expect_refused("- {id: ab, level: MUST, text: x}\n", "/page.yaml:1:8: an id is an area and a slug, such as join.delta");
    expect_refused("- {id: a.b, level: MUST}\n", "/page.yaml:1:3: the key \"text\" is missing");
    expect_refused("- {id: a.b, level: MUST, text: x, until: soon}\n", "/page.yaml:1:42: expected a version such as 0.2.0");
    expect_refused("id: a.b\n", "/page.yaml:1:1: unknown key \"id\", expected one of profile, clauses");
    expect_refused("profile: shop\nclauses: [{id: a.b, level: MUST, text: x}]\n", "/page.yaml:1:10: unknown profile \"shop\", expected one of store");
    expect_refused("[\n", "/page.yaml:2:1: not YAML: did not find expected node content while parsing a flow node that starts at 2:1");
}

Test(clauses, a_folder_that_is_not_there_is_named) {
    struct error error = {0};
    cr_expect_null(clauses_load("fixtures/nowhere", &error));
    test_expect_text(error.text, "fixtures/nowhere/../schemas/clauses.json: cannot be read: No such file or directory", "missing");
}
