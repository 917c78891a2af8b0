#include "harness/compare/spelling.h"

#include <ctype.h>
#include <string.h>

struct speller {
    struct buffer *out;
    struct text text;
    size_t at;
    unsigned spelling;
    unsigned turn; /* counts what is respelled, so that ways take turns */
};

static void print_blank(struct speller *speller) {
    static const char *const blanks[] = {"", " ", "\n", "\t ", "", "\r\n"};
    if ((speller->spelling & SPELLING_BLANKS) != 0)
        buffer_string(speller->out, blanks[speller->turn++ % 6]);
}

/* One character of a string, which may be an escape already. */
static void print_character(struct speller *speller) {
    char character = speller->text.bytes[speller->at];
    if (character == '\\') {
        size_t length = speller->text.bytes[speller->at + 1] == 'u' ? 6 : 2;
        buffer_append(speller->out, speller->text.bytes + speller->at, length);
        speller->at += length;
        return;
    }
    bool respelled = (speller->spelling & SPELLING_ESCAPES) != 0 && (unsigned char)character < 0x80;
    speller->at++;
    if (respelled && character == '/')
        buffer_string(speller->out, "\\/");
    else if (respelled && speller->turn++ % 3 == 0)
        buffer_format(speller->out, speller->turn % 2 == 0 ? "\\u%04x" : "\\u%04X", (unsigned char)character);
    else
        buffer_append(speller->out, &character, 1);
}

static void print_string(struct speller *speller) {
    buffer_string(speller->out, "\"");
    speller->at++;
    while (speller->text.bytes[speller->at] != '"')
        print_character(speller);
    speller->at++;
    buffer_string(speller->out, "\"");
}

static void print_number(struct speller *speller) {
    static const char *const ends[] = {".0", "e0", ".00", "E+0"};
    size_t start = speller->at;
    bool whole = true;
    while (speller->at < speller->text.length && strchr("+-.0123456789eE", speller->text.bytes[speller->at]) != NULL) {
        whole = whole && (isdigit((unsigned char)speller->text.bytes[speller->at]) != 0 || speller->at == start);
        speller->at++;
    }
    buffer_append(speller->out, speller->text.bytes + start, speller->at - start);
    if (whole && (speller->spelling & SPELLING_POINTS) != 0)
        buffer_string(speller->out, ends[speller->turn++ % 4]);
}

void spelling_print(struct buffer *out, struct text compact, unsigned spelling) {
    struct speller speller = {.out = out, .text = compact, .spelling = spelling};
    while (speller.at < compact.length) {
        char first = compact.bytes[speller.at];
        print_blank(&speller);
        if (first == '"')
            print_string(&speller);
        else if (first == '-' || isdigit((unsigned char)first) != 0)
            print_number(&speller);
        else if (isalpha((unsigned char)first) != 0)
            while (speller.at < compact.length && isalpha((unsigned char)compact.bytes[speller.at]) != 0)
                buffer_append(out, &compact.bytes[speller.at++], 1);
        else
            buffer_append(out, &compact.bytes[speller.at++], 1);
    }
    print_blank(&speller);
}
