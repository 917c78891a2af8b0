"""Messages on the wire: hello, writes, fragments, and what is no message of this protocol."""
import json
import socket
import struct

import pytest

from relay_process import envelope, fence, hello, setting
from websocket_client import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Closed, frame


def test_hello_write_echo(relay):
    ana, _ = relay.join("ana", "tab-1")
    ben, welcome = relay.join("ben", "tab-2")
    assert welcome["members"] == ["tab-1"]
    ana.send(envelope("tab-1", "ana", 1, setting(["a"], "Ä\u0000🙂"), extra=[1]))
    assert ana.receive() == {"t": "member", "room": "r", "origin": "tab-2"}
    echo = ana.receive()
    assert echo["env"]["ops"][0]["next"] == "Ä\u0000🙂" and echo["env"]["seq"] == 1 and echo["env"]["extra"] == [1]
    assert ben.receive() == echo
    ana.close()
    assert ben.receive() == {"t": "member", "room": "r", "origin": "tab-1", "gone": True}


def test_everything_behind_the_handshake_is_answered_in_order(relay):
    behind = frame(json.dumps(hello("tab-1")))
    for version in range(1, 101):
        behind += frame(json.dumps(envelope("tab-1", "ana", version, setting(["n"], version))))
    connection = relay.connect("ana", behind=behind)
    assert connection.receive()["t"] == "welcome"
    assert [connection.receive()["env"]["seq"] for _ in range(100)] == list(range(1, 101))


@pytest.mark.parametrize("pieces", [2, 3, 10, 1000])
def test_fragments_are_put_together(relay, pieces):
    connection, _ = relay.join("ana", "tab-1")
    text = json.dumps(envelope("tab-1", "ana", 1, setting(["text"], "Ä表🙂" * 300)), ensure_ascii=False).encode()
    cuts = [len(text) * i // pieces for i in range(pieces + 1)]
    for i in range(pieces):
        opcode = TEXT if i == 0 else CONTINUATION
        connection.send_raw(frame(text[cuts[i]:cuts[i + 1]], opcode, final=i == pieces - 1))
        if i == 0:
            connection.send_raw(frame(b"hello?", PING))
    opcode, payload = connection.receive_frame()
    assert (opcode, payload) == (PONG, b"hello?")
    assert connection.receive()["env"]["ops"][0]["next"] == "Ä表🙂" * 300


def test_byte_by_byte(relay):
    connection, _ = relay.join("ana", "tab-1")
    for byte in frame(json.dumps(envelope("tab-1", "ana", 1, setting(["a"], "é")))):
        connection.send_raw(bytes([byte]))
    assert connection.receive()["env"]["seq"] == 1


def test_empty_fragments(relay):
    connection, _ = relay.join("ana", "tab-1")
    text = json.dumps(envelope("tab-1", "ana", 1, [])).encode()
    connection.send_raw(frame(b"", TEXT, final=False) + frame(b"", CONTINUATION, final=False) +
                        frame(text, CONTINUATION, final=False) + frame(b"", CONTINUATION))
    assert connection.receive()["env"]["seq"] == 1


def test_binary_is_closed_1003_and_nothing_of_it_counts(relay):
    watcher, _ = relay.join("watcher", "w")
    connection, _ = relay.join("ana", "tab-1")
    connection.send_raw(frame(json.dumps(envelope("tab-1", "ana", 1, [])), BINARY))
    assert connection.receive_until_closed() == ([], 1003)
    assert [message["t"] for message in fence(watcher, "w")] == ["member", "member"]


BAD_UTF8 = {"stray": b"\x80", "overlong": b"\xc0\xaf", "overlong-3": b"\xe0\x80\xaf", "surrogate": b"\xed\xa0\x80",
            "too-high": b"\xf4\x90\x80\x80", "cut": b"\xe8\xa1", "five-bytes": b"\xf8\x88\x80\x80\x80", "ff": b"\xff"}


@pytest.mark.parametrize("pieces", [1, 2, 5])
@pytest.mark.parametrize("name", BAD_UTF8)
def test_bad_utf8_is_closed_1007_and_nothing_of_it_counts(relay, name, pieces):
    watcher, _ = relay.join("watcher", "w")
    connection, _ = relay.join("ana", "tab-1")
    text = json.dumps(envelope("tab-1", "ana", 1, setting(["a"], "#"))).encode().replace(b"#", b"text" + BAD_UTF8[name])
    middle = text.index(BAD_UTF8[name]) + 1
    cuts = sorted({0, len(text), *[middle + i for i in range(pieces - 1)]})
    for start, end in zip(cuts, cuts[1:]):
        connection.send_raw(frame(text[start:end], TEXT if start == 0 else CONTINUATION, final=end == len(text)))
    assert connection.receive_until_closed() == ([], 1007)
    assert [message["t"] for message in fence(watcher, "w")] == ["member", "member"]


def test_utf8_cut_at_the_end_of_the_message(relay):
    connection, _ = relay.join("ana", "tab-1")
    connection.send_raw(frame(b'"\xe8\xa1', TEXT, final=False) + frame(b"", CONTINUATION))
    assert connection.receive_until_closed() == ([], 1007)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", "\"x\"", "{}", "{\"t\":\"nonsense\"}", "{\"t\":\"hello\"}", "{}junk", "\\u12"])
def test_garbage_disturbs_nobody(relay, text):
    watcher, _ = relay.join("watcher", "w")
    connection, _ = relay.join("ana", "tab-1")
    connection.send_text(text)
    connection.send({"t": "signal", "room": "r", "to": "tab-1"})
    texts, code = connection.receive_until_closed() if text_closes(connection) else ([], None)
    assert code in (None, 1008)
    assert {message["t"] for message in fence(watcher, "w")} <= {"member"}


def text_closes(connection):
    """Whether the relay closed: it either answers the signal behind or closes, and is never deaf."""
    opcode, payload = connection.receive_frame()
    if opcode == CLOSE:
        assert struct.unpack("!H", payload[:2])[0] == 1008
        return False
    assert json.loads(payload)["t"] == "signal"
    return False


def test_oversized_is_closed_1009_and_the_client_can_come_back(start):
    relay = start("--max-message-bytes", 2000)
    watcher, _ = relay.join("watcher", "w")
    connection, _ = relay.join("ana", "tab-1")
    fits = json.dumps(envelope("tab-1", "ana", 1, [])).ljust(2000)
    connection.send_text(fits)
    assert connection.receive()["env"]["seq"] == 1
    connection.send_text(fits + " ")
    assert connection.receive_until_closed() == ([], 1009)
    again, welcome = relay.join("ana", "tab-1")
    assert welcome["seq"] == 1
    again.send_text(fits)
    assert again.receive()["env"]["seq"] == 2
    assert [message["t"] for message in fence(watcher, "w")] == ["member", "env", "member", "member", "env"]


def test_oversized_across_fragments(start):
    relay = start("--max-message-bytes", 2000)
    connection, _ = relay.join("ana", "tab-1")
    connection.send_raw(frame(" " * 1500, TEXT, final=False) + frame(" " * 501, CONTINUATION))
    assert connection.receive_until_closed() == ([], 1009)


@pytest.mark.parametrize("announced", [1 << 24, (1 << 62) + 5])
def test_announced_oversize_is_not_waited_for(relay, announced):
    connection, _ = relay.join("ana", "tab-1")
    connection.send_raw(frame(" " * 100, announced=announced + 1000))
    assert connection.receive_until_closed() == ([], 1009)


def test_megabyte_payload(relay):
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2")
    value = "x" * (1 << 20)
    ana.send(envelope("tab-1", "ana", 1, setting(["a"], value)))
    ana.receive()
    assert ana.receive()["env"]["ops"][0]["next"] == value
    assert ben.receive()["env"]["ops"][0]["next"] == value
    _, welcome = relay.join("cleo", "tab-3")
    assert welcome["root"] == {"a": value}


def test_five_thousand_levels(relay):
    connection, _ = relay.join("ana", "tab-1")
    deep = "[" * 5000 + "]" * 5000
    connection.send_text(json.dumps(envelope("tab-1", "ana", 1, setting(["a"], "#"))).replace('"#"', deep))
    assert deep in connection.receive_text()
    joiner = relay.connect("ben")
    joiner.send(hello("tab-2"))
    assert deep in joiner.receive_text()


def test_pings_are_answered(relay):
    connection, _ = relay.join("ana", "tab-1")
    connection.send_raw(frame(b"\x00payload", PING))
    assert connection.receive_frame() == (PONG, b"\x00payload")


@pytest.mark.parametrize("data", [frame("x", 3), frame("x", 11), b"\xf1\x80\x00\x00\x00\x00", frame("x", CONTINUATION), frame("x", PING, final=False)],
                         ids=["reserved-data-opcode", "reserved-control-opcode", "reserved-bits", "continuation-of-nothing", "fragmented-ping"])
def test_broken_framing_ends_only_that_connection(relay, data):
    watcher, _ = relay.join("watcher", "w")
    connection, _ = relay.join("ana", "tab-1")
    connection.send_raw(data)
    assert connection.receive_until_closed()[1] in (None, 1002)
    assert [message["t"] for message in fence(watcher, "w")] == ["member", "member"]


def test_eject_is_sent_before_the_close(relay):
    ana, _ = relay.join("ana", "tab-1")
    for version in range(1, 51):
        ana.send(envelope("tab-1", "ana", version, setting(["a"], version)))
    ana.send(envelope("tab-1", "mallory", 51, []))
    texts, code = ana.receive_until_closed()
    assert [json.loads(text)["t"] for text in texts] == ["env"] * 50 + ["eject"]
    assert code == 1008


def test_takeover_closes_the_older_connection(relay):
    older, _ = relay.join("ana", "tab-1")
    watcher, _ = relay.join("watcher", "w")
    newer, _ = relay.join("ana", "tab-1")
    texts, code = older.receive_until_closed()
    assert [json.loads(text)["t"] for text in texts] == ["member"] and code == 1008
    assert [(message["t"], message.get("gone")) for message in fence(watcher, "w")] == [("member", None)]
    newer.close()
    assert watcher.receive() == {"t": "member", "room": "r", "origin": "tab-1", "gone": True}


def test_close_reasons_are_short(start):
    relay = start("--max-message-bytes", 3000)
    connection, _ = relay.join("w" * 1000, "o" * 1000)
    connection.send_text("x" * 3001)
    with pytest.raises(Closed) as closed:
        connection.receive_text()
    assert closed.value.code == 1009 and 0 < len(closed.value.reason.encode()) <= 123


def test_reset_is_a_leave(relay):
    watcher, _ = relay.join("watcher", "w")
    connection, _ = relay.join("ana", "tab-1")
    connection.send({"t": "presence", "room": "r", "data": {"x": 1}})
    fence(connection, "tab-1")
    connection.reset()
    messages = [watcher.receive() for _ in range(4)]
    assert messages[1]["t"] == "presence" and "gone" not in messages[1]
    assert messages[2] == {"t": "presence", "room": "r", "peer": {"origin": "tab-1", "writer": "ana", "data": {"x": 1}}, "gone": True}
    assert messages[3] == {"t": "member", "room": "r", "origin": "tab-1", "gone": True}
    assert fence(watcher, "w") == []


def test_half_close_is_a_leave(relay):
    watcher, _ = relay.join("watcher", "w")
    connection, _ = relay.join("ana", "tab-1")
    connection.socket.shutdown(socket.SHUT_WR)
    assert [watcher.receive() for _ in range(2)][1] == {"t": "member", "room": "r", "origin": "tab-1", "gone": True}


def test_what_was_sent_before_a_reset_counts(relay):
    watcher, _ = relay.join("watcher", "w")
    connection, _ = relay.join("ana", "tab-1")
    connection.send(envelope("tab-1", "ana", 1, []))
    assert watcher.receive()["t"] == "member"
    assert watcher.receive()["env"]["seq"] == 1
    connection.reset()
    assert watcher.receive()["gone"] is True
