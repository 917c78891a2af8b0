"""End to end against the local store: several apps, retries, faults, and what the app's clients then see."""
import json
import subprocess
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from provisioners import APP_ID, BUILD, PROVISIONERS, SECRET, Provisioner, fixture

STORE = BUILD / "meshspec-store"
APP_PATH = "/apps/app%20one%2F%C3%BC/"
pytestmark = pytest.mark.skipif(not STORE.exists(), reason="build/meshspec-store is not built")


class Store:
    def __init__(self, url):
        self.url = url

    def ask(self, path, body=None, method=None):
        request = urllib.request.Request(self.url + path, data=None if body is None else json.dumps(body).encode(), method=method)
        request.add_header("X-Jazz-Admin-Secret", SECRET)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def admin(self, path, body=None):
        status, text = self.ask(APP_PATH + path, body)
        assert status in (200, 201), text
        return json.loads(text)

    def provision(self, provisioner, name, op="apply"):
        return provisioner(op, fixture(f"apps/{name}.json"), self.url, fixture(f"permissions/{name}.json"))

    def head(self):
        return self.admin("admin/permissions")["head"]

    def tables(self):
        return list(self.admin("schema/" + self.head()["schemaHash"])["schema"])


@contextmanager
def running_store(*arguments):
    command = [str(STORE), "--admin-secret", SECRET, "--control", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            ready = process.stdout.readline().split()
            assert ready[:1] == ["listening"], ready
            yield Store(ready[1].rstrip("/"))
        finally:
            process.terminate()


@pytest.fixture
def store():
    with running_store() as running:
        yield running


def test_two_apps_and_a_new_release_share_a_store(provisioner, store):
    assert store.provision(provisioner, "tasks", "status") == {"result": {"state": "no_schema"}}
    hashes, bundles = [], []
    for name, status in (("tasks", "created"), ("notes", "updated"), ("tasks-with-labels", "updated")):
        assert store.provision(provisioner, name)["result"] == {"status": status, "headHash": store.head()["schemaHash"]}
        hashes.append(store.head()["schemaHash"])
        bundles.append(store.admin("admin/permissions")["permissions"])
    assert store.tables() == ["taskapp__projects", "taskapp__tasks", "notes__pages", "справка__темы", "taskapp__labels"]
    assert list(bundles[-1]) == ["notes__pages", "справка__темы", "taskapp__tasks", "taskapp__labels"]
    assert store.head()["version"] == 3
    for name, state in (("tasks-with-labels", "ok"), ("notes", "ok"), ("tasks", "schema_drift"), ("tasks-retyped", "schema_drift")):
        answer = provisioner("status", fixture(f"apps/{name}.json"), store.url)
        assert answer["result"]["state"] == state
    for earlier in hashes:  # provision.old-hash
        assert store.admin(f"admin/schema-connectivity?fromHash={earlier}&toHash={hashes[-1]}") == {"connected": True}


def test_siblings_come_back_byte_for_byte(provisioner, store):
    store.provision(provisioner, "notes")
    _, before = store.ask(APP_PATH + "admin/permissions")
    store.provision(provisioner, "tasks")
    _, after = store.ask(APP_PATH + "admin/permissions")
    policies = before[before.index('"notes__pages"') : before.rindex("}}")]
    assert policies.count("select") == 2 and policies in after


def test_a_second_run_writes_nothing_new(provisioner, store):
    store.provision(provisioner, "tasks")
    store.provision(provisioner, "notes")
    before = store.head(), store.admin("schemas")
    for name in ("tasks", "notes", "notes", "tasks"):
        assert store.provision(provisioner, name)["result"]["status"] == "unchanged"
    assert store.head() == before[0]
    assert set(store.admin("schemas")["hashes"]) >= set(before[1]["hashes"])


def test_classifying_only_reads(provisioner, store):
    store.provision(provisioner, "tasks")
    store.ask("/control/requests", method="DELETE")
    for name in ("tasks", "notes", "tasks-with-labels"):
        store.provision(provisioner, name, "status")
    status, text = store.ask("/control/requests")
    assert status == 200 and '"GET"' in text and '"POST"' not in text


@pytest.mark.parametrize("fault", [
    "POST */admin/schemas nth=1 status=500", "POST */admin/migrations cut=before", "POST */admin/migrations cut=after",
    "POST */admin/permissions status=502", "POST */admin/permissions cut=after", "POST */admin/permissions body=oops effect=yes",
    "POST */admin/schemas nth=2 cut=after", "GET */admin/schema-connectivity* status=503", "GET */admin/permissions body=oops",
])
def test_a_run_that_a_fault_stopped_is_completed_by_running_again(provisioner, store, fault):
    store.provision(Provisioner(PROVISIONERS["c"]), "notes")
    method, path, *keys = fault.split()
    numbers = ("nth", "status")
    settings = {k: int(v) if k in numbers else v == "yes" if k == "effect" else v for k, v in (key.split("=") for key in keys)}
    status, text = store.ask("/control/faults", {"method": method, "path": path, **settings})
    assert status in (200, 201, 204), text
    assert store.provision(provisioner, "tasks")["error"]["code"] == "http"
    assert store.head()["version"] in (1, 2)
    assert store.provision(provisioner, "tasks")["result"]["status"] in ("updated", "unchanged")
    assert store.provision(provisioner, "tasks")["result"]["status"] == "unchanged"
    assert store.head()["version"] == 2
    assert list(store.admin("admin/permissions")["permissions"]) == ["notes__pages", "справка__темы", "taskapp__projects", "taskapp__tasks"]


def test_apps_provisioning_at_once_end_with_everything_after_retries(store):
    """provision.concurrent, with both provisioners against each other; a stale parent shows as `http` and is tried again."""

    def until_done(job):
        kind, name = job
        for _ in range(20):
            answer = store.provision(Provisioner(PROVISIONERS[kind]), name)
            if "result" in answer:
                return answer["result"]["status"]
            assert answer["error"]["code"] == "http", answer
        return "never"

    kinds = sorted(PROVISIONERS)
    jobs = [(kinds[0], "tasks"), (kinds[-1], "notes"), (kinds[0], "notes"), (kinds[-1], "tasks")]
    with ThreadPoolExecutor(len(jobs)) as pool:
        assert "never" not in pool.map(until_done, jobs)
    permissions = store.admin("admin/permissions")["permissions"]
    assert set(permissions) == {"taskapp__projects", "taskapp__tasks", "notes__pages", "справка__темы"}
    assert set(store.tables()) == set(permissions)
    for kind, name in jobs:
        assert store.provision(Provisioner(PROVISIONERS[kind]), name)["result"]["status"] == "unchanged"


def test_after_a_restart_nothing_is_to_be_done(provisioner, tmp_path):
    for status in ("created", "unchanged"):
        with running_store("--db", tmp_path / "store.db") as store:
            assert store.provision(provisioner, "tasks")["result"]["status"] == status


def test_a_base_path_and_a_wrong_secret(provisioner):
    with running_store("--base-path", "/sync/v1") as store:
        arguments = (fixture("apps/tasks.json"), store.url, fixture("permissions/tasks.json"))
        error = provisioner("apply", *arguments, secret="wrong-secret-of-mine")["error"]
        assert error["status"] == 401 and "wrong-secret-of-mine" not in json.dumps(error)
        assert provisioner("apply", *arguments)["result"]["status"] == "created"


def test_what_is_published_gates_the_rows_of_each_app(provisioner, store):
    """The encoded policies do what the app wrote, also after a sibling's merge (data.sibling-policy)."""
    store.provision(provisioner, "tasks")
    store.provision(provisioner, "notes")
    own = next(h for h in store.admin("schemas")["hashes"] if list(store.admin("schema/" + h)["schema"]) == ["taskapp__projects", "taskapp__tasks"])

    def data(operation, user, **more):
        body = {"schemaHash": own, "session": {"userId": user}, "table": "taskapp__tasks", "timeoutMs": 5000, **more}
        return store.ask(f"{APP_PATH}data/{operation}", body)

    for done, votes, status in ((True, 1, 201), (False, 2, 201), (False, 100, 403)):
        got, text = data("insert", "ana", values={"title": "t", "done": done, "project": None, "votes": votes})
        assert got == status, text
    rows = {user: json.loads(data("list", user)[1])["rows"] for user in ("ana", "ben")}
    assert [len(rows[user]) for user in ("ana", "ben")] == [2, 1]
