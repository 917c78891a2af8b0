#!/usr/bin/env python3
"""A relay behind WebSockets that misbehaves when it is told to: the Python relay, carried by the WebSocket server next door.

It prints `listening ws://…` and serves until SIGTERM. A principal is in the header X-User (and X-User-Claims) or, without it, in the query.
The message {"t":"misbehave","do":DEED} makes it do one of the DEEDS below to the connection that sent it.
"""
import argparse
import json
import pathlib
import re
import signal
import socket
import sys
import threading
import time
import urllib.parse
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "adapters" / "python-relay"))
sys.path.insert(0, str(HERE))

import relay  # noqa: E402  (the Python relay)
import wire  # noqa: E402
from policy import Policy  # noqa: E402
from target_websocket_server import Connection  # noqa: E402

LOCK = threading.RLock()
FLOOD_SECONDS = 30  # a flood ends with its connection, or then


def make_relay(profile):
    options = relay.Options(0, 1000, 1024, None, Policy({}))
    return relay.Relay(profile, options, now=lambda: time.time_ns() // 1000000, mint=lambda: str(uuid.uuid4()),
                       on_commit=lambda *_: None, on_violation=lambda *_: None)


class Member(Connection):
    def __init__(self, stream, the_relay):
        super().__init__(stream)
        self.relay, self.member = the_relay, None
        self.sending = threading.RLock()  # a slow reader keeps nobody waiting but who writes to it

    def shake_hands(self, path):
        if not super().shake_hands(path):
            return False
        self.member = relay.Connection(self.principal(), send=self.send_text, close=self.close)
        return True

    def principal(self):
        lines = self.head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        if "x-user" in headers:
            return {"writer": urllib.parse.unquote(headers["x-user"]), "claims": json.loads(headers.get("x-user-claims", "{}"))}
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(lines[0].split(" ")[1]).query)
        fields = {name: values[0] for name, values in query.items()}
        return {**fields, "claims": json.loads(fields.get("claims", "{}"))}

    def send_frame(self, first, payload):
        try:
            with self.sending:
                super().send_frame(first, payload)
        except OSError:
            pass  # who has gone gets nothing more

    def close(self):
        self.send_frame(0x88, b"\x03\xf0")

    def take(self, frames, masked, message):
        deed = re.fullmatch(rb'\{"t":"misbehave","do":"([a-z0-9-]+)"\}', message)
        if deed:
            DEEDS[deed[1].decode()](self)
            return
        with LOCK:
            self.relay.receive(self.member, message.decode())

    def serve(self):
        try:
            super().serve()
        finally:
            if self.member:
                with LOCK:
                    self.relay.disconnect(self.member)


def flood(member, a_second):
    """Messages that nobody asked for, a hundredth of a second's at a time."""
    frame = bytes([0x81, 31]) + b'{"t":"spam","room":"r","x":[]}\n'

    def go():
        until = time.monotonic() + FLOOD_SECONDS
        try:
            while time.monotonic() < until:
                with member.sending:
                    member.stream.sendall(frame * (a_second // 100))
                time.sleep(0.01)
        except OSError:
            pass
    with member.sending:  # the first come before the answer to anything later, however late the thread starts
        member.stream.sendall(frame * (a_second // 100))
    threading.Thread(target=go, daemon=True).start()


def reset(_member):
    raise OSError("as asked")


DEEDS = {
    "binary": lambda member: member.send_frame(0x82, b'{"t":"signal"}'),
    "invalid-utf-8": lambda member: member.send_frame(0x81, b'{"t":"\xff\xfe"}'),
    "not-json": lambda member: member.send_frame(0x81, b"<html>"),
    "large": lambda member: member.send_frame(0x81, b'{"t":"spam","x":"' + b"x" * (100 << 20) + b'"}'),
    "endless": lambda member: member.send_frame(0x81, b'{"t":"spam","x":"' + b"x" * (200 << 20) + b'"}'),
    "deep": lambda member: member.send_frame(0x81, b"[" * 1000000),
    "flood": lambda member: flood(member, 10000),
    "torrent": lambda member: flood(member, 1000000),
    "half-frame": lambda member: member.stream.sendall(b"\x81\x7ehalf"),
    "reserved-bits": lambda member: member.stream.sendall(b"\xf1\x02hi"),
    "deaf": lambda member: threading.Event().wait(),
    "ends": reset,
}


def serve(stream, the_relay):
    try:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        Member(stream, the_relay).serve()
    except (EOFError, OSError):
        pass
    finally:
        stream.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default="0.2.0")
    parser.add_argument("--no-signals", action="store_true", help="deliver no signal, as a relay whose signals may overtake might")
    flags = parser.parse_args()
    the_relay = make_relay(flags.profile)
    if flags.no_signals:
        del the_relay.handlers["signal"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.stack_size(wire.STACK_BYTES)  # deep messages are read by the connections' own threads
    sys.setrecursionlimit(wire.MAX_DEPTH + 1000)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
    print(f"listening ws://127.0.0.1:{listener.getsockname()[1]}/ok", flush=True)
    while True:
        stream, _ = listener.accept()
        threading.Thread(target=serve, args=(stream, the_relay), daemon=True).start()


if __name__ == "__main__":
    main()
