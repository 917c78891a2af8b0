"""The npm relay behind the adapter protocol: what the adapter itself answers for. What the relay does is for the recordings and the suite."""

import json

import pytest
from adapter_process import AdapterProcess, to
from npm_relay import NODE, SCRIPTS, message_that_throws, envelope, needs_packages

pytestmark = needs_packages
CLOCK_START = 1_700_000_000_000


class NpmAdapter(AdapterProcess):
    """Talks wire version 3."""

    def __init__(self):
        super().__init__(SCRIPTS / "adapter.mjs", program=NODE)
        self.instance = ""
        self.version = 0

    def open(self, *connections, **options):
        super().open(*connections, profile="0.9", **options)

    def hello(self, conn, **more):
        seen = super().hello(conn, **{"proto": 3, **more})
        self.instance = next((m["instance"] for m in to(conn, seen) if m["t"] == "welcome"), self.instance)
        return seen

    def write_ops(self, conn, *ops, room="r", **more):
        self.version += 1
        return self.send(conn, {"t": "env", "room": room, "env": envelope(conn, self.instance, self.version, *ops, **more)})

    def do(self, command, **fields):
        """What a command on the relay answers, and what it causes."""
        reply, events = self.command(command, relay="r1", **fields)
        return reply.get("ok", reply), events


@pytest.fixture
def adapter():
    with NpmAdapter() as running:
        yield running


def set_op(path, value, **more):
    return {"kind": "set", "path": path, "next": value, "cites": [], "epoch": 0, **more}


def reason(seen, conn):
    return [m["reason"] for m in to(conn, seen) if m != "closed" and m["t"] == "eject"]


def seqs(events):
    """The seqs of the envelopes that came to one connection."""
    return [json.loads(e["text"])["env"]["seq"] for e in events if e["on"] == "send" and json.loads(e["text"])["t"] == "env"]


# ---- the protocol ----

def test_it_introduces_itself(adapter):
    said = adapter.command("start", meshspec=1)[0]["ok"]
    assert (said["name"], said["version"], said["profiles"]) == ("@mmstack/mesh-protocol", "0.9.1", ["0.9"])
    assert "no" in adapter.command("start", meshspec=2)[0]


def test_what_it_lists_it_can_do(adapter):
    can = set(adapter.command("start", meshspec=1)[0]["ok"]["can"])
    adapter.open("ana")
    for command in ("clock", "hydrate", "room", "unload", "hold"):
        assert command in can
        assert adapter.command(command, relay="nobody")[0].keys() == {"error"}, "known, and the relay is not"
    assert {"options", "commit", "violation", "drop", "reject", "join", "stalled"} <= can
    assert {"policy.acl", "policy.validate", "policy.canBump", "policy.verifyCitations"} <= can


@pytest.mark.parametrize("name", ["dance", "toString", "constructor", "__proto__", ""])
def test_an_unknown_command_is_unsupported(adapter, name):
    assert adapter.command(name) == ({"unsupported": True}, [])


@pytest.mark.parametrize("line", [b"", b"junk", b"[]", b"7", b"{}", b'{"id":1}', b'{"do":"room"}', b'{"id":1,"do":["room"]}', b"\xff", b'{"id":1,'])
def test_a_bad_line_is_an_error_and_the_next_one_is_not(adapter, line):
    reply, events = adapter.exchange(line)
    assert reply["id"] is None and reply["error"] and events == []
    adapter.open("ana")


def test_a_line_may_hold_what_other_readers_take_for_its_end(adapter):
    adapter.open("ana")
    reply, events = adapter.exchange('{"id":9,"do":"receive","conn":"ana","text":"\u2028\u0085\r"}'.replace("\r", "\\r").encode())
    assert (reply, events) == ({"id": 9, "ok": True}, [])


@pytest.mark.parametrize("command, fields", [
    ("room", {"relay": "r1"}),
    ("room", {"relay": "r2", "room": "r"}),
    ("clock", {"relay": "r1", "ms": "soon"}),
    ("hydrate", {"relay": "r1", "room": "r"}),
    ("hydrate", {"relay": "r1", "room": "r", "snapshot": {}}),
    ("release", {"relay": "r1", "seq": 1}),
    ("connect", {"relay": "r1", "conn": "ana", "principal": {"writer": "w"}}),
    ("connect", {"relay": "r1", "conn": "ben", "principal": {}}),
    ("receive", {"conn": "ana"}),
    ("receive", {"conn": "ben", "text": "{}"}),
    ("disconnect", {"conn": "ben"}),
    ("close", {"relay": "r2"}),
])
def test_a_command_that_cannot_be_carried_out_is_an_error(adapter, command, fields):
    adapter.open("ana")
    reply, events = adapter.command(command, **fields)
    assert reply.keys() == {"error"} and events == []


@pytest.mark.parametrize("options", [
    {"wings": 2}, {"journalLimit": -1}, {"journalLimit": "1"}, {"limits": {"wings": 2}}, {"limits": []}, {"ejection": "everybody"},
    {"policy": {"wings": 2}}, {"policy": {"acl": {}}}, {"policy": {"acl": [{"prefix": []}, {}]}}, {"policy": {"validate": [{"deny": 1}]}},
    {"policy": {"validate": [{"prefix": [], "deny": {"$wings": 2}}]}}, {"policy": {"validate": [{"prefix": [], "deny": {"$regex": "("}}]}},
    {"policy": {"canBump": {"allow": {"$lt": "x"}}}}, {"policy": {"verifyCitations": 1}},
])
def test_an_option_that_it_cannot_honour_is_a_no(adapter, options):
    reply, _ = adapter.command("open", relay="r1", profile="0.9", options=options)
    assert reply.keys() == {"no"}


def test_it_speaks_one_profile(adapter):
    assert "no" in adapter.command("open", relay="r1", profile="0.2.0", options={})[0]


def test_stop_ends_it(adapter):
    assert adapter.command("stop") == ({"ok": True}, [])
    assert adapter.read() is None and adapter.child.wait(timeout=10) == 0


def test_relays_are_apart_and_a_new_one_takes_the_place_of_the_old(adapter):
    adapter.open("ana")
    adapter.hello("ana")
    first = adapter.do("room", room="r")[0]
    adapter.open("ana")
    assert adapter.do("room", room="r")[0] is None
    adapter.hello("ana")
    assert adapter.do("room", room="r")[0]["instance"] != first["instance"]


# ---- messages ----

@pytest.mark.parametrize("text", ["", "junk", "{", '{"t":"presence"}}', "undefined"])
def test_what_is_no_json_is_dropped(adapter, text):
    adapter.open("ana", "ben")
    adapter.hello("ana")
    adapter.hello("ben")
    assert adapter.command("receive", conn="ana", text=text) == ({"ok": True}, [])
    assert len(seqs(adapter.command("receive", conn="ana", text=json.dumps(
        {"t": "env", "room": "r", "env": envelope("ana", adapter.instance, 1)}))[1])) == 2


@pytest.mark.parametrize("text", [
    "null", '{"t":"env","room":"r"}', '{"t":"env","room":"r","env":null}', '{"t":"dance","room":"r"}',
    '{"t":"presence","room":"r","data":' + "[" * 100_000 + "]" * 100_000 + "}",
], ids=["null", "no-envelope", "null-envelope", "unknown-kind", "very-deep"])
def test_what_is_json_reaches_the_relay_as_it_is(adapter, text):
    adapter.open("ana", "ben")
    adapter.hello("ana")
    adapter.hello("ben")
    assert adapter.exchange(json.dumps({"id": 99, "do": "receive", "conn": "ana", "text": text}).encode()) == (None, [])
    assert adapter.child.wait(timeout=10) != 0


def test_a_relay_that_throws_ends_the_adapter_with_its_stack(adapter):
    adapter.open("ana")
    adapter.hello("ana")
    line = json.dumps({"id": 99, "do": "receive", "conn": "ana", "text": json.dumps(message_that_throws("ana", adapter.instance))})
    assert adapter.exchange(line.encode()) == (None, [])
    assert adapter.child.wait(timeout=10) != 0
    assert "TypeError" in adapter.log()


# ---- controls and observers ----

def test_clock(adapter):
    adapter.open("ana", limits={"maxEnvelopesPerSecond": 1})
    adapter.hello("ana")
    assert [reason(adapter.write_ops("ana"), "ana") for _ in range(2)] == [[], []]
    adapter.do("clock", ms=CLOCK_START + 1000)
    assert [reason(adapter.write_ops("ana"), "ana") for _ in range(2)] == [[], ["rate"]]


def test_observers(adapter):
    adapter.open("ana", "ben", policyVersion=1)
    assert [what for who, what in adapter.hello("ana") if who == "reject"] == [
        {"on": "reject", "relay": "r1", "room": "r", "writer": "ana", "reason": "policy-version", "expected": 1}]
    assert [what for who, what in adapter.hello("ana", policyVersion=1) if who == "join"] == [
        {"on": "join", "relay": "r1", "room": "r", "writer": "ana", "origin": "ana"}]
    commits = [what for who, what in adapter.write_ops("ana", set_op(["a"], 1), policyVersion=1) if who == "commit"]
    assert len(commits) == 1 and commits[0]["env"]["seq"] == 1
    assert commits[0]["state"].keys() == {"seq", "instance", "registers", "wm", "ranges", "settled", "schemaVersion"}
    assert commits[0]["state"]["registers"][0]["siblings"][0]["value"] == 1
    seen = adapter.write_ops("ana", policyVersion=1, version=1)
    assert [what for who, what in seen if who == "drop"] == [
        {"on": "drop", "relay": "r1", "room": "r", "origin": "ana", "version": 1, "reason": "duplicate"}]
    seen = adapter.write_ops("ana", policyVersion=1, hlc=None)
    assert [what["violation"] for who, what in seen if who == "violation"] == [{"writer": "ana", "reason": "malformed", "detail": "hlc"}]


def test_hydrate_and_room(adapter):
    adapter.open("ana")
    assert adapter.do("hydrate", room="r", snapshot={"seq": 3, "instance": "old", "wm": {"x": 2}})[0] is True
    assert adapter.do("hydrate", room="r", snapshot={"seq": 4})[0] is False
    assert adapter.do("room", room="r")[0] == {"seq": 3, "instance": "old", "members": 0, "journal": 0, "stalled": False}
    assert adapter.do("room", room="q") == (None, [])


def test_unload(adapter):
    adapter.open("ana")
    adapter.hello("ana")
    adapter.write_ops("ana")
    assert adapter.do("unload", room="r", discard=False)[0] is False
    adapter.command("disconnect", conn="ana")
    assert adapter.do("unload", room="r", discard=False)[0] is True
    assert adapter.do("unload", room="r", discard=True)[0] is False


# ---- held commits ----

@pytest.fixture
def held(adapter):
    """ana's envelopes 1 to 3 are held."""
    adapter.open("ana")
    adapter.hello("ana")
    adapter.do("hold")
    for seq in (1, 2, 3):
        seen = adapter.write_ops("ana")
        assert to("ana", seen) == [] and [what["state"]["seq"] for who, what in seen if who == "commit"] == [seq]
    return adapter


def test_releases_happen_in_order(held):
    assert held.do("release", room="r", seq=3) == (True, [])
    assert held.do("release", room="r", seq=2) == (True, [])
    assert seqs(held.do("release", room="r", seq=1)[1]) == [1, 2, 3]


def test_unhold_lets_later_ones_pass_behind_those_that_are_held(held):
    held.do("unhold")
    assert to("ana", held.write_ops("ana")) == []
    for seq in (1, 2):
        assert seqs(held.do("release", room="r", seq=seq)[1]) == [seq]
    assert seqs(held.do("release", room="r", seq=3)[1]) == [3, 4]
    assert to("ana", held.write_ops("ana"))[0]["env"]["seq"] == 5


def test_a_failure_stalls_the_room_for_good(held):
    assert held.do("fail", room="r", seq=1)[1] == [{"on": "stalled", "relay": "r1", "room": "r", "seq": 1}]
    assert held.do("release", room="r", seq=2) == (True, [])
    assert held.do("room", room="r")[0]["stalled"] is True
    held.command("disconnect", conn="ana")
    assert held.do("unload", room="r", discard=False)[0] is False
    assert held.do("unload", room="r", discard=True)[0] is True


def test_a_failure_counts_when_its_turn_comes(held):
    assert held.do("fail", room="r", seq=2) == (True, [])
    assert held.do("room", room="r")[0]["stalled"] is False
    events = held.do("release", room="r", seq=1)[1]
    assert seqs(events) == [1]
    assert [event["seq"] for event in events if event["on"] == "stalled"] == [2]


def test_a_commit_is_decided_once(held):
    assert held.do("release", room="r", seq=1)[0] is True
    for decision in ("release", "fail"):
        assert held.do(decision, room="r", seq=1) == (False, [])
    assert held.do("release", room="q", seq=2) == (False, [])


# ---- policies ----

@pytest.mark.parametrize("allow, granted", [
    (True, True), (False, False), ({"writer": "ana"}, True), ({"writer": "ben"}, False), ({"kind": "human"}, True), ({"kind": "agent"}, False),
    ({"claims": {"role": "admin"}}, True), ({"claims": {"role": "guest"}}, False), ({"claims": {"wings": 2}}, False),
])
@pytest.mark.parametrize("policy, op, wanted", [
    (lambda allow: {"acl": [{"prefix": ["a", "*"], "allow": allow}]}, set_op(["a", 1, "b"], 1), "can-write"),
    (lambda allow: {"canBump": {"allow": allow}}, set_op(["a"], 1, epoch=2), "epoch-bump"),
])
def test_who_is_granted(adapter, policy, op, wanted, allow, granted):
    adapter.open(policy=policy(allow))
    principal = {"writer": "ana", "kind": "human", "claims": {"role": "admin", "more": 1}}
    adapter.command("connect", relay="r1", conn="ana", principal=principal)
    adapter.hello("ana")
    assert reason(adapter.write_ops("ana", op), "ana") == ([] if granted else [wanted])


@pytest.mark.parametrize("deny, value, denied", [
    ({"$lt": 0}, -1, True), ({"$lt": 0}, 0, False), ({"$lt": 0}, "-1", False), ({"$lte": 0}, 0, True), ({"$gt": 0}, 1, True), ({"$gte": 1}, 0, False),
    ({"$type": "null"}, None, True), ({"$type": "array"}, {}, False), ({"$regex": "^x"}, "xy", True), ({"$regex": "^x"}, "yx", False),
    ({"$not": 1}, 2, True), ({"$not": 1}, 1, False), ({"$one-of": [1, [2]]}, [2], True), ({"$one-of": [1, [2]]}, [2, 3], False),
    ({"a": {"$any": 1}}, {"a": None, "b": 1}, True), ({"a": {"$any": 1}}, {"b": 1}, False), (1, True, False), ([], {}, False), ({}, [], False),
])
def test_which_values_are_denied(adapter, deny, value, denied):
    adapter.open("ana", policy={"validate": [{"prefix": ["1"], "deny": deny}]})
    adapter.hello("ana")
    assert reason(adapter.write_ops("ana", set_op([2], value), {"kind": "clear", "path": [1], "cites": [], "epoch": 0}), "ana") == []
    assert reason(adapter.write_ops("ana", set_op([1, "x"], value)), "ana") == (["validate"] if denied else [])


@pytest.mark.parametrize("verify, wanted", [(True, ["unknown-citation"]), (False, [])])
def test_citations_are_verified_when_asked(adapter, verify, wanted):
    adapter.open("ana", policy={"verifyCitations": verify})
    adapter.hello("ana")
    assert reason(adapter.write_ops("ana", set_op(["a"], 1, cites=[{"origin": "ghost", "hlc": {"p": 9, "l": 0}}])), "ana") == wanted


def test_ejection_by_connection(adapter):
    adapter.open("ana", ejection="connection")
    adapter.command("connect", relay="r1", conn="two", principal={"writer": "ana"})
    adapter.hello("ana")
    adapter.hello("two")
    seen = adapter.write_ops("ana", proto=1)
    assert to("ana", seen)[0]["t"] == "eject" and to("ana", seen)[-1] == "closed"
    assert [m["t"] for m in to("two", seen)] == ["member"]
    assert to("two", adapter.hello("two"))[0]["t"] == "welcome"
