"""`meshspec diff`: its exit statuses, and the files that it refuses."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
USUAL = ROOT / "fixtures/golden/reports/usual.json"


def diff(*arguments):
    return subprocess.run([MESHSPEC, "diff", *arguments], cwd=ROOT, capture_output=True, timeout=60, check=False)


@pytest.fixture
def changed(tmp_path):
    """A copy of the usual report in which one case, or the whole, is changed."""
    def make(name=None, change=None, whole=None):
        report = json.loads(USUAL.read_text())
        for case in report["cases"]:
            if case["name"] == name:
                change(case)
        if whole is not None:
            whole(report)
        report["summary"]["cases"] = len(report["cases"])
        file = tmp_path / "changed.json"
        file.write_text(json.dumps(report))
        return file
    return make


def test_a_report_is_no_worse_than_itself():
    ran = diff(USUAL, USUAL)
    assert ran.returncode == 0
    assert ran.stdout.decode().splitlines()[-1] == "0 worse, 0 better, 0 otherwise changed, 10 the same"


def test_a_case_that_fails_now_is_worse(changed):
    def fail(case):
        case.update(verdict="fail", outcome="fail", failure={"line": 1, "column": 1, "message": "ana got nothing", "differences": []})
    file = changed("join/fresh", fail)
    ran = diff(USUAL, file)
    assert ran.returncode == 1
    assert "newly failing: 1 (worse)\n  join/fresh (0.2.0)\n    was pass\n    is  fail: ana got nothing\n" in ran.stdout.decode()
    assert diff(file, USUAL).returncode == 0
    assert "fixed: 1\n" in diff(file, USUAL).stdout.decode()


def test_values_that_differ_from_run_to_run_are_no_change(changed):
    def other_epoch(case):
        case["failure"]["came"] = case["failure"]["differences"][0]["came"] = "another epoch"
    assert "0 otherwise changed" in diff(USUAL, changed("join/snapshot", other_epoch)).stdout.decode()


def test_another_difference_is_a_change(changed):
    def other_path(case):
        case["failure"]["differences"][0]["path"] = "epoch"
    ran = diff(USUAL, changed("join/snapshot", other_path))
    assert ran.returncode == 0 and "changed: 1\n  join/snapshot" in ran.stdout.decode()


def test_servers_that_listened_elsewhere_are_the_same_target(changed):
    def elsewhere(report):
        for case in report["cases"]:
            case["target"] = "ws://127.0.0.1:9/"
    assert "10 the same" in diff(USUAL, changed(whole=elsewhere)).stdout.decode()


def test_markdown_goes_to_a_file_or_alone_to_standard_output(tmp_path, changed):
    file = changed("join/fresh", lambda case: case.update(verdict="skip", outcome="skip", reason="needs | a \"clock\""))
    ran = diff("--markdown", tmp_path / "d.md", USUAL, file)
    assert ran.returncode == 1 and b"newly skipped: 1 (worse)" in ran.stdout
    markdown = (tmp_path / "d.md").read_text()
    assert "| join/fresh | 0.2.0 | pass | skip: needs \\| a \"clock\" |" in markdown
    assert diff("--markdown", "-", USUAL, file).stdout.decode() == markdown


def test_a_report_that_is_cut_short_is_told_apart_and_refused(tmp_path):
    whole = USUAL.read_bytes()
    file = tmp_path / "cut.json"
    for length in range(len(b'{"meshspec":'), len(whole.rstrip()), 97):
        file.write_bytes(whole[:length])
        ran = diff(USUAL, file)
        assert ran.returncode == 2, length
        assert b"cut short" in ran.stderr, length
        assert ran.stdout == b""


def drop(key):
    return lambda report: report.pop(key)


@pytest.mark.parametrize("whole, message", [
    (drop("summary"), "cut short"),
    (drop("meshspec"), "not a report"),
    (lambda report: report.update(meshspec=2), "form 2"),
    (lambda report: report["cases"][0].pop("outcome"), "case 1 has no name or no outcome"),
    (lambda report: report["cases"].insert(0, 7), "case 1 has no name or no outcome"),
], ids=["no summary", "no meshspec", "another form", "no outcome", "no case"])
def test_other_files_are_refused(tmp_path, whole, message):
    report = json.loads(USUAL.read_text())
    whole(report)
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(report))
    ran = diff(USUAL, file)
    assert ran.returncode == 2 and message in ran.stderr.decode()


def test_a_summary_that_counts_other_than_is_listed_is_refused(tmp_path):
    report = json.loads(USUAL.read_text())
    report["cases"].pop()
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(report))
    ran = diff(file, USUAL)
    assert ran.returncode == 2 and "lists 9 cases, its summary counts 10" in ran.stderr.decode()


@pytest.mark.parametrize("content, message", [(b"", "is empty"), (b"hello", "not JSON"), (b"[]", "not a report"), (b"\xff\xfe", "not JSON")])
def test_what_is_no_report_is_refused(tmp_path, content, message):
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    ran = diff(USUAL, file)
    assert ran.returncode == 2 and message in ran.stderr.decode()


def test_two_files_are_needed():
    assert diff(USUAL).returncode == 2
    assert diff(USUAL, USUAL, USUAL).returncode == 2
    assert diff(USUAL, ROOT / "no-such-file.json").returncode == 2


def test_runs_of_the_command_can_be_compared(tmp_path):
    for name, only in (("old", "scenarios/identity"), ("new", "scenarios/selftest")):
        subprocess.run([MESHSPEC, "run", "--json", tmp_path / f"{name}.json", only], cwd=ROOT, capture_output=True, timeout=60, check=False)
    ran = diff(tmp_path / "old.json", tmp_path / "new.json")
    assert ran.returncode == 1
    assert b"gone, passed before" in ran.stdout and b"newly failing" in ran.stdout
