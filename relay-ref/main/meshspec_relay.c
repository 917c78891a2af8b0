/* meshspec-relay: the reference relay as a program. Everything that it does is in relay-ref/adapters/, where it can be
 * tested. */
#include "relay-ref/adapters/ws_server.h"

int main(int argc, char **argv) {
    return server_main(argc, argv);
}
