/* The decoded characters of a JSON string, for the time of one call. */
#ifndef MESHSPEC_RELAY_CHARACTERS_H
#define MESHSPEC_RELAY_CHARACTERS_H

#include <stdbool.h>

#include "relay-ref/core/relay.h"
#include "relay-ref/json/scanner.h"

struct characters {
    struct relay_text text; /* into the JSON text where it has no escapes, else into `memory` */
    char *memory;           /* owned */
};

/* Decodes `string` (JSON_STRING). False when memory is out. End with relay_characters_end either way. */
bool relay_characters_read(struct characters *characters, const struct json_value *string);

void relay_characters_end(struct characters *characters);

#endif
