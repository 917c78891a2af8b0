"""The suite notices every deliberate fault of the misbehaving adapter, and names a clause that the fault breaks."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
ADAPTER = f"'{sys.executable}' tools/adapters/misbehaving/adapter.py"


def breaks():
    listed = subprocess.run(f"{ADAPTER} --list-breaks", shell=True, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        name, clauses, _ = line.split("\t")
        yield pytest.param(name, set(clauses.replace(",", " ").split()), id=name)


@pytest.mark.parametrize("name, clauses", breaks())
def test_break_is_noticed(name, clauses):
    areas = sorted({clause.split(".")[0] for clause in clauses})
    ran = subprocess.run([MESHSPEC, "run", "--strict", "--json", "-", "--target", f"exec:{ADAPTER} --break {name}"]
                         + [f"scenarios/{area}" for area in areas], cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert ran.returncode == 1, ran.stderr
    cases = json.loads(ran.stdout)["cases"]
    named = {clause["id"] for case in cases if case["verdict"] == "fail" for clause in case["clauses"]}
    assert named & clauses, f"the failing cases name only {sorted(named)}"
