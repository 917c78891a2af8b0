"""The metrics server: Prometheus' text format over HTTP that does not fall over."""
import re
import socket
import urllib.error
import urllib.request

import pytest

from relay_process import envelope, fence, hello, run_to_end, setting


def get(relay, path="/metrics", method="GET", headers=None):
    request = urllib.request.Request(f"http://127.0.0.1:{relay.metrics_port}{path}", method=method, headers=headers or {})
    return urllib.request.urlopen(request, timeout=20)


def test_the_text_is_what_prometheus_reads(start, tmp_path):
    relay = start("--metrics", 0, "--db", tmp_path / "rooms.db")
    with get(relay) as answer:
        assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
        text = answer.read().decode()
    assert text.endswith("\n")
    described, samples = {}, []
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split()[2]
            assert name not in described and len(line.split(" ", 3)[3]) > 5
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            described[name] = kind
        else:
            match = re.fullmatch(r'([a-z_]+)(\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})? (\S+)', line)
            assert match, line
            float(match[3])
            assert match[1] == list(described)[-1], "samples stand below their own TYPE"
            samples.append(match[1] + (match[2] or ""))
    assert len(set(samples)) == len(samples) > 30
    for name, kind in described.items():
        assert (kind == "counter") == name.endswith("_total"), name
        assert name.startswith(("meshspec_relay_", "process_"))
    for name in described:
        if "bytes" in name or "seconds" in name:
            assert re.search(r"(bytes|seconds)(_total)?$", name), name


def test_counts(start):
    relay = start("--metrics", 0)
    before = relay.metrics()
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2")
    ben.send(hello("tab-2", "other"))
    fence(ben, "tab-2", "other")
    ana.send(envelope("tab-1", "ana", 1, setting(["n"], 1)))
    fence(ana, "tab-1")
    ben.send({**hello("tab-2", "third"), "proto": 9})
    fence(ben, "tab-2")
    now = relay.metrics()
    assert [now[f"meshspec_relay_{name}"] for name in ("connections", "rooms", "members", "queued_bytes")] == [2, 2, 3, 0]
    assert now["meshspec_relay_connections_opened_total"] == 2
    sent = {kind: now[f'meshspec_relay_messages_sent_total{{type="{kind}"}}'] for kind in ("welcome", "env", "member", "signal", "reject", "presence", "other")}
    assert sent == {"welcome": 3, "env": 2, "member": 1, "signal": 3, "reject": 1, "presence": 0, "other": 0}
    assert now["meshspec_relay_messages_received_total"] == 8
    assert now['meshspec_relay_rejects_total{reason="proto"}'] == 1 and now['meshspec_relay_rejects_total{reason="schema"}'] == 0
    assert now["meshspec_relay_received_bytes_total"] > 400 and now["meshspec_relay_sent_bytes_total"] > 500
    assert now["process_resident_memory_bytes"] > 1 << 20 and now["process_open_fds"] > before["process_open_fds"]
    ana.send(envelope("tab-1", "mallory", 2, []))
    ana.receive_until_closed()
    ben.close()
    now = relay.metrics()
    assert now['meshspec_relay_ejections_total{reason="writer-mismatch"}'] == 1
    assert [now[f"meshspec_relay_{name}"] for name in ("connections", "rooms", "members")] == [0, 2, 0]


def test_drops_are_counted(start):
    relay = start("--metrics", 0, "--protocol", "0.9")
    ana = relay.connect("ana")
    ana.send({**hello("tab-1"), "proto": 3})
    instance = ana.receive()["instance"]
    write = {"proto": 3, "origin": "tab-1", "writer": "ana", "version": 1, "hlc": {"p": 1, "l": 0}, "policyVersion": 0, "instance": instance,
             "ops": [{"kind": "set", "path": ["n"], "next": 1, "cites": [], "epoch": 0}]}
    for env, answer in ((write, "env"), (write, "drop"), ({**write, "instance": "another"}, "drop")):
        ana.send({"t": "env", "room": "r", "env": env})
        assert ana.receive()["t"] == answer
    assert [relay.metrics()[f'meshspec_relay_drops_total{{reason="{reason}"}}'] for reason in ("duplicate", "generation", "order")] == [1, 1, 0]


@pytest.mark.parametrize("path, method, headers, status", [
    ("/", "GET", {}, 404), ("/metrics/x", "GET", {}, 404), ("/" + "m" * 500, "GET", {}, 404), ("/metrics", "POST", {}, 405),
    ("/metrics", "DELETE", {}, 405), ("/metrics", "GET", {"Origin": "http://evil.example"}, 403)])
def test_anything_else_is_refused(start, path, method, headers, status):
    relay = start("--metrics", 0)
    with pytest.raises(urllib.error.HTTPError) as error:
        get(relay, path, method, headers)
    assert error.value.code == status
    assert get(relay).status == 200


def test_two_requests_on_one_connection_and_a_request_in_pieces(start):
    relay = start("--metrics", 0)
    with socket.create_connection(("127.0.0.1", relay.metrics_port), timeout=20) as connection:
        for _ in range(2):
            for byte in b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n":
                connection.sendall(bytes([byte]))
            answer = b""
            while b"\r\n\r\n" not in answer:
                answer += connection.recv(65536)
            head, _, body = answer.partition(b"\r\n\r\n")
            length = int(re.search(rb"content-length: (\d+)", head)[1])
            while len(body) < length:
                body += connection.recv(65536)
            assert len(body) == length


@pytest.mark.parametrize("garbage", [b"\0" * 100, b"GET", b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 10000, b"\r\n\r\n",
                                     b"GET /metrics HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nHost: x\r\n"
                                     b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"],
                         ids=["zeroes", "half a word", "endless headers", "an empty line", "an upgrade"])
def test_garbage_harms_nobody(start, garbage):
    relay = start("--metrics", 0, "--handshake-timeout", 1)
    with socket.create_connection(("127.0.0.1", relay.metrics_port), timeout=20) as rude:
        try:
            rude.sendall(garbage)
        except OSError:
            pass
        assert get(relay).status == 200
        relay.join("ana", "tab-1")[0].close()


@pytest.mark.parametrize("server", ["metrics", "control"])
def test_only_one_address_listens(start, server):
    relay = start("--metrics", 0, "--control", 0, "--host", "0.0.0.0")
    port = {"metrics": relay.metrics_port, "control": relay.control_port}[server]
    socket.create_connection(("127.0.0.1", port), timeout=20).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", port), timeout=20)


def test_port_in_use_exits_3(start):
    relay = start("--metrics", 0)
    done = run_to_end("--metrics", relay.metrics_port)
    assert done.returncode == 3 and "--metrics" in done.stderr
