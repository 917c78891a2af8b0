#include "relay-ref/core/evidence.h"

#include <stdlib.h>

double relay_evidence_highest(const struct register_origin *origin) {
    return origin->range_count == 0 ? 0 : origin->ranges[origin->range_count - 1].to;
}

/* By halving: the first range that ends at the version or behind it. */
bool relay_evidence_holds(const struct register_origin *origin, double version) {
    size_t low = 0, high = origin->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (origin->ranges[middle].to >= version)
            high = middle;
        else
            low = middle + 1;
    }
    return low < origin->range_count && origin->ranges[low].from <= version;
}

static bool continues_last(const struct register_origin *origin, double version) {
    return origin->range_count > 0 && version <= relay_evidence_highest(origin) + 1;
}

bool relay_evidence_extends_prefix(const struct register_origin *origin, double version) {
    return origin->range_count == 0 || (origin->range_count == 1 && continues_last(origin, version));
}

bool relay_evidence_reserve(struct register_origin *origin) {
    if (origin->range_count < origin->range_capacity)
        return true;
    size_t capacity = origin->range_capacity == 0 ? 1 : origin->range_capacity * 2;
    struct version_range *ranges = realloc(origin->ranges, capacity * sizeof *ranges);
    if (ranges == NULL)
        return false;
    origin->ranges = ranges;
    origin->range_capacity = capacity;
    return true;
}

void relay_evidence_add(struct generation *generation, struct register_origin *origin, double version) {
    if (continues_last(origin, version)) {
        origin->ranges[origin->range_count - 1].to = version;
        return;
    }
    origin->ranges[origin->range_count++] = (struct version_range){version, version};
    generation->bytes += sizeof *origin->ranges;
}

size_t relay_evidence_growth(const struct register_origin *origin, struct relay_text notice) {
    size_t kept = origin->is_settled ? origin->notice.length + 1 : 0;
    return notice.length + 1 - kept;
}

void relay_evidence_settle(struct generation *generation, struct register_origin *origin, const struct hlc *hlc,
                           struct relay_text notice) {
    if (!origin->is_settled)
        relay_list_append(&generation->settled, &origin->in_settled);
    size_t growth = relay_evidence_growth(origin, notice);
    generation->notice_bytes += growth;
    generation->bytes += growth;
    free((char *)origin->notice.bytes);
    origin->notice = notice;
    origin->settled = *hlc;
    origin->is_settled = true;
}

struct relay_text relay_evidence_notice(struct relay_text origin, struct json_value hlc) {
    struct relay_buffer text;
    relay_buffer_start(&text, 0, origin.length + hlc.length + 8);
    relay_buffer_add_string(&text, origin);
    relay_buffer_add_words(&text, ":");
    relay_buffer_add(&text, hlc.bytes, hlc.length);
    if (text.failed) {
        relay_buffer_free(&text);
        return (struct relay_text){NULL, 0};
    }
    return (struct relay_text){text.memory, text.length};
}

static int by_start(const void *left, const void *right) {
    const struct version_range *first = left, *second = right;
    return first->from < second->from ? -1 : first->from > second->from;
}

void relay_evidence_restore(struct generation *generation, struct register_origin *origin, struct version_range *ranges,
                            size_t count) {
    size_t kept = 0;
    if (count > 1)
        qsort(ranges, count, sizeof *ranges, by_start);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && ranges[i].from <= ranges[kept - 1].to + 1) {
            if (ranges[i].to > ranges[kept - 1].to)
                ranges[kept - 1].to = ranges[i].to;
        } else {
            ranges[kept++] = ranges[i];
        }
    }
    generation->bytes += kept * sizeof *ranges;
    generation->bytes -= origin->range_count * sizeof *ranges;
    free(origin->ranges);
    origin->ranges = ranges;
    origin->range_count = kept;
    origin->range_capacity = count;
}
