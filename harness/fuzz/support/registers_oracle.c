#include "harness/fuzz/support/registers_oracle.h"

#include <string.h>

#include "harness/fuzz/support/bytes.h"
#include "harness/history/registers.h"

#define VERSIONS_CEILING 256

struct evidence {
    struct text origin;
    bool admitted[VERSIONS_CEILING]; /* by version */
    unsigned highest, run_end;       /* of the first contiguous run; 0: none yet */
    const struct json_value *settled;
    struct evidence *next;
};

struct registers_oracle {
    struct arena *arena;
    struct registers *registers;
    struct evidence *evidence;
    size_t journal_limit, journal;
    double schema;
};

struct registers_oracle *registers_oracle_new(size_t journal_limit) {
    struct arena *arena = arena_new();
    struct registers_oracle *oracle = arena_alloc(arena, sizeof *oracle);
    *oracle = (struct registers_oracle){.arena = arena, .registers = arena_alloc(arena, sizeof *oracle->registers), .journal_limit = journal_limit};
    oracle->registers->arena = arena;
    return oracle;
}

void registers_oracle_free(struct registers_oracle *oracle) {
    arena_free(oracle->arena);
}

/* ---- evidence ------------------------------------------------------------------------------------ */

static struct evidence *evidence_of(const struct registers_oracle *oracle, struct text origin) {
    struct evidence *evidence = oracle->evidence;
    while (evidence != NULL && !text_equal(evidence->origin, origin))
        evidence = evidence->next;
    return evidence;
}

/* settle: the stamp of the last version of the first contiguous run. */
static void admit(struct registers_oracle *oracle, const struct json_value *envelope) {
    struct text origin = json_get(envelope, "origin")->text;
    unsigned version = (unsigned)json_get(envelope, "version")->number;
    struct evidence *evidence = evidence_of(oracle, origin);
    if (evidence == NULL) {
        evidence = arena_alloc(oracle->arena, sizeof *evidence);
        evidence->origin = origin;
        evidence->next = oracle->evidence;
        oracle->evidence = evidence;
    }
    if (version >= VERSIONS_CEILING || version <= evidence->highest)
        found("version %u behind %u was ordered", version, evidence->highest);
    if (evidence->run_end == 0 || version == evidence->run_end + 1) {
        evidence->run_end = version;
        evidence->settled = json_get(envelope, "hlc");
    }
    evidence->admitted[version] = true;
    evidence->highest = version;
}

enum registers_admission registers_oracle_admits(const struct registers_oracle *oracle, const char *origin, unsigned version) {
    const struct evidence *evidence = evidence_of(oracle, text_of(origin));
    if (evidence == NULL || version > evidence->highest)
        return REGISTERS_NEW;
    return evidence->admitted[version] ? REGISTERS_DUPLICATE : REGISTERS_LATE;
}

/* ---- the claim ----------------------------------------------------------------------------------- */

static const struct json_value *parsed(struct registers_oracle *oracle, struct registers_text text, const char *what) {
    struct error error = {0};
    const struct json_value *value =
        text.bytes == NULL ? NULL : json_parse(oracle->arena, (struct text){text.bytes, text.length}, &error);
    if (value == NULL)
        found("no %s in what the relay says: %s", what, error.text);
    return value;
}

static const struct json_value *settled_of(struct registers_oracle *oracle) {
    struct json_value *settled = json_object(oracle->arena);
    for (const struct evidence *evidence = oracle->evidence; evidence != NULL; evidence = evidence->next)
        json_set(settled, evidence->origin, json_copy(oracle->arena, evidence->settled));
    return settled;
}

static const struct json_value *marks_of(struct registers_oracle *oracle) {
    struct json_value *marks = json_object(oracle->arena);
    for (const struct evidence *evidence = oracle->evidence; evidence != NULL; evidence = evidence->next)
        json_set(marks, evidence->origin, json_number(oracle->arena, (double)evidence->highest));
    return marks;
}

static void check(struct registers_oracle *oracle, const struct registers_claim *claim) {
    struct buffer text = {0};
    if (!registers_show(oracle->registers, parsed(oracle, claim->registers, "registers"), &text))
        found("%s: %.*s behind %.*s", text.bytes, (int)claim->registers.length, claim->registers.bytes, (int)claim->envelope.length,
              claim->envelope.bytes);
    if (!json_equal(parsed(oracle, claim->wm, "wm"), marks_of(oracle))) {
        json_print(&text, marks_of(oracle));
        found("another wm than %s: %.*s", text.bytes, (int)claim->wm.length, claim->wm.bytes);
    }
    if (!json_equal(parsed(oracle, claim->settled, "settled"), settled_of(oracle))) {
        json_print(&text, settled_of(oracle));
        found("other settled stamps than %s: %.*s", text.bytes, (int)claim->settled.length, claim->settled.bytes);
    }
}

/* generation.cut: all begins anew, and the migration itself is no evidence. */
static bool cuts(struct registers_oracle *oracle, const struct json_value *envelope) {
    const struct json_value *schema = json_get(envelope, "schemaVersion");
    if (schema == NULL || schema->type != JSON_NUMBER || schema->number <= oracle->schema)
        return false;
    oracle->schema = schema->number;
    registers_load(oracle->registers, NULL);
    oracle->evidence = NULL;
    oracle->journal = 0;
    return true;
}

void registers_oracle_take(struct registers_oracle *oracle, const struct registers_claim *claim) {
    const struct json_value *envelope = parsed(oracle, claim->envelope, "envelope");
    bool migrates = cuts(oracle, envelope);
    registers_apply(oracle->registers, envelope);
    if (!migrates)
        admit(oracle, envelope);
    /* settle.when */
    bool full = ++oracle->journal > oracle->journal_limit;
    if (full)
        oracle->journal = oracle->journal_limit;
    if (full && !migrates && oracle->evidence != NULL)
        registers_collect(oracle->registers, settled_of(oracle));
    check(oracle, claim);
}

void registers_oracle_restored(struct registers_oracle *oracle, const struct registers_claim *claim) {
    oracle->journal = 0;
    check(oracle, claim);
}
