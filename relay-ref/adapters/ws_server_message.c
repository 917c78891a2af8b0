#include "relay-ref/adapters/ws_server_message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "relay-ref/json/utf8.h"

/* A buffer up to this size is kept for the next message of the connection. */
#define KEPT_CAPACITY ((size_t)64 << 10)

#define LONGEST_SEQUENCE 4

/* How many bytes at the start of `bytes` are ASCII, in steps of eight. */
static size_t skip_ascii(const char *bytes, size_t length) {
    size_t at = 0;
    for (uint64_t eight; length - at >= sizeof eight; at += sizeof eight) {
        memcpy(&eight, bytes + at, sizeof eight);
        if ((eight & UINT64_C(0x8080808080808080)) != 0)
            break;
    }
    return at;
}

/* Goes on checking from `checked`. A sequence that may only be cut is left for the next piece, unless there is none. */
static bool check_utf8(const char *bytes, size_t length, size_t *checked, bool last) {
    while (*checked < length) {
        *checked += skip_ascii(bytes + *checked, length - *checked);
        if (*checked == length)
            return true;
        size_t step = relay_utf8_step(bytes + *checked, length - *checked);
        if (step == 0)
            return !last && length - *checked < LONGEST_SEQUENCE;
        *checked += step;
    }
    return true;
}

static bool reserve(struct message *message, size_t wanted, size_t ceiling) {
    if (wanted <= message->capacity)
        return true;
    size_t capacity = message->capacity * 2 > wanted ? message->capacity * 2 : wanted;
    if (capacity > ceiling)
        capacity = ceiling;
    char *bytes = realloc(message->bytes, capacity);
    if (bytes == NULL)
        return false;
    message->bytes = bytes;
    message->capacity = capacity;
    return true;
}

static enum message_step judge(struct message *message, const char *bytes, size_t length, bool last) {
    if (!check_utf8(bytes, length, &message->checked, last))
        return MESSAGE_NOT_UTF8;
    if (!last)
        return MESSAGE_MORE;
    message->whole = (struct relay_text){bytes, length};
    return MESSAGE_WHOLE;
}

static enum message_step add(struct message *message, const struct message_piece *piece, size_t ceiling) {
    if (piece->binary)
        return MESSAGE_BINARY;
    size_t room = ceiling - message->length;
    if (piece->length > room || piece->announced > room - piece->length)
        return MESSAGE_TOO_LARGE;
    if (piece->last && message->length == 0)
        return judge(message, piece->bytes, piece->length, true);
    size_t wanted = message->length + piece->length;
    if (!reserve(message, wanted, ceiling))
        return MESSAGE_NO_MEMORY;
    if (piece->length > 0)
        memcpy(message->bytes + message->length, piece->bytes, piece->length);
    message->length = wanted;
    return judge(message, message->bytes, message->length, piece->last);
}

enum message_step message_add(struct message *message, const struct message_piece *piece, size_t ceiling) {
    if (message->length == 0 && message->capacity > KEPT_CAPACITY)
        message_clear(message);
    enum message_step step = add(message, piece, ceiling);
    if (step == MESSAGE_MORE)
        return step;
    message->length = 0;
    message->checked = 0;
    return step;
}

void message_clear(struct message *message) {
    free(message->bytes);
    *message = (struct message){0};
}
