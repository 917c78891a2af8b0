"""Faults on purpose, from the command line and over /control/."""

import http.client
import select
import time

import pytest
from store_server import SECRET, is_error, text_table


def fault(store, **members):
    answer = store.ask("POST", "/control/faults", {"method": "*", "path": "*", **members})
    assert answer.status == 201, answer
    return answer


def cut(action):
    with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
        action()
    return True


def test_a_status_prevents_the_effect(store):
    fault(store, method="POST", path="*/admin/schemas", status=502)
    assert is_error(store.admin("POST", "admin/schemas", {"schema": {}}), 502, "internal")
    assert store.admin("GET", "schemas").json == {"hashes": []}
    assert store.admin("POST", "admin/schemas", {"schema": {}}).status == 201


@pytest.mark.parametrize("status, code", [(400, "bad_request"), (401, "unauthorized"), (403, "forbidden"), (404, "not_found"), (409, "bad_request"), (500, "internal"), (599, "internal")])
def test_the_error_has_the_code_of_its_status(store, status, code):
    fault(store, status=status)
    assert is_error(store.admin("GET", "schemas"), status, code)


def test_a_status_with_effect(store):
    fault(store, method="POST", status=502, effect=True)
    assert store.admin("POST", "admin/schemas", {"schema": {}}).status == 502
    assert len(store.admin("GET", "schemas").json["hashes"]) == 1


def test_a_body_that_is_not_json(store):
    fault(store, method="POST", body="oops {")
    answer = store.admin("POST", "admin/schemas", {"schema": {}})
    assert (answer.status, answer.body) == (201, b"oops {")
    assert len(store.admin("GET", "schemas").json["hashes"]) == 1
    fault(store, body="not json", status=200, effect=False)
    answer = store.admin("POST", "admin/schemas", {"schema": {"a__t": text_table("x")}})
    assert (answer.status, answer.body) == (200, b"not json")
    assert len(store.admin("GET", "schemas").json["hashes"]) == 1
    fault(store, body="", status=500)
    answer = store.admin("GET", "schemas")
    assert (answer.status, answer.body) == (500, b"")


def test_cut_before_and_after_the_effect(store):
    fault(store, method="POST", cut="before")
    assert cut(lambda: store.admin("POST", "admin/schemas", {"schema": {}}))
    assert store.admin("GET", "schemas").json == {"hashes": []}
    fault(store, method="POST", cut="after")
    assert cut(lambda: store.admin("POST", "admin/schemas", {"schema": {}}))
    assert len(store.admin("GET", "schemas").json["hashes"]) == 1


def test_delay_and_hold(store):
    fault(store, method="POST", delay=1500)
    connection = store.connect()
    started = time.monotonic()
    connection.request("POST", f"/apps/{store.app}/admin/schemas", b'{"schema":{}}', {"X-Jazz-Admin-Secret": SECRET})
    while not store.admin("GET", "schemas").json["hashes"]:
        pass  # it takes effect before it is answered, and others are served
    assert not select.select([connection.sock], [], [], 0)[0]
    assert connection.getresponse().status == 201 and time.monotonic() - started > 1.4
    fault(store, method="POST", hold=1500)
    connection = store.connect()
    started = time.monotonic()
    connection.request("POST", f"/apps/{store.app}/admin/schemas", b'{"schema":{"a__t":{"columns":[]}}}', {"X-Jazz-Admin-Secret": SECRET})
    while store.ask("GET", "/control/faults").json["faults"][-1]["struck"] == 0:
        pass
    assert len(store.admin("GET", "schemas").json["hashes"]) == 1
    assert connection.getresponse().status == 201 and time.monotonic() - started > 1.4
    assert len(store.admin("GET", "schemas").json["hashes"]) == 2


def test_a_client_that_leaves_during_a_hold_or_delay(store):
    for wait in ["hold", "delay"]:
        fault(store, method="POST", **{wait: 300})
        connection = store.connect()
        connection.request("POST", f"/apps/{store.app}/admin/schemas", b'{"schema":{}}', {"X-Jazz-Admin-Secret": SECRET})
        while store.ask("GET", "/control/faults").json["faults"][-1]["struck"] == 0:
            pass
        connection.close()
    deadline = time.monotonic() + 0.5
    while time.monotonic() < deadline:
        assert store.ask("GET", "/health").status == 200


def test_nth_and_count(store):
    fault(store, path="*/schemas", nth=3, count=2, status=500)
    assert [store.admin("GET", "schemas").status for _ in range(6)] == [200, 200, 500, 500, 200, 200]
    seen = store.ask("GET", "/control/faults").json["faults"][0]
    assert (seen["seen"], seen["struck"]) == (6, 2)
    fault(store, path="*/head", nth=2, count="all", status=503)
    assert [store.admin("GET", "admin/permissions/head").status for _ in range(5)] == [200, 503, 503, 503, 503]
    assert store.ask("DELETE", "/control/faults").status == 200
    assert store.admin("GET", "admin/permissions/head").status == 200
    assert store.ask("GET", "/control/faults").json == {"faults": []}


@pytest.mark.parametrize("pattern, path, hit", [
    ("/apps/*/schemas", "/apps/x/schemas", True), ("/apps/*/schemas", "/apps/x/admin/schemas", True), ("*/schemas", "/apps/x/schema", False),
    ("*", "/health", True), ("/health", "/health", True), ("/health", "/health?x=1", True), ("/health?x=1", "/health?x=1", False),
    ("/healt", "/health", False), ("/health*", "/health", True), ("*a*b*c*", "/xxaxxbxxcxx", True), ("*a*b*c*", "/xxbxxaxxcxx", False),
    ("/apps/a%2Fb/*", "/apps/a%2Fb/schemas", True), ("/apps/a/b/*", "/apps/a%2Fb/schemas", False), ("**", "/health", True),
])
def test_patterns(store, pattern, path, hit):
    fault(store, path=pattern, status=555)
    assert (store.ask("GET", path).status == 555) == hit


def test_methods_are_patterns_too(store):
    fault(store, method="P*", count="all", status=555)
    assert store.admin("GET", "schemas").status == 200
    assert store.admin("POST", "admin/schemas").status == 555
    assert store.admin("PUT", "admin/schemas").status == 555


def test_the_first_of_two_strikes_and_both_count(store):
    fault(store, status=555)
    fault(store, status=556, nth=2)
    assert [store.ask("GET", "/health").status for _ in range(3)] == [555, 556, 200]


def test_control_itself_is_never_met(store):
    fault(store, count="all", cut="before")
    assert store.ask("GET", "/control/faults").status == 200
    assert cut(lambda: store.ask("GET", "/health"))


def test_from_the_command_line(start):
    store = start("--control", "--fault", "GET */schemas nth=2 status=503", "--fault", "POST  */admin/schemas  body=oops delay=1")
    assert [store.admin("GET", "schemas").status for _ in range(3)] == [200, 503, 200]
    assert store.admin("POST", "admin/schemas", {"schema": {}}).body == b"oops"
    assert len(store.ask("GET", "/control/faults").json["faults"]) == 2


@pytest.mark.parametrize("body", [
    "", "x", "[]", "null", {}, {"method": "GET"}, {"path": "/x"}, {"method": "", "path": "*"}, {"method": "*", "path": ""},
    {"method": "*", "path": "*", "nth": 0}, {"method": "*", "path": "*", "nth": -1}, {"method": "*", "path": "*", "nth": 1.5},
    {"method": "*", "path": "*", "count": "some"}, {"method": "*", "path": "*", "status": 199}, {"method": "*", "path": "*", "status": 600},
    {"method": "*", "path": "*", "cut": True}, {"method": "*", "path": "*", "delay": 600001}, {"method": "*", "path": "*", "effect": 1},
    {"method": "*", "path": "*", "other": 1}, {"method": "*", "path": "*", "body": "x" * 70000},
])
def test_a_bad_fault_is_400_and_not_set(store, body):
    assert is_error(store.ask("POST", "/control/faults", body), 400, "bad_request")
    assert store.ask("GET", "/control/faults").json == {"faults": []}


def test_at_most_64_faults(store):
    for _ in range(64):
        fault(store, status=555)
    assert is_error(store.ask("POST", "/control/faults", {"method": "*", "path": "*"}), 400, "bad_request")


def test_who_may_control(start):
    assert is_error(start().ask("GET", "/control/faults"), 403, "forbidden")
    store = start("--control-secret", "open sesame")
    assert is_error(store.ask("GET", "/control/faults"), 401, "unauthorized")
    assert is_error(store.ask("GET", "/control/faults", headers={"X-Control-Secret": "open"}), 401, "unauthorized")
    assert store.ask("GET", "/control/faults", headers={"X-Control-Secret": "open sesame"}).status == 200
    assert store.admin("GET", "schemas", secret="open sesame").status == 401


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/control", 404), ("GET", "/control/", 404), ("GET", "/control/faults/x", 404), ("GET", "/control/nothing", 404),
    ("PUT", "/control/faults", 405), ("POST", "/control/requests", 405), ("DELETE", "/control/hanging", 405),
    ("GET", "/control/requests?after=x", 400), ("GET", "/control/requests?after=-1", 400),
])
def test_unknown_control_paths(store, method, path, status):
    assert store.ask(method, path).status == status
