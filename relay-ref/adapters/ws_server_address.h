/*
 * Where connections come from: how many visitors and members each address has. An IPv6 network of 64 bits counts as one
 * address, for that is what one household or machine is given; an IPv4 address inside IPv6 counts as what it is.
 */
#ifndef MESHSPEC_WS_SERVER_ADDRESS_H
#define MESHSPEC_WS_SERVER_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "relay-ref/core/list.h"
#include "relay-ref/core/table.h"

/* The most bytes of a key: the family and what counts of the address. */
#define ADDRESS_KEY_CAPACITY 9

struct address {
    struct table_item item;
    size_t references;
    struct list visitors; /* struct visitor, oldest first */
    size_t visitor_count;
    size_t member_count;
    char key[ADDRESS_KEY_CAPACITY];
};

struct addresses {
    struct table table; /* struct address by key */
    struct table_seed seed;
};

/* No address yet. `addresses` must not move. */
void addresses_start(struct addresses *addresses);

/* Frees all of them, whoever still holds one. */
void addresses_end(struct addresses *addresses);

/* What counts of an address; returns its length in `key`. Anything but IPv4 and IPv6 is one and the same. */
size_t address_key(const struct sockaddr_storage *from, char key[ADDRESS_KEY_CAPACITY]);

/* The address, held once more; pair it with address_release. NULL when memory is out. */
struct address *address_hold(struct addresses *addresses, const struct sockaddr_storage *from);

/* Gives one hold back; the last one frees it. NULL is allowed. */
void address_release(struct addresses *addresses, struct address *address);

#endif
