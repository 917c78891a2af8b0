#include "harness/report/junit.h"

#include <libxml/xmlwriter.h>
#include <stdio.h>

#include "harness/base/memory.h"
#include "harness/report/visible.h"

/* The writer fails only when memory is out. */
static void check(int written) {
    if (written < 0)
        memory_is_out("while the JUnit report was written");
}

/* Not every failure reaches those who call the writer, and it would print a line of its own. */
static void on_fault(void *context, const char *format, ...) {
    (void)context;
    (void)format;
    check(-1);
}

static void start(xmlTextWriter *writer, const char *element) {
    check(xmlTextWriterStartElement(writer, BAD_CAST element));
}

static void finish(xmlTextWriter *writer) {
    check(xmlTextWriterEndElement(writer));
}

/* XML 1.0 has no way at all to carry most control characters, so they are shown. */
static void attribute(xmlTextWriter *writer, const char *name, struct text value) {
    struct buffer safe = {0};
    buffer_string(&safe, "");
    visible_text(&safe, value, VISIBLE_LINE, JUNIT_BLOCK_CEILING);
    check(xmlTextWriterWriteAttribute(writer, BAD_CAST name, BAD_CAST safe.bytes));
    buffer_free(&safe);
}

static void attribute_number(xmlTextWriter *writer, const char *name, size_t number) {
    check(xmlTextWriterWriteFormatAttribute(writer, BAD_CAST name, "%zu", number));
}

static void attribute_seconds(xmlTextWriter *writer, int64_t us) {
    check(xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "time", "%.6f", (double)us / 1e6));
}

static void property(xmlTextWriter *writer, const char *name, struct text value) {
    start(writer, "property");
    attribute(writer, "name", text_of(name));
    attribute(writer, "value", value);
    finish(writer);
}

/* ---- one case ---- */

static void block(xmlTextWriter *writer, const struct case_result *result, const struct report_head *head) {
    struct buffer text = {0};
    report_block(&text, result, head, JUNIT_BLOCK_CEILING);
    check(xmlTextWriterWriteString(writer, BAD_CAST text.bytes));
    buffer_free(&text);
}

static void attribute_reason(xmlTextWriter *writer, const struct case_result *result) {
    struct buffer reason = {0};
    report_reason(&reason, result);
    attribute(writer, "message", (struct text){reason.bytes, reason.length});
    buffer_free(&reason);
}

/* `element` is failure, error or skipped. */
static void complaint(xmlTextWriter *writer, const char *element, const char *type, const struct case_result *result,
                      const struct report_head *head) {
    start(writer, element);
    attribute_reason(writer, result);
    if (type != NULL) {
        attribute(writer, "type", text_of(type));
        block(writer, result, head);
    }
    finish(writer);
}

static void outcome(xmlTextWriter *writer, const struct case_result *result, const struct report_head *head) {
    switch (report_outcome(result, head->strict)) {
    case OUTCOME_FAIL:
        complaint(writer, "failure", report_clause(result), result, head);
        break;
    case OUTCOME_XPASS:
        complaint(writer, "failure", "known-failing", result, head);
        break;
    case OUTCOME_ERROR:
        complaint(writer, "error", "target", result, head);
        break;
    case OUTCOME_SKIP:
    case OUTCOME_XFAIL:
        complaint(writer, "skipped", NULL, result, head);
        break;
    case OUTCOME_WARNING:
    case OUTCOME_REMARK:
        start(writer, "system-out");
        block(writer, result, head);
        finish(writer);
        break;
    default:
        break;
    }
}

/* Some readers know a testcase by class and name alone and drop a second one, so a name tells the profile when there
 * are several. */
static void one_case(xmlTextWriter *writer, const struct case_result *result, const struct report_head *head) {
    struct buffer name = {0};
    buffer_string(&name, result->scenario->name);
    if (head->profile_count > 1) {
        buffer_format(&name, " [%s]", result->profile);
    }
    start(writer, "testcase");
    attribute(writer, "classname", report_area(result->scenario));
    attribute(writer, "name", (struct text){name.bytes, name.length});
    attribute(writer, "file", text_of(result->scenario->file));
    attribute_seconds(writer, result->duration_us);
    outcome(writer, result, head);
    finish(writer);
    buffer_free(&name);
}

/* ---- suites ---- */

struct tally {
    size_t tests, failures, errors, skipped;
    int64_t us;
};

/* Of one profile; NULL: of all. */
static struct tally count(const struct suite_results *results, const char *profile, bool strict) {
    struct tally tally = {0};
    for (size_t i = 0; i < results->count; i++) {
        const struct case_result *result = &results->cases[i];
        if (profile != NULL && !text_equal(text_of(result->profile), text_of(profile))) {
            continue;
        }
        enum outcome outcome = report_outcome(result, strict);
        tally.tests++;
        tally.failures += outcome == OUTCOME_FAIL || outcome == OUTCOME_XPASS;
        tally.errors += outcome == OUTCOME_ERROR;
        tally.skipped += outcome == OUTCOME_SKIP || outcome == OUTCOME_XFAIL;
        tally.us += result->duration_us;
    }
    return tally;
}

static void counts(xmlTextWriter *writer, const struct tally *tally) {
    attribute_number(writer, "tests", tally->tests);
    attribute_number(writer, "failures", tally->failures);
    attribute_number(writer, "errors", tally->errors);
    attribute_number(writer, "skipped", tally->skipped);
    attribute_seconds(writer, tally->us);
}

static void properties(xmlTextWriter *writer, const struct report_head *head, const char *profile) {
    char seed[32];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)head->seed);
    start(writer, "properties");
    property(writer, "meshspec", text_of(head->version));
    property(writer, "target", text_of(head->target));
    property(writer, "profile", text_of(profile));
    property(writer, "seed", text_of(seed));
    property(writer, "strict", head->strict ? TEXT("true") : TEXT("false"));
    finish(writer);
}

static void suite(xmlTextWriter *writer, const struct suite_results *results, const struct report_head *head,
                  const char *profile) {
    struct tally tally = count(results, profile, head->strict);
    struct buffer name = {0};
    buffer_format(&name, "%s %s", head->target, profile);
    start(writer, "testsuite");
    attribute(writer, "name", (struct text){name.bytes, name.length});
    counts(writer, &tally);
    if (head->started != NULL) {
        attribute(writer, "timestamp", text_of(head->started));
    }
    properties(writer, head, profile);
    for (size_t i = 0; i < results->count; i++) {
        if (text_equal(text_of(results->cases[i].profile), text_of(profile))) {
            one_case(writer, &results->cases[i], head);
        }
    }
    finish(writer);
    buffer_free(&name);
}

static size_t unmatched_count(const struct known *known) {
    size_t count = 0;
    for (size_t i = 0; known != NULL && i < known->count; i++) {
        count += !known->lines[i].matched;
    }
    return count;
}

/* A list of known failures with lines that mean no case fails the run, so there must be something red. */
static void unmatched(xmlTextWriter *writer, const struct known *known) {
    struct tally tally = {.tests = unmatched_count(known), .failures = unmatched_count(known)};
    if (tally.tests == 0) {
        return;
    }
    start(writer, "testsuite");
    attribute(writer, "name", TEXT("known failures"));
    counts(writer, &tally);
    for (size_t i = 0; i < known->count; i++) {
        if (!known->lines[i].matched) {
            start(writer, "testcase");
            attribute(writer, "classname", TEXT("known-failing"));
            attribute(writer, "name", text_of(known->lines[i].glob));
            attribute_seconds(writer, 0);
            start(writer, "failure");
            check(xmlTextWriterWriteFormatAttribute(writer, BAD_CAST "message", "line %u of the list means no case",
                                                    known->lines[i].line));
            attribute(writer, "type", TEXT("known-failing"));
            finish(writer);
            finish(writer);
        }
    }
    finish(writer);
}

static void document(xmlTextWriter *writer, const struct suite_results *results, const struct report_head *head) {
    struct tally tally = count(results, NULL, head->strict);
    tally.tests += unmatched_count(results->unmatched);
    tally.failures += unmatched_count(results->unmatched);
    check(xmlTextWriterSetIndent(writer, 1));
    check(xmlTextWriterStartDocument(writer, NULL, "UTF-8", NULL));
    start(writer, "testsuites");
    attribute(writer, "name", TEXT("meshspec"));
    counts(writer, &tally);
    for (size_t i = 0; i < head->profile_count; i++) {
        suite(writer, results, head, head->profiles[i]);
    }
    unmatched(writer, results->unmatched);
    finish(writer);
    check(xmlTextWriterEndDocument(writer));
}

void junit_report(struct buffer *out, const struct suite_results *results, const struct report_head *head) {
    xmlSetGenericErrorFunc(NULL, on_fault);
    xmlBuffer *memory = xmlBufferCreate();
    xmlTextWriter *writer = memory == NULL ? NULL : xmlNewTextWriterMemory(memory, 0);
    check(writer == NULL ? -1 : 0);
    document(writer, results, head);
    xmlFreeTextWriter(writer);
    buffer_append(out, (const char *)xmlBufferContent(memory), (size_t)xmlBufferLength(memory));
    xmlBufferFree(memory);
    xmlSetGenericErrorFunc(NULL, NULL);
}
