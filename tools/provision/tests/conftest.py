"""The provisioners under test: child processes that take one JSON request and give one JSON answer."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

REPOSITORY = Path(__file__).resolve().parents[3]
BUILD = REPOSITORY / os.environ.get("MESHSPEC_BUILD", "build")
C_PROVISIONER = BUILD / "meshspec-provision"
PROVISIONERS = {
    "c": [str(C_PROVISIONER), "--stdio"],
}
SECRET = "s3cret-of-the-store"
APP_ID = "app one/ü"


class Provisioner:
    def __init__(self, command):
        self.command = command

    def __call__(self, op, app, url, permissions=None, secret=SECRET, app_id=APP_ID):
        """Gives the parsed answer; a text instead of an app or permissions goes into the request as it is."""
        parts = {"op": json.dumps(op), "app": app, "permissions": permissions}
        parts["target"] = {"url": url, "appId": app_id, "adminSecret": secret}
        texts = [
            f'"{name}":{part if isinstance(part, str) else json.dumps(part)}'
            for name, part in parts.items()
            if part is not None
        ]
        return json.loads(self.raw("{" + ",".join(texts) + "}"))

    def raw(self, text):
        done = subprocess.run(self.command, input=text.encode(), capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        assert SECRET not in done.stdout.decode() + done.stderr.decode()
        return done.stdout.decode()


@pytest.fixture(params=sorted(PROVISIONERS))
def provisioner(request):
    return Provisioner(PROVISIONERS[request.param])
