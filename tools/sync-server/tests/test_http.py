"""HTTP as it can come: pieces, chunks, pipelines, slow and half-open clients, ceilings."""

import select
import socket
import threading
import time

import pytest
from store_server import PATIENCE, SECRET, text_table

GET = f"GET /apps/a/schemas HTTP/1.1\r\nHost: x\r\nX-Jazz-Admin-Secret: {SECRET}\r\n\r\n".encode()
LAST = f"GET /apps/a/schemas HTTP/1.1\r\nHost: x\r\nX-Jazz-Admin-Secret: {SECRET}\r\nConnection: close\r\n\r\n".encode()
BODY = b'{"schema":{"a__t":{"columns":[]}}}'


def post(body, *headers):
    lines = ["POST /apps/a/admin/schemas HTTP/1.1", f"X-Jazz-Admin-Secret: {SECRET}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def sized(body):
    return post(body, f"Content-Length: {len(body)}")


def status(answer):
    return int(answer.split()[1])


def test_byte_by_byte(store):
    with socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in sized(BODY):
            connection.sendall(bytes([byte]))
        assert status(connection.recv(65536)) == 201


def test_every_cut_into_two_pieces(store):
    message = sized(BODY)
    for cut in range(1, len(message)):
        with socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) as connection:
            connection.sendall(message[:cut])
            connection.sendall(message[cut:])
            assert status(connection.recv(65536)) == 201


@pytest.mark.parametrize("chunks", [
    b"22\r\n" + BODY + b"\r\n0\r\n\r\n",
    b"1\r\n{\r\n000021;name=value\r\n" + BODY[1:] + b"\r\n00;x\r\nTrailer: yes\r\n\r\n",
    b"22\n" + BODY + b"\n0\n\n",
])
def test_chunked_bodies(store, chunks):
    assert len(BODY) == 0x22
    answer = store.raw(post(chunks, "Transfer-Encoding: chunked"))
    assert status(answer) == 201, answer


@pytest.mark.parametrize("chunks, expected", [
    (b"\r\n", 400), (b"x\r\n", 400), (b"-1\r\n", 400), (b"2\r\n{}x", 400), (b"1" * 17 + b"\r\n", 413), (b"ffffffffffffffff\r\n", 413),
    (b"1000001\r\n", 413), (b";\r\n", 400),
])
def test_bad_chunks(store, chunks, expected):
    assert status(store.raw(post(chunks, "Transfer-Encoding: chunked"))) == expected


def test_chunks_over_the_ceiling_together(start):
    store = start("--max-body", "100")
    fits = b"32\r\n" + b"x" * 50 + b"\r\n" + b"32\r\n" + b"x" * 50 + b"\r\n0\r\n\r\n"
    assert status(store.raw(post(fits, "Transfer-Encoding: chunked"))) == 400
    over = b"32\r\n" + b"x" * 50 + b"\r\n" + b"33\r\n" + b"x" * 51 + b"\r\n0\r\n\r\n"
    assert status(store.raw(post(over, "Transfer-Encoding: chunked"))) == 413


@pytest.mark.parametrize("message, expected", [
    (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", 400), (b"GET\r\n\r\n", 400), (b"GET /health\r\n\r\n", 400), (b"GET  HTTP/1.1\r\n\r\n", 400),
    (b" /health HTTP/1.1\r\n\r\n", 400), (b"GET /health HTTP/2.0\r\n\r\n", 505), (b"GET /health HTTP/1.1x\r\n\r\n", 505),
    (b"G\x00T /health HTTP/1.1\r\n\r\n", 400), (b"GET /he\x00lth HTTP/1.1\r\n\r\n", 400), (b"GET /he alth HTTP/1.1\r\n\r\n", 400),
    (b"GET /health HTTP/1.1\r\nNo colon\r\n\r\n", 400), (b"GET /health HTTP/1.1\r\n: x\r\n\r\n", 400),
    (b"GET /health HTTP/1.1\r\nA : x\r\n\r\n", 400), (b"GET /health HTTP/1.1\r\n folded: x\r\n\r\n", 400),
    (b"GET /health HTTP/1.1\r\nA: x\x00y\r\n\r\n", 400), (b"GET /health HTTP/1.1\r\nA: x\ry\r\n\r\n", 400),
    (b"POST /health HTTP/1.1\r\nContent-Length: x\r\n\r\n", 400), (b"POST /health HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
    (b"POST /health HTTP/1.1\r\nContent-Length: 1 2\r\n\r\n", 400), (b"POST /health HTTP/1.1\r\nContent-Length:\r\n\r\n", 400),
    (b"POST /health HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    (b"POST /health HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 413),
    (b"POST /health HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (b"POST /health HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 400),
    (b"POST /health HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    (b"GET http://127.0.0.1/health HTTP/1.1\r\nConnection: close\r\n\r\n", 404), (b"GET * HTTP/1.1\r\nConnection: close\r\n\r\n", 404),
])
def test_what_is_no_request_gets_one_clear_answer(store, message, expected):
    answer = store.raw(message)
    assert status(answer) == expected and b'{"error":' in answer, answer
    assert store.ask("GET", "/health").status == 200


def test_headers_up_to_their_ceiling(start):
    store = start("--max-head", "1000")
    frame = len(b"GET /health HTTP/1.1\r\nConnection: close\r\nA: \r\n\r\n")

    def ask(length):
        return status(store.raw(b"GET /health HTTP/1.1\r\nConnection: close\r\nA: " + b"x" * (length - frame) + b"\r\n\r\n"))

    assert [ask(999), ask(1000), ask(1001), ask(5000)] == [200, 200, 431, 431]
    assert status(store.raw(b"x" * 1000)) == 431


def test_at_most_128_headers(store):
    def ask(count):
        return status(store.raw(b"GET /health HTTP/1.1\r\nConnection: close\r\n" + b"A: x\r\n" * (count - 1) + b"\r\n"))

    assert [ask(128), ask(129)] == [200, 431]


def test_http_1_0_closes_and_empty_lines_before_a_request_are_fine(store):
    assert status(store.raw(b"GET /health HTTP/1.0\r\n\r\n")) == 200
    assert status(store.raw(b"\r\n\r\nGET /health HTTP/1.1\r\nConnection: Close\r\n\r\n")) == 200
    assert status(store.raw(b"GET /health HTTP/1.1\nConnection: close\n\n")) == 200


def test_one_connection_many_requests(store):
    connection = store.connect()
    for number in range(500):
        answer = store.admin("POST", "admin/schemas", {"schema": {f"a__t{number % 7}": text_table("x")}}, connection=connection)
        assert answer.status == 201
    assert len(store.admin("GET", "schemas").json["hashes"]) == 7


def test_pipelined_requests_are_answered_in_order(store):
    messages = b""
    for number in range(300):
        body = b'{"schema":{"a__t%d":{"columns":[]}}}' % number
        messages += b"POST /apps/a/admin/schemas HTTP/1.1\r\nX-Jazz-Admin-Secret: %s\r\nContent-Length: %d\r\n\r\n%s" % (
            SECRET.encode(), len(body), body)
        messages += GET
    answer = store.raw(messages + LAST)
    assert answer.count(b"HTTP/1.1 201 ") == 300 and answer.count(b"HTTP/1.1 200 ") == 301
    counts = [piece.split(b"]")[0].count(b"\"") for piece in answer.split(b"{\"hashes\":[")[1:]]
    assert counts == sorted(counts)


def test_pipelining_more_than_the_store_keeps_ahead(store):
    """A hanging write in front, 2 MB of requests behind it: all are answered once it goes through."""
    schema_hash = store.publish_schema({"a__t": text_table("x")}, app="a")
    write = ('{"schemaHash":"%s","session":{"userId":"ana"},"table":"a__t","values":{"x":"1"}}' % schema_hash).encode()
    message = b"POST /apps/a/data/insert HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(write), write)
    behind = GET * 20000
    with socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) as connection:
        sender = threading.Thread(target=connection.sendall, args=(message + behind + LAST,))
        sender.start()
        while not store.ask("GET", "/control/hanging").json["hanging"]:
            pass  # the sender may be done before: the kernel takes so much
        policy = {"a__t": {"insert": {"with_check": {"type": "True"}}}}
        assert store.publish_permissions(schema_hash, policy, app="a").status == 201
        answer = b""
        while piece := connection.recv(1 << 20):
            answer += piece
        sender.join()
    assert answer.count(b"HTTP/1.1 201 ") == 1 and answer.count(b"HTTP/1.1 200 ") == 20001


def test_expect_100_continue(store):
    with socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) as connection:
        connection.sendall(post(b"", f"Content-Length: {len(BODY)}", "Expect: 100-continue"))
        assert connection.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(BODY)
        assert status(connection.recv(65536)) == 201


def test_slow_clients_are_closed_and_nobody_waits_for_them(start):
    """A silent one, one with half a head, one with half a body."""
    store = start("--request-timeout", "1", "--idle-timeout", "2")
    others = [b"", b"GET /health HTT", post(b"half", "Content-Length: 100")]
    connections = [socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) for _ in others]
    for connection, message in zip(connections, others):
        connection.sendall(message)
    started = time.monotonic()
    assert store.ask("GET", "/health").status == 200
    for connection in connections:
        assert connection.recv(65536) == b""
        connection.close()
    assert time.monotonic() - started > 0.5


def test_a_client_that_does_not_take_its_answers_is_closed(start):
    """It holds the only connection there is; once it is closed, another one is served."""
    store = start("--request-timeout", "1", "--max-connections", "1")
    large = {f"a__t{n}": text_table("x" * 200) for n in range(20000)}
    schema_hash = store.publish_schema(large, app="a")
    until_healthy(store)
    with socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) as lazy:
        ask = f"GET /apps/a/schema/{schema_hash} HTTP/1.1\r\nX-Jazz-Admin-Secret: {SECRET}\r\n\r\n"
        lazy.sendall(ask.encode() * 8)
        assert lazy.recv(1)
        until_healthy(store)


def test_a_trickling_body_ends_in_time(start):
    store = start("--request-timeout", "2")
    with socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) as connection:
        connection.sendall(post(b"", "Content-Length: 1000000"))
        started = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() - started < PATIENCE:
                connection.sendall(b"x")
                select.select([], [], [connection], 0.05)


def until_healthy(store):
    """The store sees soon, but not at once, that a connection is gone."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            assert store.ask("GET", "/health").status == 200
            return
        except (AssertionError, OSError):
            assert time.monotonic() < deadline


def test_clients_that_vanish_leave_nothing_behind(start):
    store = start("--max-connections", "20")
    for _ in range(200):
        connection = socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE)
        connection.sendall(post(b"half", "Content-Length: 100"))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        connection.close()  # a reset
    until_healthy(store)


def test_one_connection_too_many_is_503(start):
    store = start("--max-connections", "3")
    held = [socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) for _ in range(3)]
    for connection in held:
        connection.sendall(b"GET /health HTTP/1.1\r\n\r\n")
        assert status(connection.recv(65536)) == 200
    with socket.create_connection(("127.0.0.1", store.port), timeout=PATIENCE) as one_more:
        answer = b""
        while piece := one_more.recv(65536):
            answer += piece
        assert status(answer) == 503 and b'"code":"internal"' in answer
    held.pop().close()
    until_healthy(store)
    for connection in held:
        connection.close()


def test_a_client_that_ends_its_side_still_gets_no_crash(store):
    store.raw(GET, shut=True)
    store.raw(b"GET /hea", shut=True)
    store.raw(post(b"half", "Content-Length: 100"), shut=True)
    assert store.ask("GET", "/health").status == 200


def test_many_clients_at_once(store):
    errors = []

    def work(number):
        try:
            connection = store.connect()
            for turn in range(20):
                schema = {f"a__t{number}": text_table(f"c{turn}")}
                answer = store.admin("POST", "admin/schemas", {"schema": schema}, app="many", connection=connection)
                back = store.admin("GET", "schema/" + answer.json["hash"], app="many", connection=connection)
                assert back.json["schema"] == schema
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(store.admin("GET", "schemas", app="many").json["hashes"]) == 600
