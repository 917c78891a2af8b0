/*
 * The options of a relay, as in the adapter protocol: whether two sets of them come to the same.
 */
#ifndef MESHSPEC_TARGET_OPTIONS_H
#define MESHSPEC_TARGET_OPTIONS_H

#include <stdbool.h>

#include "harness/base/text.h"

/* Whether the options (JSON objects) are equal, what is left out having the protocol's default. False for no JSON. */
bool options_same(struct text a, struct text b);

#endif
