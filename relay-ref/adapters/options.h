/*
 * Relay options and policies from their JSON form, as the adapter protocol carries them:
 * {"policyVersion":n,"journalLimit":n,"limits":{"maxOpsPerEnvelope":n,"maxEnvelopesPerSecond":n},
 *  "policy":{"acl":[{"prefix":[…],"allow":true|{"kind":…}|{"writer":…}|{"claims":{…}}}],
 *            "validate":[{"prefix":[…],"deny":PATTERN}],"canBump":{"allow":…},"verifyCitations":true|false},
 *  "ejection":"writer"|"connection"}
 * canBump, verifyCitations and ejection are for protocol version 0.9.
 */
#ifndef MESHSPEC_RELAY_OPTIONS_H
#define MESHSPEC_RELAY_OPTIONS_H

#include "relay-ref/core/relay.h"

/* Reads a profile name ("0.1.0", "0.1.1", "0.2.0", "0.9"); false when it is none of them. */
bool relay_protocol_from_name(const char *name, enum relay_protocol *out);

/* The profile's name. */
const char *relay_protocol_name(enum relay_protocol protocol);

struct relay_settings; /* options together with the policy that they borrow */

/*
 * Reads `json` for `protocol`. Returns NULL and a sentence in `reason` (at most `capacity` bytes, NUL included) when
 * the text is not well formed or names an option that this relay does not have. Free with relay_settings_free.
 */
struct relay_settings *relay_settings_read(enum relay_protocol protocol, struct relay_text json, char *reason,
                                           size_t capacity);

/* The options, valid as long as the settings. */
const struct relay_options *relay_settings_options(const struct relay_settings *settings);

/* NULL is allowed. Free it after the relay that uses it. */
void relay_settings_free(struct relay_settings *settings);

#endif
