"""Every ceiling: who goes past it is told in one clear way, and nobody else notices."""
import json
import pathlib
import socket

import pytest

from relay_process import envelope, fence, hello, setting
from websocket_client import Closed, Refused, frame

PAGE = (pathlib.Path(__file__).resolve().parents[1] / "README.md").read_text()


def end_of(connection):
    """(messages, close code, reason) of all that still comes."""
    messages = []
    while True:
        try:
            messages.append(connection.receive())
        except Closed as closed:
            assert len(closed.reason.encode()) <= 123
            assert f'close {closed.code} "{closed.reason}"' in PAGE or closed.reason == "the relay ended this connection"
            return messages, closed.code, closed.reason


def test_connections_in_all(start):
    relay = start("--metrics", 0, "--max-connections", 1)
    ana, _ = relay.join("ana", "tab-1")
    with pytest.raises(Refused) as refused:
        relay.connect("ben", source="127.0.0.2")
    fence(ana, "tab-1")
    assert refused.value.status == 503
    assert relay.limit_hits("connections") == 1 and relay.metrics()["meshspec_relay_handshakes_refused_total"] == 1


def test_connections_per_address(start):
    relay = start("--metrics", 0, "--max-connections-per-address", 2)
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2")
    with pytest.raises(Refused) as refused:
        relay.connect("cleo")
    assert refused.value.status == 429 and "2 connections" in refused.value.body
    elsewhere, _ = relay.join("cleo", "tab-3", source="127.0.0.2")
    assert relay.limit_hits("connections_per_address") == 1
    ben.close()
    again, _ = relay.join("ben", "tab-2")
    fence(again, "tab-2")
    fence(elsewhere, "tab-3")
    fence(ana, "tab-1")


def test_connections_per_address_can_be_off(start):
    relay = start("--max-connections-per-address", 0)
    assert len([relay.connect(f"w{i}") for i in range(300)]) == 300


def test_one_address_does_not_push_another_out_of_the_door(start):
    relay = start("--metrics", 0, "--handshake-timeout", 60)
    with socket.socket() as slow:
        slow.settimeout(20)
        slow.bind(("127.0.0.2", 0))
        slow.connect(("127.0.0.1", relay.port))
        slow.sendall(b"GET /?writer=ana HTTP/1.1\r\n")
        idle = [socket.create_connection(("127.0.0.1", relay.port), timeout=20) for _ in range(700)]
        assert idle[0].recv(1) == b""
        slow.sendall(b"Host: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                     b"Sec-WebSocket-Version: 13\r\n\r\n")
        assert slow.recv(4096).startswith(b"HTTP/1.1 101")
        assert relay.metrics()["meshspec_relay_handshakes"] <= 128 and relay.limit_hits("handshakes") >= 700 - 128
        for one in idle:
            one.close()


def test_handshake_time(start):
    relay = start("--metrics", 0, "--handshake-timeout", 1)
    with socket.create_connection(("127.0.0.1", relay.port), timeout=20) as slow:
        assert slow.recv(1) == b""
    with socket.create_connection(("127.0.0.1", relay.port), timeout=20) as gone:
        gone.sendall(b"GET")
    relay.join("ana", "tab-1")
    assert relay.limit_hits("handshake_time") == 1, "only what time ended counts"


def test_silence(start):
    relay = start("--metrics", 0, "--ping-interval", 1)
    watcher, _ = relay.join("watcher", "w")
    silent, _ = relay.join("ana", "tab-1")
    assert not watcher.receive().get("gone") and watcher.receive()["gone"]
    assert relay.limit_hits("silence") == 1
    silent.reset()


@pytest.mark.parametrize("flag, limit, code, words", [
    ("--max-rooms-per-connection", "rooms_per_connection", 1008, "as many rooms"),
    ("--max-rooms", "rooms", 1008, "all the rooms")])
def test_rooms(start, flag, limit, code, words):
    relay = start("--metrics", 0, flag, 2)
    ana, _ = relay.join("ana", "tab-1", "one")
    ben, _ = relay.join("ben", "tab-2", "one")
    ana.send(hello("tab-1", "two"))
    fence(ana, "tab-1", "two")
    fence(ben, "tab-2", "one")
    ana.send(hello("tab-1", "three"))
    messages, got, reason = end_of(ana)
    assert (messages, got) == ([], code) and words in reason
    assert ben.receive() == {"t": "member", "room": "one", "origin": "tab-1", "gone": True}
    assert relay.limit_hits(limit) == 1


def test_members_per_room(start):
    relay = start("--metrics", 0, "--max-members-per-room", 2)
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2")
    fence(ana, "tab-1")
    cleo = relay.connect("cleo")
    cleo.send(hello("tab-3"))
    messages, code, reason = end_of(cleo)
    assert (messages, code) == ([], 1008) and "members" in reason
    assert relay.limit_hits("members_per_room") == 1 and relay.metrics()["meshspec_relay_members"] == 2
    again, welcome = relay.join("ben", "tab-2")
    assert welcome["members"] == ["tab-1"]
    assert end_of(ben)[1] == 1008


def test_root_bytes(start):
    relay = start("--metrics", 0, "--max-root-bytes", 10000)
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2")
    fence(ana, "tab-1")
    ana.send(envelope("tab-1", "ana", 1, setting(["a"], "x" * 6000)))
    assert ana.receive()["env"]["seq"] == 1
    ana.send(envelope("tab-1", "ana", 2, setting(["b"], "x" * 6000)))
    messages, code, reason = end_of(ana)
    assert (messages, code) == ([], 1009) and "space" in reason
    assert [message["t"] for message in fence(ben, "tab-2")] == ["env", "member"]
    ben.send(envelope("tab-2", "ben", 1, setting(["a"], "x" * 9000)))
    assert ben.receive()["env"]["seq"] == 2, "what is replaced makes room"
    assert relay.limit_hits("root_bytes") == 1


def test_holes_count_as_bytes_of_the_root(start):
    relay = start("--max-root-bytes", 100000)
    ana, _ = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, setting(["a", 900000], 1)))
    assert end_of(ana)[:2] == ([], 1009)


def test_array_length(start):
    relay = start("--metrics", 0, "--max-array-length", 10)
    ana, _ = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, setting(["a", 9], 1)))
    assert ana.receive()["env"]["seq"] == 1
    ana.send(envelope("tab-1", "ana", 2, setting(["a", 4294967294], 1)))
    assert ana.receive()["env"]["seq"] == 2
    _, welcome = relay.join("ben", "tab-2")
    assert welcome["root"] == {"a": [None] * 9 + [1]}
    assert relay.limit_hits("array_length") == 1


def test_journal_bytes(start):
    relay = start("--max-journal-bytes", 5000)
    ana, _ = relay.join("ana", "tab-1")
    for version in range(1, 11):
        ana.send(envelope("tab-1", "ana", version, setting(["a"], "x" * 1000)))
        assert ana.receive()["env"]["seq"] == version
    ben = relay.connect("ben")
    ben.send(hello("tab-2", seq=1))
    assert ben.receive()["mode"] == "snapshot"
    ben.send(hello("tab-2", seq=8))
    assert [env["seq"] for env in ben.receive()["envs"]] == [9, 10]


@pytest.mark.parametrize("message", [
    envelope("tab-1", "ana", 1, setting(["a"], "#")),
    envelope("tab-1", "ana", 1, [], note="#"),
    {"t": "presence", "room": "r", "data": "#"},
    {"t": "signal", "room": "r", "to": "tab-1", "data": "#"},
    {"t": "other", "odd": "#"}])
def test_depth(start, message):
    relay = start("--metrics", 0, "--max-depth", 50)
    ben, _ = relay.join("ben", "tab-2")
    for levels, fine in ((49, True), (51, False)):
        ana, _ = relay.join("ana", "tab-1")
        ana.send_text(json.dumps(message).replace('"#"', "[" * levels + "]" * levels))
        if fine:
            fence(ana, "tab-1")
        else:
            messages, code, reason = end_of(ana)
            assert (messages, code) == ([], 1008) and "deeper" in reason
    assert relay.limit_hits("depth") == 1
    fence(ben, "tab-2")


def test_a_long_path_is_as_deep_as_a_deep_value(start):
    relay = start("--max-depth", 50)
    ana, _ = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, setting(["k"] * 50, 1)))
    assert ana.receive()["env"]["seq"] == 1
    ana.send(envelope("tab-1", "ana", 2, setting(["k"] * 51, 1)))
    assert end_of(ana)[:2] == ([], 1008)


def test_name_bytes(start):
    relay = start("--metrics", 0, "--max-name-bytes", 100)
    relay.join("ana", "é" * 50, "表" * 33)
    for room, origin in (("r" * 101, "o"), ("r", "é" * 51)):
        ana = relay.connect("ana")
        ana.send(hello(origin, room))
        assert end_of(ana)[:2] == ([], 1008)
    assert relay.limit_hits("name_bytes") == 2


def test_presence_bytes(start):
    relay = start("--metrics", 0, "--max-presence-bytes", 10000)
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2")
    for data in ("x" * 9000, "y" * 5000):
        ana.send({"t": "presence", "room": "r", "data": data})
    fence(ana, "tab-1")
    ben.send({"t": "presence", "room": "r", "data": "z" * 6000})
    messages, code, _ = end_of(ben)
    assert code == 1009 and [message["t"] for message in messages] == ["presence", "presence"]
    assert relay.limit_hits("presence_bytes") == 1
    fence(ana, "tab-1")


def test_kept_bytes(start):
    relay = start("--metrics", 0, "--max-kept-bytes", 10000)
    ana, _ = relay.join("ana", "tab-1")
    for version in (1, 2):
        ana.send(envelope("tab-1", "ana", version, setting(["a"], "x" * 4000)))
        assert ana.receive()["env"]["seq"] == version
    ana.send(envelope("tab-1", "ana", 3, []))
    assert end_of(ana)[:2] == ([], 1013)
    assert relay.limit_hits("kept_bytes") == 1 and relay.metrics()["meshspec_relay_kept_bytes"] > 10000
    _, welcome = relay.join("ana", "tab-1")
    assert (welcome["seq"], welcome["mode"]) == (2, "snapshot")


def test_message_bytes(start):
    relay = start("--metrics", 0, "--max-message-bytes", 1000)
    ana, _ = relay.join("ana", "tab-1")
    ana.send_raw(frame("x", announced=1001))
    assert end_of(ana)[:2] == ([], 1009)
    assert relay.limit_hits("message_bytes") == 1


def test_messages_per_second_slow_the_sender_down_and_lose_nothing(start):
    relay = start("--metrics", 0, "--max-messages-per-second", 100)
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2")
    flood = b"".join(frame(json.dumps({"t": "signal", "room": "r", "to": "tab-2", "data": i})) for i in range(400))
    ana.send_raw(flood)
    got = [message["data"] for message in fence(ben, "tab-2") if message["t"] == "signal"]  # Ben has a pace of its own
    assert len(got) < 400 and relay.metrics()["meshspec_relay_messages_received_total"] < 400, "it is not read at once"
    while len(got) < 400:
        got.append(ben.receive()["data"])
    assert got == list(range(400))
    assert relay.limit_hits("messages_per_second") > 0


def test_messages_per_second_can_be_off(start):
    relay = start("--metrics", 0, "--max-messages-per-second", 0)
    ana, _ = relay.join("ana", "tab-1")
    ana.send_raw(frame(json.dumps({"t": "signal", "room": "r", "to": "nobody"})) * 20000)
    fence(ana, "tab-1")
    assert relay.limit_hits("messages_per_second") == 0


def test_a_sender_that_is_being_slowed_down_can_leave(start):
    relay = start("--max-messages-per-second", 1)
    ben, _ = relay.join("ben", "tab-2")
    ana, _ = relay.join("ana", "tab-1")
    ana.send_raw(frame(json.dumps({"t": "signal", "room": "r", "to": "nobody"})) * 1000)
    ana.reset()
    relay.stop()


def write_until_someone_goes(relay, ana, watcher, most=400):
    """Ana writes to the room until the watcher sees a member leave; the origins that left."""
    gone = []
    for version in range(1, most + 1):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], "x" * 40000)))
        while ana.receive()["t"] != "env":
            pass
        while (message := watcher.receive())["t"] != "env":
            if message.get("gone"):
                gone.append(message["origin"])
        if gone:
            return gone
    return gone


def test_waiting_bytes(start):
    relay = start("--metrics", 0, "--max-waiting-bytes", 1 << 20)
    relay.slow, _ = relay.join("slow", "slow", receive_buffer=4096)
    ana, _ = relay.join("ana", "tab-1")
    watcher, _ = relay.join("watcher", "w")
    assert write_until_someone_goes(relay, ana, watcher) == ["slow"]
    assert relay.limit_hits("waiting_bytes") == 1 and relay.limit_hits("waiting_bytes_in_all") == 0


def test_waiting_bytes_in_all_cut_off_whoever_has_the_most(start):
    relay = start("--metrics", 0, "--max-waiting-bytes", 1 << 30, "--max-waiting-bytes-in-all", 4 << 20)
    ana, _ = relay.join("ana", "tab-1")
    heavy, _ = relay.join("heavy", "heavy", receive_buffer=4096)
    watcher, _ = relay.join("watcher", "w")
    for version in range(1000, 1080):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], "x" * 40000)))
        while ana.receive()["t"] != "env":
            pass
        while watcher.receive()["t"] != "env":
            pass
    light, _ = relay.join("light", "light", receive_buffer=4096)
    assert write_until_someone_goes(relay, ana, watcher)[0] == "heavy"
    assert relay.limit_hits("waiting_bytes_in_all") == 1
    fence(ana, "tab-1")
    assert relay.metrics()["meshspec_relay_queued_bytes"] < 4 << 20
