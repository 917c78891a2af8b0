"""meshspec-store and meshspec-provision when memory runs out, at any allocation of any library: a request fails, or the program ends and
says why; what was answered stays, and once there is memory again the same commands bring everything in order.

A stride through the allocations, a few seconds; `make alloc-failure` has the turn of every one of them come.
"""
import json
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "harness/tests/preload"))

import memory_out  # noqa: E402

pytestmark = pytest.mark.skipif(memory_out.SANITIZED, reason="a sanitizer brings an allocator of its own")

STORE, PROVISION = memory_out.BUILD / "meshspec-store", memory_out.BUILD / "meshspec-provision"
APP = ["--app", ROOT / "fixtures/apps/tasks.json"]
PERMISSIONS = ["--permissions", ROOT / "fixtures/permissions/tasks.json"]


class Store:
    started = []  # by the test at hand

    def __init__(self, folder, env=None):
        self.folder = folder
        (folder / "secret").write_text("s\n")
        command = [STORE, "--admin-secret-file", folder / "secret", "--port", "0", "--db", folder / "store.db", "--record", folder / "record"]
        self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.started.append(self.process)
        self.url = re.sub(r"^listening |/?\n$", "", self.process.stdout.readline())

    def provision(self, *command, nth=0):
        arguments = [*command, "--store", self.url, "--app-id", "demo", "--admin-secret-file", "secret", *APP, *PERMISSIONS[:2 if command[0] == "apply" else 0]]
        return memory_out.run([PROVISION, *arguments], nth, self.folder)

    def end(self):
        """(whether it had to be ended, exit code, what it said)"""
        alive = self.process.poll() is None
        self.process.terminate()
        _, errors = self.process.communicate(timeout=memory_out.LIMIT_SECONDS)
        return alive, self.process.returncode, errors


def put_in_order(store):
    """With memory, one more apply does whatever is left to do, and nothing is lost of what was there."""
    last = store.provision("apply")
    assert last.code == 0 and json.loads(last.out)["result"]["status"] in ("created", "updated", "unchanged"), last
    status = store.provision("status")
    assert status.code == 0 and json.loads(status.out)["result"]["state"] == "ok", status


def run_store(nth, folder):
    """One life of the store in which an allocation fails; how many there were when none does."""
    report = folder / "store-allocations"
    for left in folder.glob("store.db*"):
        left.unlink()
    store = Store(folder, memory_out.environment("meshspec-store", nth, report))
    answers = [store.provision(verb) for verb in ("apply", "status", "apply")] if store.url else []
    alive, code, errors = store.end()
    assert code == 0 if alive and store.url else code > 0 and errors != "", (alive, code, errors)
    if nth == 0:
        assert [answer.code for answer in answers] == [0, 0, 0], answers
    again = Store(folder)
    if answers and answers[0].code == 0:
        status = again.provision("status")
        assert status.code == 0, f"what was answered is lost: {status}"
    put_in_order(again)
    again.end()
    return memory_out.told(report)[1]


@pytest.fixture(autouse=True)
def no_store_is_left():
    yield
    for process in Store.started:
        process.kill()
    Store.started.clear()


@pytest.mark.parametrize("shard", memory_out.SHARDS)
def test_the_store(shard, tmp_path):
    usual = run_store(0, tmp_path)
    assert usual > 200
    for nth in memory_out.turns(usual, shard):
        try:
            run_store(nth, tmp_path)
        except AssertionError as error:
            raise AssertionError(f"allocation {nth} of {usual}: {error}") from error


@pytest.mark.parametrize("shard", memory_out.SHARDS)
@pytest.mark.parametrize("verb", ["status", "apply"])
def test_the_provisioner(verb, shard, tmp_path):
    store = Store(tmp_path)
    usual = store.provision(verb)
    assert usual.allocations > 50
    right = 10 if verb == "status" else 0  # nothing is deployed; there is nothing to do any more
    for nth in memory_out.turns(usual.allocations, shard):
        outcome = store.provision(verb, nth=nth)
        said = outcome.out + outcome.err
        assert outcome.code in (right, 1, 7) and said != "", (nth, outcome)
        assert outcome.code == right or "memory" in said or "error" in said, (nth, outcome)
    if verb == "apply":
        put_in_order(store)
    assert store.end() == (True, 0, "")
