"""The misbehaving adapter: each flag does its wrong, at its time, and nothing else."""

import json
import signal
import subprocess
import sys

import pytest
from adapter_process import ADAPTERS, AdapterProcess, to
from story import tell

SCRIPT = "misbehaving/adapter.py"
CLAUSES = ADAPTERS.parent.parent / "fixtures" / "clauses" / "mesh-protocol.yaml"


def run(*flags):
    return subprocess.run([sys.executable, ADAPTERS / SCRIPT, *flags], capture_output=True, text=True, timeout=30)


def breaks():
    lines = run("--list-breaks").stdout.splitlines()
    return {name: clauses.split() for name, clauses, _ in (line.split("\t") for line in lines)}


BREAKS = breaks()


@pytest.fixture(scope="module")
def right_story():
    with AdapterProcess("python-relay/adapter.py") as adapter:
        return tell(adapter)


def test_without_flags_it_is_right(right_story):
    with AdapterProcess(SCRIPT) as adapter:
        assert tell(adapter) == right_story


@pytest.mark.parametrize("name", BREAKS)
def test_each_break_shows(name, right_story):
    with AdapterProcess(SCRIPT, "--break", name) as adapter:
        assert tell(adapter) != right_story


@pytest.mark.parametrize("name", BREAKS)
def test_each_break_names_rules_that_exist(name):
    known = CLAUSES.read_text()
    assert BREAKS[name]
    for clause in BREAKS[name]:
        assert clause in known


def test_breaks_can_be_combined():
    with AdapterProcess(SCRIPT, "--break", "skip-seq", "--break", "double-echo") as adapter:
        adapter.open("ana")
        adapter.hello("ana")
        adapter.write_ops("ana")
        assert [m["env"]["seq"] for m in to("ana", adapter.write_ops("ana"))] == [3, 3]


@pytest.mark.parametrize("flags, right", [
    (["--only-relay", "2"], [True, False, True]),
    (["--after", "2"], [True, True, False]),
    ([], [False, False, False]),
])
def test_it_strikes_in_the_chosen_cases(flags, right):
    with AdapterProcess(SCRIPT, "--break", "no-echo", *flags) as adapter:
        seen = []
        for number in range(3):
            adapter.open(f"ana{number}", relay=f"r{number}")
            adapter.hello(f"ana{number}")
            seen.append(to(f"ana{number}", adapter.write_ops(f"ana{number}")) != [])
        assert seen == right


def frame(adapter):
    """Sends one hello without waiting for the answer."""
    message = json.dumps({"t": "hello", "room": "r", "origin": "o", "proto": 1, "policyVersion": 0})
    adapter.write(json.dumps({"id": 99, "do": "receive", "conn": "ana", "text": message}).encode())


@pytest.mark.parametrize("flag, status", [("--crash-on", 70), ("--segfault-on", -signal.SIGSEGV)])
def test_it_ends_at_the_frame_that_was_asked_for(flag, status):
    with AdapterProcess(SCRIPT, flag, "2") as adapter:
        adapter.open("ana")
        adapter.hello("ana")
        frame(adapter)
        assert adapter.child.stdout.readline() == b""
        assert adapter.child.wait(timeout=10) == status


def test_once_means_once_over_many_processes(tmp_path):
    flags = ["--crash-on", "1", "--once", str(tmp_path / "crashed")]
    with AdapterProcess(SCRIPT, *flags) as adapter:
        adapter.open("ana")
        frame(adapter)
        assert adapter.child.wait(timeout=10) == 70
    with AdapterProcess(SCRIPT, *flags) as adapter:
        adapter.open("ana")
        assert to("ana", adapter.hello("ana"))[0]["t"] == "welcome"


def test_a_hang_ends_with_the_input_only():
    with AdapterProcess(SCRIPT, "--hang-on", "1") as adapter:
        adapter.open("ana")
        frame(adapter)
        with pytest.raises(subprocess.TimeoutExpired):
            adapter.child.wait(timeout=0.3)
        assert adapter.rest() == b""


@pytest.mark.parametrize("flag", ["--half-line-on", "--stuck-line-on"])
def test_half_a_line_comes_after_the_events(flag):
    with AdapterProcess(SCRIPT, flag, "1") as adapter:
        adapter.open("ana")
        frame(adapter)
        assert adapter.read()["on"] == "send"
        output = adapter.rest()
        assert output and b"\n" not in output and b'{"id":99,"ok":true}'.startswith(output)


@pytest.mark.parametrize("flag, expected", [
    ("--garbage-on", ["junk", "send", 99]),
    ("--wrong-id-on", ["send", -1]),
    ("--wrong-order-on", [99, "send"]),
    ("--double-reply-on", ["send", 99, 99]),
])
def test_the_lines_are_wrong_as_asked(flag, expected):
    with AdapterProcess(SCRIPT, flag, "1") as adapter:
        adapter.open("ana")
        frame(adapter)
        adapter.write(b'{"id":100,"do":"stop"}')
        lines = adapter.rest().splitlines()
        assert [kind(line) for line in lines] == [*expected, 100]


def kind(line):
    try:
        message = json.loads(line)
    except ValueError:
        return "junk"
    return message.get("id") or message["on"]


def test_it_floods():
    with AdapterProcess(SCRIPT, "--flood", "1000", "--big-event", "200000", "--stray-event") as adapter:
        adapter.open("ana")
        _, events = adapter.command("receive", conn="ana", text="{}")
        assert len(events) == 1002
        assert len(events[-2]["text"]) > 200_000
        assert events[-1]["conn"] == "nobody"


def test_it_says_yes_to_everything():
    with AdapterProcess(SCRIPT, "--says-yes") as adapter:
        assert adapter.command("juggle")[0] == {"ok": True}


def test_what_it_cannot_do_is_neither_claimed_nor_done():
    lacking = ["clock", "hydrate", "room", "commit", "violation", "policy.acl"]
    with AdapterProcess(SCRIPT, *(flag for name in lacking for flag in ("--cannot", name))) as adapter:
        assert adapter.command("start", meshspec=1)[0]["ok"]["can"] == ["options", "policy.validate"]
        assert "policy.acl" in adapter.command("open", relay="r1", profile="0.2.0", options={"policy": {"acl": []}})[0]["no"]
        adapter.open("ana")
        for do, more in (("clock", {"ms": 1}), ("hydrate", {"room": "h", "snapshot": {"seq": 1}}), ("room", {"room": "h"})):
            assert adapter.command(do, relay="r1", **more)[0] == {"unsupported": True}
        adapter.hello("ana")
        assert {who for who, _ in adapter.write_ops("ana")} == {"ana"}
        assert {who for who, _ in adapter.write_ops("ana", proto=9)} == {"ana"}


def test_it_can_die_at_the_start():
    with AdapterProcess(SCRIPT, "--dies-at-start") as adapter:
        adapter.write(b'{"id":1,"do":"start","meshspec":1}')
        assert adapter.child.wait(timeout=10) == 71


def test_it_can_ignore_sigterm():
    with AdapterProcess(SCRIPT, "--ignore-term") as adapter:
        adapter.command("start", meshspec=1)
        adapter.child.terminate()
        assert "ok" in adapter.command("start", meshspec=1)[0]


def test_a_slow_start_is_slow():
    with AdapterProcess(SCRIPT, "--slow-start", "0.5") as adapter:
        adapter.write(b'{"id":1,"do":"start","meshspec":1}')
        with pytest.raises(subprocess.TimeoutExpired):
            adapter.child.wait(timeout=0.1)
        assert adapter.read()["id"] == 1


def test_help_gives_examples_and_bad_flags_are_refused():
    assert "--break skip-seq" in run("--help").stdout
    assert run("--break", "everything").returncode == 2
    assert run("--crash-on", "0").returncode == 2
