"""The provisioners under test: child processes that take one JSON request and give one JSON answer."""
import json
import os
import shutil
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
FIXTURES = REPOSITORY / "fixtures"
BUILD = REPOSITORY / os.environ.get("MESHSPEC_BUILD", "build")
C_PROVISIONER = BUILD / "meshspec-provision"
PROVISIONERS = {"c": [str(C_PROVISIONER), "--stdio"]}
if shutil.which("node"):
    PROVISIONERS["node"] = ["node", str(REPOSITORY / "tools/adapters/node-provisioner/provisioner.mjs")]
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
        done = subprocess.run(self.command, input=text.encode(), capture_output=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        assert SECRET not in done.stdout.decode() + done.stderr.decode()
        return done.stdout.decode()


def fixture(path):
    return (FIXTURES / path).read_text(encoding="utf-8")


def command_line(*arguments, secret_file=None):
    """Runs `meshspec-provision` with these arguments; gives exit code, standard output and standard error."""
    if secret_file is not None:
        secret_file.write_text(SECRET + "\n", encoding="utf-8")
        arguments = (*arguments, "--admin-secret-file", secret_file)
    command = [str(C_PROVISIONER), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    shown = done.stdout.decode() + done.stderr.decode()
    assert SECRET not in shown
    return done.returncode, done.stdout.decode(), done.stderr.decode()
