"""The record of admin requests, and that the secret is nowhere."""

import base64
import json
import urllib.parse

import pytest
from store_server import SECRET, text_table


def requests(store, after=0):
    answer = store.ask("GET", f"/control/requests?after={after}")
    assert answer.status == 200
    return answer.json["requests"]


def test_every_admin_request_is_recorded_as_it_came(start, tmp_path):
    store = start("--control", "--record", tmp_path / "record")
    body = '{ "schema": {"\\u0061__t" : {"columns":[]}} }'
    store.ask("POST", "/apps/a%20b/admin/schemas?x=%41&y", body, {"X-Jazz-Admin-Secret": SECRET, "X-Own": "  spaced ", "ACCEPT": "a/b"})
    store.admin("GET", "schemas", secret="wrong")
    store.admin("GET", "admin/permissions", secret=None)
    store.ask("GET", "/apps//schemas")
    store.ask("GET", "/base//apps/x/../schemas")
    store.admin("BREW", "nothing")
    store.ask("GET", "/health")
    store.data("list", "0" * 64, "t")
    store.ask("GET", "/control/faults")
    found = requests(store)
    assert [(r["n"], r["method"], r["path"], r["secret"], r["status"]) for r in found] == [
        (1, "POST", "/apps/a%20b/admin/schemas?x=%41&y", "right", 201),
        (2, "GET", f"/apps/{store.app}/schemas", "wrong", 401),
        (3, "GET", f"/apps/{store.app}/admin/permissions", "missing", 401),
        (4, "GET", "/apps//schemas", "missing", 404),
        (5, "GET", "/base//apps/x/../schemas", "missing", 404),
        (6, "BREW", f"/apps/{store.app}/nothing", "right", 404),
    ]
    first = found[0]
    assert first["body"] == body and first["arrived"] == 1 and first["fault"] is False and first["secretElsewhere"] == []
    assert ["X-Own", "spaced"] in first["headers"] and ["ACCEPT", "a/b"] in first["headers"]
    assert ["X-Jazz-Admin-Secret", "[secret]"] in first["headers"]
    lines = (tmp_path / "record").read_text().splitlines()
    assert [json.loads(line) for line in lines] == found


def test_after_answers_only_what_is_newer(store):
    for _ in range(5):
        store.admin("GET", "schemas")
    assert [r["n"] for r in requests(store, 3)] == [4, 5]
    assert store.ask("GET", "/control/requests?after=5").json == {"requests": [], "last": 5, "dropped": 0}
    assert store.ask("DELETE", "/control/requests").status == 200
    store.admin("GET", "schemas")
    assert store.ask("GET", "/control/requests").json["dropped"] == 5
    assert [r["n"] for r in requests(store)] == [6]


def test_a_record_is_appended_to(start, tmp_path):
    for _ in range(2):
        store = start("--record", tmp_path / "record")
        store.admin("GET", "schemas")
        store.end()
    assert len((tmp_path / "record").read_text().splitlines()) == 2
    assert (tmp_path / "record").stat().st_mode & 0o077 == 0


def test_bodies_that_are_not_utf_8_come_as_base64(store):
    store.admin("POST", "admin/schemas", b"\xff\x00{}")
    (found,) = requests(store)
    assert base64.b64decode(found["bodyBase64"]) == b"\xff\x00{}" and "body" not in found


def test_headers_and_paths_that_are_not_utf_8(store):
    store.raw(b"GET /apps/\xff\xc3\xa9/schemas HTTP/1.1\r\nX-Odd: \xfe\r\nConnection: close\r\n\r\n")
    (found,) = requests(store)
    assert found["path"] == "/apps/\ufffd\u00e9/schemas" and ["X-Odd", "\ufffd"] in found["headers"]


def test_what_was_not_answered_has_no_status(store):
    store.ask("POST", "/control/faults", {"method": "*", "path": "*", "cut": "after"})
    with pytest.raises(OSError):
        store.admin("GET", "schemas")
    store.ask("POST", "/control/faults", {"method": "*", "path": "*", "status": 502})
    store.admin("GET", "schemas")
    assert [(r["status"], r["fault"]) for r in requests(store)] == [(None, True), (502, True)]


def test_a_body_over_the_ceiling_is_recorded_without_it(start):
    store = start("--control", "--max-body", "10")
    store.admin("POST", "admin/schemas", "x" * 11)
    (found,) = requests(store)
    assert (found["status"], found["body"], found["method"]) == (413, "", "POST")


def places_with_the_secret(store, tmp_path):
    """Sends the secret everywhere it must not be; yields every text that the store then produced."""
    quoted = urllib.parse.quote(SECRET)
    everywhere = "".join(f"%{ord(c):02X}" for c in SECRET)
    unicode_escapes = "".join(f"\\u{ord(c):04x}" for c in SECRET)
    sends = [
        ("GET", f"/apps/a/schemas?secret={SECRET}", None, {}, ["path"]),
        ("GET", f"/apps/a/schemas?secret={everywhere}", None, {}, ["path"]),
        ("GET", f"/apps/{SECRET}/schemas", None, {}, ["path"]),
        ("GET", f"/apps/a/schema/{SECRET}", None, {}, ["path"]),
        ("GET", f"/nothing/{quoted}", None, {}, ["path"]),
        ("POST", "/apps/a/admin/schemas", f'{{"schema":{{"{SECRET}":{{}}}}}}', {}, ["body"]),
        ("POST", "/apps/a/admin/schemas", f'{{"schema":{{"x":"{unicode_escapes}"}}}}', {}, ["body"]),
        ("POST", "/apps/a/admin/schemas", b"\xff" + SECRET.encode(), {}, ["body"]),
        ("POST", "/apps/a/admin/schemas", "not json " + SECRET, {}, ["body"]),
        ("GET", "/apps/a/schemas", None, {"Authorization": "Bearer " + SECRET}, ["header Authorization"]),
        ("GET", "/apps/a/schemas", None, {}, []),
        ("GET", "/apps/a/schemas", None, {"X-Jazz-Admin-Secret": SECRET + "x"}, []),
    ]
    for method, path, body, headers, _ in sends:
        answer = store.ask(method, path, body, headers if "X-Jazz-Admin-Secret" in headers else {"X-Jazz-Admin-Secret": SECRET, **headers})
        yield answer.body.decode()
    found = requests(store)
    assert [r["secretElsewhere"] for r in found] == [send[4] for send in sends]
    yield json.dumps(found)
    yield "".join(base64.b64decode(r["bodyBase64"]).decode("latin-1") for r in found if "bodyBase64" in r)
    yield (tmp_path / "record").read_text()


def test_the_secret_never_leaks(start, tmp_path):
    """provision.secret, on the store's side: no answer, no record, no log has it."""
    store = start("--control", "--record", tmp_path / "record")
    texts = list(places_with_the_secret(store, tmp_path))
    store.end()
    for text in [*texts, store.errors]:
        assert SECRET not in urllib.parse.unquote(text) and SECRET not in text


def test_only_so_many_records_are_kept(start):
    store = start("--control")
    connection = store.connect()
    for _ in range(10050):
        store.admin("GET", "schemas", connection=connection)
    answer = store.ask("GET", "/control/requests").json
    assert (len(answer["requests"]), answer["last"], answer["dropped"]) == (10000, 10050, 50)
    assert answer["requests"][0]["n"] == 51


def test_large_records_are_dropped_by_their_size(store):
    body = json.dumps({"schema": {"a__t": {**text_table("x"), "pad": "x" * 15_000_000}}})
    for _ in range(6):
        assert store.admin("POST", "admin/schemas", body).status == 201
    answer = store.ask("GET", "/control/requests").json
    assert 1 <= len(answer["requests"]) <= 4 and answer["last"] == 6
