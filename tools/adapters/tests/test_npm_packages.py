"""Where npm or its registry is not there, the npm relay is not available: that is said, and stops nothing."""

import os
import pathlib
import shutil
import subprocess

import pytest
from npm_relay import SCRIPTS

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "npm_packages.sh"
SHELL_TOOLS = ("sh", "mkdir", "dirname", "rm", "cat", "mktemp", "touch", "grep", "timeout")
needs_npm = pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")


@pytest.fixture
def folder(tmp_path):
    """A folder with the relay's lock file, without packages."""
    made = tmp_path / "relay"
    made.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(SCRIPTS / name, made)
    return made


def install(folder, **environment):
    """(what it printed, its stamp, why it is missing)"""
    stamp = folder.parent / "build" / "stamp"
    ran = subprocess.run([SCRIPT, folder, stamp], env={**os.environ, **environment}, capture_output=True, text=True, timeout=150)
    assert (ran.returncode, ran.stderr) == (0, "")
    why = stamp.with_name("stamp.missing")
    return ran.stdout, stamp.exists(), why.read_text() if why.exists() else None


def test_without_npm(folder, tmp_path):
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in SHELL_TOOLS:
        (tools / name).symlink_to(shutil.which(name))
    assert install(folder, PATH=str(tools)) == (f"not available: {folder}: node is not installed\n", False, "node is not installed\n")
    (tools / "node").symlink_to("/bin/true")
    assert install(folder, PATH=str(tools)) == (f"not available: {folder}: npm is not installed\n", False, "npm is not installed\n")


@needs_npm
def test_without_a_registry_and_then_with_nothing_to_install(folder, tmp_path):
    away = {"npm_config_registry": "http://127.0.0.1:9/", "npm_config_cache": str(tmp_path / "cache")}
    said, stamped, why = install(folder, **away)
    assert said.startswith(f"not available: {folder}: npm ci failed: ") and not stamped and why.startswith("npm ci failed: ")
    (folder / "package.json").write_text('{"name": "nothing"}')
    (folder / "package-lock.json").write_text('{"name": "nothing", "lockfileVersion": 3, "packages": {"": {"name": "nothing"}}}')
    assert install(folder, **away) == ("", True, None)
