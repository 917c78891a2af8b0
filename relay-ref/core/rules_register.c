/* Wire version 3: registers and admission evidence, by generation. */
#include <stdlib.h>

#include "relay-ref/core/admit.h"
#include "relay-ref/core/characters.h"
#include "relay-ref/core/checkpoint.h"
#include "relay-ref/core/connection.h"
#include "relay-ref/core/evidence.h"
#include "relay-ref/core/frame.h"
#include "relay-ref/core/register.h"
#include "relay-ref/core/registers_load.h"
#include "relay-ref/core/rules.h"
#include "relay-ref/core/settle.h"
#include "relay-ref/core/welcome.h"
#include "relay-ref/core/wellformed.h"

static bool start(struct room *room) {
    room->generation = relay_generation_new(&room->relay->seed);
    return room->generation != NULL;
}

static void end(struct room *room) {
    relay_generation_free(room->generation);
    room->generation = NULL;
}

static bool print_generation(struct generation *generation, struct relay_buffer *text) {
    struct relay_text registers, wm;
    if (!relay_checkpoint(generation, &registers, &wm))
        return false;
    relay_buffer_add_words(text, ",\"registers\":");
    relay_buffer_add_text(text, registers);
    relay_buffer_add_words(text, ",\"wm\":");
    relay_buffer_add_text(text, wm);
    return true;
}

/* register.snapshot */
static bool print_snapshot(struct room *room, struct relay_buffer *text, bool whole) {
    if (!print_generation(room->generation, text))
        return false;
    if (!whole)
        return true;
    relay_buffer_add_words(text, ",\"ranges\":");
    relay_checkpoint_add_ranges(room->generation, text);
    relay_buffer_add_words(text, ",\"settled\":");
    relay_checkpoint_add_settled(room->generation, text);
    return true;
}

/* ---- taking an envelope in ----------------------------------------------------------------------- */

/* An envelope that would let the room grow past its ceiling is not ordered, unless it was ordered before (restore.c).
 */
static bool fits(const struct relay *relay, size_t bytes) {
    return relay->restoring || bytes <= relay->options.max_root_bytes || relay_limit_hit(relay, RELAY_LIMIT_ROOT_BYTES);
}

/* generation.cut: the envelope goes into the new registers, not into the new evidence; generation.rewelcome. */
static bool prepare_cut(struct room *room, const struct message_envelope *envelope, struct relay_text origin,
                        struct ordering *ordering) {
    struct reading *reading = &room->relay->reading;
    struct relay_buffer text;
    ordering->fresh = relay_generation_new(&room->relay->seed);
    struct register_origin *writer =
        ordering->fresh == NULL ? NULL : relay_generation_use_origin(ordering->fresh, origin);
    if (writer == NULL || !relay_register_prepare(ordering->fresh, reading, envelope, writer))
        return false;
    relay_register_apply(ordering->fresh, reading);
    relay_generation_release_origin(ordering->fresh, writer);
    if (!fits(room->relay, ordering->fresh->bytes))
        return false;
    relay_frame_start(&text, 256);
    relay_welcome_head(&text, room,
                       &(struct welcome_life){ordering->entry.seq,
                                              {ordering->migration.memory, ordering->migration.length},
                                              ordering->migration.schema_version});
    ordering->welcome_head = text.length;
    relay_buffer_add_words(&text, ",\"mode\":\"snapshot\"");
    if (!print_generation(ordering->fresh, &text))
        text.failed = true;
    ordering->welcome = relay_frame_finish(&text);
    ordering->cuts = true;
    return ordering->welcome != NULL;
}

/* settle.when, settle.notice: the vector as it will be after this envelope. */
static bool prepare_settling(const struct room *room, struct ordering *ordering) {
    const struct generation *generation = room->generation;
    bool any = generation->settled.first != NULL || ordering->notice.bytes != NULL;
    ordering->settles = any && relay_journal_is_full(&room->journal, ordering->entry.frame);
    if (!ordering->settles)
        return true;
    ordering->settled = relay_settle_frame(generation, room->item.key, ordering->origin, ordering->notice);
    return ordering->settled != NULL;
}

static bool prepare_evidence(struct room *room, const struct message_envelope *envelope, struct relay_text origin,
                             struct ordering *ordering) {
    ordering->origin = relay_generation_use_origin(room->generation, origin);
    if (ordering->origin == NULL || !relay_evidence_reserve(ordering->origin))
        return false;
    ordering->extends_prefix = relay_evidence_extends_prefix(ordering->origin, room->relay->reading.version);
    if (!ordering->extends_prefix)
        return true;
    ordering->notice = relay_evidence_notice(origin, envelope->hlc);
    return ordering->notice.bytes != NULL;
}

static void cancel(struct room *room, struct ordering *ordering) {
    if (ordering->origin != NULL)
        relay_generation_release_origin(room->generation, ordering->origin);
    relay_generation_free(ordering->fresh);
    free((char *)ordering->notice.bytes);
    if (ordering->settled != NULL)
        relay_frame_release(ordering->settled);
    if (ordering->welcome != NULL)
        relay_frame_release(ordering->welcome);
}

static bool prepare_named(struct room *room, const struct message_envelope *envelope, struct relay_text origin,
                          struct ordering *ordering) {
    if (ordering->migration.bumps)
        return prepare_cut(room, envelope, origin, ordering);
    struct reading *reading = &room->relay->reading;
    if (!prepare_evidence(room, envelope, origin, ordering) || !prepare_settling(room, ordering) ||
        !relay_register_prepare(room->generation, reading, envelope, ordering->origin))
        return false;
    size_t bytes = relay_register_bytes(room->generation, reading);
    if (ordering->extends_prefix)
        bytes += relay_evidence_growth(ordering->origin, ordering->notice);
    if (fits(room->relay, bytes))
        return true;
    relay_register_cancel(room->generation, reading);
    return false;
}

static bool prepare(struct room *room, const struct message_envelope *envelope, struct ordering *ordering) {
    struct characters origin;
    bool prepared =
        relay_characters_read(&origin, &envelope->origin) && prepare_named(room, envelope, origin.text, ordering);
    relay_characters_end(&origin);
    if (!prepared)
        cancel(room, ordering);
    return prepared;
}

static void apply(struct room *room, struct ordering *ordering) {
    struct reading *reading = &room->relay->reading;
    if (ordering->fresh != NULL) {
        relay_generation_free(room->generation);
        room->generation = ordering->fresh;
        return;
    }
    struct generation *generation = room->generation;
    relay_register_apply(generation, reading);
    relay_evidence_add(generation, ordering->origin, reading->version);
    if (ordering->extends_prefix) {
        relay_evidence_settle(generation, ordering->origin, &reading->hlc, ordering->notice);
        relay_settle_mark(generation, ordering->origin);
    }
    relay_generation_release_origin(generation, ordering->origin);
    if (ordering->settles)
        relay_settle_collect(generation);
}

const struct relay_rules relay_rules_registers = {
    .ops_limit = MESSAGE_ALL_OPS,
    .forgiving = false,
    .start = start,
    .end = end,
    .check = relay_wellformed,
    .admit = relay_admit,
    .prepare = prepare,
    .apply = apply,
    .cancel = cancel,
    .print_snapshot = print_snapshot,
    .restore = relay_restore_generation,
};
