#include "relay-ref/core/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/json/string.h"

void relay_path_start(struct path_reader *reader, struct json_value path) {
    relay_scan_start(&reader->scanner, path.bytes, path.length);
    relay_scan_enter(&reader->scanner);
    for (size_t i = 0; i < 2; i++) {
        reader->slots[i].memory = NULL;
        reader->slots[i].capacity = 0;
    }
    reader->turn = 0;
    reader->failed = false;
}

void relay_path_end(struct path_reader *reader) {
    free(reader->slots[0].memory);
    free(reader->slots[1].memory);
    relay_scan_end(&reader->scanner);
}

static bool decode(struct path_reader *reader, const struct json_value *string, struct relay_text *key) {
    if (!string->escaped) {
        *key = (struct relay_text){string->bytes + 1, string->length - 2};
        return true;
    }
    if (reader->slots[reader->turn].capacity < string->length) {
        char *memory = realloc(reader->slots[reader->turn].memory, string->length);
        if (memory == NULL) {
            reader->failed = true;
            return false;
        }
        reader->slots[reader->turn].memory = memory;
        reader->slots[reader->turn].capacity = string->length;
    }
    char *memory = reader->slots[reader->turn].memory;
    *key = (struct relay_text){memory, relay_string_decode(string, memory)};
    return true;
}

static struct relay_text number_key(struct path_reader *reader, const struct json_value *value) {
    char *digits = reader->slots[reader->turn].digits;
    double number = 0;
    relay_number_read(value, &number);
    if (isinf(number))
        return number > 0 ? (struct relay_text){"Infinity", 8} : (struct relay_text){"-Infinity", 9};
    if (isnan(number))
        return (struct relay_text){"NaN", 3};
    return (struct relay_text){digits, relay_number_write(number, digits)};
}

bool relay_path_next(struct path_reader *reader, struct path_segment *segment) {
    struct json_value value;
    if (!relay_scan_element(&reader->scanner) || !relay_scan_value(&reader->scanner, &value)) {
        reader->failed = reader->failed || reader->scanner.error == JSON_NO_MEMORY;
        return false;
    }
    reader->turn ^= 1;
    segment->number = value.kind == JSON_NUMBER;
    if (segment->number) {
        segment->key = number_key(reader, &value);
        return true;
    }
    if (value.kind != JSON_STRING) {
        segment->key = (struct relay_text){value.bytes, value.length};
        return true;
    }
    return decode(reader, &value, &segment->key);
}

bool relay_path_index(const struct path_segment *segment, size_t *index) {
    const char *bytes = segment->key.bytes;
    size_t length = segment->key.length, number = 0;
    if (length == 0 || length > 10 || (bytes[0] == '0' && length > 1))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] < '0' || bytes[i] > '9')
            return false;
        number = number * 10 + (size_t)(bytes[i] - '0');
    }
    *index = number;
    return number < 4294967295u;
}
