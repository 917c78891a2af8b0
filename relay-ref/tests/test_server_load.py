"""Many, slow, silent and rude clients: whatever one does, the others do not wait for it."""
import json
import os
import signal
import socket
import zlib

import pytest

from relay_process import RelayProcess, envelope, fence, hello, setting
from websocket_client import PING, Closed, Refused, WebSocket, frame


@pytest.mark.parametrize("garbage", [b"\x00\x01\x02\x03" * 50, b"HELO mail.example\r\n\r\n", b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0" * 60,
                                     b"GET / HTTP/1.1\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nHost: x\r\nConnection: Upgrade\r\n\r\n",
                                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 100, b"GET /?writer=%zz HTTP/1.1\r\n\r\n",
                                     b"GET /?writer=%00 HTTP/1.1\r\nHost: x\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"x" * 100000 + b"\r\n\r\n",
                                     b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"])
def test_garbage_instead_of_a_handshake(start, garbage):
    relay = start("--handshake-timeout", 1)
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as rude:
        try:
            rude.sendall(garbage)
        except OSError:
            pass
        relay.join("ana", "tab-1")[0].close()
        try:
            while rude.recv(4096):
                pass
        except ConnectionResetError:
            pass


@pytest.mark.parametrize("part", [b"", b"G", b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n"])
def test_half_a_handshake_times_out_and_nobody_waits(start, part):
    relay = start("--handshake-timeout", 1)
    idle = [socket.create_connection(("127.0.0.1", relay.port), timeout=10) for _ in range(50)]
    for one in idle:
        one.sendall(part)
    ana, _ = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, []))
    assert ana.receive()["env"]["seq"] == 1
    for one in idle:
        try:
            assert one.recv(1) == b""
        except ConnectionResetError:
            pass
        one.close()
    assert fence(ana, "tab-1") == []


@pytest.mark.parametrize("missing", ["Sec-WebSocket-Key", "Sec-WebSocket-Version", "Host"])
def test_incomplete_handshake_is_told(relay, missing):
    lines = {"Host": "x", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version": "13"}
    del lines[missing]
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as connection:
        connection.sendall(("GET /?writer=a HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n").encode())
        assert connection.recv(4096).split()[1] == b"400"


def test_plain_http_is_told_what_to_do(relay):
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as connection:
        connection.sendall(b"GET /?writer=a HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while data := connection.recv(4096):
            answer += data
    assert answer.split()[1] == b"426" and b"WebSocket" in answer


def test_max_connections(start):
    relay = start("--max-connections", 3)
    members = [relay.join("ana", f"tab-{i}")[0] for i in range(3)]
    with pytest.raises(Refused) as refused:
        relay.connect("ana")
    assert refused.value.status == 503 and "3" in refused.value.body
    members[0].close()
    again, _ = relay.join("ana", "tab-9")
    fence(again, "tab-9")


def test_max_rooms(start):
    relay = start("--max-rooms", 2)
    relay.join("ana", "tab-1", "one")
    relay.join("ana", "tab-1", "two")
    connection = relay.connect("ana")
    connection.send(hello("tab-1", "three"))
    assert connection.receive_until_closed() == ([], 1008)
    relay.join("ben", "tab-2", "two")


def test_two_hundred_connections(relay):
    members = [relay.join(f"writer-{i}", f"tab-{i}")[0] for i in range(200)]
    for i in (0, 100, 199):
        members[i].send(envelope(f"tab-{i}", f"writer-{i}", 1, setting(["n"], i)))
    fence(members[0], "tab-0")
    members[199].send({"t": "signal", "room": "r", "to": "tab-0", "data": "end"})
    streams = []
    for i, member in enumerate(members):
        messages = fence(member, f"tab-{i}", data=f"fence-{i}")
        streams.append([message["env"]["seq"] for message in messages if message["t"] == "env"])
    complete = [stream for stream in streams[1:] if stream == [1, 2, 3]]
    assert len(complete) == 199
    for member in members[1:]:
        member.reset()
    gone = set()
    while len(gone) < 199:
        message = members[0].receive()
        if message["t"] == "member" and message.get("gone"):
            assert message["origin"] not in gone
            gone.add(message["origin"])
    _, welcome = relay.join("late", "late")
    assert welcome["members"] == ["tab-0"]


def test_slow_reader_is_cut_off_and_a_third_gets_everything(start):
    relay = start("--max-waiting-bytes", 1 << 20)
    slow, _ = relay.join("slow", "slow", receive_buffer=4096)
    ana, _ = relay.join("ana", "tab-1")
    third, _ = relay.join("third", "tab-3")
    assert third.socket.getblocking()
    count, size = 2000, 8000
    text = "x" * size
    gone = False
    received = []
    for version in range(1, count + 1):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], text)))
        if version % 50 == 0:
            while not received or received[-1] < version:
                message = third.receive()
                if message["t"] == "env":
                    received.append(message["env"]["seq"])
                elif message.get("gone"):
                    gone = True
                echo = ana.receive() if message["t"] == "env" else None
                while echo and echo["t"] != "env":
                    echo = ana.receive()
    assert received == list(range(1, count + 1))
    assert gone
    texts, code = slow.receive_until_closed()
    seqs = [json.loads(text)["env"]["seq"] for text in texts if json.loads(text)["t"] == "env"]
    assert seqs == list(range(1, len(seqs) + 1)) and len(seqs) < count  # dense, then cut: never a hole
    assert code is None


def test_a_snapshot_above_the_waiting_ceiling_is_sent_whole(start):
    relay = start("--max-waiting-bytes", 100000)
    ana, _ = relay.join("ana", "tab-1")
    for version in range(1, 31):
        ana.send(envelope("tab-1", "ana", version, setting([f"k{version}"], "x" * 200000)))
        assert ana.receive()["env"]["seq"] == version
    _, welcome = relay.join("ben", "tab-2")
    assert welcome["mode"] == "snapshot" and len(welcome["root"]) == 30


def test_a_slow_reader_below_the_ceiling_gets_everything(start):
    relay = start("--max-waiting-bytes", 1 << 28)
    slow, _ = relay.join("slow", "slow", receive_buffer=4096)
    ana, _ = relay.join("ana", "tab-1")
    for version in range(1, 501):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], "x" * 20000)))
        assert ana.receive()["env"]["seq"] == version
    slow.send({"t": "signal", "room": "r", "to": "slow", "data": "fence"})
    seqs = [message["env"]["seq"] for message in iter(slow.receive, {"t": "signal", "room": "r", "from": "slow", "data": "fence"}) if message["t"] == "env"]
    assert seqs == list(range(1, 501))


def test_an_ejected_slow_reader_gets_all_that_was_queued_and_then_the_close(start):
    relay = start("--max-waiting-bytes", 1 << 28)
    ana, _ = relay.join("ana", "tab-1")
    slow, _ = relay.join("ana", "slow", receive_buffer=4096)
    assert ana.receive()["t"] == "member"
    for version in range(1, 501):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], "x" * 20000)))
        assert ana.receive()["env"]["seq"] == version
    ana.send(envelope("tab-1", "mallory", 501, []))
    ana.receive_until_closed()
    texts, code = slow.receive_until_closed()
    messages = [json.loads(text) for text in texts]
    assert [message["env"]["seq"] for message in messages if message["t"] == "env"] == list(range(1, 501))
    assert messages[500] == {"t": "eject", "room": "r", "writer": "ana", "reason": "writer-mismatch"}
    assert code == 1008


def test_sigterm_closes_with_1001_after_what_is_queued():
    relay = RelayProcess("--max-waiting-bytes", 1 << 28)
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2", receive_buffer=4096)
    for version in range(1, 501):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], "x" * 20000)))
        while ana.receive().get("env", {}).get("seq") != version:
            pass
    relay.process.send_signal(signal.SIGTERM)
    assert ana.receive_until_closed() == ([], 1001)
    texts, code = ben.receive_until_closed()
    assert [json.loads(text)["env"]["seq"] for text in texts] == list(range(1, 501))
    assert code == 1001
    assert relay.stop() == (0, "")


def test_sigterm_does_not_wait_for_a_stalled_reader():
    relay = RelayProcess("--drain-timeout", 1)
    ana, _ = relay.join("ana", "tab-1")
    stalled, _ = relay.join("ben", "tab-2", receive_buffer=4096)
    for version in range(1, 301):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], "x" * 40000)))
        while ana.receive()["t"] != "env":
            pass
    relay.process.send_signal(signal.SIGTERM)
    assert ana.receive_until_closed() == ([], 1001)
    assert relay.stop() == (0, "")
    assert stalled.receive_until_closed()[1] is None


def test_after_sigterm_nobody_comes_in():
    relay = RelayProcess("--drain-timeout", 2)
    stalled, _ = relay.join("ben", "tab-2", receive_buffer=4096)
    ana, _ = relay.join("ana", "tab-1")
    for version in range(1, 301):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], "x" * 40000)))
        while ana.receive()["t"] != "env":
            pass
    relay.process.send_signal(signal.SIGTERM)
    assert ana.receive_until_closed() == ([], 1001)
    with pytest.raises(ConnectionRefusedError):
        relay.connect("cleo")
    assert relay.stop() == (0, "")


def test_a_silent_peer_is_gone_after_two_ping_intervals(start):
    relay = start("--ping-interval", 1)
    watcher, _ = relay.join("watcher", "w")
    silent, _ = relay.join("ana", "tab-1")
    assert watcher.receive() == {"t": "member", "room": "r", "origin": "tab-1"}
    assert watcher.receive() == {"t": "member", "room": "r", "origin": "tab-1", "gone": True}
    assert silent.receive_frame() == (PING, b"\0")
    assert fence(watcher, "w") == []
    with pytest.raises(Closed):
        silent.receive_text()


def test_deflate_only_when_asked(start):
    offer = ["Sec-WebSocket-Extensions: permessage-deflate"]
    assert "sec-websocket-extensions" not in start().connect("ana", headers=offer).headers
    assert "permessage-deflate" in start("--deflate").connect("ana", headers=offer).headers["sec-websocket-extensions"]


def receive_inflated(connection, inflater):
    """One compressed message, in as many frames as it comes in."""
    data = b""
    while True:
        first, second = connection._read_exactly(2)
        length = {126: 2, 127: 8}.get(second)
        length = int.from_bytes(connection._read_exactly(length), "big") if length else second
        data += connection._read_exactly(length)
        if first & 0x80:
            return json.loads(inflater.decompress(data + b"\0\0\xff\xff"))


def deflated(text):
    """A frame of it that says that it is deflated."""
    deflater = zlib.compressobj(wbits=-15)
    data = deflater.compress(text.encode()) + deflater.flush(zlib.Z_SYNC_FLUSH)
    data = bytearray(frame(data[:-4]))
    data[0] |= 0x40
    return bytes(data)


def test_deflated_messages_arrive_whole_and_in_order(start):
    relay = start("--deflate")
    connection = relay.connect("ana", headers=["Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover"])
    assert "server_no_context_takeover" in connection.headers["sec-websocket-extensions"]

    values = ["short", "x" * 300000, os.urandom(60000).hex(), "last"]
    connection.send_raw(deflated(json.dumps(hello("tab-1"))))
    for version, value in enumerate(values, 1):
        connection.send_raw(deflated(json.dumps(envelope("tab-1", "ana", version, setting(["n"], value)))))
    assert receive_inflated(connection, zlib.decompressobj(wbits=-15))["t"] == "welcome"
    for version, value in enumerate(values, 1):
        env = receive_inflated(connection, zlib.decompressobj(wbits=-15))["env"]
        assert env["seq"] == version and env["ops"][0]["next"] == value


def test_a_message_counts_inflated(start):
    relay = start("--deflate", "--max-message-bytes", "1000000")
    connection = relay.connect("ana", headers=["Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover"])
    bomb = deflated(json.dumps({**hello("tab-1"), "x": "a" * 50_000_000}))
    assert len(bomb) < 100_000
    connection.send_raw(bomb)
    assert connection.receive_until_closed() == ([], 1009)
    relay.join("ana", "tab-1")


def test_more_idle_visitors_than_there_is_room_for(relay):
    idle = [socket.create_connection(("127.0.0.1", relay.port), timeout=10) for _ in range(700)]
    ana, _ = relay.join("ana", "tab-1")
    fence(ana, "tab-1")
    assert idle[0].recv(1) == b""  # the one who stood there longest made room
    for one in idle:
        one.close()


def test_a_handshake_byte_by_byte(relay):
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in (b"GET /?writer=ana HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"):
            connection.sendall(bytes([byte]))
        assert connection.recv(4096).startswith(b"HTTP/1.1 101")


def test_a_head_that_is_too_long_is_told(relay):
    with socket.create_connection(("127.0.0.1", relay.port), timeout=10) as connection:
        connection.sendall(b"GET /?writer=ana HTTP/1.1\r\nX: " + b"x" * 16384)
        assert connection.recv(4096).startswith(b"HTTP/1.1 431")


def test_many_short_connections(relay):
    for i in range(300):
        WebSocket(relay.port, {"writer": "ana"}, behind=frame(json.dumps(hello(f"tab-{i}")))).reset()
    watcher, welcome = relay.join("watcher", "w")
    left = set(welcome["members"])
    while left:
        message = watcher.receive()
        if message.get("gone"):
            left.discard(message["origin"])
    _, welcome = relay.join("late", "late")
    assert welcome["members"] == ["w"]
