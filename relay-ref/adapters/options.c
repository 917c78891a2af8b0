#include "relay-ref/adapters/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "relay-ref/core/policy.h"
#include "relay-ref/core/version.h"
#include "relay-ref/json/number.h"
#include "relay-ref/json/scanner.h"
#include "relay-ref/json/string.h"

struct relay_settings {
    struct relay_options options;
    struct relay_policy *policy; /* owned; NULL for none */
};

struct options_reader {
    struct json_scanner scanner;
    struct relay_settings *settings;
    char *reason;
    size_t capacity;
};

bool relay_protocol_from_name(const char *name, enum relay_protocol *out) {
    return relay_version_find(name, out);
}

const char *relay_protocol_name(enum relay_protocol protocol) {
    return relay_version_of(protocol)->name;
}

__attribute__((format(printf, 2, 3))) static bool refuse(struct options_reader *reader, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->reason, reader->capacity, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_unknown(struct options_reader *reader, const char *where, const struct json_value *name) {
    return refuse(reader, "This relay has no option %s%.*s.", where, name->length > 82 ? 80 : (int)name->length - 2,
                  name->bytes + 1);
}

static bool read_number(struct options_reader *reader, const char *name, double *out) {
    struct json_value value;
    if (!relay_scan_value(&reader->scanner, &value))
        return false;
    if (!relay_number_read(&value, out) || !isfinite(*out))
        return refuse(reader, "The option %s is not a number.", name);
    return true;
}

static bool read_count(struct options_reader *reader, const char *name, size_t *out) {
    struct json_value value;
    uint64_t count;
    if (!relay_scan_value(&reader->scanner, &value))
        return false;
    if (!relay_number_read_count(&value, &count))
        return refuse(reader, "The option %s is not a whole number from 0 on.", name);
    *out = (size_t)count;
    return true;
}

static bool read_rate(struct options_reader *reader) {
    double *rate = &reader->settings->options.max_envelopes_per_second;
    if (!read_number(reader, "limits.maxEnvelopesPerSecond", rate))
        return false;
    return *rate >= 0 || refuse(reader, "The option limits.maxEnvelopesPerSecond is below 0.");
}

static bool enter_object(struct options_reader *reader, const char *what) {
    if (relay_scan_peek(&reader->scanner) != JSON_OBJECT)
        return refuse(reader, "%s not an object.", what);
    return relay_scan_enter(&reader->scanner);
}

static bool read_limits(struct options_reader *reader) {
    struct json_value name;
    if (!enter_object(reader, "The option limits is"))
        return false;
    while (relay_scan_member(&reader->scanner, &name)) {
        bool taken =
            relay_string_is(&name, "maxOpsPerEnvelope")
                ? read_count(reader, "limits.maxOpsPerEnvelope", &reader->settings->options.max_ops_per_envelope)
            : relay_string_is(&name, "maxEnvelopesPerSecond") ? read_rate(reader)
                                                              : refuse_unknown(reader, "limits.", &name);
        if (!taken)
            return false;
    }
    return reader->scanner.error == JSON_FINE;
}

static bool has_generations(const struct options_reader *reader) {
    return relay_version_of(reader->settings->options.protocol)->generations;
}

static bool read_policy(struct options_reader *reader) {
    struct json_value value;
    if (!relay_scan_value(&reader->scanner, &value))
        return false;
    relay_policy_free(reader->settings->policy);
    reader->settings->policy =
        relay_policy_read((struct relay_text){value.bytes, value.length}, reader->reason, reader->capacity);
    reader->settings->options.policy = reader->settings->policy;
    const struct relay_policy *policy = reader->settings->policy;
    if (has_generations(reader) || (!relay_policy_guards_bumps(policy) && !relay_policy_verifies_citations(policy)))
        return policy != NULL;
    return refuse(reader, "The policies canBump and verifyCitations came with protocol version 0.9.");
}

static bool read_ejection(struct options_reader *reader) {
    struct json_value value;
    if (!relay_scan_value(&reader->scanner, &value))
        return false;
    bool connection = relay_string_is(&value, "connection");
    reader->settings->options.ejection = connection ? RELAY_EJECT_CONNECTION : RELAY_EJECT_WRITER;
    return connection || relay_string_is(&value, "writer") ||
           refuse(reader, "The option ejection is neither \"writer\" nor \"connection\".");
}

static bool read_option(struct options_reader *reader, const struct json_value *name) {
    struct relay_options *options = &reader->settings->options;
    if (relay_string_is(name, "policyVersion"))
        return read_number(reader, "policyVersion", &options->policy_version);
    if (relay_string_is(name, "journalLimit"))
        return read_count(reader, "journalLimit", &options->journal_limit);
    if (relay_string_is(name, "limits"))
        return read_limits(reader);
    if (relay_string_is(name, "policy"))
        return read_policy(reader);
    if (relay_string_is(name, "ejection") && has_generations(reader))
        return read_ejection(reader);
    return refuse_unknown(reader, "", name);
}

static bool read_options(struct options_reader *reader) {
    struct json_value name;
    if (!enter_object(reader, "The options are"))
        return false;
    while (relay_scan_member(&reader->scanner, &name))
        if (!read_option(reader, &name))
            return false;
    return relay_scan_finish(&reader->scanner);
}

struct relay_settings *relay_settings_read(enum relay_protocol protocol, struct relay_text json, char *reason,
                                           size_t capacity) {
    struct options_reader reader = {.reason = reason, .capacity = capacity};
    refuse(&reader, "The options are not well-formed JSON, or memory is out.");
    reader.settings = calloc(1, sizeof *reader.settings);
    if (reader.settings == NULL)
        return NULL;
    reader.settings->options = relay_options_default(protocol);
    if (json.bytes == NULL)
        return reader.settings;
    relay_scan_start(&reader.scanner, json.bytes, json.length);
    bool fine = read_options(&reader);
    relay_scan_end(&reader.scanner);
    if (fine)
        return reader.settings;
    relay_settings_free(reader.settings);
    return NULL;
}

const struct relay_options *relay_settings_options(const struct relay_settings *settings) {
    return &settings->options;
}

void relay_settings_free(struct relay_settings *settings) {
    if (settings == NULL)
        return;
    relay_policy_free(settings->policy);
    free(settings);
}
