#include "harness/scenario/profile.h"

#include <string.h>

#include "harness/scenario/clauses.h"

const char *const profiles_known[] = {"0.1.0", "0.1.1", "0.2.0", "0.9", PROFILE_STORE, NULL};

int profile_wire(const char *profile) {
    if (strcmp(profile, PROFILE_STORE) == 0)
        return 0;
    return version_compare(profile, "0.9") >= 0 ? 3 : 1;
}
