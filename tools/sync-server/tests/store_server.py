"""A store of its own for every test: started on a free port, ready when it says so, ended at the test's end.

MESHSPEC_STORE names the program; without it, build/meshspec-store is taken.
"""

import http.client
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import uuid

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = pathlib.Path(os.environ.get("MESHSPEC_STORE", ROOT / "build" / "meshspec-store"))
SECRET = "tooth-fairy-4711"
PATIENCE = 60  # seconds until something that hangs is a failure


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"Answer({self.status}, {self.body[:300]!r})"


class Store:
    """A running store."""

    def __init__(self, *arguments, secret=SECRET):
        command = [str(PROGRAM), "--port", "0", *map(str, arguments)]
        if secret:
            command += ["--admin-secret", secret]
        self.secret = secret
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.read_line()
        assert line.startswith("listening http://127.0.0.1:"), (line, self.process.stderr.read())
        self.url = line.split()[1]
        self.port = int(self.url.split(":")[2].split("/")[0])
        self.app = "app-" + uuid.uuid4().hex[:8]
        self.errors = ""

    def read_line(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        assert ready, "the store did not say that it is ready"
        return self.process.stdout.readline().decode()

    # ---- ending it

    def end(self, signal_number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        _, errors = self.process.communicate(timeout=PATIENCE)
        self.errors += errors.decode()
        return self.process.returncode

    def kill(self):
        return self.end(signal.SIGKILL)

    # ---- asking it

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, headers=None, connection=None):
        """One request; `body` is bytes, text or something for JSON."""
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        own = connection is None
        connection = connection or self.connect()
        try:
            connection.request(method, path, body=body, headers=headers or {})
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        finally:
            if own:
                connection.close()

    def admin(self, method, path, body=None, app=None, secret=..., connection=None):
        secret = self.secret if secret is ... else secret
        headers = {} if secret is None else {"X-Jazz-Admin-Secret": secret}
        return self.ask(method, f"/apps/{app or self.app}/{path}", body, headers, connection)

    def raw(self, data, shut=False):
        """Sends bytes as they are and reads until the store closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(data)
            if shut:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(65536):
                answer += piece
            return answer

    # ---- what most tests need

    def publish_schema(self, schema, app=None):
        answer = self.admin("POST", "admin/schemas", {"schema": schema}, app)
        assert answer.status == 201, answer
        return answer.json["hash"]

    def publish_permissions(self, schema_hash, permissions, parent=None, app=None):
        body = {"schemaHash": schema_hash, "permissions": permissions, "expectedParentBundleObjectId": parent}
        return self.admin("POST", "admin/permissions", body, app)

    def publish_migration(self, source, target, forward=(), app=None):
        body = {"fromHash": source, "toHash": target, "forward": list(forward)}
        return self.admin("POST", "admin/migrations", body, app)

    def connected(self, source, target, app=None):
        answer = self.admin("GET", f"admin/schema-connectivity?fromHash={source}&toHash={target}", app=app)
        assert answer.status == 200, answer
        return answer.json["connected"]

    def head(self, app=None):
        return self.admin("GET", "admin/permissions/head", app=app).json["head"]

    def contents(self, app=None):
        """All that the admin API tells of an app."""
        hashes = self.admin("GET", "schemas", app=app).json["hashes"]
        schemas = {h: self.admin("GET", f"schema/{h}", app=app).body for h in hashes}
        return hashes, schemas, self.admin("GET", "admin/permissions", app=app).body

    def data(self, operation, schema_hash, table, user="ana", claims=None, app=None, connection=None, **more):
        session = {"userId": user} if claims is None else {"userId": user, "claims": claims}
        body = {"schemaHash": schema_hash, "session": session, "table": table, **more}
        return self.ask("POST", f"/apps/{app or self.app}/data/{operation}", body, connection=connection)


def text_table(*columns):
    return {"columns": [{"name": name, "column_type": {"type": "Text"}} for name in columns]}


def is_error(answer, status, code):
    assert answer.status == status, answer
    assert set(answer.json) == {"error", "code"}, answer
    assert answer.json["code"] == code and answer.json["error"], answer
    return True


@pytest.fixture
def start():
    """Starts stores; ends them all, each of which must end cleanly and say nothing."""
    stores = []

    def begin(*arguments, **keywords):
        stores.append(Store(*arguments, **keywords))
        return stores[-1]

    yield begin
    for one in stores:
        if one.process.poll() is None:
            assert one.end() == 0, one.errors
        assert "Sanitizer" not in one.errors and "runtime error" not in one.errors, one.errors


@pytest.fixture
def store(start):
    return start("--control")
