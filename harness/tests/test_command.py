"""The command line: exit statuses, messages for bad input, runs that cannot be judged, servers started for a run."""
import json
import os
import pathlib
import select
import socket
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("MESHSPEC_BUILD", "build")
MESHSPEC = BUILD / "meshspec"
SMALL = "scenarios/join/delta.yaml"
GOOD = """title: A fresh room
clauses: [join.fresh]
clients: {ana: {}}
steps:
  - ana: hello
  - ana: {gets: {t: welcome}}
"""


def meshspec(*arguments, **options):
    return subprocess.run([MESHSPEC, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False, **options)


@pytest.fixture
def scenario(tmp_path):
    def write(text):
        path = tmp_path / "one.yaml"
        path.write_text(text)
        return path
    return write


# ---- usage ----


@pytest.mark.parametrize("arguments", [[], ["sing"], ["run", "--sing"], ["run", "--profile"], ["run", "--profile", "0.3.0"],
                                       ["run", "--seed", "x"], ["run", "--target", "ftp://x"], ["run", "--color", "blue"],
                                       ["run", "--rerun", "0"], ["run", "--only", "nothing/*"], ["run", "nowhere.yaml"], ["replay"],
                                       ["replay", "nowhere.jsonl"], ["run", "--known-failing", "nowhere.txt"], ["help", "sing"]])
def test_bad_usage_is_2_and_says_why(arguments):
    ran = meshspec(*arguments)
    assert ran.returncode == 2 and ran.stderr.strip() and not ran.stdout


@pytest.mark.parametrize("verb", ["run", "matrix", "list", "lint", "clauses", "replay", "compare", "diff"])
def test_every_verb_has_help_with_examples_and_a_man_page(verb):
    ran = meshspec(verb, "--help")
    assert ran.returncode == 0 and f"usage: meshspec {verb}" in ran.stdout and "examples:\n  meshspec " in ran.stdout
    page = meshspec("help", "--man", verb).stdout
    assert page.startswith(f".TH MESHSPEC-{verb} 1") and ".SH EXAMPLES" in page
    assert page.count(".RS\n") == page.count(".RE\n")


def test_a_list_in_the_help_is_a_list_in_the_man_page():
    page = meshspec("help", "--man", "run").stdout
    assert ".RS\n.TP\nmemory\nthe reference relay, in this process\n.TP\nws://… wss://\na relay by URL; " in page


def test_completion_is_a_script_that_bash_takes():
    script = meshspec("help", "--completion").stdout
    ran = subprocess.run(["bash", "-c", script + "COMP_WORDS=(meshspec run --prof); COMP_CWORD=2; _meshspec; echo ${COMPREPLY[@]}"],
                         capture_output=True, text=True, check=True)
    assert ran.stdout == "--profile\n"


# ---- bad scenarios ----


@pytest.mark.parametrize("good, bad, place, words", [
    ("gets:", "get:", ":6:", 'did you mean "gets"'),
    ("join.fresh", "join.fresj", ":2:", "join.fresh"),
    ("title: A fresh room", "title: [A]", ":1:", "sentence"),
    ("{t: welcome}}", "{t: welcome}", ":", ""),
    ("- ana: hello", "- eve: hello", ":5:", "eve"),
    ("{t: welcome}", "{t: {$bynd: x}}", ":6:", "$bind"),
])
def test_a_bad_scenario_is_2_with_its_place_and_nothing_is_run(scenario, good, bad, place, words):
    path = scenario(GOOD.replace(good, bad))
    ran = meshspec("run", path)
    assert ran.returncode == 2 and not ran.stdout
    first = ran.stderr.splitlines()[0]
    assert first.startswith(f"{path}{place}") and words in first, ran.stderr


def test_one_bad_file_keeps_the_good_ones_from_running(scenario):
    ran = meshspec("run", SMALL, scenario("title: x\n"))
    assert ran.returncode == 2 and not ran.stdout and "nothing was run" in ran.stderr


# ---- targets that cannot be judged ----


def closed_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def test_a_url_that_nobody_answers_is_3_and_no_case_is_green():
    ran = meshspec("run", "--target", f"ws://127.0.0.1:{closed_port()}/", "--json", "-", "scenarios/join")
    report = json.loads(ran.stdout)
    assert ran.returncode == 3
    assert {case["verdict"] for case in report["cases"]} == {"error"}
    assert all("does not answer" in case["reason"] for case in report["cases"])


def test_a_server_that_is_no_websocket_server_is_3():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        ran = meshspec("run", "--target", f"ws://127.0.0.1:{server.getsockname()[1]}/", SMALL)
    assert ran.returncode == 3 and "does not answer" in ran.stdout


@pytest.mark.parametrize("command, words", [("true", "ended before"), ("echo hello; cat", "listening URL"), ("/nowhere/relay", "not found")])
def test_a_server_that_does_not_get_ready_is_3(command, words):
    ran = meshspec("run", "--spawn", command, SMALL, stdin=subprocess.DEVNULL)
    assert ran.returncode == 3 and words in ran.stderr and not ran.stdout


def test_a_relay_that_dies_in_the_middle_makes_errors_and_the_report_is_complete(tmp_path):
    killer = tmp_path / "killer.sh"
    # The races are played so often that the relay is gone before their end: it has a second of processor time to live.
    killer.write_text(f"ulimit -t 1; exec '{BUILD}/meshspec-relay' --port 0\n")
    out = tmp_path / "out.json"
    ran = meshspec("run", "--spawn", f"sh {killer}", "--race-rounds", "10000", "--json", out, "scenarios/stories", "scenarios/seq")
    report = json.loads(out.read_text())
    verdicts = [case["verdict"] for case in report["cases"]]
    assert ran.returncode in (1, 3) and "error" in verdicts and report["summary"]["cases"] == len(verdicts)
    first = verdicts.index("error")
    assert set(verdicts[first:]) <= {"error", "skip"}, verdicts


def test_a_full_standard_output_is_not_green():
    with open("/dev/full", "w", encoding="utf-8") as full:
        ran = subprocess.run([MESHSPEC, "run", SMALL], cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    assert ran.returncode == 4 and "standard output" in ran.stderr


def test_skipped_alone_is_not_green():
    ran = meshspec("run", "scenarios/selftest/needs-a-socket.yaml")
    assert ran.returncode == 3 and "nothing could be judged" in ran.stdout


# ---- servers started for a run ----


def test_a_spawned_relay_is_judged_and_ended():
    ran = meshspec("run", "--spawn", f"'{BUILD}/meshspec-relay' --port 0", "scenarios/join")
    assert ran.returncode == 0 and " 0 failed" in ran.stdout


def test_a_spawned_server_that_ends_badly_spoils_the_run():
    ran = meshspec("run", "--spawn", f"trap 'exit 7' TERM; '{BUILD}/meshspec-relay' --port 0 & wait", SMALL)
    assert ran.returncode == 3 and "status 7" in ran.stderr


# The relay stands still until all that was said behind the readiness line has been read.
TALKER = """import os, signal, subprocess, sys
relay = subprocess.Popen([sys.argv[1], "--port", "0"], stdout=subprocess.PIPE)
line = relay.stdout.readline()
relay.send_signal(signal.SIGSTOP)
os.write(1, line)
sys.stdout.write("x" * 300000)
sys.stdout.flush()
relay.send_signal(signal.SIGCONT)
signal.signal(signal.SIGTERM, lambda *_: None)
sys.exit(relay.wait())
"""


def test_a_spawned_server_may_go_on_talking(tmp_path):
    (tmp_path / "talker.py").write_text(TALKER)
    ran = meshspec("run", "--spawn", f"exec '{sys.executable}' {tmp_path}/talker.py '{BUILD}/meshspec-relay'", SMALL)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_killed_run_leaves_no_server_behind(tmp_path):
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)
    with subprocess.Popen([MESHSPEC, "run", "--spawn", f"echo $$ >{fifo}; exec cat"], cwd=ROOT, stdin=subprocess.PIPE) as run:
        server = os.pidfd_open(int(fifo.read_text()))
        run.kill()
        ended, _, _ = select.select([server], [], [], 30)
        os.close(server)
    assert ended


EITHER = """title: One of two outcomes
clauses: [leave.member-gone]
clients: {{ana: {{}}, ben: {{}}, eve: {{}}}}
ignore: [member]
steps:
  - ana: hello
  - ana: {{gets: {{t: welcome}}}}
  - ben: hello
  - ben: {{gets: {{t: welcome}}}}
  - ben: leaves
  - eve: {{sends: {{t: nonsense}}}}
  - either: [[{{{}}}], [{{{}}}]]
"""


@pytest.mark.parametrize("first, second", [("eve: closed", "eve: quiet"),
                                           ("ana: {gets: {t: env}}", "ana: {gets: {t: member, origin: ben, gone: true}}"),
                                           ("ben: {gets: {t: welcome}}", "ana: quiet")])
@pytest.mark.parametrize("socket", [True, False])
def test_no_outcome_waits_at_the_expense_of_the_others(scenario, first, second, socket):
    ran = meshspec("run", *(["--spawn", f"'{BUILD}/meshspec-relay' --port 0"] if socket else []), scenario(EITHER.format(first, second)))
    assert ran.returncode == 0, ran.stdout


# ---- known failures, reruns ----

FAILING = "scenarios/selftest/wrong-field.yaml"


@pytest.fixture
def listed(tmp_path):
    def write(text):
        path = tmp_path / "known.txt"
        path.write_text(text)
        return path
    return write


def test_a_known_failure_does_not_fail_the_run(listed):
    ran = meshspec("run", "--known-failing", listed("# ours\n\nselftest/wrong-*: the relay is young\n"), FAILING, SMALL)
    assert ran.returncode == 0 and "1 failed as known" in ran.stdout


def test_a_known_failure_in_one_profile_says_nothing_of_others(listed):
    known = listed("selftest/wrong-field@0.1.0: only there\n")
    assert meshspec("run", "--known-failing", known, FAILING).returncode == 1
    assert meshspec("run", "--known-failing", known, "--profile", "0.1.0", FAILING, SMALL).returncode == 0


def test_a_listed_case_that_passes_fails_the_run(listed):
    ran = meshspec("run", "--known-failing", listed("join/delta: once upon a time\n"), SMALL)
    assert ran.returncode == 1 and "XPASS join/delta" in ran.stdout and "once upon a time" in ran.stdout


def crashing(*flags):
    """A target that ends at the first message of a case."""
    return "--target", f"exec:'{sys.executable}' tools/adapters/misbehaving/adapter.py {' '.join(flags) or '--crash-on 1'}"


def test_a_crash_in_a_listed_case_is_a_known_failure(listed, tmp_path):
    report = tmp_path / "report.json"
    ran = meshspec("run", *crashing(), "--known-failing", listed("join/delta: it falls over\n"), "--json", report, SMALL)
    assert ran.returncode == 0 and "1 failed as known" in ran.stdout
    case = json.loads(report.read_text())["cases"][0]
    assert (case["verdict"], case["known"]) == ("xfail", "it falls over") and "closed its standard output" in case["failure"]["message"]


def test_a_crash_in_a_case_that_is_not_listed_is_an_error(listed):
    ran = meshspec("run", *crashing(), "--known-failing", listed("join/other: it falls over\n"), SMALL)
    assert ran.returncode == 3 and "ERROR join/delta" in ran.stdout


def test_a_target_that_does_not_start_is_an_error_though_its_cases_are_listed(listed):
    ran = meshspec("run", *crashing("--dies-at-start"), "--known-failing", listed("join/delta: it falls over\n"), SMALL)
    assert ran.returncode == 3


def test_a_target_that_does_not_start_again_is_an_error_though_its_cases_are_listed(listed, tmp_path):
    start_once = tmp_path / "start-once"
    start_once.write_text(f"""[ -e {tmp_path}/started ] && exit 1
touch {tmp_path}/started
exec '{sys.executable}' tools/adapters/misbehaving/adapter.py --crash-on 1
""")
    ran = meshspec("run", "--target", f"exec:sh {start_once}", "--known-failing", listed("join/*: it falls over\n"), SMALL, "scenarios/join/snapshot-without-a-watermark.yaml")
    assert ran.returncode == 3 and "1 failed as known" in ran.stdout and "ERROR" in ran.stdout


def test_a_line_that_means_no_case_fails_a_whole_run(listed):
    ran = meshspec("run", "--known-failing", listed("join/no-such-case: gone\n"))
    assert ran.returncode == 1 and "line 1 of the known failures means no case" in ran.stdout


@pytest.mark.parametrize("line", ["join/delta", "join/delta:", ": why"])
def test_a_line_without_a_reason_is_refused(listed, line):
    ran = meshspec("run", "--known-failing", listed(f"\n{line}\n"), SMALL)
    assert ran.returncode == 2 and ":2:1: expected `GLOB: reason`" in ran.stderr


def test_a_stable_failure_is_told_from_a_flaky_one(tmp_path):
    ran = meshspec("run", "--rerun", "3", FAILING)
    assert "stable: failed 4 of 4 times" in ran.stdout
    # Strikes once: the first run fails, the repeated ones pass.
    adapter = f"'{sys.executable}' tools/adapters/misbehaving/adapter.py --once {tmp_path}/struck --crash-on 1"
    ran = meshspec("run", "--target", f"exec:{adapter}", "--rerun", "2", SMALL)
    assert ran.returncode in (0, 3)


def test_a_failing_should_is_a_warning_and_fails_when_strict():
    adapter = f"'{sys.executable}' tools/adapters/misbehaving/adapter.py --break replaces-surrogates"
    only = ["run", "--target", f"exec:{adapter}", "scenarios/frame"]
    relaxed = meshspec(*only)
    assert relaxed.returncode == 0 and "WARN frame/" in relaxed.stdout
    strict = meshspec(*only, "--strict")
    assert strict.returncode == 1 and "FAIL frame/" in strict.stdout


def test_the_line_that_repeats_a_case_repeats_it():
    first = meshspec("run", FAILING)
    line = next(line for line in first.stdout.splitlines() if line.startswith("  again: "))
    again = subprocess.run(line.removeprefix("  again: "), shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == 1 and "selftest/wrong-field" in again.stdout


def sends(report):
    return [entry["text"] for entry in report["cases"][0]["trace"] if entry["kind"] == "sends"]


RACE = "scenarios/selftest/one-order-of-a-race.yaml"


def test_a_race_that_fails_on_sockets_prints_the_seed_that_was_drawn():
    ran = meshspec("run", "--spawn", f"'{BUILD}/meshspec-relay' --port 0", "--race-rounds", "40", "--json", "-", RACE)
    report = json.loads(ran.stdout)
    again = report["cases"][0]["again"]
    assert ran.returncode == 1 and f"--seed {report['run']['seed']} " in again and "--race-rounds 40" in again


@pytest.mark.parametrize("control", ["", " --control 0"])
@pytest.mark.parametrize("seed, plays", [(1, 1), (2, 2)])
def test_a_race_that_fails_on_sockets_fails_alike_with_its_seed(control, seed, plays):
    """In the round that the seed says: the rounds before it draw the other order, and all of them are exact."""
    ran = meshspec("run", "--spawn", f"'{BUILD}/meshspec-relay' --port 0{control}", "--seed", str(seed), "--json", "-", RACE)
    report = json.loads(ran.stdout)
    assert ran.returncode == 1 and report["cases"][0]["plays"] == plays
    for _ in range(3):
        again = subprocess.run(report["cases"][0]["again"] + " --json -", shell=True, cwd=ROOT, capture_output=True, text=True, timeout=60,
                               check=False)
        repeated = json.loads(again.stdout)
        assert again.returncode == 1 and sends(repeated) == sends(report) and repeated["cases"][0]["plays"] == plays


# ---- recordings ----


SESSIONS = {"0.1.0": 40, "0.1.1": 40, "0.2.0": 40, "0.9.1": 25}


@pytest.mark.parametrize("version, target", [(version, target) for version in SESSIONS for target in ("memory", "c", "python")
                                             if (version, target) != ("0.9.1", "python")])
def test_both_relays_replay_the_recordings(version, target):
    command = {"memory": "memory", "c": f"exec:'{BUILD}/meshspec-adapter'",
               "python": f"exec:'{sys.executable}' tools/adapters/python-relay/adapter.py"}[target]
    ran = meshspec("replay", "--target", command, f"fixtures/recordings/mesh-{version}.jsonl")
    count = SESSIONS[version]
    assert ran.returncode == 0 and f"{count} sessions, {count} alike, 0 different" in ran.stdout, ran.stdout + ran.stderr


def test_a_difference_from_a_recording_is_shown():
    adapter = f"'{sys.executable}' tools/adapters/misbehaving/adapter.py --break no-gone"
    ran = meshspec("replay", "--target", f"exec:{adapter}", "fixtures/recordings/mesh-0.1.0.jsonl")
    assert ran.returncode == 1 and "wanted" in ran.stdout


# ---- the table of rules ----


@pytest.mark.parametrize("area, clause, column", [("journal", "journal.default", "0.2.0"), ("durable", "durable.order", "0.9"),
                                                  ("store", "store.fresh", "store")])
def test_a_rule_that_no_scenario_judges_is_1_in_every_profile(area, clause, column):
    others = [f"scenarios/{path.name}" for path in (ROOT / "scenarios").iterdir()
              if path.is_dir() and path.name not in (area, "stories", "selftest", "known-failing")]
    ran = meshspec("clauses", *others)
    rows = {line.split()[0]: line.split()[1:] for line in ran.stdout.splitlines() if line.strip()}
    assert ran.returncode == 1
    assert rows[clause][rows["clause"].index(column)] == "NONE"
