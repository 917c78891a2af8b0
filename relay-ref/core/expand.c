/* From a value's bytes to its tree: once, when the first op goes inside. */
#include <stdlib.h>

#include "relay-ref/core/tree.h"
#include "relay-ref/json/string.h"

struct expansion {
    struct json_scanner scanner;
    const struct table_seed *seed;
    char *name; /* owned; only where a name has escapes */
    size_t name_capacity;
    size_t bytes; /* what the tree weighs so far */
};

static bool decode_name(struct expansion *expansion, const struct json_value *name, struct relay_text *key) {
    if (!name->escaped) {
        *key = (struct relay_text){name->bytes + 1, name->length - 2};
        return true;
    }
    if (expansion->name_capacity < name->length) {
        char *memory = realloc(expansion->name, name->length);
        if (memory == NULL)
            return false;
        expansion->name = memory;
        expansion->name_capacity = name->length;
    }
    *key = (struct relay_text){expansion->name, relay_string_decode(name, expansion->name)};
    return true;
}

/* The last of equal names wins, at the first one's place. Takes over `value` when it says true. */
static bool attach_entry(struct expansion *expansion, struct object_node *object, const struct json_value *name,
                         struct node *value) {
    struct relay_text key;
    if (!decode_name(expansion, name, &key))
        return false;
    struct object_entry *entry = relay_object_find(object, key);
    if (entry == NULL) {
        expansion->bytes += key.length + NODE_KEY_BYTES;
        return relay_object_add(object, expansion->seed, key, value) != NULL;
    }
    expansion->bytes -= relay_node_free(entry->value).bytes;
    entry->value = value;
    return true;
}

static bool attach_item(struct expansion *expansion, struct array_node *array, struct node *value) {
    if (!relay_array_extend(array, array->length))
        return false;
    expansion->bytes += NODE_ITEM_BYTES;
    array->items[array->length - 1] = value;
    return true;
}

/* Reads the value that comes next: bytes for what has no children, else a container that is entered but still empty. */
static struct node *read_node(struct expansion *expansion) {
    struct json_value value;
    enum json_kind kind = relay_scan_peek(&expansion->scanner);
    if (kind != JSON_OBJECT && kind != JSON_ARRAY) {
        if (!relay_scan_value(&expansion->scanner, &value))
            return NULL;
        expansion->bytes += value.length;
        return relay_node_raw(value);
    }
    relay_scan_enter(&expansion->scanner);
    expansion->bytes += NODE_CONTAINER_BYTES;
    return kind == JSON_OBJECT ? relay_node_object() : relay_node_array();
}

static struct node *up_from(const struct node *node) {
    return node->kind == NODE_OBJECT ? ((const struct object_node *)node)->up : ((const struct array_node *)node)->up;
}

static void set_up(struct node *node, struct node *up) {
    if (node->kind == NODE_OBJECT)
        ((struct object_node *)node)->up = up;
    else
        ((struct array_node *)node)->up = up;
}

/* True when the container `current` has another child; `name` is set for an object. */
static bool more_children(struct expansion *expansion, const struct node *current, struct json_value *name) {
    return current->kind == NODE_OBJECT ? relay_scan_member(&expansion->scanner, name)
                                        : relay_scan_element(&expansion->scanner);
}

static bool fill(struct expansion *expansion, struct node *root) {
    struct node *current = root;
    set_up(root, NULL);
    while (current != NULL) {
        struct json_value name;
        if (!more_children(expansion, current, &name)) {
            if (expansion->scanner.error != JSON_FINE)
                return false;
            current = up_from(current);
            continue;
        }
        struct node *child = read_node(expansion);
        bool attached = child != NULL && (current->kind == NODE_OBJECT
                                              ? attach_entry(expansion, (struct object_node *)current, &name, child)
                                              : attach_item(expansion, (struct array_node *)current, child));
        if (!attached) {
            relay_node_free(child);
            return false;
        }
        if (child->kind != NODE_RAW) {
            set_up(child, current);
            current = child;
        }
    }
    return true;
}

bool relay_node_expand(struct node **slot, const struct table_seed *seed, size_t *bytes) {
    if ((*slot)->kind != NODE_RAW)
        return true;
    struct raw_node *raw = (struct raw_node *)*slot;
    struct expansion expansion = {.seed = seed};
    relay_scan_start(&expansion.scanner, raw->bytes, raw->length);
    struct node *root = read_node(&expansion);
    bool whole = root != NULL && fill(&expansion, root);
    free(expansion.name);
    relay_scan_end(&expansion.scanner);
    if (!whole) {
        relay_node_free(root);
        return false;
    }
    *bytes += expansion.bytes;
    *bytes -= raw->length;
    free(raw);
    *slot = root;
    return true;
}
