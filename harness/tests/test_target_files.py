"""Target files: bad ones are told with their place, the examples run, principals travel as they say."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("MESHSPEC_BUILD", "build")
MESHSPEC = ROOT / BUILD / "meshspec"
RELAY = f"{BUILD}/meshspec-relay --port 0"


def run(target, *arguments):
    return subprocess.run([MESHSPEC, "run", "--target", target, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=200,
                          env={**os.environ, "MESHSPEC_BUILD": BUILD}, check=False)


def cases(target, *arguments):
    ran = run(target, *arguments, "--json", "-")
    assert ran.returncode in (0, 1, 3) and ran.stdout, ran.stderr
    return {case["name"]: case for case in json.loads(ran.stdout)["cases"]}


def verdicts(found):
    return {verdict: sum(case["verdict"] == verdict for case in found.values()) for verdict in ("pass", "skip", "fail", "error")}


@pytest.fixture
def target(tmp_path):
    def write(text):
        path = tmp_path / "target.yaml"
        path.write_text(text)
        return path
    return write


# ---- bad files ----


@pytest.mark.parametrize("text, place, words", [
    ("ulr: ws://h/\n", ":1:1:", 'unknown key "ulr"; did you mean "url"?'),
    ("url: http://h/\n", ":1:6:", "begins with ws:// or wss://"),
    ("profiles: [0.2.0]\n", ":1:1:", 'a command to "spawn"'),
    ("url: ws://h/\nready: go\n", ":2:1:", '"ready" is for a relay that is started'),
    ("exec: cat\nprincipal: {query: {writer: w}}\n", ":2:1:", 'cannot stand beside "exec"'),
    ("url: ws://h/\nprofiles: [0.3.0]\n", ":2:12:", 'unknown profile "0.3.0"'),
    ("url: ws://h/\nfence: signals\n", ":2:8:", 'did you mean "signal"?'),
    ("url: ws://h/\ncontrol: ws://h/\n", ":2:10:", "begins with http://"),
    ("url: ws://h/\noptions: {journalLimits: 1}\n", ":2:11:", 'did you mean "journalLimit"?'),
    ("url: ws://h/\nreal-time: 1\n", ":2:12:", "expected true or false"),
    ("url: ws://h/\nprincipal: {query: {kind: k}}\n", ":2:1:", "how the writer travels"),
    ("url: ws://h/\nprincipal: {query: {token: t}}\n", ":2:1:", "there are no tokens"),
    ("url: ws://h/\nprincipal: {query: {writer: w}, tokens: {ana: x}}\n", ":2:33:", "how a token travels"),
    ("url: ws://h/\nprincipal: {query: {token: t}, tokens: {ana: 17}}\n", ":2:46:", "a number needs quotes"),
    ("url: ws://h/\nprincipal: {query: {token: t}, tokens: {ana: {tokn: x}}}\n", ":2:", "token"),
    ("url: ws://h/\nprincipal: {subprotocol: 'bearer.{tokn}'}\n", ":2:26:", "{token}"),
    ("url: ws://h/\nprincipal: {header: {writer: 'X Y'}}\n", ":2:30:", "the name of a header"),
    ("url: ws://h/\nprincipal: {headers: {writer: X}}\n", ":2:13:", 'did you mean "header"?'),
    ("url: wss://h/\nca: no.pem\n", ":2:1:", "no.pem: No such file"),
    ("url: wss://h/\nca: target.yaml\n", ":2:1:", "no certificate in PEM form"),
    ("url: wss://h/\nca: target.yaml\ninsecure: true\n", ":3:1:", "only one of them"),
    ("url: ws://h/\ninsecure: true\n", ":2:1:", "behind wss://"),
    ("url: wss://h/\ninsecure: 1\n", ":2:11:", "expected true or false"),
    ("exec: cat\ninsecure: true\n", ":2:1:", 'cannot stand beside "exec"'),
    ("url: [\n", ":2:1:", ""),
])
def test_a_bad_file_is_2_with_its_place_and_nothing_is_run(target, text, place, words):
    path = target(text)
    ran = run(path, "scenarios/join/delta.yaml")
    assert ran.returncode == 2 and not ran.stdout
    assert ran.stderr.startswith(f"meshspec: {path}{place}") and words in ran.stderr, ran.stderr


def test_a_file_that_is_not_there_is_2():
    ran = run("nowhere.yaml")
    assert ran.returncode == 2 and "nowhere.yaml" in ran.stderr


# ---- the examples ----


def test_the_reference_relay_is_judged_whole_over_websockets():
    found = cases("tools/targets/reference-relay.yaml", "--profile", "0.2.0", "scenarios/hydrate", "scenarios/rate", "scenarios/commit",
                  "scenarios/epoch", "scenarios/frame")
    assert verdicts(found) == {"pass": len(found), "skip": 0, "fail": 0, "error": 0} and len(found) > 100


def test_tokens_stand_for_writers_and_what_has_no_token_is_skipped():
    found = cases("tools/targets/tokens.yaml", "scenarios/join", "scenarios/signal", "scenarios/seq")
    counted = verdicts(found)
    assert counted["pass"] > 50 and counted["fail"] == counted["error"] == 0
    reasons = {case["reason"] for case in found.values() if case["verdict"] == "skip"}
    assert {"needs a writer that the target file has no token for", "needs a kind of writer that the target file has no way for"} <= reasons


@pytest.mark.parametrize("way", ["query: {token: token}", "header: {token: authorization}", "subprotocol: 'mesh, bearer.{token}'"])
def test_a_token_travels_in_any_of_the_three_ways(target, tmp_path, way):
    (tmp_path / "tokens.json").write_text('{"t-1": {"writer": "ana"}, "t-2": {"writer": "ben"}}')
    path = target(f"spawn: {RELAY} --token-file {tmp_path}/tokens.json\nprincipal:\n  {way}\n  tokens: {{ana: t-1, ben: t-2}}\n")
    found = cases(path, "scenarios/join/delta.yaml", "scenarios/seq")
    assert found["join/delta"]["verdict"] == "pass"
    assert verdicts(found)["pass"] > 10 and verdicts(found)["fail"] == verdicts(found)["error"] == 0


def test_a_wrong_token_is_an_error_with_the_status(target, tmp_path):
    (tmp_path / "tokens.json").write_text('{"t-1": {"writer": "ana"}}')
    path = target(f"spawn: {RELAY} --token-file {tmp_path}/tokens.json\nprincipal: {{query: {{token: token}}, tokens: {{ana: wrong}}}}\n")
    found = cases(path, "scenarios/join/delta.yaml")
    assert found["join/delta"]["verdict"] == "error" and "HTTP status 401" in found["join/delta"]["reason"]


# ---- how it is judged ----


@pytest.fixture
def journal_cases(target):
    def judge(limit):
        path = target(f"spawn: {RELAY} --journal-limit {limit}\noptions: {{journalLimit: {limit}}}\n")
        return cases(path, "scenarios/journal", "scenarios/join")
    return judge


def test_scenarios_that_want_just_its_options_are_played(journal_cases):
    found = journal_cases(2)
    played = [case for case in found.values() if case["verdict"] != "skip"]
    assert played and verdicts(found)["fail"] == verdicts(found)["error"] == 0
    reasons = {case["reason"] for case in found.values() if case["verdict"] == "skip"}
    assert 'the relay runs with other options: {"journalLimit":2}' in reasons


def test_the_defaults_spelled_out_are_the_defaults(journal_cases):
    assert journal_cases(1000)["join/delta"]["verdict"] == "pass"


@pytest.mark.parametrize("fence, verdict", [("signal", "fail"), ("hello", "pass")])
def test_fences_are_as_the_file_says(target, fence, verdict):
    """The relay delivers no signals: only a hello can fence it."""
    server = f"'{sys.executable}' harness/tests/misbehaving_server.py --no-signals"
    found = cases(target(f'spawn: "{server}"\nfence: {fence}\n'), "scenarios/join/delta.yaml", "scenarios/seq/an-unwritten-room-keeps-its-epoch.yaml")
    assert {case["verdict"] for case in found.values()} == {verdict}, found


def test_real_time_passes_where_no_clock_can_be_set(target, tmp_path):
    scenario = tmp_path / "waits.yaml"
    scenario.write_text("title: Time passes\nclauses: [join.fresh]\nclients: {ana: {}}\n"
                        "steps: [{ana: hello}, {ana: {gets: {t: welcome}}}, {clock: {advance: 50ms}}, {ana: quiet}]\n")
    verdict = {line: next(iter(cases(target(f"spawn: {RELAY}\n{line}"), scenario).values())) for line in ("", "real-time: true\n")}
    assert verdict[""]["verdict"] == "skip" and verdict["real-time: true\n"]["verdict"] == "pass"
    assert verdict["real-time: true\n"]["us"] >= 50000


def test_fences_can_be_hellos(target):
    found = cases(target(f"spawn: {RELAY}\nfence: hello\n"), "scenarios/join", "scenarios/presence", "scenarios/signal")
    assert verdicts(found)["pass"] > 50 and verdicts(found)["fail"] == verdicts(found)["error"] == 0


def test_other_profiles_than_the_listed_are_skipped_and_the_listed_are_run(target):
    path = target(f"spawn: {RELAY} --protocol 0.1.1\nprofiles: [0.1.1]\n")
    assert cases(path, "scenarios/join/delta.yaml")["join/delta"]["profile"] == "0.1.1"
    skipped = cases(path, "--profile", "0.2.0", "scenarios/join/delta.yaml")["join/delta"]
    assert skipped["verdict"] == "skip" and "does not list 0.2.0" in skipped["reason"]


def test_the_list_of_known_failures_lies_beside_the_file(target, tmp_path):
    (tmp_path / "known.txt").write_text("selftest/wrong-*: it is young\n")
    path = target(f"spawn: {RELAY}\nknown-failing: known.txt\n")
    assert cases(path, "scenarios/selftest/wrong-field.yaml")["selftest/wrong-field"]["verdict"] == "xfail"


def test_a_relay_that_says_it_is_ready_in_its_own_words(target):
    command = f"{RELAY} | sed -u 's/^listening/Serving at/'"
    found = cases(target(f"spawn: {json.dumps(command)}\nready: 'Serving at '\n"), "scenarios/join/delta.yaml")
    assert found["join/delta"]["verdict"] == "pass"


def test_an_adapter_can_be_named(target):
    path = target(f"exec: \"'{sys.executable}' tools/adapters/python-relay/adapter.py\"\nprofiles: [0.1.1]\n")
    assert cases(path, "scenarios/join/delta.yaml")["join/delta"]["verdict"] == "pass"
