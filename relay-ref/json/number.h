/* JSON numbers as IEEE-754 doubles, and doubles as the shortest text that reads back, spelled as JavaScript does. */
#ifndef MESHSPEC_RELAY_JSON_NUMBER_H
#define MESHSPEC_RELAY_JSON_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relay-ref/json/scanner.h"

/* Room for any double's text. */
#define NUMBER_TEXT_CAPACITY 40

/* Reads a number value; false when `value` is no number. Past the range of a double it gives an infinity. */
bool relay_number_read(const struct json_value *value, double *out);

/* Reads a non-negative integer up to 2^53 (`2`, `2.0` and `2e0` are one); false for everything else. */
bool relay_number_read_count(const struct json_value *value, uint64_t *out);

/* True when `value` is a number equal to `wanted`. */
bool relay_number_equals(const struct json_value *value, double wanted);

/* Writes `number` (finite) as JavaScript spells it ("1", "0.1", "1e+21"; negative zero is "0"), not ended by NUL;
   returns its length. */
size_t relay_number_write(double number, char out[NUMBER_TEXT_CAPACITY]);

/* Writes a count in decimal, not ended by NUL; returns its length (at most 20). */
size_t relay_number_write_count(uint64_t count, char out[NUMBER_TEXT_CAPACITY]);

#endif
