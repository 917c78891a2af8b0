"""Who may ask, what is where, what a fresh store says."""

import socket
import subprocess

import pytest
from store_server import PROGRAM, SECRET, is_error, text_table

HASH = "0" * 64
ROUTES = [
    ("GET", "schemas", None),
    ("GET", f"schema/{HASH}", None),
    ("POST", "admin/schemas", {"schema": {}}),
    ("GET", "admin/permissions", None),
    ("GET", "admin/permissions/head", None),
    ("POST", "admin/permissions", {"schemaHash": HASH, "permissions": {}, "expectedParentBundleObjectId": None}),
    ("POST", "admin/migrations", {"fromHash": HASH, "toHash": HASH, "forward": []}),
    ("GET", f"admin/schema-connectivity?fromHash={HASH}&toHash={HASH}", None),
    ("GET", "nothing/here", None),
    ("PUT", "schemas", None),
    ("POST", "admin/schemas", "not json"),
]


def test_health_needs_no_secret(store):
    answer = store.ask("GET", "/health")
    assert (answer.status, answer.json) == (200, {"status": "healthy"})
    assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("method, path, body", ROUTES)
@pytest.mark.parametrize("secret", [None, "", "x", SECRET + "x", SECRET[:-1], SECRET.upper()])
def test_missing_or_wrong_secret_is_401_before_anything_else(store, method, path, body, secret):
    """store.auth"""
    store.publish_schema({"a__t": text_table("x")})
    before = store.contents()
    assert is_error(store.admin(method, path, body, secret=secret), 401, "unauthorized")
    assert store.contents() == before


def test_two_secret_headers_are_not_right(store):
    request = f"GET /apps/a/schemas HTTP/1.1\r\nX-Jazz-Admin-Secret: {SECRET}\r\nX-Jazz-Admin-Secret: x\r\nConnection: close\r\n\r\n"
    assert b" 401 " in store.raw(request.encode())


def test_the_header_may_have_any_case(store):
    assert store.ask("GET", "/apps/a/schemas", headers={"x-JAZZ-admin-SECRET": SECRET}).status == 200


@pytest.mark.parametrize("method, path, body", ROUTES)
def test_a_store_without_secret_answers_403(start, method, path, body):
    store = start(secret=None)
    assert is_error(store.admin(method, path, body, secret="anything"), 403, "forbidden")
    assert store.ask("GET", "/health").status == 200


def test_the_secret_may_come_from_a_file(start, tmp_path):
    (tmp_path / "secret").write_text("from a file\nsecond line\n")
    store = start("--admin-secret-file", tmp_path / "secret", secret=None)
    assert store.admin("GET", "schemas", secret="from a file").status == 200
    assert store.admin("GET", "schemas", secret="second line").status == 401


def test_a_fresh_store_has_nothing(store):
    """store.fresh"""
    assert store.admin("GET", "schemas").json == {"hashes": []}
    assert store.admin("GET", "admin/permissions").json == {"head": None, "permissions": None}
    assert store.admin("GET", "admin/permissions/head").json == {"head": None}


@pytest.mark.parametrize("path", [
    "/", "/nothing", "/apps", "/apps/", "/apps/x", "/apps//schemas", "/healthy", "/health/", "/Health",
])
def test_unknown_paths_at_the_top(store, path):
    assert is_error(store.ask("GET", path, headers={"X-Jazz-Admin-Secret": SECRET}), 404, "not_found")


@pytest.mark.parametrize("path", [
    "", "schema", "schemas/", "schemas/x", "Schemas", "admin", "admin/", "admin/permissions/heads",
    "admin/permissions/head/x", "a/b/c/d/e/f/g/h/i/j", "admin%2Fpermissions",
])
def test_unknown_paths_below_an_app(store, path):
    assert is_error(store.admin("GET", path), 404, "not_found")


@pytest.mark.parametrize("method, path, allow", [
    ("POST", "schemas", "GET"), ("DELETE", f"schema/{HASH}", "GET"), ("GET", "admin/schemas", "POST"),
    ("PUT", "admin/permissions", "GET, POST"), ("POST", "admin/permissions/head", "GET"),
    ("GET", "admin/migrations", "POST"), ("PATCH", "admin/schema-connectivity", "GET"), ("BREW", "schemas", "GET"),
])
def test_a_wrong_method_is_405_and_says_what_is_allowed(store, method, path, allow):
    answer = store.admin(method, path, "{}" if method != "GET" else None)
    assert is_error(answer, 405, "bad_request") and answer.headers["Allow"] == allow


def test_head_requests_get_no_body(store):
    answer = store.admin("HEAD", "schemas")
    assert (answer.status, answer.body) == (405, b"")


@pytest.mark.parametrize("app", [
    "a", "%20", "a%2Fb", "a%252Fb", "%C3%A9", "e%CC%81", "%E8%A1%A8", "Test", "test", "trailing%20", "trailing",
    "%00", "%00x", "%FF", "..", "%2e", ".", "apps", "x" * 10000, "a+b", "a%2Bb%20",
])
def test_app_ids_are_any_segment_and_never_collapse(store, app):
    other = store.publish_schema({"other__t": text_table("x")}, app="other")
    mine = store.publish_schema({"a__t": text_table(app[:50].replace("%", "p") or "x")}, app=app)
    assert store.admin("GET", "schemas", app=app).json == {"hashes": [mine]}
    assert store.admin("GET", "schemas", app="other").json == {"hashes": [other]}
    assert store.admin("GET", f"schema/{other}", app=app).status == 404


def test_names_that_look_alike_are_different_apps(store):
    apps = ["Test", "test", "%C3%A9", "e%CC%81", "a%2Fb", "a%252Fb", "t", "t%20", "t%00", "%FF", "%FE"]
    hashes = {app: store.publish_schema({"a__t": text_table(f"c{n}")}, app=app) for n, app in enumerate(apps)}
    for app in apps:
        assert store.admin("GET", "schemas", app=app).json == {"hashes": [hashes[app]]}


def test_percent_spelling_does_not_make_another_app(store):
    published = store.publish_schema({"a__t": text_table("x")}, app="a~b")
    assert store.admin("GET", "schemas", app="%61%7Eb").json == {"hashes": [published]}
    assert store.admin("GET", "schemas", app="%61%7eb").json == {"hashes": [published]}


@pytest.mark.parametrize("app", ["%", "%1", "%zz", "a%2", "%%41"])
def test_a_broken_escape_is_400(store, app):
    assert is_error(store.admin("GET", "schemas", app=app), 400, "bad_request")


def test_a_base_path_stands_before_everything(start):
    store = start("--base-path", "/sync/here/", "--control")
    assert store.url.endswith("/sync/here/")
    assert store.ask("GET", "/health").status == 404
    assert store.ask("GET", "/sync/here/health").status == 200
    assert store.ask("GET", "/sync/herehealth").status == 404
    assert store.ask("GET", "/sync/here/apps/a/schemas", headers={"X-Jazz-Admin-Secret": SECRET}).status == 200


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=60, text=True, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("arguments, says", [
    (["--nonsense"], "--nonsense"), (["--port"], "--port"), (["--port", "65536"], "65535"), (["--port", "x"], "--port"),
    (["extra"], "extra"), (["--max-body", "0"], "--max-body"), (["--max-body", "-1"], "--max-body"),
    (["--fault", "GET"], "path"), (["--fault", "GET /x nth=0"], "nth"), (["--fault", "GET /x colour=red"], "colour"),
    (["--fault", "GET /x cut=maybe"], "cut"), (["--fault", "GET /x status=99"], "status"),
    (["--admin-secret", ""], "admin-secret"), (["--admin-secret", "a\nb"], "admin-secret"),
    (["--admin-secret-file", "/nonexistent/file"], "/nonexistent/file"), (["--base-path", "x"], "--base-path"),
    (["--sync", "full"], "--sync"),
])
def test_bad_usage_is_exit_2_with_a_reason(arguments, says):
    ended = run(*arguments)
    assert ended.returncode == 2 and says in ended.stderr and ended.stdout == "", ended


def test_what_cannot_start_is_exit_1_with_a_reason(store, tmp_path):
    assert "cannot listen" in (taken := run("--port", str(store.port))).stderr and taken.returncode == 1, taken
    assert "database" in (ended := run("--db", str(tmp_path / "no" / "file"))).stderr and ended.returncode == 1, ended
    assert "record" in (ended := run("--record", str(tmp_path / "no" / "file"))).stderr and ended.returncode == 1, ended
    (tmp_path / "junk").write_bytes(b"this is no database, it is a text that is long enough to be looked at" * 50)
    assert "database" in (ended := run("--db", str(tmp_path / "junk"))).stderr and ended.returncode == 1, ended


def test_an_address_that_is_not_of_this_machine_is_exit_1():
    for host in ["192.0.2.99", "no such host", "", "2001:db8::1"]:
        ended = run("--host", host)
        assert ended.returncode == 1 and "cannot listen" in ended.stderr and ended.stdout == "", ended


def test_only_the_address_that_was_asked_for_listens(store):
    socket.create_connection(("127.0.0.1", store.port), timeout=20).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", store.port), timeout=20)


def test_help_tells_the_fault_syntax_and_the_ceilings():
    ended = run("--help")
    assert ended.returncode == 0 and ended.stderr == ""
    for word in ["nth=N", "cut=before|after", "--fault 'POST */admin/permissions nth=2 status=502'", "16777216", "/data/insert"]:
        assert word in ended.stdout
