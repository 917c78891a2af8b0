"""The suite tests its own failures: scenarios/selftest/ must come out as pinned, word for word.

Times and the program's place are taken out. MESHSPEC_UPDATE_GOLDEN=1 writes the pinned texts anew; read the difference before you commit it.
"""
import os
import pathlib
import re
import subprocess

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
GOLDEN = ROOT / "fixtures/golden/selftest"
SELFTESTS = sorted((ROOT / "scenarios/selftest").glob("*.yaml"))


def without_times(text):
    text = text.replace(str(MESHSPEC), "meshspec")
    text = re.sub(r" *\d+\.\d+ ms", " # ms", text)
    return re.sub(r"in \d+\.\d+ s\b", "in # s", text)


@pytest.mark.parametrize("path", SELFTESTS, ids=lambda path: path.stem)
def test_output_is_as_pinned(path):
    profile = yaml.safe_load(path.read_text())["expect"].get("profile", "0.2.0")
    ran = subprocess.run([MESHSPEC, "run", "--color", "never", "--profile", str(profile), path.relative_to(ROOT)], cwd=ROOT, capture_output=True, text=True,
                         timeout=60, check=False)
    came = without_times(ran.stdout) + f"exit status {ran.returncode}\n" + ran.stderr
    golden = GOLDEN / f"{path.stem}.txt"
    if os.environ.get("MESHSPEC_UPDATE_GOLDEN"):
        golden.write_text(came)
    assert came == golden.read_text()


def test_every_pinned_text_has_its_scenario():
    assert sorted(path.stem for path in GOLDEN.glob("*.txt")) == [path.stem for path in SELFTESTS]
