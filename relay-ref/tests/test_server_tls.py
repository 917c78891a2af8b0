"""TLS: all that holds without it, and who comes to the wrong port, too late or with nothing to say."""
import json
import socket
import ssl
import subprocess

import pytest
from test_server_frames import *  # noqa: F401,F403  each of them once more, over TLS
from test_server_load import (  # noqa: F401  likewise
    test_a_slow_reader_below_the_ceiling_gets_everything, test_a_snapshot_above_the_waiting_ceiling_is_sent_whole,
    test_an_ejected_slow_reader_gets_all_that_was_queued_and_then_the_close, test_max_connections,
    test_slow_reader_is_cut_off_and_a_third_gets_everything, test_two_hundred_connections)

from certificates import Authority
from relay_process import RelayProcess, envelope, fence, hello, run_to_end, setting
from websocket_client import WebSocket, any_certificate, frame


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def flags(authority):
    certificate, key = authority.issue("localhost")
    return ["--cert", certificate, "--key", key]


@pytest.fixture
def start(flags):
    relays = []

    def start_one(*more):
        relays.append(RelayProcess(*flags, *more))
        return relays[-1]

    yield start_one
    for relay in relays:
        assert relay.stop() == (0, "")


def test_the_certificate_is_the_one_given(start, authority):
    relay = start()
    assert relay.tls
    connection = relay.connect("ana", tls=ssl.create_default_context(cafile=authority.certificate))
    assert connection.socket.version() in ("TLSv1.2", "TLSv1.3")
    connection.close()
    with pytest.raises(ssl.SSLCertVerificationError):
        relay.connect("ana", tls=ssl.create_default_context())


def test_messages_in_one_packet_with_the_handshake(start):
    behind = frame(json.dumps(hello("tab-1"))) + b"".join(frame(json.dumps(envelope("tab-1", "ana", i, []))) for i in range(1, 4))
    connection = WebSocket(start().port, {"writer": "ana"}, behind=behind, tls=any_certificate())
    assert [connection.receive()["t"] for _ in range(4)] == ["welcome", "env", "env", "env"]


@pytest.mark.parametrize("protocols, chosen", [(["h2", "http/1.1"], "http/1.1"), (["http/1.1"], "http/1.1")])
def test_http_2_is_not_chosen(start, protocols, chosen):
    context = any_certificate()
    context.set_alpn_protocols(protocols)
    connection = start().connect("ana", tls=context)
    assert connection.socket.selected_alpn_protocol() == chosen
    connection.send(hello("tab-1"))
    assert connection.receive()["t"] == "welcome"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_old_versions_are_refused(start):
    context = any_certificate()
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.raises((ssl.SSLError, ConnectionError)):
        start().connect("ana", tls=context)


def test_a_plain_client_is_told(start):
    relay = start()
    with socket.create_connection(("127.0.0.1", relay.port), timeout=20) as plain:
        plain.sendall(b"GET /?writer=ana HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = plain.recv(4096)
    assert answer.startswith(b"HTTP/1.1 400") and b"wss://" in answer
    relay.join("ben", "tab-2")[0].close()


def test_a_client_with_tls_at_a_plain_port_is_sent_away():
    relay = RelayProcess("--metrics", 0)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        WebSocket(relay.port, {"writer": "ana"}, tls=any_certificate())
    relay.join("ben", "tab-2")[0].close()
    assert relay.stop() == (0, "")


def client_hello():
    """The first bytes that a client with TLS sends."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = any_certificate().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("part", [lambda: b"", lambda: b"\x16", lambda: client_hello()[:50], client_hello], ids=["nothing", "a byte", "half a hello", "a hello"])
def test_half_a_handshake_times_out_and_nobody_waits(start, part):
    relay = start("--handshake-timeout", 1, "--metrics", 0)
    idle = [socket.create_connection(("127.0.0.1", relay.port), timeout=20) for _ in range(50)]
    for one in idle:
        one.sendall(part())
    ana, _ = relay.join("ana", "tab-1")
    ana.send(envelope("tab-1", "ana", 1, []))
    assert ana.receive()["env"]["seq"] == 1
    for one in idle:
        try:
            while one.recv(65536):
                pass
        except ConnectionResetError:
            pass
        one.close()
    assert fence(ana, "tab-1") == []
    assert relay.metrics()["meshspec_relay_handshakes"] == 0 and relay.limit_hits("handshake_time") == 50


@pytest.mark.parametrize("words", [b"", b"GET /?writer=ana HTTP/1.1\r\n"])
def test_a_whole_handshake_without_a_request_times_out(start, words):
    relay = start("--handshake-timeout", 1, "--metrics", 0)
    with any_certificate().wrap_socket(socket.create_connection(("127.0.0.1", relay.port), timeout=20)) as idle:
        idle.sendall(words)
        try:
            assert idle.recv(1) == b""
        except ssl.SSLEOFError:
            pass
    assert relay.limit_hits("handshake_time") == 1


def test_more_half_handshakes_than_there_is_room_for(start):
    relay = start("--handshake-timeout", 60, "--metrics", 0)
    said = client_hello()
    idle = [socket.create_connection(("127.0.0.1", relay.port), timeout=20) for _ in range(300)]
    for one in idle:
        one.sendall(said)
    ana, _ = relay.join("ana", "tab-1")
    fence(ana, "tab-1")
    assert relay.metrics()["meshspec_relay_handshakes"] <= 128
    for one in idle:
        one.close()


def test_garbage_behind_the_first_byte(start):
    relay = start()
    with socket.create_connection(("127.0.0.1", relay.port), timeout=20) as rude:
        rude.sendall(b"\x16" + b"\xff" * 5000)
        try:
            while rude.recv(4096):
                pass
        except ConnectionResetError:
            pass
    relay.join("ben", "tab-2")[0].close()


def test_what_was_sent_before_the_end_is_ordered(start):
    relay = start()
    watcher, _ = relay.join("watcher", "w")
    ana, _ = relay.join("ana", "tab-1")
    ana.send_raw(b"".join(frame(json.dumps(envelope("tab-1", "ana", i, setting(["n"], "x" * 20000)))) for i in range(1, 101)))
    ana.socket.shutdown(socket.SHUT_WR)
    seqs = []
    while True:
        message = watcher.receive()
        if message.get("gone"):
            break
        if message["t"] == "env":
            seqs.append(message["env"]["seq"])
    assert seqs == list(range(1, 101))


def test_many_short_connections_leave_nothing_behind(start):
    relay = start("--metrics", 0)
    watcher, _ = relay.join("watcher", "w", "other")
    before = relay.metrics()["process_open_fds"]
    for i in range(100):
        connection = relay.connect("ana")
        connection.send(hello(f"tab-{i}"))
        connection.reset()
    while relay.metrics()["meshspec_relay_connections"] > 1:
        fence(watcher, "w", "other")
    assert relay.metrics()["process_open_fds"] <= before


def test_sigterm_sends_everybody_away_with_what_is_queued(flags):
    relay = RelayProcess(*flags, "--max-waiting-bytes", 1 << 28)
    ana, _ = relay.join("ana", "tab-1")
    ben, _ = relay.join("ben", "tab-2", receive_buffer=4096)
    for version in range(1, 301):
        ana.send(envelope("tab-1", "ana", version, setting(["n"], "x" * 20000)))
        while ana.receive().get("env", {}).get("seq") != version:
            pass
    relay.process.terminate()
    assert ana.receive_until_closed() == ([], 1001)
    texts, code = ben.receive_until_closed()
    assert [json.loads(text)["env"]["seq"] for text in texts] == list(range(1, 301)) and code == 1001
    assert relay.stop() == (0, "")


def test_bad_files_are_told_and_exit_2(authority, tmp_path):
    certificate, key = authority.issue("one")
    _, other = authority.issue("other")
    junk, locked = tmp_path / "junk", tmp_path / "locked"
    junk.write_text("this is no certificate")
    subprocess.run(["openssl", "ec", "-aes256", "-passout", "pass:secret", "-in", key, "-out", locked], check=True, capture_output=True)
    for flags, words in ((["--cert", certificate], "--key is missing"), (["--key", key], "--cert is missing"),
                         (["--cert", tmp_path / "none", "--key", key], "none: No such file"), (["--cert", certificate, "--key", tmp_path / "none"], "none: No such file"),
                         (["--cert", junk, "--key", key], "junk: there is no certificate"), (["--cert", certificate, "--key", junk], "junk: there is no private key"),
                         (["--cert", certificate, "--key", other], "not the key of the certificate"), (["--cert", certificate, "--key", locked], "without a passphrase")):
        done = run_to_end(*flags)
        assert (done.returncode, done.stdout) == (2, "") and words in done.stderr, (flags, done)
