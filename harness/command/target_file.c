#include "harness/command/target_file.h"

#include <string.h>

#include "harness/base/beside.h"
#include "harness/scenario/schema.h"
#include "harness/scenario/yaml.h"

struct reader {
    struct target_file *file;
    const char *path;
    const struct json_value *root;
    struct error *error;
};

static bool fault(struct reader *reader, const struct json_value *at, const char *what) {
    bool key = at->key.length > 0;
    return error_set(reader->error, ERROR_USAGE, "%s:%u:%u: %s", reader->path, key ? at->key_line : at->line,
                     key ? at->key_column : at->column, what);
}

/* The texts of a file that was read are NUL-terminated. */
static const char *string_of(const struct json_value *value) {
    return value != NULL ? value->text.bytes : NULL;
}

static const char *json_of(struct arena *arena, const struct json_value *value) {
    if (value == NULL)
        return NULL;
    struct buffer json = {0};
    json_print(&json, value);
    const char *copy = arena_copy(arena, json.bytes, json.length);
    buffer_free(&json);
    return copy;
}

/* ---- the principal ------------------------------------------------------------------------------- */

static struct principal_fields read_fields(const struct json_value *names) {
    return (struct principal_fields){.writer = string_of(json_get(names, "writer")),
                                     .kind = string_of(json_get(names, "kind")),
                                     .claims = string_of(json_get(names, "claims")),
                                     .token = string_of(json_get(names, "token"))};
}

static struct principal_token read_token(struct arena *arena, const struct json_value *said) {
    struct principal_token token = {.writer = said->key, .token = said->text};
    if (said->type != JSON_OBJECT)
        return token;
    const struct json_value *kind = json_get(said, "kind"), *claims = json_get(said, "claims");
    token.token = json_get(said, "token")->text;
    if (kind != NULL)
        token.kind = kind->text;
    if (claims != NULL)
        token.claims = text_of(json_of(arena, claims));
    return token;
}

static bool travels(const struct principal_way *way, const char *query, const char *header, const char *place) {
    return query != NULL || header != NULL || (way->subprotocol != NULL && strstr(way->subprotocol, place) != NULL);
}

static bool read_principal(struct reader *reader, const struct json_value *said) {
    if (said == NULL)
        return true;
    struct arena *arena = reader->file->arena;
    const struct json_value *tokens = json_get(said, "tokens");
    struct principal_way *way = arena_alloc(arena, sizeof *way);
    struct principal_token *list = arena_alloc(arena, (tokens != NULL ? tokens->count : 0) * sizeof *list);
    *way = (struct principal_way){.query = read_fields(json_get(said, "query")),
                                  .header = read_fields(json_get(said, "header")),
                                  .subprotocol = string_of(json_get(said, "subprotocol")),
                                  .tokens = list};
    for (const struct json_value *token = tokens != NULL ? tokens->first : NULL; token != NULL; token = token->next)
        list[way->token_count++] = read_token(arena, token);
    reader->file->principal = way;
    bool token_travels = travels(way, way->query.token, way->header.token, "{token}");
    if (tokens != NULL && !token_travels)
        return fault(reader, tokens, "say how a token travels: query: {token: FIELD}, header: {token: Authorization} or "
                                     "subprotocol: \"bearer.{token}\"");
    if (tokens == NULL && token_travels)
        return fault(reader, said, "a token travels, but there are no tokens: add tokens: {WRITER: TOKEN}");
    if (tokens == NULL && !travels(way, way->query.writer, way->header.writer, "{writer}"))
        return fault(reader, said, "say how the writer travels, such as query: {writer: FIELD}");
    return true;
}

/* ---- the rest ------------------------------------------------------------------------------------ */

/* What has no meaning for an adapter, which is told all that over its pipe. */
static bool check_exec(struct reader *reader) {
    static const char *const of_urls[] = {"url", "spawn", "ready", "control", "principal", "options", "fence", "ca", "insecure"};
    const struct json_value *exec = json_get(reader->root, "exec");
    for (size_t i = 0; exec != NULL && i < sizeof of_urls / sizeof *of_urls; i++) {
        const struct json_value *other = json_get(reader->root, of_urls[i]);
        if (other != NULL)
            return fault(reader, other, "this is for relays behind a URL, it cannot stand beside \"exec\"");
    }
    return true;
}

static bool check_reach(struct reader *reader) {
    const struct target_file *file = reader->file;
    if (file->url == NULL && file->spawn == NULL && file->exec == NULL)
        return fault(reader, reader->root, "a target file has a \"url\", a command to \"spawn\" or one to \"exec\"");
    if (file->ready != NULL && file->spawn == NULL)
        return fault(reader, json_get(reader->root, "ready"), "\"ready\" is for a relay that is started with \"spawn\"");
    return check_exec(reader);
}

/* Whom to trust. A started relay's URL is not known yet. */
static bool read_trust(struct reader *reader) {
    struct target_file *file = reader->file;
    const struct json_value *ca = json_get(reader->root, "ca"), *insecure = json_get(reader->root, "insecure");
    struct error why = {0};
    file->trust.ca = beside(file->arena, reader->path, string_of(ca));
    file->trust.insecure = insecure != NULL && insecure->boolean;
    if (file->trust.insecure && ca != NULL)
        return fault(reader, insecure, "\"ca\" says whom to trust, \"insecure\" trusts everybody: only one of them can be meant");
    if (ca != NULL && !trust_check_file(file->trust.ca, &why))
        return fault(reader, ca, why.text);
    if (trust_is_chosen(&file->trust) && file->url != NULL && !text_starts_with(text_of(file->url), TEXT("wss://")))
        return fault(reader, ca != NULL ? ca : insecure, "this is for a relay behind wss://");
    return true;
}

static bool read_all(struct reader *reader) {
    struct target_file *file = reader->file;
    const struct json_value *root = reader->root, *profiles = json_get(root, "profiles");
    const struct json_value *real_time = json_get(root, "real-time");
    file->url = string_of(json_get(root, "url"));
    file->spawn = string_of(json_get(root, "spawn"));
    file->ready = string_of(json_get(root, "ready"));
    file->exec = string_of(json_get(root, "exec"));
    file->control = string_of(json_get(root, "control"));
    file->options = json_of(file->arena, json_get(root, "options"));
    file->known_failing = beside(file->arena, reader->path, string_of(json_get(root, "known-failing")));
    file->hello_fences = json_is_string(json_get(root, "fence"), "hello");
    file->real_time = real_time != NULL && real_time->boolean;
    size_t count = 0;
    for (const struct json_value *one = profiles != NULL ? profiles->first : NULL; one != NULL; one = one->next)
        if (count < TARGET_PROFILES_CEILING)
            file->profiles[count++] = string_of(one);
    return check_reach(reader) && read_trust(reader) && read_principal(reader, json_get(root, "principal"));
}

bool target_file_is_one(const char *name) {
    return text_ends_with(text_of(name), TEXT(".yaml")) || text_ends_with(text_of(name), TEXT(".yml"));
}

bool target_file_read(struct target_file *file, const char *path, const char *home, struct error *error) {
    *file = (struct target_file){.arena = arena_new()};
    struct schema *schema = schema_read(arena_format(file->arena, "%s/fixtures/schemas/target.json", home), error);
    if (schema == NULL)
        return false;
    struct reader reader = {.file = file, .path = path, .error = error};
    reader.root = yaml_read(file->arena, path, TARGET_FILE_CEILING, error);
    bool good = reader.root != NULL && schema_check(schema, path, reader.root, error) && read_all(&reader);
    schema_free(schema);
    return good;
}

void target_file_free(struct target_file *file) {
    arena_free(file->arena);
    *file = (struct target_file){0};
}
