"""The command line: readiness, help, and clear refusals."""
import json
import pathlib
import re
import signal
import socket

import pytest

from relay_process import RelayProcess, hello, run_to_end


def test_readiness_is_one_line_and_the_port_serves(start):
    relay = start()
    connection, welcome = relay.join("ana", "tab-1")
    assert welcome["seq"] == 0
    connection.close()


def test_ready_line_names_the_host(start):
    relay = start("--host", "127.0.0.2", "--port", "0")
    with socket.create_connection(("127.0.0.2", relay.port), timeout=5):
        pass


@pytest.mark.parametrize("flag", ["--host", "--port", "--protocol", "--policy-version", "--journal-limit", "--max-ops-per-envelope",
                                  "--max-envelopes-per-second", "--policy", "--token-file", "--max-rooms", "--max-connections",
                                  "--max-message-bytes", "--max-waiting-bytes", "--handshake-timeout", "--drain-timeout",
                                  "--ping-interval", "--deflate", "--control", "--metrics", "--cert", "--key", "--help", "--version", "--max-connections-per-address", "--max-rooms-per-connection",
                                  "--max-members-per-room", "--max-messages-per-second", "--max-depth", "--max-waiting-bytes-in-all",
                                  "--max-root-bytes", "--max-journal-bytes", "--max-array-length", "--max-name-bytes", "--max-presence-bytes", "--max-kept-bytes"])
def test_help_names_every_flag(flag):
    done = run_to_end("--help")
    assert done.returncode == 0
    assert re.search(rf"^  {flag}\b", done.stdout, re.MULTILINE)


def test_the_page_says_every_ceiling_and_its_default():
    page = (pathlib.Path(__file__).resolve().parents[1] / "README.md").read_text()
    units = {"16777216": "16 MiB", "67108864": "64 MiB", "268435456": "256 MiB", "4194304": "4 MiB", "1073741824": "1 GiB", "16384": "16 KiB", "0": "none"}
    flags = re.findall(r"^  (--(?:max-[a-z-]+|[a-z]+-(?:limit|timeout|interval))) .*\[(\d+)\]$", run_to_end("--help").stdout, re.MULTILINE)
    assert len(flags) > 15
    for flag, default in flags:
        if flag == "--drain-timeout":
            assert f"`{flag}` seconds ({default})" in page
        else:
            assert re.search(rf"`{flag}` \[{units.get(default, default)}\b", page), (flag, default)


def test_version():
    done = run_to_end("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"meshspec-relay \d+\.\d+\.\d+\n", done.stdout)


@pytest.mark.parametrize("flags, words", [
    (["--nonsense"], "--nonsense"),
    (["--port"], "wants a value"),
    (["--port", "65536"], "from 0 to 65535"),
    (["--port", "-1"], "--port"),
    (["--port", "12x"], "12x"),
    (["--port", ""], "--port"),
    (["--protocol", "0.9.1"], "0.9.1"),
    (["--max-envelopes-per-second", "nan"], "nan"),
    (["--max-connections", "0"], "--max-connections"),
    (["--port", "7", "--control", "7"], "different"),
    (["--metrics", "7", "--control", "7"], "different"),
    (["--max-depth", "0"], "--max-depth"),
    (["--max-messages-per-second", "-1"], "--max-messages-per-second"),
    (["stray"], "stray"),
    (["--policy", "/nonexistent/policy.json"], "No such file"),
    (["--token-file", "/nonexistent/tokens.json"], "No such file"),
])
def test_bad_usage_is_told_and_exits_2(flags, words):
    done = run_to_end(*flags)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr


@pytest.mark.parametrize("text", ["", "[]", "{}", "{", "{\"t\":{}}", "{\"t\":{\"writer\":\"\"}}", "{\"t\":{\"writer\":\"a\",\"x\":1}}",
                                  "{\"t\":{\"writer\":\"a\",\"claims\":[]}}", "{\"\":{\"writer\":\"a\"}}", r'{"t":{"writer":"\ud800"}}', r'{"t":{"writer":"a","kind":"\ud800"}}', r'{"a\u0000":{"writer":"a"}}', "{\"t\":{\"writer\":\"a\"}}x",
                                  "{\"t\":{\"writer\":\"a\"},\"t\":{\"writer\":\"b\"}}"])
def test_bad_token_file_exits_2(tmp_path, text):
    path = tmp_path / "tokens.json"
    path.write_text(text)
    done = run_to_end("--token-file", path)
    assert done.returncode == 2
    assert str(path) in done.stderr


@pytest.mark.parametrize("text", ["", "[]", "{\"acl\":7}", "{\"acl\":[]", "{\"acl\":[{\"prefix\":[],\"allow\":true}]}, \"journalLimit\": 3"])
def test_bad_policy_file_exits_2(tmp_path, text):
    path = tmp_path / "policy.json"
    path.write_text(text)
    done = run_to_end("--policy", path)
    assert done.returncode == 2
    assert str(path) in done.stderr


def test_port_in_use_exits_3(start):
    relay = start()
    done = run_to_end("--port", relay.port)
    assert done.returncode == 3
    assert str(relay.port) in done.stderr and "in use" in done.stderr


@pytest.mark.parametrize("host", ["no-such-interface", "300.1.2.3", "127.0.0.1:80"])
def test_address_that_is_none_exits_3(host):
    done = run_to_end("--host", host)
    assert done.returncode == 3
    assert host in done.stderr


@pytest.mark.parametrize("protocol, has_schema", [("0.1.0", False), ("0.1.1", False), ("0.2.0", True)])
def test_protocol(start, protocol, has_schema):
    _, welcome = start("--protocol", protocol).join("ana", "tab-1")
    assert ("schemaVersion" in welcome) == has_schema


def test_policy_version(start):
    connection = start("--policy-version", "7").connect("ana")
    connection.send(hello("tab-1"))
    assert connection.receive() == {"t": "reject", "room": "r", "reason": "policy-version", "expected": 7}


def test_policy_file(start, tmp_path):
    path = tmp_path / "policy.json"
    path.write_text(json.dumps({"acl": [{"prefix": ["notes"], "allow": {"kind": "human"}}]}))
    relay = start("--policy", path)
    from relay_process import envelope, setting
    human, _ = relay.join("ana", "tab-1", kind="human")
    human.send(envelope("tab-1", "ana", 1, setting(["notes", "x"], 1)))
    assert human.receive()["env"]["seq"] == 1
    agent, _ = relay.join("bot", "bot-1", kind="agent")
    agent.send(envelope("bot-1", "bot", 1, setting(["notes", "x"], 2)))
    assert agent.receive() == {"t": "eject", "room": "r", "writer": "bot", "reason": "can-write"}
    assert agent.receive_until_closed()[1] == 1008


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_with_0(signal_number):
    relay = RelayProcess()
    assert relay.stop(signal_number) == (0, "")
