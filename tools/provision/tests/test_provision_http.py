"""What goes wrong between provisioner and store: failures are told with their request, and the secret stays in its header."""
import json
import socket
import threading

import pytest
from provisioners import SECRET, fixture
from store_double import Deployed, serving

EMPTY = (200, '{"hashes":[]}')


def failure(provisioner, answer, op="status"):
    """The error of a run against a store that answers so, and what was asked."""
    with serving(answer if callable(answer) else lambda _: answer) as (url, requests):
        given = provisioner(op, fixture("apps/tasks.json"), url, fixture("permissions/tasks.json"))
    assert given["error"]["code"] == "http", given
    return given["error"], requests


def test_the_text_has_the_request_the_status_and_the_beginning_of_the_body(provisioner):
    error, requests = failure(provisioner, (503, "é" * 1000))
    assert len(requests) == 1 and error["status"] == 503
    assert error["message"].startswith("GET http://127.0.0.1:")
    assert "/apps/app%20one%2F%C3%BC/schemas" in error["message"] and "503" in error["message"]
    assert error["message"].count("é") == 200


@pytest.mark.parametrize("secret", [SECRET, "se\"cret\\of us", "geheim-ü-секрет"])
@pytest.mark.parametrize("spell", [str, lambda secret: json.dumps(secret), lambda secret: json.dumps(secret, ensure_ascii=False)])
def test_a_store_that_repeats_the_secret_does_not_get_it_into_the_answer(provisioner, secret, spell):
    def answer(request):
        assert request.headers["X-Jazz-Admin-Secret"].encode("latin1").decode() == secret
        return 401, "x" * 190 + spell(secret) + spell(secret)

    with serving(answer) as (url, _):
        message = provisioner("status", fixture("apps/tasks.json"), url, secret=secret)["error"]["message"]
    assert "answered 401" in message and "[secret]" in message
    assert not any(part in message for part in (secret[:6], secret[-6:]))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_not_followed(provisioner, status):
    with serving(lambda _: EMPTY) as (elsewhere, stolen):
        error, requests = failure(provisioner, (status, "", {"Location": elsewhere + "/apps/x/schemas"}))
    assert error["status"] == status and len(requests) == 1 and stolen == []


@pytest.mark.parametrize("body", ["", "{", '{"hashes":[]}x', "NaN", b'{"hashes":["\xff"]}', "[" * 100_000 + "]" * 100_000,
                                  '{"a":' * 100_000 + "1" + "}" * 100_000], ids=lambda body: repr(body[:12]))
def test_a_body_that_is_not_json(provisioner, body):
    error, _ = failure(provisioner, (200, body))
    assert "JSON" in error["message"]


UNFIT = [
    {"schemas": "[]"},
    {"schemas": '{"hashes":{}}'},
    {"admin/permissions": "{}"},
    {"admin/permissions": '{"head":true}'},
    {"admin/permissions": '{"head":{"schemaHash":"../../../x","bundleObjectId":"b"}}'},
    {"admin/permissions": '{"head":{"schemaHash":"%s","bundleObjectId":"b"}}' % ("../" * 21 + "x")},
    {"admin/permissions": '{"head":{"schemaHash":"%s","bundleObjectId":"b"}}' % ("A" * 64)},
    {"admin/permissions": '{"head":{"schemaHash":"%s"}}' % ("a" * 64)},
    {"admin/permissions": '{"head":{"schemaHash":"%s","bundleObjectId":"b"},"permissions":[]}' % ("a" * 64)},
    {"schema/": "{}"},
    {"schema/": '{"schema":[]}'},
]


@pytest.mark.parametrize("wrong", UNFIT, ids=str)
def test_an_answer_that_is_json_but_not_what_it_must_be(provisioner, wrong):
    store = Deployed('{"sib__a":{"columns":[]}}')

    def answer(request):
        for path, body in wrong.items():
            if request.method == "GET" and f"/{path}" in request.target:
                return 200, body
        return store(request)

    error, _ = failure(provisioner, answer, "apply")
    assert "answered 200" in error["message"] and store.posted == []


def test_of_a_name_that_an_answer_has_twice_the_last_one_counts(provisioner):
    """As every JSON reader in the field does it, spelled with escapes or not."""
    with serving(lambda _: (200, r'{"head":{},"hashes":[],"he\u0061d":null,"hashes":[]}')) as (url, _):
        assert provisioner("status", fixture("apps/tasks.json"), url) == {"result": {"state": "no_schema"}}


def test_nothing_is_written_after_a_stale_parent(provisioner):
    store = Deployed('{"sib__a":{"columns":[]}}')

    def answer(request):
        if request.method == "POST" and request.target.endswith("admin/permissions"):
            store.head["bundleObjectId"] = "11111111-1111-4111-8111-111111111111"
        return store(request)

    error, requests = failure(provisioner, answer, "apply")
    assert error["status"] == 409
    assert [r.method for r in requests] == ["GET"] * 3 + ["POST"] * 3


@pytest.mark.parametrize("stop_at", range(4, 10))
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_run_that_stopped_between_two_requests_is_completed_by_running_again(provisioner, stop_at, after):
    store, asked = Deployed('{"sib__a":{"columns":[]}}', '{"sib__a":{"delete":{}}}'), []

    def answer(request):
        asked.append(request)
        if len(asked) == stop_at:
            if after:
                store(request)
            return 500, "{}"
        return store(request)

    with serving(answer) as (url, _):
        arguments = ("apply", fixture("apps/tasks.json"), url, fixture("permissions/tasks.json"))
        assert provisioner(*arguments)["error"]["code"] == "http"
        assert provisioner(*arguments)["result"]["status"] in ("updated", "unchanged")
        assert provisioner(*arguments) == {"result": {"status": "unchanged", "headHash": store.head["schemaHash"]}}
    assert store.head["version"] == 2
    assert list(json.loads(store.permissions)) == ["sib__a", "taskapp__projects", "taskapp__tasks"]
    own = next(h for h, body in store.schemas.items() if '"sib__a"' not in body)
    assert f"fromHash={own}&toHash={store.head['schemaHash']}" in store.connected


@pytest.mark.parametrize("suffix, path", [("", ""), ("/", ""), ("///", ""), ("/sync/v1", "/sync/v1"), ("/sync//", "/sync")])
def test_trailing_slashes_do_not_matter_and_a_base_path_is_kept(provisioner, suffix, path):
    store = Deployed()
    with serving(store) as (url, requests):
        assert provisioner("status", fixture("apps/tasks.json"), url + suffix) == {"result": {"state": "no_schema"}}
    assert [r.target for r in requests] == [f"{path}/apps/app%20one%2F%C3%BC/{rest}" for rest in ("schemas", "admin/permissions")]


@pytest.mark.parametrize("url", ["", "ftp://127.0.0.1/", "127.0.0.1:1", "http://", "http://u@127.0.0.1:1/", "http://u:p@127.0.0.1:1",
                                 "http://127.0.0.1:1/?a=b", "http://127.0.0.1:1/#x", "file:///etc/passwd"])
def test_urls_that_cannot_be_used(provisioner, url):
    assert provisioner("status", fixture("apps/tasks.json"), url)["error"]["code"] == "bad-input"


@pytest.mark.parametrize("target", [{"app_id": ""}, {"app_id": ".."}, {"secret": ""}, {"secret": "a\r\nX-Other: b"}, {"secret": "a\0b"}])
def test_targets_that_cannot_be_used(provisioner, target):
    with serving(lambda _: EMPTY) as (url, requests):
        assert provisioner("status", fixture("apps/tasks.json"), url, **target)["error"]["code"] == "bad-input"
    assert requests == []


def test_nobody_listens(provisioner):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        error = provisioner("status", fixture("apps/tasks.json"), f"http://127.0.0.1:{port}")["error"]
    assert error["code"] == "http" and f"127.0.0.1:{port}" in error["message"] and "status" not in error


def test_a_store_that_hangs_up(provisioner):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def hang_up():
            connection, _ = listener.accept()
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
            connection.close()

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        error = provisioner("status", fixture("apps/tasks.json"), f"http://127.0.0.1:{listener.getsockname()[1]}")["error"]
        thread.join()
    assert error["code"] == "http"


def test_an_answer_without_end_is_cut_off(provisioner):
    error, _ = failure(provisioner, (200, b" " * (65 << 20) + b"{}"))
    assert "longer than" in error["message"]
