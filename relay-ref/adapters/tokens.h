/* Bearer tokens and the principals that they stand for. */
#ifndef MESHSPEC_TOKENS_H
#define MESHSPEC_TOKENS_H

#include <stddef.h>

#include "relay-ref/core/relay.h"

/* The largest token file that is read, in bytes. */
#define TOKENS_FILE_CEILING ((size_t)16 << 20)

struct tokens;

/*
 * Reads {TOKEN:{"writer":…,"kind":…,"claims":{…}}}; `kind` and `claims` may be missing, other fields may not be there.
 * NULL with a sentence in `reason` (at most `capacity` bytes with its NUL) when the text is anything else. Free with
 * tokens_free.
 */
struct tokens *tokens_read(struct relay_text json, char *reason, size_t capacity);

/* The principal of `token`, valid as long as the tokens; NULL when nobody has it. */
const struct relay_principal *tokens_find(const struct tokens *tokens, struct relay_text token);

size_t tokens_count(const struct tokens *tokens);

/* The token at `index` (below tokens_count), ended by NUL; tokens are in byte order. */
const char *tokens_at(const struct tokens *tokens, size_t index);

/* NULL is allowed. */
void tokens_free(struct tokens *tokens);

#endif
