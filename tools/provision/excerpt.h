/* What of a store's answer may be shown: its beginning, without the secret (provision.secret). */
#ifndef PROVISION_EXCERPT_H
#define PROVISION_EXCERPT_H

#include "tools/provision/text.h"

#define EXCERPT_CHARACTERS 200

/* `text` with every copy of `secret`, as it is or spelled with JSON escapes, replaced by `[secret]`. */
struct text excerpt_redact(struct arena *arena, struct text text, struct text secret);

/* The first EXCERPT_CHARACTERS characters of `body`, redacted; bytes that are not UTF-8 count as one character each. */
struct text excerpt_make(struct arena *arena, struct text body, struct text secret);

#endif
