"""`meshspec compare`: equal relays are found equal; what is broken is found, made small, and written as a scenario that tells the two apart."""
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "adapters" / "tests"))
from npm_relay import missing  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("MESHSPEC_BUILD", "build")
MESHSPEC = ROOT / BUILD / "meshspec"
PYTHON = f"exec:'{sys.executable}' tools/adapters/python-relay/adapter.py"
FEW = 10  # steps that a small difference may have, connecting and joining among them
C_ADAPTER = f"exec:{BUILD}/meshspec-adapter"


def broken(name):
    return f"exec:'{sys.executable}' tools/adapters/misbehaving/adapter.py --break {name}"


def meshspec(*arguments):
    return subprocess.run([MESHSPEC, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)


def compare(a, b, *arguments):
    return meshspec("compare", "--target", a, "--target", b, *arguments)


def wrong(fault):
    """The reference relay of wire version 3, with a fault in what it says."""
    return f"exec:'{sys.executable}' harness/tests/compare_filter.py {fault} {BUILD}/meshspec-adapter"


@pytest.mark.parametrize("other, profile", [(C_ADAPTER, "0.1.0"), (C_ADAPTER, "0.1.1"), (C_ADAPTER, "0.2.0"), (C_ADAPTER, "0.9"),
                                            (PYTHON, "0.1.0"), (PYTHON, "0.1.1"), (PYTHON, "0.2.0"), (wrong("nothing"), "0.9")])
def test_relays_that_are_right_do_the_same(other, profile):
    ran = compare("memory", other, "--profile", profile, "--rounds", 30, "--seed", 1000)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("30 rounds, ") and ran.stdout.endswith(": no difference\n")
    assert int(re.search(r"(\d+) events compared", ran.stdout)[1]) > 1000


@pytest.mark.parametrize("fault, words", [
    ("skip-seq", 'seq'), ("no-gone", '"gone":true'), ("commits-twice", "commit: "), ("eject-leaves-open", "is closed"),
    ("hydrates-always", "answer: "), ("one-epoch", 'epoch: A says "$2", B says "$1"'), ("ahead-is-up-to-date", "up-to-date"),
    ("ejects-one-connection", "eject"), ("violation-without-path", "violation: "), ("hydrate-keeps-order", "envs"),
    ("junk-closes-all", "is closed"), ("no-new-epoch", "epoch"), ("snapshot-root-wrong", "root"),
])
def test_what_is_broken_is_found_made_small_and_written_down(tmp_path, fault, words):
    file = tmp_path / "difference.yaml"
    ran = compare("memory", broken(fault), "--rounds", 200, "--output", file)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    found = re.search(r"^A and B differ: seed (\d+), step (\d+) of (\d+), .* the same in (\d+) steps", ran.stdout)
    assert found and int(found[4]) <= FEW, ran.stdout
    assert words in ran.stdout and f"scenario: {file}" in ran.stdout
    assert f"seed {found[1]}, step {found[2]} of {found[3]}" in file.read_text(encoding="utf-8")
    assert meshspec("lint", file).returncode == 0, meshspec("lint", file).stderr
    right, wrong = meshspec("run", "--target", "memory", file), meshspec("run", "--target", broken(fault), file)
    assert right.returncode == 0, right.stdout
    assert wrong.returncode == 1 and "1 failed" in wrong.stdout, wrong.stdout
    told = re.search(r"^  again: meshspec (.*)$", ran.stdout, re.MULTILINE)[1]
    again = meshspec(*shlex.split(told))
    assert again.returncode == 1 and again.stdout.splitlines()[0] == ran.stdout.splitlines()[0]


@pytest.mark.parametrize("fault, words", [
    ("settles-in-silence", '"t":"settled"'), ("drops-without-version", '"t":"drop"'), ("counts-too-much", "wm.o"), ("commits-without-values", "value: A says"),
    ("hides-details", "violation.detail: A says"), ("sees-no-joins", "join: "), ("unloads-never", "A says true, B says false"),
])
def test_what_is_broken_in_wire_version_3_is_found_too(tmp_path, fault, words):
    file = tmp_path / "difference.yaml"
    ran = compare("memory", wrong(fault), "--profile", "0.9", "--rounds", 100, "--output", file)
    assert ran.returncode == 1 and words in ran.stdout, ran.stdout + ran.stderr
    assert int(re.search(r"the same in (\d+) steps", ran.stdout)[1]) <= FEW, ran.stdout
    assert meshspec("lint", file).returncode == 0, meshspec("lint", file).stderr
    right = meshspec("run", "--profile", "0.9", "--target", "memory", file)
    told = meshspec("run", "--profile", "0.9", "--target", wrong(fault), file)
    assert right.returncode == 0, right.stdout
    assert told.returncode == 1 and "1 failed" in told.stdout, told.stdout


WHY_NO_NPM = missing()


@pytest.mark.skipif(WHY_NO_NPM is not None, reason=f"the npm relay is not available: {WHY_NO_NPM}")
def test_the_reference_relay_and_the_npm_relay_do_the_same():
    """20,000 steps with a published implementation that this project did not write. Junk ends its process: that is known."""
    ran = compare("memory", "exec:node tools/adapters/npm-relay/adapter.mjs", "--profile", "0.9", "--rounds", 200, "--steps", 100, "--seed", 900, "--without", "junk")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert int(re.search(r"(\d+) steps", ran.stdout)[1]) >= 20000


def test_a_run_is_the_same_each_time():
    outputs = {compare(PYTHON, broken("off-by-one-journal"), "--seed", 5).stdout for _ in range(3)}
    assert len(outputs) == 1 and "A and B differ" in outputs.pop()


def test_what_breaks_a_relay_is_made_small_too(tmp_path):
    file, target = tmp_path / "break.yaml", f"exec:'{sys.executable}' tools/adapters/misbehaving/adapter.py --crash-on 2"
    ran = compare("memory", target, "--output", file)
    assert ran.returncode == 3 and "status 70" in ran.stderr, ran.stdout + ran.stderr
    assert re.search(r"^B breaks: seed 1, .* the same in [34] steps", ran.stdout), ran.stdout
    assert meshspec("lint", file).returncode == 0
    assert meshspec("run", "--target", "memory", file).returncode == 0
    struck = meshspec("run", "--target", target, file)
    assert struck.returncode == 3 and "status 70" in struck.stdout + struck.stderr


def test_what_is_left_out_does_not_come():
    fault = broken("junk-closes-all")
    assert compare("memory", fault, "--rounds", 50).returncode == 1
    ran = compare("memory", fault, "--rounds", 50, "--without", "junk")
    assert ran.returncode == 0, ran.stdout
    hydrated = compare("memory", broken("hydrates-always"), "--rounds", 50, "--without", "junk", "--without", "hydrate")
    assert hydrated.returncode == 0, hydrated.stdout


@pytest.mark.parametrize("arguments, words", [
    (["--target", "memory"], "needs --target twice"),
    (["--target", "memory", "--target", "memory", "--target", "memory"], "not more"),
    (["--target", "memory", "--target", "memory", "--profile", "7"], "--profile takes"),
    (["--target", "memory", "--target", "memory", "--rounds", "0"], "--rounds takes"),
    (["--target", "memory", "--target", "memory", "there"], "takes no argument"),
    (["--target", "memory", "--target", "nonsense"], "nonsense"),
    (["--target", "memory", "--target", "memory", "--without", "thought"], "--without takes clock, hold"),
])
def test_misuse_is_2(arguments, words):
    ran = meshspec("compare", *arguments)
    assert ran.returncode == 2 and words in ran.stderr


@pytest.mark.parametrize("other, words", [
    ("ws://127.0.0.1:1/", "is behind a socket"),
    ("exec:exit 7", "exit 7"),
    (f"exec:'{sys.executable}' tools/adapters/misbehaving/adapter.py --crash-on 9", "status 70"),
])
def test_what_cannot_be_judged_is_3(other, words):
    ran = compare("memory", other)
    assert ran.returncode == 3 and words in ran.stderr, ran.stderr


def test_a_scenario_that_cannot_be_written_is_told():
    ran = compare("memory", broken("no-echo"), "--output", "/nowhere/at/all.yaml")
    assert ran.returncode == 2 and "cannot write /nowhere/at/all.yaml" in ran.stderr


def test_help_shows_examples_and_statuses():
    ran = meshspec("compare", "--help")
    assert ran.returncode == 0 and "meshspec compare --target memory" in ran.stdout and "1 a difference" in ran.stdout
