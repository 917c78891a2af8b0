"""The control URL: the adapter protocol over HTTP, on the relay that the WebSockets are connected to."""
import http.client
import json
import socket

import pytest

from relay_process import envelope, fence, hello, setting
from websocket_client import LIMIT_SECONDS


class Control:
    def __init__(self, relay):
        self.connection = http.client.HTTPConnection("127.0.0.1", relay.control_port, timeout=20)
        self.id = 0

    def post(self, body, headers=None):
        self.connection.request("POST", "/", body if isinstance(body, bytes) else body.encode(), headers or {})
        response = self.connection.getresponse()
        return response.status, response.read()

    def ask(self, verb, **fields):
        """(reply without its id, events)"""
        self.id += 1
        status, body = self.post(json.dumps({"id": self.id, "do": verb, **fields}))
        assert status == 200, body
        answer = json.loads(body)
        assert answer["reply"].pop("id") == self.id
        assert set(answer) == {"reply", "events"}
        return answer["reply"], answer["events"]


@pytest.fixture
def relay(start):
    return start("--control", 0)


@pytest.fixture
def control(relay):
    return Control(relay)


def test_start_says_what_it_can(control):
    reply, events = control.ask("start", meshspec=1)
    assert events == []
    assert reply["ok"]["name"] == "meshspec-relay" and reply["ok"]["profiles"] == ["0.1.0", "0.1.1", "0.2.0", "0.9"]
    assert {"options", "clock", "hydrate", "room", "commit", "violation"} <= set(reply["ok"]["can"])


@pytest.mark.parametrize("verb", ["nobody-knows-this", "connect", "receive", "disconnect"])
def test_what_is_not_offered_is_said(control, verb):
    assert control.ask(verb, conn=1)[0] == {"unsupported": True}


def test_room_and_commits(relay, control):
    assert control.ask("room", relay=1, room="r")[0] == {"ok": None}
    ana, welcome = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, setting(["a", "b"], "Ä\u0000🙂")))
    echo = ana.receive()
    reply, events = control.ask("room", relay=1, room="r")
    assert reply == {"ok": {"seq": 1, "members": 1, "journal": 1}}
    assert events == [{"on": "commit", "relay": "relay", "room": "r", "env": echo["env"],
                       "state": {"seq": 1, "epoch": welcome["epoch"], "root": {"a": {"b": "Ä\u0000🙂"}}, "schemaVersion": 0}}]
    assert control.ask("room", relay=1, room="r")[1] == []


def test_violation(relay, control):
    ana, _ = relay.join("ana", "tab-1", room="Ä\u0000")
    ana.send(envelope("tab-1", "mallory", 1, [], room="Ä\u0000"))
    ana.receive_until_closed()
    reply, events = control.ask("room", room="Ä\u0000")
    assert reply == {"ok": {"seq": 0, "members": 0, "journal": 0}}
    assert events == [{"on": "violation", "relay": "relay", "room": "Ä\u0000", "violation": {"writer": "ana", "reason": "writer-mismatch"}}]


def test_violation_has_the_path(relay, control):
    control.ask("open", relay="x", profile="0.2.0", options={"policy": {"acl": [{"prefix": ["ok"], "allow": True}]}})
    ana, _ = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, setting(["ok"], 1) + setting(["no", 3], 1)))
    ana.receive_until_closed()
    assert control.ask("room", room="r")[1] == [{"on": "violation", "relay": "x", "room": "r", "violation": {"writer": "ana", "reason": "can-write", "path": ["no", 3]}}]


def test_open_gives_a_fresh_relay_and_closes_everybody(relay, control):
    ana, before = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, []))
    ana.receive()
    reply, _ = control.ask("open", relay="next", profile="0.1.1", options={"policyVersion": 3, "journalLimit": 5})
    assert reply == {"ok": True}
    assert ana.receive_until_closed() == ([], 1012)
    ben = relay.connect("ben")
    ben.send(hello("tab-2"))
    assert ben.receive() == {"t": "reject", "room": "r", "reason": "policy-version", "expected": 3}
    ben.send(hello("tab-2", policyVersion=3))
    welcome = ben.receive()
    assert welcome["seq"] == 0 and welcome["epoch"] != before["epoch"] and "schemaVersion" not in welcome


@pytest.mark.parametrize("fields", [{"profile": "0.9.1"}, {}, {"profile": 7}, {"profile": "0.2.0", "options": {"noSuchOption": 1}},
                                    {"profile": "0.2.0", "options": 7}, {"profile": "0.2.0", "options": {"journalLimit": "x"}}])
def test_open_refuses_with_a_reason_and_changes_nothing(relay, control, fields):
    ana, _ = relay.join("ana", "tab-1")
    reply, _ = control.ask("open", relay=1, **fields)
    assert set(reply) == {"no"} and reply["no"]
    assert fence(ana, "tab-1") == []


def test_clock_drives_the_rate_limit(relay, control):
    control.ask("open", relay=1, profile="0.2.0", options={"limits": {"maxEnvelopesPerSecond": 2}})
    start = 1700000000000
    assert control.ask("clock", relay=1, ms=start + 1000000)[0] == {"ok": True}
    ana, _ = relay.join("ana", "tab-1")
    for version in range(1, 5):
        ana.send(envelope("tab-1", "ana", version, []))
        assert ana.receive()["env"]["seq"] == version
    control.ask("clock", relay=1, ms=start + 1000500)
    ana.send(envelope("tab-1", "ana", 5, []))
    assert ana.receive()["env"]["seq"] == 5
    ana.send(envelope("tab-1", "ana", 6, []))
    assert ana.receive() == {"t": "eject", "room": "r", "writer": "ana", "reason": "rate"}


def test_hydrate(relay, control):
    snapshot = '{"seq":7,"root":{"a":"\\u0000\\ud800"},"epoch":"old","schemaVersion":2,"journal":[]}'
    control.id += 1
    status, body = control.post('{"id":"x","do":"hydrate","room":"r","snapshot":' + snapshot + "}")
    assert status == 200 and json.loads(body) == {"reply": {"id": "x", "ok": True}, "events": []}
    assert control.ask("hydrate", room="r", snapshot={"seq": 8})[0] == {"ok": False}
    _, welcome = relay.join("ana", "tab-1")
    assert (welcome["seq"], welcome["epoch"], welcome["schemaVersion"]) == (7, "old", 2)
    assert welcome["root"] == {"a": "\u0000\ud800"}


def test_a_clock_that_was_set_stands(relay, control):
    control.ask("open", relay=1, profile="0.2.0", options={"limits": {"maxEnvelopesPerSecond": 500}})
    control.ask("clock", relay=1, ms=1700000000000)
    ana, _ = relay.join("ana", "tab-1")
    for version in range(1, 1001):  # takes far longer than the two milliseconds that would pay for one more
        ana.send(envelope("tab-1", "ana", version, []))
        assert ana.receive()["env"]["seq"] == version
    ana.send(envelope("tab-1", "ana", 1001, []))
    assert ana.receive() == {"t": "eject", "room": "r", "writer": "ana", "reason": "rate"}


@pytest.mark.parametrize("verb, fields", [("hydrate", {}), ("hydrate", {"room": "r"}), ("hydrate", {"room": "r", "snapshot": 7}), ("hydrate", {"room": "r", "snapshot": {"seq": -1}}),
                                          ("room", {}), ("room", {"room": 7}), ("clock", {}), ("clock", {"ms": "x"})])
def test_a_command_that_lacks_something_says_what(control, verb, fields):
    reply, _ = control.ask(verb, **fields)
    assert set(reply) == {"error"} and reply["error"]


def test_hydrate_before_0_1_1(control):
    control.ask("open", relay=1, profile="0.1.0")
    assert set(control.ask("hydrate", room="r", snapshot={"seq": 1})[0]) == {"no"}


def test_a_large_snapshot(relay, control):
    root = {f"key-{i}": "x" * 1000 for i in range(5000)}
    assert control.ask("hydrate", room="r", snapshot={"seq": 1, "root": root})[0] == {"ok": True}
    ana, welcome = relay.join("ana", "tab-1")
    assert welcome["root"] == root
    ana.send(envelope("tab-1", "ana", 1, []))
    ana.receive()
    _, events = control.ask("room", room="r")
    assert events[0]["state"]["root"] == root


@pytest.mark.parametrize("verb", ["close", "stop"])
def test_close_leaves_a_fresh_relay(relay, control, verb):
    control.ask("open", relay=1, profile="0.2.0", options={"policyVersion": 3})
    ana = relay.connect("ana")
    assert control.ask(verb, relay=1)[0] == {"ok": True}
    assert ana.receive_until_closed() == ([], 1012)
    _, welcome = relay.join("ana", "tab-1")
    assert welcome["seq"] == 0


@pytest.mark.parametrize("body", ["{", "7", "[]", "{}", '{"id":1}', '{"do":"start"}', '{"id":1,"do":7}', "\xff", '{"id":1,"do":"start"}x'])
def test_a_bad_command_is_refused(relay, control, body):
    status, text = control.post(body.encode("latin-1"))
    assert status == 400 and text
    assert "ok" in Control(relay).ask("start")[0]


@pytest.mark.parametrize("method, headers, status", [("GET", {}, 405), ("POST", {"Origin": "http://evil.example"}, 403), ("POST", {"Content-Length": "0"}, 411),
                                                     ("POST", {"Content-Length": "99999999999"}, 413), ("POST", {"Content-Length": "-5"}, 411)])
def test_bad_requests_are_refused_with_words(relay, control, method, headers, status):
    control.connection.request(method, "/", None, headers)
    response = control.connection.getresponse()
    assert response.status == status and response.read().strip()
    assert "ok" in Control(relay).ask("start")[0]


def test_commits_under_load_arrive_in_order(relay, control):
    ana, _ = relay.join("ana", "tab-1")
    seen = []
    for version in range(1, 201):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], version)))
    while len(seen) < 200:
        seen += [event["state"]["seq"] for event in control.ask("room", room="r")[1]]
    assert seen == list(range(1, 201))


def test_held_commits_and_unloading(relay, control):
    control.ask("open", relay="x", profile="0.9", options={"ejection": "connection"})
    ana = relay.connect("ana")
    ana.send(hello("tab-1", proto=3))
    instance = ana.receive()["instance"]
    assert control.ask("hold") == ({"ok": True}, [{"on": "join", "relay": "x", "room": "r", "writer": "ana", "origin": "tab-1"}])
    write = envelope("tab-1", "ana", 1, [])
    write["env"].update(proto=3, instance=instance)
    ana.send(write)
    ana.send({"t": "signal", "room": "r", "to": "tab-1", "data": 1})
    assert ana.receive()["t"] == "signal", "the echo waits"
    assert control.ask("unload", room="r")[0] == {"ok": False}
    assert control.ask("release", room="r", seq=1)[0] == {"ok": True}
    assert ana.receive()["env"]["seq"] == 1
    assert control.ask("room", room="r")[0] == {"ok": {"seq": 1, "instance": instance, "members": 1, "journal": 1, "stalled": False}}
    control.ask("unhold")
    write["env"].update(version=2)
    ana.send(write)
    assert ana.receive()["env"]["seq"] == 2


def test_older_relays_hold_nothing(relay, control):
    assert set(control.ask("hold")[0]) == {"no"} and set(control.ask("unload", room="r")[0]) == {"no"}


def test_bytes_behind_a_command_do_not_repeat_it(relay, control):
    ana, _ = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, setting(["a"], 1)))
    ana.receive()
    body = json.dumps({"id": 1, "do": "room", "relay": 1, "room": "r"}).encode()
    with socket.create_connection(("127.0.0.1", relay.control_port), LIMIT_SECONDS) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%sand more" % (len(body), body))
        said = b"".join(iter(lambda: connection.recv(65536), b""))
    answer, _ = json.JSONDecoder().raw_decode(said.partition(b"\r\n\r\n")[2].decode())
    assert answer["reply"]["ok"]["seq"] == 1
    assert [event["on"] for event in answer["events"]] == ["commit"], "a second answer to the same command took the first one's place"
