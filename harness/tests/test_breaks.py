"""The suite notices every deliberate fault of the misbehaving adapters, and names a clause that the fault breaks."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("MESHSPEC_BUILD", "build")
ADAPTER = f"'{sys.executable}' tools/adapters/misbehaving/adapter.py"
BETWEEN = f"'{sys.executable}' tools/adapters/misbehaving/between.py --relay {shlex.quote(shlex.quote(str(BUILD / 'meshspec-adapter')))}"


def breaks(adapter):
    listed = subprocess.run(f"{adapter} --list-breaks", shell=True, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        name, clauses, _ = line.split("\t")
        yield pytest.param(name, set(clauses.replace(",", " ").split()), id=name)


def run(target, areas, *options):
    folders = [folder for folder in (ROOT / "scenarios" / area for area in sorted(areas)) if folder.is_dir()]
    ran = subprocess.run([BUILD / "meshspec", "run", "--strict", "--json", "-", "--target", f"exec:{target}", *options, *folders],
                         cwd=ROOT, capture_output=True, timeout=120, check=False)
    return ran, json.loads(ran.stdout)["cases"]


def areas_of(clauses):
    return {clause.split(".")[0] for clause in clauses}


def named(cases):
    """The clauses of the scenarios that failed, and the rules that their whole runs broke."""
    failed = [case for case in cases if case["verdict"] == "fail"]
    return {clause["id"] for case in failed for clause in case["clauses"]} | {case["failure"].get("rule") for case in failed}


@pytest.mark.parametrize("name, clauses", breaks(ADAPTER))
def test_break_is_noticed(name, clauses):
    ran, cases = run(f"{ADAPTER} --break {name}", areas_of(clauses))
    assert ran.returncode == 1, ran.stderr
    assert named(cases) & clauses, f"the failing cases name only {sorted(named(cases))}"


@pytest.mark.parametrize("name, clauses", breaks(BETWEEN))
def test_break_of_registers_is_noticed(name, clauses):
    """Each rule that it breaks is named, by scenarios of the rule's own area."""
    ran, cases = run(f"{BETWEEN} --break {name}", areas_of(clauses), "--profile", "0.9")
    assert ran.returncode == 1, ran.stderr
    assert not [case["name"] for case in cases if case["verdict"] == "error"]
    assert clauses <= named(cases), f"the failing cases do not name {sorted(clauses - named(cases))}"


def test_without_a_break_nothing_is_wrong():
    clauses = set().union(*(parameters.values[1] for parameters in breaks(BETWEEN)))
    ran, cases = run(BETWEEN, areas_of(clauses), "--profile", "0.9")
    assert ran.returncode == 0, ran.stderr
    assert {case["verdict"] for case in cases} == {"pass"}


def test_every_rule_of_registers_has_a_break():
    rules = set(re.findall(r"(?m)^- id: (\S+)", (ROOT / "fixtures/clauses/mesh-0.9.yaml").read_text()))
    broken = set().union(*(parameters.values[1] for parameters in breaks(BETWEEN)))
    assert rules <= broken, f"nothing breaks {sorted(rules - broken)}"
