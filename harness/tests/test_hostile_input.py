"""Files and words that nobody means well by: each is refused with where it is, what is wrong and what was expected, and harms nothing."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
HEAD = "title: t\nclauses: [join.fresh]\nclients: {ana: {}}\nsteps:\n"
GOOD = HEAD + "  - ana: hello\n  - ana: {gets: {t: welcome}}\n"


def meshspec(*arguments):
    return subprocess.run([MESHSPEC, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def refused(ran, *words):
    assert ran.returncode == 2 and not ran.stdout, ran
    for word in words:
        assert word in ran.stderr, ran.stderr


@pytest.fixture
def scenario(tmp_path):
    def write(text=GOOD):
        path = tmp_path / "one.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path
    return write


# ---- the command line ----


@pytest.mark.parametrize("option", ["--json", "--junit", "--tap", "--markdown", "--html"])
def test_a_report_is_not_written_over_a_scenario(scenario, option):
    path = scenario()
    refused(meshspec("run", option, path), f"{path}: a report is not written over a scenario")
    assert path.read_text() == GOOD


@pytest.mark.parametrize("option", ["--html", "--markdown"])
def test_a_matrix_is_not_written_over_a_scenario(scenario, option):
    path = scenario()
    refused(meshspec("matrix", "--column", "ours=memory", "--only", "join/delta", option, path), f"{path}: a report is not written over a scenario")
    assert path.read_text() == GOOD


def test_two_reports_do_not_go_into_one_file(scenario, tmp_path):
    report = tmp_path / "report"
    refused(meshspec("run", "--json", report, "--tap", report, scenario()), "two reports cannot be written into one file")
    report.write_text("old\n")
    (tmp_path / "link").symlink_to(report)
    refused(meshspec("run", "--json", report, "--tap", tmp_path / "link", scenario()), "two reports cannot be written into one file")
    assert report.read_text() == "old\n"


def test_a_command_to_spawn_is_not_empty(scenario):
    refused(meshspec("run", "--spawn", " ", scenario()), "--spawn takes the command that starts the server")


def test_each_path_is_complained_of_once(tmp_path):
    (tmp_path / "empty").mkdir()
    ran = meshspec("lint", tmp_path / "empty", tmp_path / "nowhere")
    refused(ran, "empty: there is no scenario (*.yaml) here", "nowhere: there is no such file or folder", "2 bad files")
    assert len(ran.stderr.splitlines()) == 3


# ---- scenarios ----


def test_a_byte_order_mark_is_no_text(scenario):
    ran = meshspec("run", scenario(b"\xef\xbb\xbf" + GOOD.encode()))
    assert ran.returncode == 0, ran
    refused(meshspec("lint", scenario(b"\xef\xbb\xbf" + GOOD.encode() + b"titel: u\n")), "one.yaml:7:1: unknown key")


@pytest.mark.parametrize("pattern, good", [("(((a{1,255}){1,255}){1,255})", False), ("(a{300}){300}{2}", False), ("(a{2}{3}){4,}b{,9}", True), ("a{255}b{255}", True)])
def test_an_expression_that_would_take_all_memory(scenario, pattern, good):
    ran = meshspec("lint", scenario(HEAD + f"  - ana: {{gets: {{x: {{$regex: '{pattern}'}}}}}}\n"))
    assert ran.returncode == (0 if good else 2)
    assert good or "one.yaml:5:30: $regex: its repeat counts, multiplied, come to more than 100000" in ran.stderr


# ---- lists of known failures ----


@pytest.mark.parametrize("content, words", [
    (None, "Is a directory"), (b"join/*: x\n\0\nfold/*: y\n", "byte 10 is NUL"), (b"join/*\n", ":1:1: expected `GLOB: reason`"),
    (b"#" * 1048577, "longer than 1048576 bytes")], ids=["folder", "nul", "no-reason", "long"])
def test_a_list_that_is_none(scenario, tmp_path, content, words):
    path = tmp_path / "known"
    path.mkdir() if content is None else path.write_bytes(content)
    refused(meshspec("run", "--known-failing", path, scenario()), str(path), words)


# ---- target files ----


@pytest.mark.parametrize("text, words", [
    ("exec: ''\n", ":1:7: \"exec\": expected a string that is not empty"),
    ("url: ws://a\nprofiles: [9]\n", ":2:12: expected one of \"0.1.0\", \"0.1.1\", \"0.2.0\", \"0.9\", 0.9, came 9")])
def test_a_target_file_says_what_it_takes(scenario, tmp_path, text, words):
    target = tmp_path / "target.yaml"
    target.write_text(text)
    refused(meshspec("run", "--target", target, scenario()), f"{target}{words}")


def test_a_target_file_may_name_every_profile(scenario, tmp_path):
    target = tmp_path / "target.yaml"
    adapter = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec-adapter"
    target.write_text(f"exec: {adapter}\nprofiles: [0.9, 0.1.0]\n")
    ran = meshspec("run", "--target", target, "--json", "-", scenario())
    assert ran.returncode == 0 and [case["profile"] for case in json.loads(ran.stdout)["cases"]] == ["0.9", "0.1.0"], ran


# ---- recordings ----


@pytest.mark.parametrize("step, member", [({"do": "clock", "ms": 1e300}, "ms"), ({"do": "clock", "ms": -1}, "ms"), ({"do": "clock", "ms": 0.5}, "ms"),
                                          ({"do": "release", "room": "r", "seq": 1e99}, "seq"), ({"do": "fail", "room": "r", "seq": -1}, "seq")])
def test_a_number_that_no_time_and_no_seq_can_have(tmp_path, step, member):
    recording = tmp_path / "one.jsonl"
    opening = {"do": "open", "relay": "relay1", "profile": "0.9", "options": {}, "out": []}
    recording.write_text(json.dumps({"profile": "0.9", "steps": [opening, {"relay": "relay1", "out": [], **step}]}) + "\n")
    refused(meshspec("replay", recording), f"one.jsonl:1: step 2, `{step['do']}`, needs `{member}`, a number that is whole and from 0 to 2^53")
