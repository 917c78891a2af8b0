"""meshspec-adapter as a program: its lines, its ends, its refusals."""
import json
import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ.get("MESHSPEC_BUILD", "build"))
ADAPTER = str(BUILD / "meshspec-adapter")
HELLO = {"t": "hello", "room": "r", "origin": "ana", "proto": 1, "policyVersion": 0}


def run(*arguments, lines=()):
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    return subprocess.run([ADAPTER, *arguments], input=text, capture_output=True, text=True, timeout=60)


def answers(*lines):
    done = run(lines=lines)
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def opened(profile="0.2.0"):
    return [{"id": 1, "do": "open", "relay": "one", "profile": profile, "options": {}},
            {"id": 2, "do": "connect", "relay": "one", "conn": "c", "principal": {"writer": "w"}}]


def receive(number, message):
    return {"id": number, "do": "receive", "conn": "c", "text": json.dumps(message)}


def test_help():
    done = run("--help")
    assert done.returncode == 0 and "one command a line" in done.stdout and "256 MB" in done.stdout


@pytest.mark.parametrize("arguments", [["--nope"], ["x"], ["--help", "x"]])
def test_wrong_arguments(arguments):
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == "" and "takes no arguments but --help" in done.stderr


def test_ends_with_its_input():
    assert answers() == []
    assert answers({"id": 1, "do": "close", "relay": "x"}) == [{"id": 1, "error": "No relay of that name is open."}]


def test_ends_at_stop():
    assert answers({"id": 1, "do": "stop"}, {"id": 2, "do": "start"}) == [{"id": 1, "ok": True}]


def test_a_last_line_without_its_end_is_a_line():
    done = subprocess.run([ADAPTER], input=b'{"id":1,"do":"stop"}', capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b'{"id":1,"ok":true}\n')


def test_goes_on_after_a_line_that_is_no_command():
    replies = answers("nonsense", "", '{"id":3,"do":"\\ud83d"}', *opened())
    assert [reply["id"] for reply in replies] == [None, None, 3, 1, 2]
    assert replies[2] == {"id": 3, "unsupported": True}


def test_events_stand_before_their_reply():
    got = answers(*opened(), receive(3, HELLO))
    assert [line.get("on", line.get("id")) for line in got] == [1, 2, "send", 3]


def test_replies_are_there_before_the_next_command():
    """The reply is the harness' barrier: it must not wait in a buffer."""
    child = subprocess.Popen([ADAPTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for number in range(1, 20):
        child.stdin.write(json.dumps({"id": number, "do": "nobody-knows-this"}) + "\n")
        child.stdin.flush()
        assert json.loads(child.stdout.readline()) == {"id": number, "unsupported": True}
    child.stdin.close()
    assert child.wait(timeout=60) == 0


@pytest.mark.parametrize("levels", [64, 1001, 5000])
def test_a_deep_megabyte_comes_back_verbatim(levels):
    value = "[" * levels + '"' + "x" * 1000000 + '"' + "]" * levels
    text = ('{"t":"env","room":"r","env":{"proto":1,"policyVersion":0,"writer":"w","ops":[{"kind":"set","path":["a"],'
            '"next":' + value + "}]}}")
    done = run(lines=[*opened(), receive(3, HELLO), {"id": 4, "do": "receive", "conn": "c", "text": text}])
    assert done.returncode == 0
    sends = [line for line in done.stdout.splitlines() if line.startswith('{"on":"send"')]
    assert len(sends) == 2
    assert value in json.loads(sends[1])["text"]
