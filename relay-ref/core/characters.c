#include "relay-ref/core/characters.h"

#include <stdlib.h>

#include "relay-ref/json/string.h"

bool relay_characters_read(struct characters *characters, const struct json_value *string) {
    characters->memory = NULL;
    characters->text = (struct relay_text){string->bytes + 1, string->length - 2};
    if (!string->escaped)
        return true;
    characters->memory = malloc(string->length);
    if (characters->memory == NULL)
        return false;
    characters->text.bytes = characters->memory;
    characters->text.length = relay_string_decode(string, characters->memory);
    return true;
}

void relay_characters_end(struct characters *characters) {
    free(characters->memory);
    characters->memory = NULL;
}
