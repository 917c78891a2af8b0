"""Who a connection is: the query, or a token, and nothing that a client claims."""
import json

import pytest

from relay_process import hello
from websocket_client import Refused, WebSocket


def peer_writer(relay, connection, watcher_origin="watch"):
    """The writer that another member sees for `connection`."""
    watcher, _ = relay.join("watcher", watcher_origin)
    connection.send({"t": "presence", "room": "r", "data": 1})
    while True:
        message = watcher.receive()
        if message["t"] == "presence":
            return message["peer"]["writer"]


@pytest.mark.parametrize("writer", ["ana", "Ä é 表 🙂", "a&b=c;d?e#f/g%h+i", "\"quotes\" and \\", "../..//x", " ", "\x01\x7f", "a" * 4000])
def test_writer_of_strange_characters(relay, writer):
    connection, _ = relay.join(writer, "tab-1")
    assert peer_writer(relay, connection) == writer


@pytest.mark.parametrize("path", ["/", "/any/where", "/../x//y", "/%20"])
def test_any_path(relay, path):
    connection, _ = relay.join("ana", "tab-1", path=path)
    connection.close()


@pytest.mark.parametrize("query, status", [
    ({}, 401), ({"kind": "human"}, 401), ({"writer": ""}, 401), ({"writers": "ana"}, 401),
    ({"writer": "ana", "claims": "7"}, 400), ({"writer": "ana", "claims": "{"}, 400), ({"writer": "ana", "claims": "{}x"}, 400),
    ({"writer": "ana", "claims": ""}, 400), ([("writer", "ana"), ("writer", "ben")], 400), ({"writer": b"\xff"}, 400),
    ({"writer": b"\xed\xa0\x80"}, 400), ({"writer": "ana", "kind": b"\xc0\x80"}, 400)])
def test_bad_query_is_refused_with_words(relay, query, status):
    with pytest.raises(Refused) as refused:
        WebSocket(relay.port, query)
    assert refused.value.status == status
    assert refused.value.body.strip()
    connection, _ = relay.join("ana", "tab-1")
    connection.close()


def test_claims_reach_the_policy(start, tmp_path):
    path = tmp_path / "policy.json"
    path.write_text(json.dumps({"acl": [{"prefix": [], "allow": {"claims": {"role": "admin"}}}]}))
    relay = start("--policy", path)
    from relay_process import envelope, setting
    admin, _ = relay.join("ana", "tab-1", claims=json.dumps({"role": "admin", "text": "a=b&c;d"}))
    admin.send(envelope("tab-1", "ana", 1, setting(["x"], 1)))
    assert admin.receive()["t"] == "env"
    guest, _ = relay.join("ben", "tab-2", claims=json.dumps({"role": "guest"}))
    guest.send(envelope("tab-2", "ben", 1, setting(["x"], 1)))
    assert guest.receive()["t"] == "eject"


@pytest.fixture
def tokens(start, tmp_path):
    path = tmp_path / "tokens.json"
    path.write_text(json.dumps({"secret-1": {"writer": "ana", "kind": "human", "claims": {"a": 1}}, "s_2.~!": {"writer": "ben"},
                                "x" * 60: {"writer": "long"}}))
    return start("--token-file", path)


@pytest.mark.parametrize("how", [
    {"headers": ["Authorization: Bearer secret-1"]}, {"headers": ["authorization: bearer secret-1"]},
    {"query": {"token": "secret-1"}}, {"headers": ["Sec-WebSocket-Protocol: bearer.secret-1"]},
    {"headers": ["Sec-WebSocket-Protocol: mesh, bearer.secret-1"]}])
def test_token(tokens, how):
    connection = WebSocket(tokens.port, **how)
    connection.send(hello("tab-1"))
    assert connection.receive()["t"] == "welcome"
    if any("Protocol" in line for line in how.get("headers", ())):
        assert connection.headers["sec-websocket-protocol"] == "bearer.secret-1"
    watcher = WebSocket(tokens.port, {"token": "s_2.~!"})
    watcher.send(hello("tab-2"))
    assert watcher.receive()["t"] == "welcome"
    connection.send({"t": "presence", "room": "r"})
    assert watcher.receive()["peer"] == {"origin": "tab-1", "writer": "ana"}


@pytest.mark.parametrize("how, status", [
    ({}, 401), ({"query": {"writer": "ana"}}, 401), ({"query": {"token": "nope"}}, 401), ({"query": {"token": ""}}, 401),
    ({"headers": ["Authorization: Bearer nope"]}, 401), ({"headers": ["Authorization: Basic secret-1"]}, 401),
    ({"headers": ["Authorization: Bearer nope"], "query": {"token": "secret-1"}}, 401),
    ({"headers": ["Sec-WebSocket-Protocol: bearer.nope"]}, 401), ({"headers": ["Sec-WebSocket-Protocol: mesh"]}, 400),
    ({"headers": ["Sec-WebSocket-Protocol: bearer." + "x" * 60]}, 400), ({"headers": ["Sec-WebSocket-Protocol: " + "x" * 200]}, 400),
    ({"headers": ["Sec-WebSocket-Protocol: signals"]}, 400), ({"headers": ["Sec-WebSocket-Protocol: relay"]}, 400)])
def test_bad_token_is_refused_with_words(tokens, how, status):
    with pytest.raises(Refused) as refused:
        WebSocket(tokens.port, **how)
    assert refused.value.status == status
    assert refused.value.body.strip()


def test_long_token_as_header(tokens):
    WebSocket(tokens.port, headers=["Authorization: Bearer " + "x" * 60]).close()


def test_with_tokens_a_writer_in_the_query_is_not_believed(tokens):
    connection = WebSocket(tokens.port, {"token": "secret-1", "writer": "mallory"})
    connection.send(hello("tab-1"))
    connection.receive()
    watcher = WebSocket(tokens.port, {"token": "s_2.~!"})
    watcher.send(hello("tab-2"))
    watcher.receive()
    connection.send({"t": "presence", "room": "r"})
    assert watcher.receive()["peer"]["writer"] == "ana"
