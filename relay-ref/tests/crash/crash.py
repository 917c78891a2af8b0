#!/usr/bin/env python3
"""Kills a meshspec-relay at seeded points of its dealings with its file, under load, starts it again and checks what clients rely on.

    crash.py --count 200 --seed 1      that many points; the first that goes wrong is told, with its seed

Kinds of points take turns, and so do the wire versions.
"""
import argparse
import json
import os
import pathlib
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from relay_process import COMMAND, ROOT, hello  # noqa: E402
from room_model import Room, Wrong, check  # noqa: E402
from websocket_client import LIMIT_SECONDS, Closed, WebSocket  # noqa: E402

SHIM = pathlib.Path(os.environ.get("MESHSPEC_KILL_POINT", ROOT / "build" / "tests" / "kill_point.so"))
# Each with the most events that a point may wait for.
KINDS = {"append": 200, "commit": 30, "committed": 30, "piece": 8, "turn": 4, "clear": 12, "trim": 8, "load": 30, "write": 200, "torn": 200, "sync": 30}
PROTOCOLS = {"0.2.0": 1, "0.9": 3}
ROOMS, CLIENTS, WINDOW, JOURNAL_LIMIT = ("alpha", "beta", "gamma"), 4, 3, 40
VALUE_BYTES, LARGE_BYTES = 2000, 60000  # roots of several pieces


class Relay:
    """One life of the process."""

    def __init__(self, folder, kill, flags):
        self.note = folder / "note"
        self.note.unlink(missing_ok=True)
        environment = dict(os.environ)
        if kill:
            environment.update(LD_PRELOAD=str(SHIM), MESHSPEC_KILL=kill, MESHSPEC_KILL_NOTE=str(self.note),
                               ASAN_OPTIONS=environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        self.errors = open(folder / "errors", "a+")
        self.process = subprocess.Popen([*COMMAND, "--port", "0", "--db", str(folder / "rooms.db"), "--journal-limit", str(JOURNAL_LIMIT),
                                         "--checkpoint-envelopes", "4", "--unload-after", "1", *flags],
                                        stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment)
        line = self.process.stdout.readline()
        self.port = int(line.rstrip("/\n").rpartition(":")[2]) if line else None

    def reached(self):
        return self.note.exists()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        return self.wait()

    def wait(self):
        self.process.wait(timeout=LIMIT_SECONDS)
        self.process.stdout.close()
        self.errors.close()
        return self.process.returncode


class Client:
    """Writes in one room, a few envelopes ahead of their echoes, over as many connections as it takes."""

    def __init__(self, number, room, chance):
        self.name, self.room, self.chance = f"c{number}", room, chance
        self.version = 0
        self.waiting = []  # envelopes that it does not know to be ordered
        self.resent = []   # versions of those that it sent again although they are
        self.socket, self.seen = None, None

    def join(self, port, watermark):
        self.socket = WebSocket(port, {"writer": self.name})
        self.socket.send({**hello(self.name, self.room.name, **({} if watermark is None else {"seq": watermark})), "proto": self.room.wire})
        welcome = self.receive()
        while welcome["t"] != "welcome":
            welcome = self.receive()
        self.room.meet(welcome, watermark)
        self.seen = welcome["seq"]
        self.send_again([e for e in self.waiting if (e["origin"], e["version"]) in self.room.places])

    def send_again(self, ordered):
        """What it does not know to be ordered; from wire version 3 on all of it, since the relay knows (admit.duplicate)."""
        self.waiting = [e for e in self.waiting if e not in ordered]
        self.resent = [e["version"] for e in ordered] if self.room.wire == 3 else []
        for envelope in (ordered if self.room.wire == 3 else []) + self.waiting:
            if self.room.wire == 3:
                envelope["instance"] = self.room.epoch
            self.send(envelope)

    def receive(self):
        return self.socket.receive()

    def send(self, envelope):
        self.socket.send({"t": "env", "room": self.room.name, "env": envelope})

    def write(self):
        self.version += 1
        path = [self.chance.choice("abc"), self.chance.choice("xyzuvw")]
        op = {"kind": "delete", "path": path} if self.chance.random() < 0.2 else \
             {"kind": "set", "path": path, "next": [self.version, "v" * self.chance.randrange(LARGE_BYTES if self.chance.random() < 0.2 else VALUE_BYTES)]}
        if self.room.wire == 3:
            op.update(epoch=0, cites=[c for c in self.room.cites(path) if self.chance.random() < 0.7])
        envelope = {"proto": self.room.wire, "origin": self.name, "writer": self.name, "version": self.version, "hlc": {"p": self.version, "l": 0},
                    "policyVersion": 0, "ops": [op]}
        if self.room.wire == 3:
            envelope["instance"] = self.room.epoch
        elif self.chance.random() < 0.01:
            envelope["schemaVersion"] = self.room.schema = self.room.schema + 1
        self.waiting.append(envelope)
        self.send(envelope)

    def take(self, message):
        """One message of the stream: dense from the welcome on; its own envelopes come back in the order in which it wrote them."""
        if message["t"] == "drop":
            check(message["reason"] == "duplicate" and message["version"] in self.resent, "dropped", message)
            self.resent.remove(message["version"])
        if message["t"] != "env":
            return
        envelope = message["env"]
        check(envelope["seq"] == self.seen + 1, "a hole in the stream", self.name, self.seen, envelope["seq"])
        self.seen = envelope["seq"]
        self.room.see(envelope)
        if envelope["origin"] == self.name:
            check(self.waiting and envelope["version"] == self.waiting[0]["version"], "an echo out of order", envelope["version"])
            self.waiting.pop(0)

    def leave(self):
        if self.socket:
            self.socket.socket.close()
            self.socket = None


class Run:
    def __init__(self, seed, folder, flags, wire):
        self.chance = random.Random(seed)
        self.folder, self.flags, self.relay = folder, flags, None
        self.rooms = [Room(name, JOURNAL_LIMIT, wire) for name in ROOMS]
        self.clients = [Client(i, self.rooms[i % len(self.rooms)], self.chance) for i in range(CLIENTS)]

    def load(self, relay, envelopes):
        """Writes until so many were written and echoed. Raises Closed when the relay is gone."""
        for client in self.clients:
            client.join(relay.port, client.seen)
        end = time.monotonic() + LIMIT_SECONDS
        while envelopes > 0 or any(client.waiting or client.resent for client in self.clients):
            check(time.monotonic() < end, "the relay hangs", relay.process.poll())
            for client in self.clients:
                while envelopes > 0 and len(client.waiting) < WINDOW:
                    client.write()
                    envelopes -= 1
            self.pump(0.2)
            if self.chance.random() < 0.02:
                client = self.chance.choice(self.clients)
                client.leave()
                client.join(relay.port, client.seen)

    def pump(self, seconds):
        """Takes what has come for anybody; waits for something."""
        sockets = {client.socket.socket: client for client in self.clients}
        ready, _, _ = select.select(list(sockets), [], [], seconds)
        for one in ready:
            client = sockets[one]
            client.take(client.receive())
            while client.socket.buffer:
                client.take(client.receive())

    def live(self, kill, envelopes):
        """One life under load, until the point is reached or the load is written, and then by a plain kill. True when it was reached."""
        relay = self.relay = Relay(self.folder, kill, self.flags)
        try:
            if relay.port is not None:
                self.load(relay, envelopes)
        except (Closed, OSError) as end:
            check(getattr(end, "code", None) is None, "a client was sent away", *end.args)
            check(relay.wait() == -signal.SIGKILL, "the relay ended by itself", relay.process.returncode, self.errors())
        else:
            relay.kill()
        for client in self.clients:
            client.leave()
        return relay.reached()

    def end(self):
        """Whatever went wrong, no relay stays behind."""
        if self.relay and self.relay.process.poll() is None:
            self.relay.kill()

    def errors(self):
        return (self.folder / "errors").read_text()[-500:]

    def examine(self):
        """A life without a kill in which every kind of watermark comes back."""
        relay = self.relay = Relay(self.folder, None, self.flags)
        check(relay.port is not None, "it does not start again", self.errors())
        for room in self.rooms:
            for client in self.clients:
                if client.room is room:
                    client.join(relay.port, room.echoed)
                    while client.waiting or client.resent:
                        client.take(client.receive())
                    client.leave()
            seq = room.echoed
            edges = {0, 1, seq - JOURNAL_LIMIT - 1, seq - JOURNAL_LIMIT, seq - JOURNAL_LIMIT + 1, seq - 1, seq, None, self.chance.randint(0, seq)}
            for watermark in sorted((w for w in edges if w is None or 0 <= w <= seq), key=str):
                watcher = Client(99, room, self.chance)
                watcher.join(relay.port, watermark)
                watcher.leave()
        relay.process.send_signal(signal.SIGTERM)
        check(relay.wait() == 0, "it does not end", self.errors())
        check(self.errors() == "", "it complained", self.errors())
        for room in self.rooms:
            room.conclude()


def run_point(seed, kind, protocol="0.2.0"):
    """One history with a kill at a point of this kind. Returns whether the point was reached; raises Wrong."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="meshspec-crash-"))
    chance = random.Random(seed)
    run = Run(seed, folder, ["--durable", "--protocol", protocol], PROTOCOLS[protocol])
    try:
        if kind == "load" or chance.random() < 0.3:
            run.live(None, chance.randrange(50, 300))
        reached = run.live(f"{kind}:{chance.randint(1, KINDS[kind])}", chance.randrange(200, 500))
        run.examine()
    except (Wrong, Closed, OSError) as wrong:
        raise Wrong(f"seed {seed}, {kind}, protocol {protocol}, kept in {folder}", type(wrong).__name__, *wrong.args, run.errors()) from None
    finally:
        run.end()
    shutil.rmtree(folder)
    return reached


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=len(KINDS), help="points (default: one of each kind)")
    parser.add_argument("--seed", type=int, default=1, help="of the first point; the next ones follow")
    arguments = parser.parse_args()
    kinds, reached = list(KINDS), dict.fromkeys(KINDS, 0)
    started = time.monotonic()
    for i in range(arguments.count):
        kind = kinds[i % len(kinds)]
        try:
            reached[kind] += run_point(arguments.seed + i, kind, list(PROTOCOLS)[i // len(kinds) % len(PROTOCOLS)])
        except Wrong as wrong:
            print("WRONG:", *(str(part)[:600] for part in wrong.args), sep="\n  ")
            return 1
    print(f"{arguments.count} kills in {time.monotonic() - started:.0f} s, no echoed envelope lost, none doubled; at the chosen point: "
          + ", ".join(f"{kind} {count}" for kind, count in reached.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
