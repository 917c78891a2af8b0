"""Writes that hang until the store is ready for them."""

import http.client
import json
import socket
import threading
import time

import pytest
from store_server import PATIENCE, is_error, text_table

OPEN = {"a__t": {op: {"using": {"type": "True"}, "with_check": {"type": "True"}} for op in ["select", "insert", "update", "delete"]}}
ROW = "12345678-1234-1234-1234-123456789abc"


class Pending:
    """A write under way on a connection of its own."""

    def __init__(self, store, operation, schema_hash, table="a__t", user="ana", **more):
        self.connection = store.connect()
        body = {"schemaHash": schema_hash, "session": {"userId": user}, "table": table, **more}
        self.connection.request("POST", f"/apps/{store.app}/data/{operation}", json.dumps(body))

    def answer(self):
        response = self.connection.getresponse()
        return response.status, json.loads(response.read())


def hanging(store):
    return store.ask("GET", "/control/hanging").json["hanging"]


def until_hanging(store, count):
    deadline = time.monotonic() + PATIENCE
    while len(hanging(store)) != count:
        assert time.monotonic() < deadline


def test_a_write_hangs_while_nothing_is_deployed(store):
    """data.hang"""
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    write = Pending(store, "insert", schema_hash, values={"x": "1"})
    until_hanging(store, 1)
    assert hanging(store) == [{"app": store.app, "operation": "insert", "table": "a__t", "schemaHash": schema_hash, "userId": "ana"}]
    store.publish_schema({"b__t": text_table("x")})
    store.publish_permissions(schema_hash, OPEN, app="another-app")
    assert len(hanging(store)) == 1
    assert store.publish_permissions(schema_hash, OPEN).status == 201
    status, body = write.answer()
    assert status == 201 and hanging(store) == []
    assert [row["id"] for row in store.data("list", schema_hash, "a__t").json["rows"]] == [body["id"]]


def test_a_write_hangs_before_even_its_schema_is_known(store):
    published = store.publish_schema({"a__t": text_table("x")}, app="elsewhere")
    write = Pending(store, "insert", published, values={"x": "1"})
    until_hanging(store, 1)
    assert store.publish_schema({"a__t": text_table("x")}) == published
    assert len(hanging(store)) == 1
    store.publish_permissions(published, OPEN)
    assert write.answer()[0] == 201


def test_a_write_hangs_while_its_hash_is_not_connected_to_the_head(store):
    """data.hang: it goes through when the connection appears, over any number of steps."""
    old, middle, new = (store.publish_schema({"a__t": text_table("x"), **more}) for more in
                        [{}, {"b__t": text_table("y")}, {"b__t": text_table("y"), "c__t": text_table("z")}])
    store.publish_permissions(new, OPEN)
    assert store.data("insert", new, "a__t", values={"x": "new"}).status == 201
    write = Pending(store, "insert", old, values={"x": "old"})
    until_hanging(store, 1)
    store.publish_migration(old, middle)
    assert len(hanging(store)) == 1
    store.publish_migration(new, middle)
    assert write.answer()[0] == 201
    assert [row["values"]["x"] for row in store.data("list", old, "a__t").json["rows"]] == ["new", "old"]


def test_all_kinds_of_writes_hang_and_go_through_in_order(store):
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    writes = []
    for operation, more in [("insert", {"id": ROW, "values": {"x": "1"}}), ("update", {"id": ROW, "values": {"x": "2"}}),
                            ("delete", {"id": ROW}), ("insert", {"id": ROW, "values": {"x": "3"}})]:
        writes.append(Pending(store, operation, schema_hash, **more))
        until_hanging(store, len(writes))
    store.publish_permissions(schema_hash, OPEN)
    assert [write.answer() for write in writes] == [(201, {"id": ROW}), (200, {"id": ROW}), (200, {"id": ROW}), (201, {"id": ROW})]
    assert [row["values"] for row in store.data("list", schema_hash, "a__t").json["rows"]] == [{"x": "3"}]


def test_a_hanging_write_is_judged_by_what_is_then_in_force(store):
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    writes = [Pending(store, "insert", schema_hash, user=user, values={"x": "1"}) for user in ["ana", "ben"]]
    unknown = Pending(store, "insert", schema_hash, table="a__missing", values={})
    wrong = Pending(store, "insert", schema_hash, values={"x": 1})
    until_hanging(store, 4)
    policy = {"type": "Cmp", "column": "$createdBy", "op": "Eq", "value": {"type": "Literal", "value": {"type": "Text", "value": "ana"}}}
    store.publish_permissions(schema_hash, {"a__t": {"insert": {"with_check": policy}}})
    assert [write.answer()[0] for write in writes] == [201, 403]
    assert unknown.answer()[0] == 404 and wrong.answer()[0] == 400


def test_reads_do_not_hang(store):
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    assert store.data("list", schema_hash, "a__t").json == {"ready": False, "rows": [], "more": False}
    assert store.data("list", "0" * 64, "a__t").json["ready"] is False


def test_what_is_malformed_does_not_hang(store):
    assert is_error(store.data("insert", "x", "a__t", values={}), 400, "bad_request")
    assert is_error(store.data("insert", "0" * 64, "a__t"), 400, "bad_request")
    assert hanging(store) == []


def test_a_client_that_goes_away_ends_its_write(store):
    """data.hang: a client's own time limit ends it."""
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    write = Pending(store, "insert", schema_hash, values={"x": "never"})
    other = Pending(store, "insert", schema_hash, values={"x": "kept"})
    until_hanging(store, 2)
    write.connection.close()
    until_hanging(store, 1)
    store.publish_permissions(schema_hash, OPEN)
    assert other.answer()[0] == 201
    assert [row["values"]["x"] for row in store.data("list", schema_hash, "a__t").json["rows"]] == ["kept"]


def test_a_client_that_resets_ends_its_write(store):
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    write = Pending(store, "insert", schema_hash, values={"x": "never"})
    until_hanging(store, 1)
    write.connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    write.connection.close()
    until_hanging(store, 0)


def test_a_time_limit_in_the_request_ends_it(store):
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    started = time.monotonic()
    answer = store.data("insert", schema_hash, "a__t", values={"x": "1"}, timeoutMs=300)
    assert is_error(answer, 408, "bad_request") and time.monotonic() - started > 0.29
    assert hanging(store) == []
    store.publish_permissions(schema_hash, OPEN)
    assert store.data("list", schema_hash, "a__t").json["rows"] == []
    assert store.data("insert", schema_hash, "a__t", values={"x": "1"}, timeoutMs=1).status == 201


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1", None, 3600001, True])
def test_a_bad_time_limit_is_400(store, limit):
    assert is_error(store.data("insert", "0" * 64, "a__t", values={}, timeoutMs=limit), 400, "bad_request")


def test_only_so_many_writes_hang(start):
    store = start("--control", "--max-hanging", "3")
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    writes = [Pending(store, "insert", schema_hash, values={"x": "1"}) for _ in range(3)]
    until_hanging(store, 3)
    assert is_error(store.data("insert", schema_hash, "a__t", values={"x": "1"}), 503, "internal")
    writes.pop().connection.close()
    until_hanging(store, 2)
    writes.append(Pending(store, "insert", schema_hash, values={"x": "1"}))
    until_hanging(store, 3)
    store.publish_permissions(schema_hash, OPEN)
    assert [write.answer()[0] for write in writes] == [201] * 3


def test_only_so_much_hangs(start):
    store = start("--control", "--max-hanging-bytes", "1000")
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    frame = len(json.dumps({"schemaHash": schema_hash, "session": {"userId": "ana"}, "table": "a__t", "values": {"x": ""}}))
    first = Pending(store, "insert", schema_hash, values={"x": "y" * (600 - frame)})
    until_hanging(store, 1)
    assert is_error(store.data("insert", schema_hash, "a__t", values={"x": "y" * (401 - frame)}), 503, "internal")
    second = Pending(store, "insert", schema_hash, values={"x": "y" * (400 - frame)})
    until_hanging(store, 2)
    store.publish_permissions(schema_hash, OPEN)
    assert first.answer()[0] == second.answer()[0] == 201


def test_ending_the_store_ends_what_hangs(start):
    store = start("--control")
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    writes = [Pending(store, "insert", schema_hash, values={"x": "1"}) for _ in range(10)]
    until_hanging(store, 10)
    assert store.end() == 0 and store.errors == ""
    for write in writes:
        with pytest.raises((http.client.HTTPException, OSError)):
            write.answer()


def test_requests_behind_a_hanging_write_wait_their_turn(store):
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    body = json.dumps({"schemaHash": schema_hash, "session": {"userId": "ana"}, "table": "a__t", "values": {"x": "1"}})
    message = f"POST /apps/{store.app}/data/insert HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    answers = []
    thread = threading.Thread(target=lambda: answers.append(store.raw((message + "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n").encode())))
    thread.start()
    until_hanging(store, 1)
    store.publish_permissions(schema_hash, OPEN)
    thread.join()
    assert answers[0].index(b" 201 ") < answers[0].index(b'"healthy"')


def test_many_writes_hang_and_go_through(start):
    store = start("--control", "--max-hanging", "250")
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    writes = [Pending(store, "insert", schema_hash, values={"x": str(n)}) for n in range(250)]
    until_hanging(store, 250)
    assert store.ask("GET", "/health").status == 200
    store.publish_permissions(schema_hash, OPEN)
    assert [write.answer()[0] for write in writes] == [201] * 250
    assert len(store.data("list", schema_hash, "a__t").json["rows"]) == 250
