#include "relay-ref/core/hlc.h"

#include <math.h>

#include "relay-ref/json/number.h"
#include "relay-ref/json/string.h"

bool relay_hlc_take(struct json_scanner *scanner, struct hlc *out) {
    struct json_value name, other, p = {.kind = JSON_ABSENT}, l = {.kind = JSON_ABSENT};
    if (relay_scan_peek(scanner) != JSON_OBJECT) {
        relay_scan_value(scanner, &other);
        return false;
    }
    relay_scan_enter(scanner);
    while (relay_scan_member(scanner, &name))
        relay_scan_value(scanner, relay_string_is(&name, "p") ? &p : relay_string_is(&name, "l") ? &l : &other);
    return relay_number_read(&p, &out->p) && relay_number_read(&l, &out->l) && isfinite(out->p) && isfinite(out->l);
}

bool relay_hlc_read(struct json_value value, struct hlc *out) {
    struct json_scanner scanner;
    if (value.kind != JSON_OBJECT)
        return false;
    relay_scan_start(&scanner, value.bytes, value.length);
    bool stamp = relay_hlc_take(&scanner, out) && scanner.error == JSON_FINE;
    relay_scan_end(&scanner);
    return stamp;
}

void relay_hlc_print(const struct hlc *hlc, struct relay_buffer *out) {
    relay_buffer_add_words(out, "{\"p\":");
    relay_buffer_add_number(out, hlc->p);
    relay_buffer_add_words(out, ",\"l\":");
    relay_buffer_add_number(out, hlc->l);
    relay_buffer_add_words(out, "}");
}
