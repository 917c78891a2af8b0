/* Versions and ranges of them. */
#include <ctype.h>
#include <string.h>

#include "harness/scenario/clauses.h"

#define RANGE_CEILING 200 /* bytes */

/* Takes the number at `*at` and the dot behind it, without zeros in front: of 0 nothing is left. Numbers have no
   limit. */
static const char *take_digits(const char **at, size_t *length) {
    while (**at == '0')
        (*at)++;
    const char *start = *at;
    while (isdigit((unsigned char)**at))
        (*at)++;
    *length = (size_t)(*at - start);
    if (**at == '.')
        (*at)++;
    return start;
}

int version_compare(const char *a, const char *b) {
    while (isdigit((unsigned char)*a) || isdigit((unsigned char)*b)) {
        size_t a_length, b_length;
        const char *a_digits = take_digits(&a, &a_length), *b_digits = take_digits(&b, &b_length);
        if (a_length != b_length)
            return a_length < b_length ? -1 : 1;
        int order = memcmp(a_digits, b_digits, a_length);
        if (order != 0)
            return order;
    }
    return 0;
}

static bool is_version(const char *text) {
    do {
        if (!isdigit((unsigned char)*text))
            return false;
        while (isdigit((unsigned char)*text))
            text++;
    } while (*text++ == '.');
    return text[-1] == '\0';
}

/* One comparator such as `>=0.1.0`; false in `valid` when it is none. */
static bool compares(const char *version, const char *comparator, bool *valid) {
    char sign = *comparator;
    comparator += sign == '<' || sign == '>' || sign == '=';
    bool or_equal = (sign == '<' || sign == '>') && *comparator == '=';
    comparator += or_equal;
    *valid = is_version(comparator);
    if (!*valid)
        return false;
    int order = version_compare(version, comparator);
    if (sign == '<')
        return order < 0 || (or_equal && order == 0);
    if (sign == '>')
        return order > 0 || (or_equal && order == 0);
    return order == 0;
}

bool version_in_range(const char *version, const char *range, bool *valid) {
    char copy[RANGE_CEILING + 1];
    *valid = strlen(range) <= RANGE_CEILING && strspn(range, " ") < strlen(range);
    if (!*valid)
        return false;
    strcpy(copy, range);
    bool inside = true;
    char *rest = NULL;
    for (char *comparator = strtok_r(copy, " ", &rest); comparator != NULL; comparator = strtok_r(NULL, " ", &rest)) {
        inside &= compares(version, comparator, valid);
        if (!*valid)
            return false;
    }
    return inside;
}

bool clause_holds(const struct clause *clause, const char *profile) {
    if (clause->profile != NULL || strcmp(profile, PROFILE_STORE) == 0)
        return clause->profile != NULL && strcmp(clause->profile, profile) == 0;
    return (clause->since == NULL || version_compare(profile, clause->since) >= 0) &&
           (clause->until == NULL || version_compare(profile, clause->until) <= 0);
}
