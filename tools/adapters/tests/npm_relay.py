"""What the tests of the npm relay share: where it is, whether it can run here, and envelopes of wire version 3."""

import shutil

import pytest
from adapter_process import ADAPTERS

SCRIPTS = ADAPTERS / "npm-relay"
NODE = shutil.which("node")
WHY = ADAPTERS.parent.parent / "build" / "npm-relay.installed.missing"


def missing():
    """Why it cannot run here, or None."""
    if NODE is None:
        return "node is not installed"
    if not (SCRIPTS / "node_modules" / "@mmstack" / "mesh-protocol").is_dir():
        return WHY.read_text().strip() if WHY.exists() else "its packages are not installed: make npm-packages"
    return None


needs_packages = pytest.mark.skipif(missing() is not None, reason=f"the npm relay is not available: {missing()}")


def envelope(writer, instance, version, /, *ops, **more):
    """`more` replaces fields; None takes one out."""
    fields = {
        "proto": 3, "instance": instance, "origin": writer, "writer": writer, "version": version, "hlc": {"p": version, "l": 0},
        "policyVersion": 0, "ops": list(ops), **more,
    }
    return {name: value for name, value in fields.items() if value is not None}


def message_that_throws(writer, instance):
    """A message on which the package's relay throws: it turns a segment of the path into a string."""
    op = {"kind": "set", "path": [{"toString": 0}], "cites": [], "epoch": 0}
    return {"t": "env", "room": "r", "env": envelope(writer, instance, 1, op)}
