#include "relay-ref/json/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_EXACT 9007199254740992.0 /* 2^53 */

/* Plain integers of up to 15 digits are exact without strtod; nearly all numbers on the wire are such. */
static bool read_short_integer(const char *bytes, size_t length, double *out) {
    bool negative = length > 0 && bytes[0] == '-';
    size_t start = negative ? 1 : 0;
    if (length - start > 15)
        return false;
    int64_t number = 0;
    for (size_t i = start; i < length; i++) {
        if (bytes[i] < '0' || bytes[i] > '9')
            return false;
        number = number * 10 + (bytes[i] - '0');
    }
    *out = negative ? -(double)number : (double)number;
    return true;
}

/* The text may stand in the middle of a frame: strtod needs its own ended copy. */
static double read_any(const char *bytes, size_t length) {
    char small[128];
    if (length < sizeof small) {
        memcpy(small, bytes, length);
        small[length] = '\0';
        return strtod(small, NULL);
    }
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return NAN; /* equal to nothing: the caller's comparison fails, as with any other mismatch */
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    double number = strtod(copy, NULL);
    free(copy);
    return number;
}

bool relay_number_read(const struct json_value *value, double *out) {
    if (value->kind != JSON_NUMBER)
        return false;
    if (!read_short_integer(value->bytes, value->length, out))
        *out = read_any(value->bytes, value->length);
    return true;
}

bool relay_number_read_count(const struct json_value *value, uint64_t *out) {
    double number;
    if (!relay_number_read(value, &number) || !(number >= 0 && number <= LARGEST_EXACT) || number != floor(number))
        return false;
    *out = (uint64_t)number;
    return true;
}

bool relay_number_equals(const struct json_value *value, double wanted) {
    double number;
    return relay_number_read(value, &number) && number == wanted;
}

size_t relay_number_write_count(uint64_t count, char out[NUMBER_TEXT_CAPACITY]) {
    char reversed[20];
    size_t length = 0;
    do {
        reversed[length++] = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    for (size_t i = 0; i < length; i++)
        out[i] = reversed[length - 1 - i];
    return length;
}

/* The fewest significant digits that read back as `number` (positive); gives them and the decimal exponent. */
static size_t shortest_digits(double number, char digits[20], int *exponent) {
    char text[40];
    for (int precision = 0; precision <= 16; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, number);
        if (strtod(text, NULL) == number)
            break;
    }
    char *mark = strchr(text, 'e');
    *exponent = atoi(mark + 1);
    size_t count = 0;
    for (const char *at = text; at < mark; at++)
        if (*at != '.')
            digits[count++] = *at;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

static char *put(char *to, const char *bytes, size_t length) {
    memcpy(to, bytes, length);
    return to + length;
}

static char *put_zeros(char *to, size_t count) {
    memset(to, '0', count);
    return to + count;
}

/* Number::toString of ECMAScript: `point` is where the decimal point stands, counted from the first digit. */
static char *put_digits(char *to, const char *digits, size_t count, int point) {
    if (point >= 1 && point <= 21) {
        size_t whole = (size_t)point;
        if (count <= whole)
            return put_zeros(put(to, digits, count), whole - count);
        to = put(to, digits, whole);
        *to++ = '.';
        return put(to, digits + whole, count - whole);
    }
    if (point <= 0 && point > -6) {
        to = put_zeros(put(to, "0.", 2), (size_t)-point);
        return put(to, digits, count);
    }
    *to++ = digits[0];
    if (count > 1) {
        *to++ = '.';
        to = put(to, digits + 1, count - 1);
    }
    return to + snprintf(to, 8, "e%+d", point - 1);
}

size_t relay_number_write(double number, char out[NUMBER_TEXT_CAPACITY]) {
    char digits[20], *to = out;
    int exponent;
    if (number >= 0 && number <= LARGEST_EXACT && number == floor(number))
        return relay_number_write_count((uint64_t)number, out);
    if (number < 0) {
        *to++ = '-';
        number = -number;
    }
    size_t count = shortest_digits(number, digits, &exponent);
    return (size_t)(put_digits(to, digits, count, exponent + 1) - out);
}
