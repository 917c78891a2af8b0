"""The reports, read with other people's parsers: the pinned ones of hand-made results, and those that the command writes."""
import json
import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
GOLDEN = ROOT / "fixtures/golden/reports"
SETS = ["usual", "strict", "nasty"]


def load_json(name):
    return json.loads((GOLDEN / f"{name}.json").read_bytes().decode("utf-8"))


def outcomes(name):
    return {(case["name"], case["profile"]): case["outcome"] for case in load_json(name)["cases"]}


# ---- JSON ----

@pytest.mark.parametrize("name", SETS)
def test_json_counts_what_it_lists(name):
    report = load_json(name)
    assert list(report) == ["meshspec", "run", "cases", "unmatched", "summary"]
    verdicts = [case["verdict"] for case in report["cases"]]
    summary = report["summary"]
    words = {"passed": "pass", "failed": "fail", "skipped": "skip", "errors": "error", "xfailed": "xfail", "xpassed": "xpass"}
    assert {word: summary[word] for word in words} == {word: verdicts.count(verdict) for word, verdict in words.items()}
    assert summary["cases"] == len(verdicts)


def test_json_holds_no_lone_surrogate():
    (GOLDEN / "nasty.json").read_text().encode("utf-8")
    assert not re.search(r"[\ud800-\udfff]", json.dumps(load_json("nasty"), ensure_ascii=False))


def test_json_shows_what_it_cannot_carry():
    case = load_json("nasty")["cases"][0]
    text = case["trace"][0]["text"]
    assert "\\ud83d \\udc00 \\xff\\xc3( \\xc0\\xaf" in text
    assert "\x00 \x1b[31m" in text
    assert "</script>" in text and "😀" in text


def test_strict_makes_a_warning_a_failure():
    changed = {key for key, outcome in outcomes("usual").items() if outcomes("strict")[key] != outcome}
    assert changed == {("leave/no-ghost", "0.2.0")}


# ---- JUnit ----

def junit_outcome(testcase):
    for element in ("failure", "error", "skipped"):
        if testcase.find(element) is not None:
            return element
    return "passed"


JUNIT = {"fail": "failure", "xpass": "failure", "error": "error", "skip": "skipped", "xfail": "skipped", "warning": "passed",
         "remark": "passed", "pass": "passed"}


@pytest.mark.parametrize("name", SETS)
def test_junit_says_the_same_as_json(name):
    root = xml.etree.ElementTree.parse(GOLDEN / f"{name}.xml").getroot()
    cases = {}
    for testcase in root.iter("testcase"):
        if testcase.get("classname") != "known-failing":
            scenario, profile = re.fullmatch(r"(.*) \[(.*)\]", testcase.get("name")).groups()
            cases[scenario, profile] = junit_outcome(testcase)
            assert testcase.get("classname") == scenario.split("/")[0]
            assert testcase.get("file") == f"scenarios/{scenario}.yaml"
    assert cases == {key: JUNIT[outcome] for key, outcome in outcomes(name).items()}


@pytest.mark.parametrize("name", SETS)
def test_junit_counts_what_it_lists(name):
    root = xml.etree.ElementTree.parse(GOLDEN / f"{name}.xml").getroot()
    assert root.tag == "testsuites"
    for element in [root, *root.findall("testsuite")]:
        found = [junit_outcome(testcase) for testcase in element.iter("testcase")]
        assert int(element.get("tests")) == len(found)
        assert int(element.get("failures")) == found.count("failure")
        assert int(element.get("errors")) == found.count("error")
        assert int(element.get("skipped")) == found.count("skipped")


def test_junit_shows_a_warning_without_failing():
    root = xml.etree.ElementTree.parse(GOLDEN / "usual.xml").getroot()
    warning = root.find(".//testcase[@name='leave/no-ghost [0.2.0]']")
    assert warning.find("system-out").text.startswith("WARN leave/no-ghost")


def test_junit_fails_for_a_line_of_the_list_that_means_no_case():
    root = xml.etree.ElementTree.parse(GOLDEN / "usual.xml").getroot()
    line = root.find(".//testcase[@classname='known-failing']")
    assert line.get("name") == "fold/*" and junit_outcome(line) == "failure"


# ---- TAP ----

def parse_tap(text):
    """The part of TAP 14 that a report needs, read strictly. Returns the tests: (ok, description, directive, reason, YAML block)."""
    lines = text.split("\n")
    assert lines.pop() == "" and lines.pop(0) == "TAP version 14"
    tests, plan, at = [], None, 0
    while at < len(lines):
        line = lines[at]
        at += 1
        found = re.fullmatch(r"(not )?ok (\d+) - ((?:[^#\\]|\\.)*?)(?: # (SKIP|TODO) ((?:[^#\\]|\\.)*))?", line)
        if line == "  ---":
            end = lines.index("  ...", at)
            tests[-1][4] = yaml.safe_load("\n".join(inner[2:] for inner in lines[at:end]))
            at = end + 1
        elif found:
            assert int(found[2]) == len(tests) + 1
            tests.append([found[1] is None, re.sub(r"\\(.)", r"\1", found[3]), found[4], found[5], None])
        elif re.fullmatch(r"1\.\.\d+", line):
            assert plan is None
            plan = int(line[3:])
        else:
            assert line.startswith("# "), f"neither test, plan, block nor comment: {line!r}"
    assert plan == len(tests)
    return tests


TAP = {"fail": (False, None), "xpass": (False, None), "error": (False, None), "skip": (True, "SKIP"), "xfail": (False, "TODO"),
       "warning": (True, None), "remark": (True, None), "pass": (True, None)}


@pytest.mark.parametrize("name", SETS)
def test_tap_says_the_same_as_json(name):
    tests = parse_tap((GOLDEN / f"{name}.tap").read_bytes().decode("utf-8"))
    wanted = [(f"{scenario} ({profile})", *TAP[outcome]) for (scenario, profile), outcome in outcomes(name).items()]
    unmatched = [(f"line {line['line']} of the known failures means no case: {line['glob']}", False, None)
                 for line in load_json(name)["unmatched"]]
    assert [(test[1], test[0], test[2]) for test in tests] == wanted + unmatched


@pytest.mark.parametrize("name", SETS)
def test_tap_blocks_carry_reason_and_report(name):
    tests = parse_tap((GOLDEN / f"{name}.tap").read_bytes().decode("utf-8"))
    failed = [test[4] for test in tests if not test[0] and test[2] is None and test[4]]
    assert failed
    for block in failed:
        assert {"message", "severity", "file", "again", "report"} <= set(block)
        assert block["report"].splitlines()[0].split()[0] in ("FAIL", "ERROR", "XPASS")


# ---- Markdown ----

def test_markdown_tables_have_as_many_cells_as_columns():
    for name in ("usual", "nasty"):
        columns = None
        for line in (GOLDEN / f"{name}.md").read_text().split("\n"):
            if not line.startswith("|"):
                columns = None
                continue
            cells = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
            columns = columns or cells
            assert cells == columns, line


# ---- the command ----

def run(*arguments):
    return subprocess.run([MESHSPEC, "run", "--color", "never", *arguments], cwd=ROOT, capture_output=True, timeout=120, check=False)


def test_all_reports_of_one_run_agree(tmp_path):
    ran = run("--json", tmp_path / "r.json", "--junit", tmp_path / "r.xml", "--tap", tmp_path / "r.tap", "--markdown", tmp_path / "r.md",
              "--seed", "7", "scenarios/selftest", "scenarios/identity")
    assert ran.returncode == 1, ran.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["run"]["seed"] == "7" and report["run"]["target"] == "memory"
    failed = report["summary"]["failed"]
    assert failed > 0 and report["summary"]["passed"] > 0
    root = xml.etree.ElementTree.parse(tmp_path / "r.xml").getroot()
    assert int(root.get("failures")) == failed
    assert sum(not test[0] for test in parse_tap((tmp_path / "r.tap").read_text())) == failed
    assert f"{failed} failed" in (tmp_path / "r.md").read_text()


def test_a_report_on_standard_output_is_all_that_is_there():
    ran = run("--tap", "-", "scenarios/selftest")
    assert len(parse_tap(ran.stdout.decode())) > 5


def test_two_reports_on_standard_output_are_refused():
    ran = run("--tap", "-", "--json", "-", "scenarios/selftest")
    assert ran.returncode == 2 and b"only one report" in ran.stderr


def test_a_file_that_cannot_be_written_is_found_before_the_run(tmp_path):
    ran = run("--json", tmp_path / "no/such/folder.json", "scenarios/selftest")
    assert ran.returncode == 2 and b"cannot write" in ran.stderr
    assert ran.stdout == b""


def test_again_repeats_the_case(tmp_path):
    run("--json", tmp_path / "r.json", "scenarios/selftest/nothing-came.yaml")
    again = json.loads((tmp_path / "r.json").read_text())["cases"][0]["again"]
    ran = subprocess.run(["sh", "-c", again], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 1 and "selftest/nothing-came" in ran.stdout
