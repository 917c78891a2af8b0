"""`meshspec compare`: equal relays are found equal; what is broken is found, made small, and written as a scenario that tells the two apart."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("MESHSPEC_BUILD", "build")
MESHSPEC = ROOT / BUILD / "meshspec"
PYTHON = f"exec:'{sys.executable}' tools/adapters/python-relay/adapter.py"
C_ADAPTER = f"exec:{BUILD}/meshspec-adapter"


def broken(name):
    return f"exec:'{sys.executable}' tools/adapters/misbehaving/adapter.py --break {name}"


def meshspec(*arguments):
    return subprocess.run([MESHSPEC, *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, timeout=200, check=False)


def compare(a, b, *arguments):
    return meshspec("compare", "--target", a, "--target", b, *arguments)


@pytest.mark.parametrize("profile", ["0.1.0", "0.1.1", "0.2.0"])
@pytest.mark.parametrize("other", [C_ADAPTER, PYTHON])
def test_relays_that_are_right_do_the_same(other, profile):
    ran = compare("memory", other, "--profile", profile, "--rounds", 30, "--seed", 1000)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("30 rounds, ") and ran.stdout.endswith(": no difference\n")
    assert int(re.search(r"(\d+) events compared", ran.stdout)[1]) > 1000


@pytest.mark.parametrize("fault, most, words", [
    ("skip-seq", 6, 'seq'), ("no-gone", 6, '"gone":true'), ("commits-twice", 4, "commit: "), ("eject-leaves-open", 4, "is closed"),
    ("hydrates-always", 4, "answer: "), ("one-epoch", 4, 'epoch: A says "$2", B says "$1"'), ("ahead-is-up-to-date", 6, "up-to-date"),
    ("ejects-one-connection", 10, "eject"), ("violation-without-path", 4, "violation: "), ("hydrate-keeps-order", 4, "envs"),
    ("junk-closes-all", 6, "is closed"), ("no-new-epoch", 5, "epoch"), ("snapshot-root-wrong", 5, "root"),
])
def test_what_is_broken_is_found_made_small_and_written_down(tmp_path, fault, most, words):
    file = tmp_path / "difference.yaml"
    ran = compare("memory", broken(fault), "--rounds", 200, "--output", file)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    found = re.search(r"^A and B differ: seed (\d+), step (\d+) of (\d+), .* the same in (\d+) steps", ran.stdout)
    assert found and int(found[4]) <= most, ran.stdout
    assert words in ran.stdout and f"scenario: {file}" in ran.stdout
    assert f"seed {found[1]}, step {found[2]} of {found[3]}" in file.read_text(encoding="utf-8")
    assert meshspec("lint", file).returncode == 0, meshspec("lint", file).stderr
    right, wrong = meshspec("run", "--target", "memory", file), meshspec("run", "--target", broken(fault), file)
    assert right.returncode == 0, right.stdout
    assert wrong.returncode == 1 and "1 failed" in wrong.stdout, wrong.stdout
    again = compare("memory", broken(fault), "--seed", found[1], "--rounds", 1)
    assert again.returncode == 1 and again.stdout.splitlines()[0] == ran.stdout.splitlines()[0]


def test_a_run_is_the_same_each_time():
    outputs = {compare(PYTHON, broken("off-by-one-journal"), "--seed", 5).stdout for _ in range(3)}
    assert len(outputs) == 1 and "A and B differ" in outputs.pop()


@pytest.mark.parametrize("arguments, words", [
    (["--target", "memory"], "needs --target twice"),
    (["--target", "memory", "--target", "memory", "--target", "memory"], "not more"),
    (["--target", "memory", "--target", "memory", "--profile", "7"], "--profile takes"),
    (["--target", "memory", "--target", "memory", "--rounds", "0"], "--rounds takes"),
    (["--target", "memory", "--target", "memory", "there"], "takes no argument"),
    (["--target", "memory", "--target", "nonsense"], "nonsense"),
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
