#include "relay-ref/adapters/ws_server_address.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define NETWORK_BYTES 8 /* of an IPv6 address */

void addresses_start(struct addresses *addresses) {
    /* Nobody chooses many addresses as easily as many names; without chance the table is still right. */
    if (getrandom(&addresses->seed, sizeof addresses->seed, 0) != (ssize_t)sizeof addresses->seed)
        addresses->seed = (struct table_seed){0, 0};
    relay_table_start(&addresses->table, &addresses->seed);
}

void addresses_end(struct addresses *addresses) {
    size_t position = 0;
    struct table_item *item;
    while ((item = relay_table_next(&addresses->table, &position)) != NULL)
        free(CONTAINER_OF(item, struct address, item));
    relay_table_free(&addresses->table);
}

static size_t put(char *key, char family, const void *bytes, size_t length) {
    key[0] = family;
    memcpy(key + 1, bytes, length);
    return length + 1;
}

size_t address_key(const struct sockaddr_storage *from, char key[ADDRESS_KEY_CAPACITY]) {
    if (from->ss_family == AF_INET)
        return put(key, '4', &((const struct sockaddr_in *)from)->sin_addr, 4);
    if (from->ss_family != AF_INET6)
        return put(key, '-', "", 0);
    const struct in6_addr *address = &((const struct sockaddr_in6 *)from)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(address))
        return put(key, '4', address->s6_addr + 12, 4);
    return put(key, '6', address, NETWORK_BYTES);
}

struct address *address_hold(struct addresses *addresses, const struct sockaddr_storage *from) {
    char key[ADDRESS_KEY_CAPACITY];
    struct relay_text text = {key, address_key(from, key)};
    struct address *address = CONTAINER_OF(relay_table_find(&addresses->table, text), struct address, item);
    if (address == NULL) {
        address = calloc(1, sizeof *address);
        if (address == NULL)
            return NULL;
        memcpy(address->key, key, text.length);
        address->item.key = (struct relay_text){address->key, text.length};
        if (!relay_table_put(&addresses->table, &address->item)) {
            free(address);
            return NULL;
        }
    }
    address->references++;
    return address;
}

void address_release(struct addresses *addresses, struct address *address) {
    if (address == NULL || --address->references > 0)
        return;
    relay_table_take(&addresses->table, &address->item);
    free(address);
}
