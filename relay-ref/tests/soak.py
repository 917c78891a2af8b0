"""A long run against meshspec-relay: joins, writes, presence, takeovers, ejections, slow readers, resets, rude visitors and restarts, with the
history of every room checked all the time, and memory and open files flat.

    soak.py --minutes 10 [--seed N]      what `make soak MINUTES=10` runs
"""
import argparse
import os
import pathlib
import random
import signal
import socket
import tempfile
import time

from relay_process import RelayProcess, envelope, hello
from websocket_client import Closed, frame

ROOMS, KEYS, MOST_CLIENTS = 4, 30, 24
ASAN_OPTIONS = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
FLAGS = ["--durable", "--metrics", 0, "--max-waiting-bytes", 1 << 18, "--max-connections-per-address", 0, "--handshake-timeout", 60]


class Wrong(AssertionError):
    pass


def check(holds, *what):
    if not holds:
        raise Wrong(*what)


class Room:
    """What a room must be: every envelope that anybody saw, by seq, and the fold of them."""

    def __init__(self, name):
        self.name, self.order, self.folded, self.root, self.snapshots, self.ejected = name, {}, 0, {}, [], set()

    def learn(self, env):
        known = self.order.setdefault(env["seq"], env)
        check(known == env, self.name, "two envelopes of one seq", known, env)

    def fold(self):
        """Folds what is known; snapshots that somebody got on the way must be that fold. (Every op sets one key of the root.)"""
        for seq, root in sorted(self.snapshots, key=lambda one: one[0]):
            check(seq >= self.folded, self.name, "a snapshot of the past", seq)
            self._fold_to(seq)
            check(root == self.root, self.name, "a snapshot is not the fold at", seq)
        self.snapshots = []
        self._fold_to(max(self.order, default=0))

    def _fold_to(self, seq):
        while self.folded < seq:
            check(self.folded + 1 in self.order, self.name, "nobody saw", self.folded + 1)
            self.folded += 1
            for op in self.order[self.folded]["ops"]:
                self.root[op["path"][0]] = op["next"]
        for old in [old for old in self.order if old <= self.folded - 5000]:
            del self.order[old]


class Client:
    """One member of one room, and what it knows."""

    def __init__(self, soak, room, writer, origin, slow=False):
        self.soak, self.room, self.writer, self.origin, self.slow = soak, room, writer, origin, slow
        self.seq, self.version, self.outstanding, self.presence, self.doomed = None, 0, set(), None, slow
        self.connection = soak.relay.connect(writer, **({"receive_buffer": 4096} if slow else {}))
        self.connection.send(hello(origin, room.name))
        while self.seq is None:
            self.take(self.connection.receive())

    def take(self, message):
        check(message["room"] == self.room.name, "a message of another room", message)
        if message["t"] == "welcome":
            self.seq = message["seq"]
            check(message["mode"] in ("up-to-date", "snapshot"), message["mode"])
            if message["mode"] == "snapshot":
                self.room.snapshots.append((self.seq, message["root"]))
        elif message["t"] == "env":
            env = message["env"]
            check(self.seq is not None and env["seq"] == self.seq + 1, self.origin, "got", env["seq"], "behind", self.seq)
            check(env["writer"] not in self.room.ejected or env["seq"] <= self.room.ejected_at[env["writer"]], "an ejected writer's", env)
            self.seq = env["seq"]
            self.room.learn(env)
            if env["origin"] == self.origin:
                check(env["version"] in self.outstanding, self.origin, "was echoed twice or never wrote", env["version"])
                self.outstanding.remove(env["version"])
        elif message["t"] == "eject":
            check(message["writer"] in self.room.ejected, "nobody ejected", message)

    def write(self, size, writer=None):
        self.version += 1
        value = self.soak.random.choice([self.version, "x" * size, {"by": self.origin, "at": self.version}, None, [1, [2]]])
        ops = [{"kind": "set", "path": [f"k{self.soak.random.randrange(KEYS)}"], "next": value} for _ in range(self.soak.random.randrange(1, 4))]
        if writer is None:
            self.outstanding.add(self.version)
        self.send(envelope(self.origin, writer or self.writer, self.version, ops, room=self.room.name))

    def announce(self):
        self.presence = self.soak.random.randrange(1000)
        self.send({"t": "presence", "room": self.room.name, "data": self.presence})

    def send(self, message):
        try:
            self.connection.send(message)
        except OSError:
            check(self.doomed, self.origin, "cannot send")

    def catch_up(self):
        """Takes everything that was sent to it up to now; False when it was closed, as it had to be."""
        fence = self.soak.random.randrange(1 << 30)
        self.send({"t": "signal", "room": self.room.name, "to": self.origin, "data": fence})
        try:
            while (message := self.connection.receive())["t"] != "signal" or message["data"] != fence:
                self.take(message)
        except (Closed, OSError) as error:
            check(self.doomed, self.origin, "was closed:", error)
            self.connection.socket.close()
            return False
        check(not self.outstanding, self.origin, "was never echoed", self.outstanding)
        return True


class Soak:
    def __init__(self, folder, seed):
        self.random, self.folder, self.count = random.Random(seed), pathlib.Path(folder), 0
        self.rooms = [Room(f"room {i}") for i in range(ROOMS)]
        for room in self.rooms:
            room.ejected_at = {}
        self.clients, self.slow, self.visitors, self.samples, self.steps = [], [], [], [], 0
        self.relay = self.start()

    def start(self):
        # A sanitizer keeps what was freed, which would look like growth.
        os.environ["ASAN_OPTIONS"] = ASAN_OPTIONS
        return RelayProcess("--db", self.folder / "rooms.db", *FLAGS)

    # ---- what can happen

    def join(self, slow=False):
        self.count += 1
        client = Client(self, self.random.choice(self.rooms), f"writer {self.count}", f"origin {self.count}", slow)
        (self.slow if slow else self.clients).append(client)

    def with_one(self, deed):
        living = [client for client in self.clients if not client.doomed]
        if living:
            deed(self.random.choice(living))

    def leave(self, client):
        client.catch_up()
        self.clients.remove(client)
        (client.connection.reset if self.random.random() < 0.5 else client.connection.close)()

    def take_over(self, client):
        client.doomed = True
        client.catch_up()
        self.clients.remove(client)
        newer = Client(self, client.room, client.writer, client.origin)
        newer.version = client.version
        self.clients.append(newer)
        check(not client.catch_up(), client.origin, "was taken over and lives")

    def eject(self, client):
        self.catch_up()
        if client not in self.clients:
            return
        client.doomed = True
        client.room.ejected.add(client.writer)
        client.room.ejected_at[client.writer] = client.seq
        client.write(10, writer="somebody else")
        check(not client.catch_up(), client.origin, "was ejected and lives")
        self.clients.remove(client)
        again = self.relay.connect(client.writer)
        again.send(hello("again", client.room.name))
        check(again.receive().get("reason") == "unauthorized", "an ejected writer came back")
        again.reset()

    def be_rude(self):
        rude = socket.create_connection(("127.0.0.1", self.relay.port), timeout=20)
        rude.sendall(self.random.choice([b"", b"GET /?wri", b"\x16\x03\x01", b"\xff" * 100, b"GET / HTTP/1.1\r\n\r\n"]))
        self.visitors.append(rude)

    def send_garbage(self):
        self.count += 1
        connection = self.relay.connect(f"writer {self.count}")
        connection.send_raw(self.random.choice([frame("{"), frame(b"\xff"), frame(b"\0", 2), frame("x" * 70000, announced=1 << 40), frame("[]")[:-1]]))
        connection.reset()

    def step(self):
        self.steps += 1
        dice = self.random.random()
        if not self.clients or (dice < 0.05 and len(self.clients) < MOST_CLIENTS):
            self.join()
        elif dice < 0.80:
            self.with_one(lambda client: client.write(self.random.choice([5, 50, 3000])))
        elif dice < 0.88:
            self.with_one(Client.announce)
        elif dice < 0.91:
            self.with_one(self.leave)
        elif dice < 0.94:
            self.with_one(self.take_over)
        elif dice < 0.95:
            self.with_one(self.eject)
        elif dice < 0.97:
            self.be_rude()
        elif dice < 0.98:
            self.send_garbage()
        elif len(self.slow) < 3:
            self.join(slow=True)
        if self.steps % 10 == 0:
            self.catch_up()

    # ---- what must hold

    def catch_up(self):
        self.clients = [client for client in self.clients if client.catch_up()]

    def close_others(self):
        for slow in self.slow:
            slow.connection.reset()
        for visitor in self.visitors:
            visitor.close()
        self.slow, self.visitors = [], []

    def settle(self, connections):
        """Waits until the relay knows of every end."""
        until = time.monotonic() + 60
        while True:
            metrics = self.relay.metrics()
            if metrics["meshspec_relay_connections"] == connections and metrics["meshspec_relay_handshakes"] == 0:
                return metrics
            check(time.monotonic() < until, "connections stay", metrics["meshspec_relay_connections"], connections)

    def inspect(self):
        """Everything at rest: each room is what its history says, with just the members and the presence that are there."""
        self.catch_up()
        self.close_others()
        self.settle(len(self.clients))
        for room in self.rooms:
            members = [client for client in self.clients if client.room is room]
            self.count += 1
            watcher = self.relay.connect(f"writer {self.count}")
            watcher.send(hello(f"origin {self.count}", room.name))
            welcome = watcher.receive()
            check(sorted(welcome["members"]) == sorted(client.origin for client in members), room.name, "has members", welcome["members"])
            peers = {peer["origin"]: peer["data"] for peer in welcome["peers"]}
            check(peers == {client.origin: client.presence for client in members if client.presence is not None}, room.name, "has peers", peers)
            check(welcome["seq"] >= max(room.order, default=0), room.name, "forgot", welcome["seq"], max(room.order, default=0))
            self._learn_missed(room, watcher, welcome)
            watcher.close()
        self.catch_up()
        self.settle(len(self.clients))

    def _learn_missed(self, room, watcher, welcome):
        """What was ordered while nobody was there to see it, or before a crash could echo it."""
        known = max(room.order, default=0)
        if welcome["seq"] > known:
            watcher.send(hello(f"origin {self.count}", room.name, seq=known))
            for env in watcher.receive()["envs"]:
                room.learn(env)
        if welcome["mode"] == "snapshot":
            room.snapshots.append((welcome["seq"], welcome["root"]))
        room.fold()

    def restart(self, how):
        """Every envelope that was echoed is there afterwards; what was not, may be."""
        self.catch_up()
        self.close_others()
        for client in self.clients:
            client.doomed = True
        if how == signal.SIGKILL:
            for client in self.clients:
                client.write(20)  # without waiting
        self.relay.process.send_signal(how)
        self.clients = [client for client in self.clients if client.catch_up()]
        check(not self.clients, "connections outlive the relay")
        code, errors = self.relay.stop()
        check(code == (0 if how == signal.SIGTERM else -signal.SIGKILL) and errors == "", "ended with", code, errors)
        for room in self.rooms:
            room.ejected, room.ejected_at = set(), {}
        self.relay = self.start()
        self.inspect()

    def sample(self):
        """Memory and open files with nobody there."""
        while self.clients:
            self.leave(self.clients[0])
        self.close_others()
        metrics = self.settle(0)
        self.samples.append((metrics["process_resident_memory_bytes"], metrics["process_open_fds"]))

    def check_flat(self):
        """Of the present life of the relay: no file more than at first, and no memory that goes on growing."""
        memory, files = zip(*self.samples)
        check(max(files) <= files[0], "open files", files)
        check(memory[-1] < memory[len(memory) // 2] * 1.1 + (4 << 20), "resident bytes", memory)

    def end(self):
        self.sample()
        code, errors = self.relay.stop()
        check((code, errors) == (0, ""), "ended with", code, errors)


def play(soak, done):
    """Restarts in the first part, one life in the second; `done` gives how much of it is over, from 0 to 1."""
    try:
        play_all(soak, done)
    finally:
        soak.relay.process.kill()  # where something was wrong; else it has ended


def play_all(soak, done):
    restarts = [signal.SIGTERM, signal.SIGKILL] * 3
    while (part := done()) < 1:
        for _ in range(100):
            soak.step()
        soak.inspect()
        if restarts and part > 0.4 * (6 - len(restarts)) / 6:
            soak.restart(restarts.pop(0))
        elif not restarts:
            soak.sample()
    soak.check_flat()
    soak.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"soak.py --minutes {options.minutes:g} --seed {options.seed}", flush=True)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(folder, options.seed)
        play(soak, lambda: (time.monotonic() - begin) / (60 * options.minutes))
    memory, files = zip(*soak.samples)
    print(f"{soak.steps} steps, {sum(room.folded for room in soak.rooms)} envelopes, {soak.count} connections and more; histories right; "
          f"resident memory {memory[0] / 1e6:.1f} to {memory[-1] / 1e6:.1f} MB over {len(memory)} rests, open files {files[0]:.0f}")


if __name__ == "__main__":
    main()
