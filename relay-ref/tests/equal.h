/* JSON equality by the harness' reader: a codec other than the one under test. */
#ifndef MESHSPEC_RELAY_TESTS_EQUAL_H
#define MESHSPEC_RELAY_TESTS_EQUAL_H

#include <stdbool.h>
#include <stddef.h>

/* True when both texts are JSON and equal. */
bool equal_json(const char *left, size_t left_length, const char *right, size_t right_length);

#endif
