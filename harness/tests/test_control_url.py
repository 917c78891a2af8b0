"""The control URL: what it makes judgeable, and what a control URL that misbehaves costs."""
import http.server
import json
import os
import pathlib
import socket
import subprocess
import threading
import time
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("MESHSPEC_BUILD", "build")
MESHSPEC = ROOT / BUILD / "meshspec"
ROOM = """title: A room of which the relay tells
clauses: [join.fresh]
clients: {ana: {}}
limit: LIMIT
steps:
  - ana: hello
  - ana: {gets: {t: welcome}}
  - relay: {room: {seq: 0, members: 1}}
"""


def judge(target, *arguments):
    ran = subprocess.run([MESHSPEC, "run", "--target", target, "--json", "-", *arguments], cwd=ROOT, capture_output=True, text=True,
                         timeout=100, check=False)
    assert ran.returncode in (0, 1, 3) and ran.stdout, ran.stderr
    return {case["name"].split("/")[-1]: case for case in json.loads(ran.stdout)["cases"]}


@pytest.fixture
def relay():
    """A reference relay's two URLs."""
    with subprocess.Popen([ROOT / BUILD / "meshspec-relay", "--port", "0", "--control", "0"], stdout=subprocess.PIPE, text=True) as process:
        yield [process.stdout.readline().split()[1] for _ in range(2)]
        process.terminate()


@pytest.fixture
def behind(relay, tmp_path):
    """A target file of that relay, with a control URL of which answer(command, right answer) makes what it says."""
    servers = []

    def make(answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                right = urllib.request.urlopen(urllib.request.Request(relay[1], body), timeout=50).read()
                said = answer(json.loads(body), right)
                if isinstance(said, int):
                    self.send_error(said, "as asked")
                elif said is not None:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(said)))
                    self.end_headers()
                    self.wfile.write(said)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return write(f"http://127.0.0.1:{server.server_address[1]}/")

    def write(control):
        path = tmp_path / "target.yaml"
        path.write_text(f"url: {relay[0]}\ncontrol: {control}\n")
        return path

    make.at = write
    yield make
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def room(tmp_path):
    path = tmp_path / "room.yaml"
    path.write_text(ROOM.replace("LIMIT", "3s"))
    return path


# ---- what it makes judgeable ----


def test_nothing_is_skipped_with_it(behind):
    cases = judge(behind(lambda _, right: right), "scenarios/commit", "scenarios/hydrate", "scenarios/epoch", "scenarios/rate")
    assert {case["verdict"] for case in cases.values()} == {"pass"} and len(cases) > 50


def test_only_what_it_offers_is_asked_for(behind):
    asked = set()

    def without(command, right):
        asked.add(command["do"])
        return right.replace(b'"hydrate",', b"").replace(b'"clock",', b"")

    cases = judge(behind(without), "scenarios/hydrate", "scenarios/rate", "scenarios/join")
    skipped = {case["reason"] for case in cases.values() if case["verdict"] == "skip"}
    assert skipped == {f'needs "{name}", which the target does not offer' for name in ("hydrate", "clock")}
    assert "hydrate" not in asked and "clock" not in asked and {"start", "open", "close"} <= asked
    assert {case["verdict"] for case in cases.values()} == {"pass", "skip"}


def test_a_wrong_answer_of_the_relay_is_a_failure(behind, room):
    wrong = behind(lambda command, right: right.replace(b'"members":1', b'"members":2') if command["do"] == "room" else right)
    case = judge(wrong, room)["room"]
    assert case["verdict"] == "fail" and "the room's state" in case["failure"]["message"]


def test_a_commit_that_is_not_reported_is_a_failure(behind):
    silent = behind(lambda _, right: json.dumps({**json.loads(right), "events": []}).encode())
    cases = judge(silent, "scenarios/commit")
    assert "fail" in {case["verdict"] for case in cases.values()}


# ---- what is no control URL ----


@pytest.mark.parametrize("answer, words", [
    (lambda *_: 404, "HTTP status 404"),
    (lambda *_: 500, "HTTP status 500"),
    (lambda *_: b"<html>hello</html>", '{"reply":{…},"events":[…]}: <html>hello</html>'),
    (lambda *_: b"", "something other than"),
    (lambda *_: b"[" * 1000000, "something other than"),
    (lambda *_: b'{"reply":{"id":1,"ok":true}}', "something other than"),
    (lambda *_: b'{"reply":{"id":1,"ok":true},"events":[{"of":"x"}]}', "something other than"),
    (lambda *_: b'{"reply":{"id":99,"ok":true},"events":[]}', "another command than it was given"),
    (lambda command, _: b'{"reply":{"id":%d},"events":[]}' % command["id"], "none of `ok`, `no` and `unsupported`"),
    (lambda command, _: b'{"reply":{"id":%d,"ok":{"name":"x"}},"events":[]}' % command["id"], "without `profiles`"),
    (lambda _, right: right.replace(b'"unsupported":true', b'"ok":true'), "answers ok to a command that nobody knows"),
    (lambda *_: None, "did not answer"),
])
def test_what_is_no_control_url_is_3_with_the_evidence(behind, answer, words):
    cases = judge(behind(answer), "scenarios/join/delta.yaml")
    assert cases["delta"]["verdict"] == "error" and words in cases["delta"]["reason"], cases["delta"]["reason"]


def test_nobody_at_the_control_url_is_an_error(behind):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    case = judge(behind.at(f"http://127.0.0.1:{port}/"), "scenarios/join/delta.yaml")["delta"]
    assert case["verdict"] == "error" and "did not answer" in case["reason"] and "connect" in case["reason"]


@pytest.mark.parametrize("name, answer, words", [
    ("hangs", lambda: threading.Event().wait(20), "did not answer"),
    ("closes", lambda: None, "did not answer"),
    ("breaks", lambda: 500, "HTTP status 500"),
    ("babbles", lambda: b"{}", "something other than"),
    ("grows", lambda: b'{"reply":"' + b"x" * (81 << 20), "with more than 83886080 bytes"),
])
def test_a_control_url_that_fails_once_costs_one_case(behind, room, name, answer, words):
    struck = []

    def once(command, right):
        if command["do"] == "room" and not struck:
            struck.append(name)
            return answer()
        return right

    if name == "grows":
        room.write_text(ROOM.replace("LIMIT", "60s"))  # 81 MB take their time
    before = time.monotonic()
    cases = judge(behind(once), "scenarios/join/delta.yaml", room, "scenarios/hydrate")
    case = cases.pop("room")
    assert case["verdict"] == "error" and words in case["reason"], case["reason"]
    assert {other["verdict"] for other in cases.values()} == {"pass"}
    assert name == "grows" or (case["us"] < 8000000 and time.monotonic() - before < 40)


def test_events_that_were_lost_make_no_verdict(behind):
    lossy = behind(lambda command, right: right.replace(b'"events":[', b'"eventsLost":3,"events":[') if command["do"] == "events" else right)
    cases = judge(lossy, "scenarios/commit")
    assert any(case["verdict"] == "error" and "3 observed events were lost" in case["reason"] for case in cases.values())
