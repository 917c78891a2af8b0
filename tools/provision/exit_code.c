#include "tools/provision/exit_code.h"

int exit_code_of_problem(enum problem_code code) {
    switch (code) {
    case PROBLEM_BAD_INPUT: return 3;
    case PROBLEM_NOT_NESTED: return 4;
    case PROBLEM_OUTSIDE_NAMESPACE: return 5;
    case PROBLEM_POLICY_LITERAL: return 6;
    case PROBLEM_HTTP: return 7;
    case PROBLEM_SCHEMA_DRIFT: return 12;
    case PROBLEM_NONE: break;
    }
    return EXIT_CODE_INTERNAL;
}

static int exit_code_of_state(enum store_state state) {
    switch (state) {
    case STATE_NO_SCHEMA: return 10;
    case STATE_OUT_OF_DATE: return 11;
    case STATE_SCHEMA_DRIFT: return 12;
    case STATE_OK: break;
    }
    return 0;
}

int exit_code_of_outcome(const struct outcome *outcome, bool detailed) {
    if (outcome->operation == OPERATION_STATUS) return exit_code_of_state(outcome->classification.state);
    if (!detailed || outcome->plan.state == STATE_OK) return 0;
    return outcome->plan.state == STATE_NO_SCHEMA ? 20 : 21;
}
