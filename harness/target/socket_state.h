/*
 * What a socket consists of, shared by the two files that make it up: socket.c asks things of libwebsockets,
 * socket_callback.c hears what it tells.
 */
#ifndef MESHSPEC_TARGET_SOCKET_STATE_H
#define MESHSPEC_TARGET_SOCKET_STATE_H

#include <libwebsockets.h>

#include "harness/target/socket.h"

/* One message on its way out, with libwebsockets' room in front of each frame. */
struct outgoing {
    struct outgoing *next;
    size_t length, sent;
    int fragments, fragment; /* how many, and how many have been sent */
    bool binary;
    unsigned char room[];
};

enum socket_state {
    SOCKET_CONNECTING,
    SOCKET_OPEN,
    SOCKET_LEAVING,   /* our close frame follows what waits to be sent, or is on its way */
    SOCKET_DISMISSED, /* the relay's close frame came, and libwebsockets answers it */
    SOCKET_CONDEMNED, /* it broke a ceiling: to be reset as soon as libwebsockets does not stand in it */
    SOCKET_ENDED
};

struct socket {
    struct socket_loop *loop;
    struct socket *next;
    struct lws *wsi; /* NULL: libwebsockets is done with it */
    int number;
    enum socket_state state;
    bool abandoned;         /* its user is done with it: no further event, freed when libwebsockets is done too */
    struct buffer incoming; /* the message that is arriving */
    struct outgoing *first, *last;
    size_t waiting;      /* bytes in them */
    size_t frames;       /* that went out */
    unsigned close_code; /* of the relay's close frame; 0: it had none */
    bool close_frame;    /* the relay sent one */
    bool close_sent;     /* we sent one */
    char close_reason[126];
    size_t close_length;
    const char *headers; /* of our own, until it is connected; NULL: none */
    const char *host;    /* of the URL, until it is connected */
    char failure[256];   /* why it could not connect */
};

struct socket_loop {
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct target_events *events;
    struct trust trust;
    struct socket *sockets;
    lws_sorted_usec_list_t timer;
    bool condemned; /* some socket is */
    char fault[256];
};

/* Frees every message that waits to be sent. */
void socket_drop_outgoing(struct socket *socket);

/* libwebsockets' callback; its user pointer is the socket. */
int socket_on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);

#endif
