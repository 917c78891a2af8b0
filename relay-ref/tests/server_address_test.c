#include "relay-ref/adapters/ws_server_address.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <string.h>

static struct sockaddr_storage from(const char *text) {
    struct sockaddr_storage address = {0};
    struct sockaddr_in *four = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
    if (inet_pton(AF_INET, text, &four->sin_addr) == 1)
        address.ss_family = AF_INET;
    else if (inet_pton(AF_INET6, text, &six->sin6_addr) == 1)
        address.ss_family = AF_INET6;
    return address;
}

static bool same(const char *one, const char *other) {
    char first[ADDRESS_KEY_CAPACITY], second[ADDRESS_KEY_CAPACITY];
    struct sockaddr_storage a = from(one), b = from(other);
    size_t length = address_key(&a, first);
    return length == address_key(&b, second) && memcmp(first, second, length) == 0;
}

Test(server_address, what_counts_as_one) {
    cr_expect(same("192.0.2.1", "192.0.2.1"));
    cr_expect_not(same("192.0.2.1", "192.0.2.2"));
    cr_expect(same("192.0.2.1", "::ffff:192.0.2.1"), "an IPv4 address that came in over IPv6");
    cr_expect(same("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::1"), "one network of 64 bits");
    cr_expect_not(same("2001:db8:1:2::1", "2001:db8:1:3::1"));
    cr_expect_not(same("192.0.2.1", "c000:201::"), "the family counts");
    cr_expect(same("", ""), "what is neither is one");
}

Test(server_address, is_freed_with_its_last_hold) {
    struct addresses addresses;
    struct sockaddr_storage one = from("192.0.2.1"), other = from("192.0.2.2");
    addresses_start(&addresses);
    struct address *first = address_hold(&addresses, &one), *again = address_hold(&addresses, &one);
    struct address *second = address_hold(&addresses, &other);
    cr_assert(first == again && second != first);
    address_release(&addresses, first);
    cr_expect_eq(addresses.table.count, 2);
    address_release(&addresses, again);
    address_release(&addresses, NULL);
    cr_expect_eq(addresses.table.count, 1);
    cr_expect(address_hold(&addresses, &other) == second);
    addresses_end(&addresses);
}
