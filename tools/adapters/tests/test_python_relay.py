"""The Python relay behind the adapter protocol: the handshake, bad input, and the values that break easily."""

import json

import pytest
from adapter_process import AdapterProcess, set_op, to

SCRIPT = "python-relay/adapter.py"


@pytest.fixture
def adapter():
    with AdapterProcess(SCRIPT) as process:
        yield process


def test_start_says_what_it_is_and_can(adapter):
    reply, events = adapter.command("start", meshspec=1)
    assert events == []
    assert reply["ok"]["profiles"] == ["0.1.0", "0.1.1", "0.2.0"]
    assert set(reply["ok"]["can"]) == {
        "options", "clock", "hydrate", "room", "commit", "violation", "policy.acl", "policy.validate",
    }


def test_another_version_of_the_adapter_protocol_is_declined(adapter):
    assert list(adapter.command("start", meshspec=2)[0]) == ["no"]


def test_an_unknown_command_is_unsupported(adapter):
    assert adapter.command("juggle") == ({"unsupported": True}, [])
    assert adapter.command(["open"]) == ({"unsupported": True}, [])


@pytest.mark.parametrize("line", [
    b"junk", b'{"id":1', b"[]", b'"\xff"', b'{"do":"start"}', pytest.param(b"[" * 300_000, id="deep"),
])
def test_a_bad_line_is_answered_and_survived(adapter, line):
    reply, events = adapter.exchange(line)
    assert reply["id"] is None and reply["error"] and events == []
    assert "ok" in adapter.command("start", meshspec=1)[0]


def test_a_command_that_cannot_be_carried_out_is_an_error(adapter):
    adapter.open("ana")
    assert "not open" in adapter.command("room", relay="nobody", room="r")[0]["error"]
    assert "not there" in adapter.command("receive", conn="nobody", text="{}")[0]["error"]
    assert "text" in adapter.command("receive", conn="ana")[0]["error"]
    assert "already" in adapter.command("connect", relay="r1", conn="ana", principal={"writer": "w"})[0]["error"]
    assert "snapshot" in adapter.command("hydrate", relay="r1", room="r", snapshot={"seq": -1})[0]["error"]


@pytest.mark.parametrize("options, named", [
    ({"colour": "red"}, "colour"),
    ({"limits": {"maxRooms": 1}}, "maxRooms"),
    ({"policy": {"canBump": True}}, "canBump"),
    ({"journalLimit": "many"}, "journalLimit"),
    ({"policy": {"validate": [{"prefix": [], "deny": {"$odd": 1}}]}}, "$odd"),
])
def test_an_option_that_it_cannot_honour_is_declined_by_name(adapter, options, named):
    reply, _ = adapter.command("open", relay="r1", profile="0.2.0", options=options)
    assert named in reply["no"]


def test_a_hello_and_a_write_go_round(adapter):
    adapter.open("ana", "ben")
    [(who, welcome)] = adapter.hello("ana")
    epoch = welcome.pop("epoch")
    assert who == "ana" and epoch
    assert welcome == {
        "t": "welcome", "room": "r", "seq": 0, "schemaVersion": 0, "peers": [], "members": [], "mode": "up-to-date",
    }
    adapter.hello("ben")
    events = adapter.write_ops("ana", set_op([], {"v": 1}), note="kept")
    [echo] = to("ana", events)
    assert echo["env"]["seq"] == 1 and echo["env"]["note"] == "kept"
    assert to("ben", events) == [echo]
    [commit] = to("commit", events)
    assert commit["env"] == echo["env"]
    assert commit["state"] == {"seq": 1, "epoch": epoch, "schemaVersion": 0, "root": {"v": 1}}
    assert adapter.command("room", relay="r1", room="r")[0] == {"ok": {"seq": 1, "members": 2, "journal": 1}}
    assert adapter.command("room", relay="r1", room="other")[0] == {"ok": None}


def test_the_first_version_knows_no_commits_no_hydrate_and_no_schema(adapter):
    adapter.open("ana", profile="0.1.0")
    [(_, welcome)] = adapter.hello("ana")
    assert "schemaVersion" not in welcome
    assert to("commit", adapter.write_ops("ana", set_op([], 1))) == []
    assert adapter.command("hydrate", relay="r1", room="q", snapshot={"seq": 3}) == ({"unsupported": True}, [])


def test_a_violation_ejects_and_closes(adapter):
    adapter.open("ana", "ben")
    adapter.hello("ana")
    adapter.hello("ben")
    events = adapter.write_ops("ana", set_op([], 1), writer="ben")
    eject = {"t": "eject", "room": "r", "writer": "ana", "reason": "writer-mismatch"}
    assert to("ana", events) == [eject, "closed"]
    assert to("ben", events) == [eject, {"t": "member", "room": "r", "origin": "ana", "gone": True}]
    assert to("violation", events)[0]["violation"] == {"writer": "ana", "reason": "writer-mismatch"}
    assert adapter.command("disconnect", conn="ana") == ({"ok": True}, [])


def test_the_clock_refills_the_bucket(adapter):
    adapter.open("ana", limits={"maxEnvelopesPerSecond": 1})
    adapter.hello("ana")
    for _ in range(2):
        assert to("ana", adapter.write_ops("ana"))[0]["t"] == "env"
    adapter.command("clock", relay="r1", ms=1_700_000_001_000)
    assert to("ana", adapter.write_ops("ana"))[0]["t"] == "env"
    assert to("ana", adapter.write_ops("ana"))[0]["reason"] == "rate"


def test_a_denied_path_and_a_denied_value_are_violations(adapter):
    policy = {
        "acl": [{"prefix": ["a", "*"], "allow": True}, {"prefix": [3], "allow": {"writer": "ben"}}],
        "validate": [{"prefix": ["a"], "deny": {"$lt": 0}}],
    }
    adapter.open("ana", "ben", "cid", policy=policy)
    for name in ("ana", "ben", "cid"):
        adapter.hello(name)
    assert to("violation", adapter.write_ops("ben", set_op(["3"], 1), set_op(["a", 0], -1)))[0]["violation"] == {
        "writer": "ben", "reason": "validate", "path": ["a", 0],
    }
    assert to("violation", adapter.write_ops("cid", set_op([3], 1)))[0]["violation"]["reason"] == "can-write"
    assert to("ana", adapter.write_ops("ana", set_op(["a", "b"], 1)))[0]["t"] == "env"


VALUES = [
    "0", "-0.0", "1.0", "1e21", "9007199254740993", "1.7976931348623157e308", "5e-324", "null", "false", '""',
    r'"\u0000"', r'"\ud83d"', r'"\ude00\ud83d"', r'"\ud83d\ude00"', '{"":{"":[]}}', '{"__proto__":1}', '{"a":1,"a":2}',
]


@pytest.mark.parametrize("text", VALUES)
def test_a_value_survives_the_echo_and_the_snapshot(adapter, text):
    adapter.open("ana", "ben", journalLimit=0)
    adapter.hello("ana")
    frame = (
        '{"t":"env","room":"r","env":{"proto":1,"origin":"o","writer":"ana","version":1,"hlc":{"p":1,"l":0},'
        '"policyVersion":0,"ops":[{"kind":"set","path":["x"],"next":%s}]}}' % text
    )
    _, events = adapter.command("receive", conn="ana", text=frame)
    assert repr(json.loads(events[0]["text"])["env"]["ops"][0]["next"]) == repr(json.loads(text))
    [welcome] = to("ben", adapter.hello("ben"))
    assert repr(welcome["root"]["x"]) == repr(json.loads(text))


@pytest.mark.parametrize("levels", [5_000, 20_000, 99_000])
def test_deep_nesting_is_kept_whole_also_in_a_snapshot(adapter, levels):
    adapter.open("ana", "ben", profile="0.1.0", journalLimit=0)
    adapter.hello("ana")
    value = "[" * levels + "]" * levels
    frame = (
        '{"t":"env","room":"r","env":{"proto":1,"origin":"o","writer":"ana","version":1,"hlc":{"p":1,"l":0},'
        '"policyVersion":0,"ops":[{"kind":"set","path":["x","y"],"next":%s}]}}' % value
    )
    _, events = adapter.command("receive", conn="ana", text=frame)
    assert value in events[0]["text"]
    hello = json.dumps({"t": "hello", "room": "r", "origin": "ben", "proto": 1, "policyVersion": 0})
    _, events = adapter.command("receive", conn="ben", text=hello)
    assert '"root":{"x":{"y":%s}}' % value in [e["text"] for e in events if e["conn"] == "ben"][0]


@pytest.mark.parametrize("text", [
    "", "[]", "null", "{}", '{"t":"hello","room":"r"}', '{"t":"hello","room":1,"origin":"o"}', '{"t":["env"],"room":"r"}',
    '{"t":"env","room":"r","env":{"proto":1,"policyVersion":0,"writer":"ana","ops":[1]}}', '{"t":"env","room":"r"}',
    '{"t":"signal","room":"r","to":{}}', '{"t":"hello"}{}', '{"x":NaN}', '{"x":01}',
    pytest.param("[" * 500_000, id="deep"),
])
def test_junk_is_dropped_and_the_connection_goes_on(adapter, text):
    adapter.open("ana")
    adapter.hello("ana")
    assert adapter.command("receive", conn="ana", text=text) == ({"ok": True}, [])
    assert to("ana", adapter.write_ops("ana", set_op([], 1)))[0]["env"]["seq"] == 1


@pytest.mark.parametrize("segment, key", [
    ("1", "1"), ("1.0", "1"), ("-0.0", "0"), ("-1", "-1"), ("1.5", "1.5"), ("123456789012345680000", "123456789012345680000"),
    ("1e21", "1e+21"), ("0.000015", "0.000015"), ("1e-7", "1e-7"),
])
def test_a_number_on_an_object_is_its_decimal_string(adapter, segment, key):
    adapter.open("ana")
    adapter.hello("ana")
    events = adapter.write_ops("ana", set_op([], {}), set_op([json.loads(segment)], True))
    assert to("commit", events)[0]["state"]["root"] == {key: True}


def test_a_huge_index_is_ordered_and_does_not_eat_the_memory(adapter):
    adapter.open("ana")
    adapter.hello("ana")
    events = adapter.write_ops("ana", set_op([], []), set_op([4294967294], 1), set_op([2], "x"))
    assert to("ana", events)[0]["env"]["seq"] == 1
    assert to("commit", events)[0]["state"]["root"] == [None, None, "x"]


def test_relays_in_one_process_share_nothing(adapter):
    adapter.open("ana", relay="r1")
    adapter.open("ben", relay="r2")
    adapter.hello("ana")
    assert to("ben", adapter.hello("ben"))[0]["members"] == []
    assert adapter.command("close", relay="r1")[0] == {"ok": True}
    assert "not there" in adapter.command("receive", conn="ana", text="{}")[0]["error"]
    assert to("ben", adapter.write_ops("ben"))[0]["env"]["seq"] == 1


def test_stop_ends_it(adapter):
    assert adapter.command("stop") == ({"ok": True}, [])
    assert adapter.child.wait(timeout=10) == 0
