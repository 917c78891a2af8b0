/*
 * The harness' own registers behind plain types, with the evidence and the settling that belong to them, so that a fuzzer of the relay's
 * can hold each commit of one room against them. All texts are JSON.
 */
#ifndef MESHSPEC_FUZZ_REGISTERS_ORACLE_H
#define MESHSPEC_FUZZ_REGISTERS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

struct registers_oracle;

/* A fresh room with this journalLimit. */
struct registers_oracle *registers_oracle_new(size_t journal_limit);
void registers_oracle_free(struct registers_oracle *oracle);

struct registers_text {
    const char *bytes;
    size_t length;
};

/* What a relay says of the room behind one envelope. */
struct registers_claim {
    struct registers_text envelope, registers, wm, settled;
};

/* Takes the envelope in and holds the claim against what should be. Ends the process (see found) when they differ. */
void registers_oracle_take(struct registers_oracle *oracle, const struct registers_claim *claim);

/* The same for a room that is read back: `envelope` is not looked at, and the journal is empty from now on. */
void registers_oracle_restored(struct registers_oracle *oracle, const struct registers_claim *claim);

/* Whether a version of an origin was admitted to the generation at hand (admit.duplicate), is below the origin's highest (admit.order) or
   neither. */
enum registers_admission { REGISTERS_NEW, REGISTERS_DUPLICATE, REGISTERS_LATE };
enum registers_admission registers_oracle_admits(const struct registers_oracle *oracle, const char *origin, unsigned version);

#endif
