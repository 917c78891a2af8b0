"""What was answered is there again: after a clean end, after kill -9, and nothing half."""

import json
import os
import signal
import threading

import pytest
from store_server import PATIENCE, is_error, text_table

OPEN = {"a__t": {"select": {"using": {"type": "True"}}, "insert": {"with_check": {"type": "True"}}}}


def fill(store):
    first = store.publish_schema({"a__t": text_table("x")}, app="a")
    second = store.publish_schema({"a__t": text_table("x"), "b__t": text_table("y")}, app="a")
    store.publish_migration(first, second, [{"table": "b__t", "added": True, "operations": []}], app="a")
    head = store.publish_permissions(first, OPEN, app="a").json["head"]
    store.publish_permissions(second, {**OPEN, "b__t": {}}, head["bundleObjectId"], app="a")
    row = store.data("insert", first, "a__t", values={"x": "kept"}, app="a").json["id"]
    return first, second, row


@pytest.mark.parametrize("sync", ["process", "machine"])
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_all_of_it_is_there_after_a_restart(start, tmp_path, ending, sync):
    """store.restart"""
    store = start("--db", tmp_path / "db", "--sync", sync)
    first, second, row = fill(store)
    before = store.contents("a")
    code = store.end(ending)
    assert code == (0 if ending != signal.SIGKILL else -signal.SIGKILL)
    again = start("--db", tmp_path / "db")
    assert again.contents("a") == before
    assert again.connected(first, second, app="a")
    assert again.head("a")["version"] == 2
    assert again.publish_permissions(second, {}, None, app="a").status == 409
    assert [r["id"] for r in again.data("list", first, "a__t", app="a").json["rows"]] == [row]


def test_a_clean_end_leaves_one_file(start, tmp_path):
    store = start("--db", tmp_path / "db")
    fill(store)
    assert store.end() == 0 and store.errors == ""
    assert os.listdir(tmp_path) == ["db"]


def test_in_memory_nothing_stays(start, tmp_path):
    store = start()
    fill(store)
    assert store.end() == 0
    assert start().admin("GET", "schemas", app="a").json == {"hashes": []}


@pytest.mark.parametrize("turn", range(5))
def test_every_answered_201_survives_kill_9_under_load(start, tmp_path, turn):
    store = start("--db", tmp_path / "db")
    answered = []
    enough = threading.Event()
    base = store.publish_schema({}, app="a")

    def work(number):
        connection = store.connect()
        try:
            for count in range(10000):
                schema = {f"a__t{number}": text_table(f"c{count}")}
                one = store.admin("POST", "admin/schemas", {"schema": schema}, app="a", connection=connection)
                assert one.status == 201
                answered.append((one.json["hash"], schema, False))
                body = {"fromHash": base, "toHash": one.json["hash"], "forward": []}
                assert store.admin("POST", "admin/migrations", body, app="a", connection=connection).status == 201
                answered.append((one.json["hash"], schema, True))
                if len(answered) >= 100 + 50 * turn:
                    enough.set()
        except (OSError, ValueError):
            pass
        except Exception:  # noqa: BLE001 - a reply cut in half
            pass

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    assert enough.wait(PATIENCE)
    store.kill()
    for thread in threads:
        thread.join()
    again = start("--db", tmp_path / "db")
    connection = again.connect()
    for schema_hash, schema, migrated in answered:
        back = again.admin("GET", f"schema/{schema_hash}", app="a", connection=connection)
        assert back.status == 200 and back.json["schema"] == schema
        if migrated:
            assert again.connected(base, schema_hash, app="a")


def test_a_chain_of_bundles_is_never_broken_by_kill_9(start, tmp_path):
    parent, version = None, 0
    for _ in range(6):
        store = start("--db", tmp_path / "db")
        schema_hash = store.publish_schema({}, app="a")
        head = store.head("a")
        if head:
            assert head["version"] in (version, version + 1)
            parent, version = head["bundleObjectId"], head["version"]
        connection = store.connect()
        for count in range(20):
            body = {"schemaHash": schema_hash, "permissions": {f"t{version}": {}}, "expectedParentBundleObjectId": parent}
            answer = store.admin("POST", "admin/permissions", body, app="a", connection=connection)
            assert answer.status == 201 and answer.json["head"]["parentBundleObjectId"] == parent
            parent, version = answer.json["head"]["bundleObjectId"], answer.json["head"]["version"]
        threading.Thread(target=lambda: store.process.kill()).start()
        body = {"schemaHash": schema_hash, "permissions": {"last": {"n": version}}, "expectedParentBundleObjectId": parent}
        try:
            answer = store.admin("POST", "admin/permissions", body, app="a", connection=connection)
            parent, version = answer.json["head"]["bundleObjectId"], answer.json["head"]["version"]
        except Exception:  # noqa: BLE001 - the reply may be lost
            pass
        store.kill()


def test_a_failing_database_answers_500_and_goes_on_afterwards(start, tmp_path):
    """Another process holds the write lock for longer than the store waits."""
    import sqlite3

    store = start("--db", tmp_path / "db")
    schema_hash = store.publish_schema({"a__t": text_table("x")}, app="a")
    other = sqlite3.connect(tmp_path / "db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    answer = store.admin("POST", "admin/schemas", {"schema": {}}, app="a")
    assert is_error(answer, 500, "internal") and "locked" not in json.dumps(answer.json)
    assert store.admin("GET", f"schema/{schema_hash}", app="a").status == 200
    other.execute("ROLLBACK")
    assert store.admin("POST", "admin/schemas", {"schema": {}}, app="a").status == 201
    store.end()
    assert "locked" in store.errors
