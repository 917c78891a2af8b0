"""The `meshspec` command when memory runs out, at any allocation of any library: it ends with status 4 and a message. It never crashes,
never leaves a report half written or a process behind, and never calls a file or a relay that it could not look at bad.

A stride through the allocations, a few seconds; `make alloc-failure` has the turn of every one of them come.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "preload"))

import memory_out  # noqa: E402
from memory_out import BUILD, ROOT  # noqa: E402

pytestmark = pytest.mark.skipif(memory_out.SANITIZED, reason="a sanitizer brings an allocator of its own")

MESHSPEC = BUILD / "meshspec"
SCENARIOS = ROOT / "scenarios"
GOLDEN = ROOT / "fixtures/golden/reports"
REPORTS = ["--json", "report.json", "--junit", "report.xml", "--tap", "report.tap", "--markdown", "report.md", "--html", "report.html"]
DELTA, WRONG = SCENARIOS / "join/delta.yaml", SCENARIOS / "selftest/wrong-field.yaml"

# What may be said besides the right answer and "out of memory" (4): a relay in this very process has run out of memory, too, and may end
# a connection; and of libwebsockets nobody can learn why a connection ended. 3: no target could be made.
SESSIONS = {
    "lint": ([MESHSPEC, "lint", WRONG, SCENARIOS / "store/created.yaml"], set()),
    "lint-bad": ([MESHSPEC, "lint", "bad.yaml"], set()),
    "known-failing": ([MESHSPEC, "run", "--known-failing", "known.txt", *REPORTS, DELTA], {0, 1, 3}),
    "memory": ([MESHSPEC, "run", *REPORTS, DELTA, WRONG, SCENARIOS / "selftest/one-order-of-a-race.yaml"], {1, 3}),
    "exec": ([MESHSPEC, "run", "--target", f"exec:{BUILD}/meshspec-adapter", *REPORTS, DELTA, WRONG], set()),
    "spawn": ([MESHSPEC, "run", "--spawn", f"{BUILD}/meshspec-relay --port 0 --control 0", *REPORTS, DELTA, WRONG], {1, 3}),
    "target-file": ([MESHSPEC, "run", "--target", "target.yaml", DELTA], {1, 3}),
    "store": ([MESHSPEC, "run", "--target", "store", SCENARIOS / "store/created.yaml"], {3}),
    "replay": ([MESHSPEC, "replay", "--target", f"exec:{BUILD}/meshspec-adapter", "recording.jsonl"], {3}),
    "diff": ([MESHSPEC, "diff", GOLDEN / "usual.json", GOLDEN / "strict.json", "--markdown", "report.md"], set()),
}
OLD = "an old report\n"


def parses(parse, text):
    try:
        return bool(parse(text)) or True
    except (ValueError, xml.etree.ElementTree.ParseError):
        return False


COMPLETE = {
    "report.json": lambda text: parses(json.loads, text),
    "report.xml": lambda text: parses(lambda xml_text: xml.etree.ElementTree.fromstring(xml_text.encode()), text),
    "report.tap": lambda text: text.startswith("TAP version 14\n") and text.endswith("\n"),
    "report.md": lambda text: text.endswith("\n"),
    "report.html": lambda text: text.rstrip().endswith("</html>"),
}


@pytest.fixture
def folder(tmp_path):
    sessions = [line for line in (ROOT / "fixtures/recordings/mesh-0.2.0.jsonl").read_text().splitlines(True)]
    (tmp_path / "recording.jsonl").write_text("".join(sorted(sessions, key=len)[:3]))
    (tmp_path / "known.txt").write_text("join/*: a reason\n")
    (tmp_path / "target.yaml").write_text(f"spawn: {BUILD}/meshspec-relay --port 0\nprofiles: [0.2.0]\nprincipal: {{query: {{writer: writer}}}}\n")
    (tmp_path / "bad.yaml").write_text("title: a scenario\nclauses: [join.delta]\nclients: {ana: {}}\nsteps: [{anna: hello}, {ana: {get: 1}}]\n")
    return tmp_path


def said(outcome):
    """What was printed, without times and what is drawn."""
    return re.sub(r"\d+\.\d+ (m?s)|\"[0-9a-f]{8}-[-0-9a-f]{27}\"|seed \S+", r"\1", outcome.out + outcome.err)


def check(outcome, usual, also, folder):
    assert outcome.code in {0, 1, 2, 3, 4}, f"ended with {outcome.code}"
    assert not outcome.left_behind, "a process that it had started lives on"
    if outcome.code == 4:
        assert outcome.err.startswith("meshspec: "), outcome.err
    elif outcome.code == usual.code:
        assert outcome.err == usual.err and (also or said(outcome) == said(usual))
    else:
        assert outcome.code in also, outcome.out
    for name, complete in COMPLETE.items():
        text = (folder / name).read_text()
        assert text in ("", OLD) or complete(text), f"{name} is cut short"
        if outcome.code == usual.code:
            assert text != "", f"{name} is empty"


def loading(command, folder):
    """How many allocations it takes to load clauses and scenarios: what fails there is what the session "lint" tries."""
    scenarios = [part for part in command if isinstance(part, pathlib.Path) and part.suffix == ".yaml"]
    lint = memory_out.run([MESHSPEC, "lint", *scenarios], 0, folder) if command[1] == "run" else None
    return max(1, lint.allocations - 50) if lint else 1


@pytest.mark.parametrize("shard", memory_out.SHARDS)
@pytest.mark.parametrize("session", SESSIONS)
def test_out_of_memory(session, shard, folder):
    command, also = SESSIONS[session]
    for name in COMPLETE:
        (folder / name).write_text(OLD)
    usual = memory_out.run(command, 0, folder)
    assert usual.allocations > 50 and not usual.failed and (usual.code < 2 or session == "lint-bad"), usual
    failures = 0
    for nth in memory_out.turns(usual.allocations, shard, loading(command, folder)):
        for name in COMPLETE:
            (folder / name).write_text(OLD)
        outcome = memory_out.run(command, nth, folder)
        try:
            check(outcome, usual, also, folder)
        except AssertionError as error:
            raise AssertionError(f"allocation {nth} of {usual.allocations}: {error}\n{outcome}") from error
        failures += outcome.failed
    assert failures > 0, "no allocation failed"


def test_it_stays_out(folder):
    """From some allocation on, none succeeds any more: not even the message may need one."""
    command, _ = SESSIONS["memory"]
    usual = memory_out.run(command, 0, folder)
    for nth in range(1, usual.allocations, usual.allocations // 10):
        outcome = memory_out.run(command, nth, folder, forever=True)
        assert outcome.code == 4 and outcome.err.startswith("meshspec: out of memory ("), (nth, outcome)
