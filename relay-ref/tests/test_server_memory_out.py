"""meshspec-relay when memory runs out, at any allocation of any library: it says so and ends, or a connection is refused or closed and
everything else goes on. What was echoed stays, in its order, and the snapshot is what the envelopes make.

A stride through the allocations, a few seconds; `make alloc-failure` has the turn of every one of them come.
"""
import http.client
import json
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "harness/tests/preload"))

import memory_out  # noqa: E402
from relay_process import Ended, RelayProcess, envelope, hello, setting  # noqa: E402
from websocket_client import Closed, Refused  # noqa: E402

pytestmark = pytest.mark.skipif(memory_out.SANITIZED, reason="a sanitizer brings an allocator of its own")

TROUBLE = (Closed, Refused, OSError, http.client.HTTPException)
OPS = [setting(["a"], {"deep": [1, "Ä\u0000"]}), setting(["list", 3], None), [{"kind": "delete", "path": ["a", "deep", 0]}, *setting(["b"], "x" * 3000)]]


class Session:
    """What clients do, and what they learn of the room."""

    def __init__(self, relay):
        self.relay = relay
        self.echoed = {}  # envelopes by their seq

    def take(self, connection, until):
        """Notes the echoes up to a message that `until` holds of."""
        while True:
            message = connection.receive()
            if message["t"] == "env":
                known = self.echoed.setdefault(message["env"]["seq"], message["env"])
                assert known == message["env"], "two envelopes with one seq"
            if until(message):
                return message

    def join(self, writer, **more):
        connection = self.relay.connect(writer, kind="agent", claims=json.dumps({"a": [1]}))
        connection.send(hello(writer, **more))
        self.take(connection, lambda message: message["t"] == "welcome")
        return connection

    def write(self, writer, start):
        connection = self.join(writer)
        connection.send({"t": "presence", "room": "r", "data": {"at": start}})
        for number, ops in enumerate(OPS, start):
            connection.send(envelope(writer, writer, number, ops, schemaVersion=number // 3))
            self.take(connection, lambda message, number=number: message["t"] == "env" and message["env"]["version"] == number)
        connection.send({"t": "signal", "room": "r", "to": writer, "data": "x" * 300})
        self.take(connection, lambda message: message["t"] == "signal")
        connection.send(hello(writer, room="q"))
        connection.close()

    def ask(self):
        control = http.client.HTTPConnection("127.0.0.1", self.relay.control_port, timeout=20)
        control.request("POST", "/", json.dumps({"id": 1, "do": "room", "relay": 1, "room": "r"}))
        control.getresponse().read()
        control.close()

    def play(self):
        """Everything once more after trouble: whoever was refused or closed comes again."""
        for act in (lambda: self.write("ana", 1), lambda: self.write("ben", 4), self.ask, lambda: self.join("cleo", seq=2).close()):
            try:
                act()
            except TROUBLE:
                pass


def fold(envelopes):
    """Of these ops only."""
    root = None
    for one in envelopes:
        for op in one["ops"]:
            root = root if root is not None else {}
            at = op["path"]
            if at == ["a", "deep", 0]:
                inner = root.setdefault("a", {}).setdefault("deep", [])
                inner[0:1] = [None]
            elif at == ["list", 3]:
                root["list"] = [None] * 4
            else:
                root[at[0]] = json.loads(json.dumps(op["next"]))
    return root


def check_room(relay, echoed):
    """What a new client is told is in itself true, and has all that was echoed."""
    late = relay.connect("zoe")
    late.send(hello("zoe", seq=0))
    welcome = late.receive()
    envelopes = welcome.get("envs", [])
    assert [one["seq"] for one in envelopes] == list(range(1, welcome["seq"] + 1))
    for seq, one in echoed.items():
        assert envelopes[seq - 1] == one, f"the echo of {seq} is lost"
    late.send(hello("zoe"))
    again = late.receive()
    if welcome["seq"] > 0:
        assert again["mode"] == "snapshot" and again.get("root") == fold(envelopes)
    late.close()


def run_once(nth, folder, flags, forever=False):
    """True when the server served; the number of its allocations when none failed."""
    report, database = folder / "allocations", folder / f"rooms-{nth}.db"
    flags = ["--control", "0", "--drain-timeout", "1", *(["--db", database, "--durable"] if flags == "db" else [])]
    env = memory_out.environment("meshspec-relay", nth, report, forever)
    try:
        relay = RelayProcess(*flags, env=env)
    except Ended as ended:
        assert ended.code > 0 and ended.errors.startswith("meshspec-relay: "), ended
        return 0
    try:
        return serve_once(relay, nth, report, database if "--db" in flags else None, forever)
    finally:
        relay.process.kill()


def serve_once(relay, nth, report, database, forever):
    session = Session(relay)
    session.play()
    alive = relay.process.poll() is None
    if alive and not forever:
        try:
            check_room(relay, session.echoed)
        except TROUBLE:
            check_room(relay, session.echoed)  # the allocation's turn came only now
    code, errors = relay.stop()
    assert code == 0 if alive else code > 0 and errors.startswith("meshspec-relay: "), (code, errors)
    if database:
        with_memory = RelayProcess("--db", database)
        check_room(with_memory, session.echoed)
        assert with_memory.stop() == (0, "")
    failed, allocations = memory_out.told(report)
    assert nth > 0 or len(session.echoed) == 2 * len(OPS)
    assert failed == (nth > 0) or nth > 0
    return allocations


@pytest.mark.parametrize("shard", memory_out.SHARDS)
@pytest.mark.parametrize("rooms", ["memory", "db"])
def test_out_of_memory(rooms, shard, tmp_path):
    usual = run_once(0, tmp_path, rooms)
    assert usual > 200
    for nth in memory_out.turns(usual, shard):
        try:
            run_once(nth, tmp_path, rooms)
        except (AssertionError, *TROUBLE) as error:
            raise AssertionError(f"allocation {nth} of {usual}: {error!r}") from error


def test_it_stays_out(tmp_path):
    usual = run_once(0, tmp_path, "memory")
    for nth in range(1, usual, usual // 10):
        run_once(nth, tmp_path, "memory", forever=True)
