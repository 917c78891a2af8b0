/*
 * The metrics server: GET /metrics, on a port of 127.0.0.1, in Prometheus' text format. A request with an Origin header
 * is refused, so that no web page can read it.
 */
#ifndef MESHSPEC_METRICS_HTTP_H
#define MESHSPEC_METRICS_HTTP_H

#include <libwebsockets.h>

/* The protocols of the metrics vhost, ended by an empty row. */
extern const struct lws_protocols metrics_protocols[2];

#endif
