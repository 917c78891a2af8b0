"""A meshspec-relay under test: started on a free port, stopped with SIGTERM, its exit code checked."""
import os
import pathlib
import shlex
import signal
import subprocess
import urllib.request

from websocket_client import LIMIT_SECONDS, WebSocket, any_certificate

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = shlex.split(os.environ.get("MESHSPEC_RELAY", str(ROOT / "build" / "meshspec-relay")))


class Ended(Exception):
    """The program ended before it listened, with this exit code and these words on standard error."""

    def __init__(self, code, errors):
        super().__init__(f"ended with {code}: {errors}")
        self.code, self.errors = code, errors


class RelayProcess:
    def __init__(self, *flags, env=None):
        self.process = subprocess.Popen([*COMMAND, *map(str, flags)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        self.tls = False
        self.port = self._read_port("listening ws://", "listening wss://")
        self.control_port = self._read_port("control http://") if "--control" in flags else None
        self.metrics_port = self._read_port("metrics http://") if "--metrics" in flags else None

    def _read_port(self, *starts):
        line = self.process.stdout.readline()
        if not line:
            _, errors = self.process.communicate(timeout=LIMIT_SECONDS)
            raise Ended(self.process.returncode, errors)
        self.tls = self.tls or line.startswith("listening wss://")
        assert line.startswith(starts) and line.endswith("/\n"), line
        return int(line.rstrip("/\n").rpartition(":")[2])

    def connect(self, writer, **options):
        """A WebSocket of `writer`; `kind` and `claims` go into the query."""
        query = {"writer": writer, **{name: options.pop(name) for name in ("kind", "claims") if name in options}}
        return WebSocket(self.port, query, tls=options.pop("tls", any_certificate() if self.tls else None), **options)

    def join(self, writer, origin, room="r", **options):
        """A connection that is a member: its hello is answered. Returns (connection, welcome)."""
        connection = self.connect(writer, **options)
        connection.send(hello(origin, room))
        welcome = connection.receive()
        assert welcome["t"] == "welcome", welcome
        return connection, welcome

    def metrics(self):
        """What the metrics server says, as {"name{labels}": number}."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=LIMIT_SECONDS) as answer:
            lines = answer.read().decode().splitlines()
        return {name: float(number) for name, _, number in (line.rpartition(" ") for line in lines if not line.startswith("#"))}

    def limit_hits(self, limit):
        return self.metrics()[f'meshspec_relay_limit_hits_total{{limit="{limit}"}}']

    def stop(self, signal_number=signal.SIGTERM):
        """Stops it and returns (exit code, standard error)."""
        if self.process.poll() is None:
            self.process.send_signal(signal_number)
        _, errors = self.process.communicate(timeout=LIMIT_SECONDS)
        return self.process.returncode, errors


def run_to_end(*flags):
    """Runs the program until it ends by itself."""
    return subprocess.run([*COMMAND, *map(str, flags)], capture_output=True, text=True, timeout=LIMIT_SECONDS)


def hello(origin, room="r", **more):
    return {"t": "hello", "room": room, "origin": origin, "proto": 1, "policyVersion": 0, **more}


def envelope(origin, writer, version, ops, room="r", **more):
    return {"t": "env", "room": room, "env": {"proto": 1, "origin": origin, "writer": writer, "version": version,
                                              "hlc": {"p": version, "l": 0}, "policyVersion": 0, "ops": ops, **more}}


def setting(path, value):
    return [{"kind": "set", "path": path, "next": value}]


def fence(connection, origin, room="r", data="fence"):
    """Everything that the relay sent to `connection` before: a signal to itself comes back behind it."""
    connection.send({"t": "signal", "room": room, "to": origin, "data": data})
    messages = []
    while True:
        message = connection.receive()
        if message["t"] == "signal" and message["from"] == origin and message.get("data") == data:
            return messages
        messages.append(message)
