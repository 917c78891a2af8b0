/*
 * A schema as it is kept after it was read: one rule a schema object. Inside harness/scenario only.
 */
#ifndef MESHSPEC_RULES_H
#define MESHSPEC_RULES_H

#include "harness/base/regex.h"
#include "harness/scenario/schema.h"

#define RULE_INTEGER (1U << 6) /* in `types`, besides 1 << json_type */

struct rule_list {
    struct rule **rules;
    size_t count;
};

/* What `properties` says about one key. */
struct rule_property {
    struct text key;
    struct rule *rule;
};

struct rule {
    bool never;                        /* the schema `false` */
    const char *reference;             /* "$ref" as written, until it is resolved */
    struct rule *target;               /* of $ref */
    unsigned types;                    /* 0: any */
    const struct json_value *choices;  /* enum */
    const struct json_value *constant; /* const */
    struct rule_property *properties;
    size_t property_count;
    const char **property_names; /* the same keys, for suggestions */
    const struct json_value *required;
    const struct json_value *dependent; /* dependentRequired */
    struct rule *additional;            /* additionalProperties */
    struct rule *names;                 /* propertyNames */
    struct rule *items;
    bool unique;
    double least_members, most_members, least_items, most_items, least_length;
    double minimum, maximum, above; /* above: exclusiveMinimum */
    regex_t *pattern;
    const char *pattern_source;
    struct rule_list all, any, one;
    struct rule *not_, *if_, *then_, *else_;
    const char *noun;              /* x-noun; NULL */
    const char *message;           /* x-message; NULL */
    const struct json_value *node; /* where it is written */
    struct rule *next;             /* all rules of a schema */
};

struct rule_definition {
    struct text name;
    struct rule *rule;
    struct rule_definition *next;
};

struct schema {
    struct arena *arena;
    struct rule *root;
    struct rule *rules; /* all of them */
    struct rule_definition *definitions;
};

#endif
