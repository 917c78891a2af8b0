/* Wire version 3: registers, and what the settled stamps collect of them (register.*, settle.*). */
#include "harness/history/state.h"

const struct settlement *history_settlement(const struct room *room, uint64_t seq) {
    const struct settlement *settlement = room->settlements;
    while (settlement != NULL && settlement->seq != seq) {
        settlement = settlement->next;
    }
    return settlement;
}

void history_take_settled(struct history *history, struct room *room, uint64_t seq, const struct json_value *settled, size_t index) {
    const struct settlement *other = history_settlement(room, seq);
    if (settled == NULL) {
        return;
    }
    if (other != NULL && !json_equal(other->settled, settled)) {
        history_breaks(history, "history.registers", index, "the settled stamps behind seq %llu are not those that another member was told",
                       (unsigned long long)seq);
    }
    if (other == NULL) {
        struct settlement *settlement = arena_alloc(history->arena, sizeof *settlement);
        *settlement = (struct settlement){seq, settled, index, room->settlements};
        room->settlements = settlement;
    }
}

static void check_snapshots_at(struct history *history, const struct room *room, struct registers *registers, uint64_t seq) {
    for (const struct snapshot *snapshot = room->snapshots; snapshot != NULL; snapshot = snapshot->next) {
        struct buffer difference = {.ceiling = 300};
        if (snapshot->seq == seq && !registers_show(registers, snapshot->registers, &difference)) {
            history_breaks(history, "history.registers", snapshot->event, "the registers at seq %llu are not what the history leaves: %s",
                           (unsigned long long)seq, difference.length == 0 ? "" : difference.bytes);
        }
        buffer_free(&difference);
    }
}

bool history_begins_generation(const struct json_value *envelope, double *schema) {
    const struct json_value *own = json_get(envelope, "schemaVersion");
    if (own == NULL || own->type != JSON_NUMBER || own->number <= *schema) {
        return false;
    }
    *schema = own->number;
    return true;
}

void history_check_registers(struct history *history, const struct room *room) {
    if (room->snapshots == NULL) {
        return;
    }
    struct registers *registers = arena_alloc(history->arena, sizeof *registers);
    *registers = (struct registers){.arena = history->arena};
    registers_load(registers, room->base_registers);
    double schema = room->base_schema;
    for (uint64_t seq = room->base; seq <= room->highest && !registers->is_free; seq++) {
        const struct json_value *envelope = seq < room->capacity ? room->envelopes[seq] : NULL;
        const struct settlement *settlement = history_settlement(room, seq);
        if (seq > room->base && envelope == NULL) {
            return;
        }
        if (seq > room->base && history_begins_generation(envelope, &schema)) {
            registers_load(registers, NULL);
        }
        if (seq > room->base) {
            registers_apply(registers, envelope);
        }
        if (seq > room->base && settlement != NULL) {
            registers_collect(registers, settlement->settled);
        }
        if (!registers->is_free) {
            check_snapshots_at(history, room, registers, seq);
        }
    }
}
