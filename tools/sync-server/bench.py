#!/usr/bin/env python3
"""How many admin requests a second a store with its database on disk answers over one keep-alive connection and four.

usage: bench.py [DIRECTORY]     the directory for the database; a temporary one by default
MESHSPEC_STORE names the program; without it, build/meshspec-store is taken.
"""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MESHSPEC_STORE", str(ROOT / "build" / "meshspec-store"))
SECONDS = 2


class Client:
    """One keep-alive connection with as little of its own work as possible."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, method, path, body=b""):
        self.socket.sendall(b"%s /apps/bench/%s HTTP/1.1\r\nHost: x\r\nX-Jazz-Admin-Secret: bench\r\nContent-Length: %d\r\n\r\n%s"
                            % (method, path, len(body), body))
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(1 << 20)
        head, _, rest = answer.partition(b"\r\n\r\n")
        left = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]) - len(rest)
        while left > 0:
            piece = self.socket.recv(1 << 20)
            rest += piece
            left -= len(piece)
        assert head.split()[1] in (b"200", b"201"), answer
        return rest


def schema(number):
    columns = [{"name": f"c{n}", "column_type": {"type": "Text"}} for n in range(8)]
    return json.dumps({"schema": {f"a__t{number}": {"columns": columns}}}).encode()


def measure(port, clients, step):
    """Requests a second when each client repeats `step(client, number)`."""
    counts = [0] * clients
    stop = time.monotonic() + SECONDS

    def work(which):
        client = Client(port)
        while time.monotonic() < stop:
            step(client, which * 10_000_000 + counts[which])
            counts[which] += 1

    threads = [threading.Thread(target=work, args=(which,)) for which in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS


def publish_tables(client, tables):
    """Seconds to publish a schema, a migration that adds all its tables, and to read the schema."""
    columns = [{"name": f"c{n}", "column_type": {"type": "Text"}} for n in range(8)]
    empty = json.loads(client.ask(b"POST", b"admin/schemas", b'{"schema":{}}'))["hash"]
    body = json.dumps({"schema": {f"ns__t{tables}_{n}": {"columns": columns} for n in range(tables)}}).encode()
    lenses = [{"table": f"ns__t{tables}_{n}", "added": True, "operations": []} for n in range(tables)]
    started = time.monotonic()
    target = json.loads(client.ask(b"POST", b"admin/schemas", body))["hash"]
    client.ask(b"POST", b"admin/migrations", json.dumps({"fromHash": empty, "toHash": target, "forward": lenses}).encode())
    client.ask(b"GET", b"schema/" + target.encode())
    return time.monotonic() - started


def main():
    if sys.argv[1:] == ["--help"]:
        print(__doc__)
        return
    if len(sys.argv) > 2 or any(argument.startswith("-") for argument in sys.argv[1:]):
        sys.exit(__doc__)
    directory = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    command = [PROGRAM, "--admin-secret", "bench", "--db", os.path.join(directory, "bench.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as store:
        port = int(store.stdout.readline().decode().split(":")[2].rstrip("/\n"))
        setup = Client(port)
        known = json.loads(setup.ask(b"POST", b"admin/schemas", schema(-1)))["hash"].encode()
        bundle = b'{"schemaHash":"%s","permissions":{},"expectedParentBundleObjectId":null}' % known
        setup.ask(b"POST", b"admin/permissions", bundle)
        connectivity = b"admin/schema-connectivity?fromHash=%s&toHash=%s" % (known, known)
        steps = {
            "GET admin/permissions": lambda client, number: client.ask(b"GET", b"admin/permissions"),
            "GET schema/HASH": lambda client, number: client.ask(b"GET", b"schema/" + known),
            "GET connectivity": lambda client, number: client.ask(b"GET", connectivity),
            "POST a known schema": lambda client, number: client.ask(b"POST", b"admin/schemas", schema(-1)),
            "POST a new schema": lambda client, number: client.ask(b"POST", b"admin/schemas", schema(number)),
        }
        for name, step in steps.items():
            print(f"{name:24} {measure(port, 1, step):8.0f}/s on one connection {measure(port, 4, step):8.0f}/s on four")
        for tables in (200, 2000, 20000):
            print(f"a schema of {tables} tables, a migration to it and back: {publish_tables(setup, tables):.3f} s")
        store.terminate()


if __name__ == "__main__":
    main()
