/* Admission evidence: which versions of an origin were admitted, and its settled stamp (admit.*, settle). */
#ifndef MESHSPEC_RELAY_EVIDENCE_H
#define MESHSPEC_RELAY_EVIDENCE_H

#include "relay-ref/core/generation.h"

/* The highest admitted version; 0 when there is none. */
double relay_evidence_highest(const struct register_origin *origin);

/* True when the version was admitted. */
bool relay_evidence_holds(const struct register_origin *origin, double version);

/* True when admitting `version`, which is above the highest, makes the first contiguous run longer. */
bool relay_evidence_extends_prefix(const struct register_origin *origin, double version);

/* Makes sure that one more version can be added without failing. False when memory is out. */
bool relay_evidence_reserve(struct register_origin *origin);

/* Admits a version above the highest one. */
void relay_evidence_add(struct generation *generation, struct register_origin *origin, double version);

/* How many bytes more the room keeps once `notice` stands in place of the origin's own; what is less wraps around. */
size_t relay_evidence_growth(const struct register_origin *origin, struct relay_text notice);

/* Sets the origin's settled stamp; takes over `notice`, its text in notices (relay_evidence_notice). */
void relay_evidence_settle(struct generation *generation, struct register_origin *origin, const struct hlc *hlc,
                           struct relay_text notice);

/* `"origin":hlc` as JSON; the caller owns its bytes, which are NULL when memory is out. */
struct relay_text relay_evidence_notice(struct relay_text origin, struct json_value hlc);

/* Replaces the evidence by these ranges, in any order; takes over `ranges`. */
void relay_evidence_restore(struct generation *generation, struct register_origin *origin, struct version_range *ranges,
                            size_t count);

#endif
