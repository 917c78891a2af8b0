/* Keeping the admin secret out of whatever is written down. */
#ifndef SYNC_SERVER_REDACT_H
#define SYNC_SERVER_REDACT_H

#include "tools/sync-server/text.h"

/* Appends `bytes` with every occurrence of `secret` replaced by `[secret]`; true when there was one. A secret without
 * a value is nowhere. */
bool redact_bytes(struct text bytes, struct text secret, struct buffer *out);

/* As `redact_bytes`, for texts that will be read by people: bytes that are no UTF-8 become U+FFFD. A text in which the
 * secret shows only after percent-decoding or JSON unescaping is replaced whole. */
bool redact(struct text text, struct text secret, struct buffer *out);

#endif
