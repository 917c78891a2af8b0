"""Talks to an adapter in a child process, for the tests in this folder."""

import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

LIMIT_SECONDS = 60  # no test takes a tenth of it; it turns a hang into a failure
ADAPTERS = pathlib.Path(__file__).resolve().parent.parent


class AdapterProcess:
    """One adapter. It is ended when the with block is left."""

    def __init__(self, script, *flags, program=sys.executable):
        self.errors = tempfile.TemporaryFile()
        self.child = subprocess.Popen(
            [program, ADAPTERS / script, *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
        )
        self.last_id = 0
        self.watchdog = threading.Timer(LIMIT_SECONDS, self.child.kill)
        self.watchdog.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watchdog.cancel()
        self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self.errors.close()

    def log(self):
        """Its standard error so far."""
        self.errors.seek(0)
        return self.errors.read().decode()

    def write(self, line):
        self.child.stdin.write(line + b"\n")
        self.child.stdin.flush()

    def read(self):
        """The next line as a value; None at the end of the output."""
        line = self.child.stdout.readline()
        return json.loads(line) if line else None

    def rest(self):
        """Ends the input; all the output that is left."""
        self.child.stdin.close()
        return self.child.stdout.read()

    def exchange(self, line):
        """(reply, events before it) for one line."""
        self.write(line)
        events = []
        while (message := self.read()) is not None and "id" not in message:
            events.append(message)
        return message, events

    def command(self, do, **fields):
        self.last_id += 1
        reply, events = self.exchange(json.dumps({"id": self.last_id, "do": do, **fields}).encode())
        assert reply is not None, f"the adapter ended during {do}"
        assert reply.pop("id") == self.last_id
        return reply, events

    def open(self, *connections, profile="0.2.0", relay="r1", **options):
        """A new relay with these connections; each one's writer is its own name."""
        assert self.command("open", relay=relay, profile=profile, options=options) == ({"ok": True}, [])
        for name in connections:
            assert self.command("connect", relay=relay, conn=name, principal={"writer": name}) == ({"ok": True}, [])

    def send(self, conn, message):
        """What a frame caused, as (connection, message), (connection, "closed") and (observer, event)."""
        reply, events = self.command("receive", conn=conn, text=json.dumps(message))
        assert reply == {"ok": True}
        return [seen(event) for event in events]

    def hello(self, conn, **more):
        message = {"t": "hello", "room": "r", "origin": conn, "proto": 1, "policyVersion": 0}
        return self.send(conn, {**message, **more})

    def write_ops(self, conn, *ops, room="r", **more):
        envelope = {
            "proto": 1, "origin": conn, "writer": conn, "version": 1, "hlc": {"p": 1, "l": 0},
            "policyVersion": 0, "ops": list(ops), **more,
        }
        return self.send(conn, {"t": "env", "room": room, "env": envelope})


def seen(event):
    if event["on"] == "send":
        return event["conn"], json.loads(event["text"])
    if event["on"] == "close":
        return event["conn"], "closed"
    return event["on"], event


def set_op(path, value):
    return {"kind": "set", "path": path, "next": value}


def to(conn, seen_events):
    """What one connection saw."""
    return [what for who, what in seen_events if who == conn]
