"""The npm relay behind WebSockets, with its control URL."""

import contextlib
import http.client
import json
import pathlib
import signal
import subprocess
import sys
import threading

import pytest
from npm_relay import NODE, SCRIPTS, envelope, message_that_throws, needs_packages

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "relay-ref" / "tests"))
from websocket_client import BINARY, Closed, Refused, WebSocket, frame  # noqa: E402

pytestmark = needs_packages
LIMIT_SECONDS = 60


class Server:
    """server.mjs, ready. Each of its clients and its control connection is closed when it is stopped."""

    def __init__(self, *flags):
        self.child = subprocess.Popen([NODE, SCRIPTS / "server.mjs", *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.watchdog = threading.Timer(LIMIT_SECONDS, self.child.kill)
        self.watchdog.start()
        self.port = self.port_of("listening ws://127.0.0.1:")
        self.http = None
        if "--control" in flags:
            self.http = http.client.HTTPConnection("127.0.0.1", self.port_of("control http://127.0.0.1:"), timeout=20)
        self.last_id = 0

    def port_of(self, start):
        line = self.child.stdout.readline()
        assert line.startswith(start) and line.endswith("/\n"), line
        return int(line[len(start):-2])

    def connect(self, writer="ana", **more):
        return WebSocket(self.port, {"writer": writer, **more})

    def join(self, origin="o", writer="ana"):
        """(client, its welcome)"""
        client = self.connect(writer)
        client.send({"t": "hello", "room": "r", "origin": origin, "proto": 3, "policyVersion": 0})
        return client, client.receive()

    def post(self, body, method="POST", headers=()):
        self.http.request(method, "/", body, dict(headers))
        response = self.http.getresponse()
        return response.status, response.read()

    def ask(self, do, **fields):
        """(reply without its id, events)"""
        self.last_id += 1
        status, body = self.post(json.dumps({"id": self.last_id, "do": do, **fields}))
        assert status == 200, body
        answer = json.loads(body)
        assert answer["reply"].pop("id") == self.last_id
        return answer["reply"], answer["events"]

    def open(self, **options):
        assert self.ask("open", relay="r1", profile="0.9", options=options) == ({"ok": True}, [])

    def stop(self):
        """(status, standard error)"""
        self.watchdog.cancel()
        if self.http is not None:
            self.http.close()
        self.child.send_signal(signal.SIGTERM)
        errors = self.child.communicate(timeout=20)[1]
        return self.child.returncode, errors


@contextlib.contextmanager
def running(*flags):
    server = Server(*flags)
    try:
        yield server
    finally:
        status = server.stop()
    assert status == (0, "")


@pytest.fixture
def server():
    with running("--control", "0") as started:
        started.open()
        yield started


def write(client, welcome, version=1, *ops):
    client.send({"t": "env", "room": "r", "env": envelope("ana", welcome["instance"], version, *ops, origin="o")})


# ---- flags and handshake ----

def test_without_a_control_url():
    with running("--port", "0") as server:
        assert server.join()[1]["t"] == "welcome"


@pytest.mark.parametrize("flags", [["--wings", "2"], ["--port", "x"], ["--port", "65536"], ["--port"], ["more"]])
def test_bad_flags_are_bad_usage(flags):
    ran = subprocess.run([NODE, SCRIPTS / "server.mjs", *flags], capture_output=True, text=True, timeout=20)
    assert (ran.returncode, ran.stdout) == (2, "") and ran.stderr.startswith("server.mjs: ")


def test_a_port_that_is_taken(server):
    ran = subprocess.run([NODE, SCRIPTS / "server.mjs", "--port", str(server.port)], capture_output=True, text=True, timeout=20)
    assert ran.returncode == 1 and "EADDRINUSE" in ran.stderr


@pytest.mark.parametrize("query, status", [
    ("", 401), ("?writer=", 401), ("?kind=human", 401), ("?writer=a&writer=b", 400), ("?writer=%ff", 400), ("?writer=a&claims=7", 400),
    ("?writer=a&claims=junk", 400),
])
def test_who_does_not_say_who_they_are_stays_outside(server, query, status):
    with pytest.raises(Refused) as refused:
        WebSocket(server.port, path="/" + query)
    assert refused.value.status == status and refused.value.body


def test_the_principal_comes_from_the_query(server):
    allow = {"writer": "a&b=ü", "kind": "agent", "claims": {"role": ["x"]}}
    server.open(policy={"acl": [{"prefix": [], "allow": allow}]})
    client = server.connect(writer=allow["writer"], kind="agent", claims=json.dumps({"role": ["x"], "more": 1}))
    client.send({"t": "hello", "room": "r", "origin": "o", "proto": 3, "policyVersion": 0})
    op = {"kind": "set", "path": ["a"], "next": 1, "cites": [], "epoch": 0}
    env = envelope(allow["writer"], client.receive()["instance"], 1, op)
    client.send({"t": "env", "room": "r", "env": env})
    assert client.receive() == {"t": "env", "room": "r", "env": {**env, "seq": 1}}


# ---- clients ----

def test_a_client_that_ends_leaves(server):
    ana, _ = server.join("o1")
    for ending in ("close", "reset"):
        ben, _ = server.join("o2", "ben")
        assert ana.receive() == {"t": "member", "room": "r", "origin": "o2"}
        getattr(ben, ending)()
        assert ana.receive() == {"t": "member", "room": "r", "origin": "o2", "gone": True}


def test_an_ejected_client_is_closed_and_heard_no_more(server):
    ana, welcome = server.join()
    ana.send_raw(frame(json.dumps({"t": "env", "room": "r", "env": envelope("ben", welcome["instance"], 1)})) +
                 frame(json.dumps({"t": "hello", "room": "q", "origin": "o", "proto": 3, "policyVersion": 0})))
    texts, code = ana.receive_until_closed()
    assert [json.loads(text)["t"] for text in texts] == ["eject"] and code == 1000
    assert server.ask("room", relay="r1", room="q")[0] == {"ok": None}


def test_junk_is_dropped_and_a_binary_message_closes(server):
    ana, welcome = server.join()
    ana.send_text("junk")
    write(ana, welcome)
    assert ana.receive()["t"] == "env"
    ana.send_raw(frame(b"{}", BINARY))
    with pytest.raises(Closed) as closed:
        ana.receive()
    assert closed.value.code == 1003


# ---- the control URL ----

def test_start_says_what_it_can(server):
    said = server.ask("start", meshspec=1)[0]["ok"]
    assert said["profiles"] == ["0.9"] and {"hold", "unload", "restart", "fresh"} <= set(said["can"])


@pytest.mark.parametrize("command", ["nobody-knows-this", "events", "connect", "receive", "disconnect", "toString"])
def test_what_is_not_offered_is_said(server, command):
    assert server.ask(command) == ({"unsupported": True}, [])


@pytest.mark.parametrize("method, body, headers, status", [
    ("GET", None, {}, 405), ("POST", "{}", {"Origin": "http://a.example"}, 403), ("POST", "junk", {}, 400), ("POST", "", {}, 400),
    ("POST", "[]", {}, 400),
])
def test_what_is_no_command_is_refused(server, method, body, headers, status):
    assert server.post(body, method, headers)[0] == status
    assert server.ask("room", room="r")[0] == {"ok": None}


def test_events_come_with_the_next_answer_once(server):
    ana, welcome = server.join()
    write(ana, welcome)
    ana.receive()
    reply, events = server.ask("room", relay="r1", room="r")
    assert reply == {"ok": {"seq": 1, "instance": welcome["instance"], "members": 1, "journal": 1, "stalled": False}}
    assert [(event["on"], event["relay"]) for event in events] == [("join", "r1"), ("commit", "r1")]
    assert server.ask("events") == ({"unsupported": True}, [])


def test_held_commits(server):
    ana, welcome = server.join()
    server.ask("hold", relay="r1")
    for version in (1, 2, 3):
        write(ana, welcome, version)
    ana.send({"t": "signal", "room": "r", "to": "o", "data": "all of them are there"})
    assert ana.receive()["t"] == "signal"
    assert [event["on"] for event in server.ask("release", relay="r1", room="r", seq=2)[1]] == ["commit"] * 3
    server.ask("release", relay="r1", room="r", seq=1)
    assert [ana.receive()["env"]["seq"] for _ in range(2)] == [1, 2]
    assert server.ask("fail", relay="r1", room="r", seq=3) == ({"ok": True}, [{"on": "stalled", "relay": "r1", "room": "r", "seq": 3}])


def test_options_and_clock(server):
    server.open(limits={"maxEnvelopesPerSecond": 1})
    assert server.ask("clock", relay="r1", ms=5000)[0] == {"ok": True}
    ana, welcome = server.join()
    for version in (1, 2):
        write(ana, welcome, version)
        assert ana.receive()["t"] == "env"
    write(ana, welcome, 3)
    assert ana.receive()["reason"] == "rate"
    assert server.ask("open", relay="r1", profile="0.9", options={"wings": 2})[0].keys() == {"no"}
    assert server.ask("open", relay="r1", profile="0.2.0", options={})[0].keys() == {"no"}


@pytest.mark.parametrize("command, fields", [("open", {"relay": "r2", "profile": "0.9", "options": {}}), ("close", {"relay": "r1"})])
def test_a_new_relay_begins_empty_and_cuts_off_who_was_there(server, command, fields):
    ana, welcome = server.join()
    assert server.ask(command, **fields) == ({"ok": True}, [])
    assert ana.receive_until_closed() == ([], None)
    assert server.ask("room", relay="r1", room="r") == ({"ok": None}, [])
    assert server.join()[1]["instance"] != welcome["instance"]


# ---- a relay that throws ----

def test_a_crash_costs_the_case_and_no_other():
    server = Server("--control", "0")
    server.open()
    ana, welcome = server.join()
    other, _ = server.join("p", "ben")
    ana.send(message_that_throws("ana", welcome["instance"]))
    for client in (ana, other):
        assert client.receive_until_closed()[1] is None
    for command in ("room", "events"):
        assert server.ask(command, relay="r1", room="r")[0]["error"].startswith("the relay crashed: TypeError")
    server.open()
    assert server.ask("room", relay="r1", room="r")[0] == {"ok": None}
    assert server.join()[1]["seq"] == 0
    reply = server.ask("hydrate", relay="r1", room="q", snapshot={"seq": 1, "registers": 5})[0]
    assert reply["error"].startswith("the relay crashed: TypeError")
    server.open()
    assert server.join()[1]["seq"] == 0
    status, errors = server.stop()
    assert status == 0 and errors.count("the relay crashed: TypeError") == 2
