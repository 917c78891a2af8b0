/*
 * Small helpers of the harness' own tests. Tests run in the repository's top folder.
 */
#ifndef MESHSPEC_TEST_SUPPORT_H
#define MESHSPEC_TEST_SUPPORT_H

#include <criterion/criterion.h>

#include "harness/json/value.h"

#define TEST_DATA "harness/tests/data"

/* Parses JSON that must be good; positions are 0. */
struct json_value *test_json(struct arena *arena, const char *text);

/* The value as compact JSON, in the arena; "nothing" for NULL. */
const char *test_print(struct arena *arena, const struct json_value *value);

/* Expects two texts to be the same and shows both when they are not. */
void test_expect_text(const char *came, const char *wanted, const char *what);

#endif
