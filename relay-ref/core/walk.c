#include "relay-ref/core/walk.h"

#include "relay-ref/core/characters.h"
#include "relay-ref/json/string.h"

static outcome memory(bool got) {
    return got ? RELAY_HYDRATED : RELAY_HYDRATE_REFUSED;
}

static outcome form(bool right) {
    return right ? RELAY_HYDRATED : RELAY_HYDRATE_MALFORMED;
}

outcome relay_walk_object(struct json_value object, outcome (*each)(void *, struct relay_text, struct json_value),
                          void *context) {
    struct json_scanner scanner;
    struct json_value name, value;
    outcome result = RELAY_HYDRATED;
    if (object.kind != JSON_OBJECT)
        return form(object.kind == JSON_ABSENT);
    relay_scan_start(&scanner, object.bytes, object.length);
    relay_scan_enter(&scanner);
    while (result == RELAY_HYDRATED && relay_scan_member(&scanner, &name) && relay_scan_value(&scanner, &value)) {
        struct characters characters;
        result = memory(relay_characters_read(&characters, &name));
        if (result == RELAY_HYDRATED)
            result = each(context, characters.text, value);
        relay_characters_end(&characters);
    }
    if (result == RELAY_HYDRATED)
        result = memory(scanner.error == JSON_FINE);
    relay_scan_end(&scanner);
    return result;
}

outcome relay_walk_array(struct json_value array, outcome (*each)(void *, struct json_value), void *context) {
    struct json_scanner scanner;
    struct json_value value;
    outcome result = RELAY_HYDRATED;
    if (array.kind != JSON_ARRAY)
        return form(array.kind == JSON_ABSENT);
    relay_scan_start(&scanner, array.bytes, array.length);
    relay_scan_enter(&scanner);
    while (result == RELAY_HYDRATED && relay_scan_element(&scanner) && relay_scan_value(&scanner, &value))
        result = each(context, value);
    if (result == RELAY_HYDRATED)
        result = memory(scanner.error == JSON_FINE);
    relay_scan_end(&scanner);
    return result;
}

bool relay_find_members(struct json_value object, const struct wanted *wanted, size_t count) {
    struct json_scanner scanner;
    struct json_value name, other;
    for (size_t i = 0; i < count; i++)
        *wanted[i].value = (struct json_value){.kind = JSON_ABSENT};
    if (object.kind != JSON_OBJECT)
        return false;
    relay_scan_start(&scanner, object.bytes, object.length);
    relay_scan_enter(&scanner);
    while (relay_scan_member(&scanner, &name)) {
        struct json_value *into = &other;
        for (size_t i = 0; i < count; i++)
            if (relay_string_is(&name, wanted[i].name))
                into = wanted[i].value;
        relay_scan_value(&scanner, into);
    }
    bool whole = scanner.error == JSON_FINE;
    relay_scan_end(&scanner);
    return whole;
}
