"""The chain of permission bundles."""

import json
import sqlite3
import threading
import uuid

import pytest
from store_server import is_error, text_table

SOME = {"a__t": {"select": {"using": {"type": "True"}}}}
OTHER = {"a__t": {"select": {"using": {"type": "False"}}}}


@pytest.fixture
def schema_hash(store):
    return store.publish_schema({"a__t": text_table("x")})


def test_the_chain_grows_by_one_each_time(store, schema_hash):
    """store.perm-chain"""
    parent = None
    for version in range(1, 6):
        answer = store.publish_permissions(schema_hash, {"a__t": {}, f"t{version}": {}}, parent)
        head = answer.json["head"]
        assert answer.status == 201 and set(answer.json) == {"head"}
        assert set(head) == {"schemaHash", "version", "parentBundleObjectId", "bundleObjectId"}
        assert (head["schemaHash"], head["version"], head["parentBundleObjectId"]) == (schema_hash, version, parent)
        assert str(uuid.UUID(head["bundleObjectId"])) == head["bundleObjectId"] != parent
        assert store.head() == head
        parent = head["bundleObjectId"]


def test_what_is_stored_comes_back_as_its_text(store, schema_hash):
    bundle = r'{"z":{"select":{"using":{"value":1.50e+03,"type":"\u0041b"}},"more":-0.0},"\ud800":{"delete":{}}}'
    body = '{"permissions": %s, "schemaHash": "%s", "expectedParentBundleObjectId": null}' % (bundle.replace(",", " , "), schema_hash)
    assert store.admin("POST", "admin/permissions", body).status == 201
    text = store.admin("GET", "admin/permissions").body.decode()
    assert text.endswith(',"permissions":' + bundle + "}")


def test_a_stale_parent_is_409_and_nothing_changes(store, schema_hash):
    """store.perm-stale: both sides of each boundary."""
    stranger = str(uuid.uuid4())
    assert is_error(store.publish_permissions(schema_hash, SOME, stranger), 409, "bad_request")
    first = store.publish_permissions(schema_hash, SOME).json["head"]["bundleObjectId"]
    before = store.contents()
    for parent in [None, stranger]:
        assert is_error(store.publish_permissions(schema_hash, OTHER, parent), 409, "bad_request")
    assert store.contents() == before
    assert store.publish_permissions(schema_hash, OTHER, first).status == 201
    assert is_error(store.publish_permissions(schema_hash, SOME, first), 409, "bad_request")


def test_an_id_is_the_same_in_any_case(store, schema_hash):
    first = store.publish_permissions(schema_hash, SOME).json["head"]["bundleObjectId"]
    assert store.publish_permissions(schema_hash, OTHER, first.upper()).status == 201


def test_the_current_bundle_again_answers_the_current_head(store, schema_hash):
    """store.perm-idempotent"""
    first = store.publish_permissions(schema_hash, SOME).json["head"]
    again = store.publish_permissions(schema_hash, SOME, first["bundleObjectId"])
    assert (again.status, again.json) == (201, {"head": first})
    assert store.publish_permissions(schema_hash, SOME).status == 409
    second = store.publish_permissions(schema_hash, OTHER, first["bundleObjectId"]).json["head"]
    assert second["version"] == 2
    third = store.publish_permissions(schema_hash, SOME, second["bundleObjectId"]).json["head"]
    assert third["version"] == 3


def test_the_same_permissions_for_another_schema_are_a_new_bundle(store, schema_hash):
    first = store.publish_permissions(schema_hash, SOME).json["head"]
    second = store.publish_schema({"a__u": text_table("x")})
    head = store.publish_permissions(second, SOME, first["bundleObjectId"]).json["head"]
    assert (head["version"], head["schemaHash"]) == (2, second)


def test_an_unknown_schema_is_404(store, schema_hash):
    """store.perm-unknown-schema"""
    assert is_error(store.publish_permissions("0" * 64, SOME), 404, "not_found")
    assert is_error(store.publish_permissions(schema_hash, SOME, app="other"), 404, "not_found")
    assert store.head() is None


def test_of_many_posts_on_one_parent_one_is_accepted(store, schema_hash):
    """store.perm-race"""
    parent = None
    for turn in range(5):
        answers = []
        gate = threading.Barrier(16)

        def post(number):
            gate.wait()
            answers.append(store.publish_permissions(schema_hash, {f"t{number}": {}, f"turn{turn}": {}}, parent))

        threads = [threading.Thread(target=post, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.status for answer in answers) == [201] + [409] * 15
        accepted = next(answer for answer in answers if answer.status == 201).json["head"]
        assert store.head() == accepted
        parent = accepted["bundleObjectId"]


def test_two_processes_on_one_file_race_as_well(start, tmp_path):
    """store.perm-race: the transaction decides, not the event loop."""
    stores = [start("--db", tmp_path / "db") for _ in range(2)]
    schema_hash = stores[0].publish_schema({"a__t": text_table("x")}, app="one")
    parent = None
    for turn in range(10):
        answers = []
        gate = threading.Barrier(8)

        def post(number):
            gate.wait()
            answers.append(stores[number % 2].publish_permissions(schema_hash, {f"t{number}": {}, f"turn{turn}": {}}, parent, app="one"))

        threads = [threading.Thread(target=post, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.status for answer in answers) == [201] + [409] * 7, [a.body for a in answers]
        assert stores[0].head("one") == stores[1].head("one")
        assert stores[0].head("one")["version"] == turn + 1
        parent = stores[0].head("one")["bundleObjectId"]


GOOD = {"schemaHash": None, "permissions": SOME, "expectedParentBundleObjectId": None}


@pytest.mark.parametrize("change", [
    {"schemaHash": None}, {"schemaHash": 1}, {"schemaHash": "x"}, {"schemaHash": "A" * 64}, {"schemaHash": "0" * 63},
    {"schemaHash": "0" * 65}, {"schemaHash": ...}, {"permissions": ...}, {"permissions": None}, {"permissions": []},
    {"permissions": "x"}, {"permissions": {"a__t": None}}, {"permissions": {"a__t": []}},
    {"permissions": {"a__t": {"select": None}}}, {"permissions": {"a__t": {"insert": []}}},
    {"permissions": {"a__t": {"update": {"using": "True"}}}}, {"permissions": {"a__t": {"update": {"using": {}}}}},
    {"permissions": {"a__t": {"delete": {"with_check": {"type": 1}}}}},
    {"expectedParentBundleObjectId": ...}, {"expectedParentBundleObjectId": 1}, {"expectedParentBundleObjectId": ""},
    {"expectedParentBundleObjectId": "x"}, {"expectedParentBundleObjectId": str(uuid.uuid4())[:-1]},
    {"expectedParentBundleObjectId": str(uuid.uuid4()) + "0"}, {"expectedParentBundleObjectId": "g" + str(uuid.uuid4())[1:]},
    {"expectedParentBundleObjectId": str(uuid.uuid4()).replace("-", "")}, {"expectedParentBundleObjectId": {}},
])
def test_each_bad_or_missing_field_is_400_and_changes_nothing(store, schema_hash, change):
    """store.bad-json"""
    body = {**GOOD, "schemaHash": schema_hash, **change}
    body = {name: value for name, value in body.items() if value is not ...}
    before = store.contents()
    assert is_error(store.admin("POST", "admin/permissions", body), 400, "bad_request")
    assert store.contents() == before


@pytest.mark.parametrize("permissions", [
    {}, {"a__t": {}}, {"a__t": {"delete": {}}}, {"a__t": {"other": 3}}, {"": {}}, {"unknown__table": {"select": {"using": {"type": "?"}}}},
    {"a__t": {"select": {"using": None}}},
])
def test_what_is_unusual_but_well_formed_is_kept(store, schema_hash, permissions):
    assert store.publish_permissions(schema_hash, permissions).status == 201
    assert store.admin("GET", "admin/permissions").json["permissions"] == permissions


def test_key_order_and_spelling_do_not_make_another_bundle(store, schema_hash):
    first = store.publish_permissions(schema_hash, {"a": {"select": {"using": {"type": "X", "n": 1}}}, "b": {}}).json["head"]
    body = '{"schemaHash":"%s","expectedParentBundleObjectId":"%s","permissions":' % (schema_hash, first["bundleObjectId"])
    same = body + r'{"b":{},"\u0061":{"select":{"using":{"n":1.0,"type":"X"}}}}}'
    assert store.admin("POST", "admin/permissions", same).json["head"] == first
    different = body + '{"b":{},"a":{"select":{"using":{"n":1.1,"type":"X"}}}}}'
    assert store.admin("POST", "admin/permissions", different).json["head"]["version"] == 2


def test_a_large_bundle(store, schema_hash):
    permissions = {f"a__t{n}": {"select": {"using": {"type": "Or", "exprs": [{"type": "True"}] * 20}}} for n in range(2000)}
    assert store.publish_permissions(schema_hash, permissions).status == 201
    assert json.loads(store.admin("GET", "admin/permissions").body)["permissions"] == permissions


def test_a_head_that_another_process_is_just_changing_is_waited_for(start, tmp_path):
    """store.perm-race: the head is read under the write lock, so a late post sees the new one and is stale."""
    store = start("--db", tmp_path / "db")
    schema_hash = store.publish_schema({"a__t": text_table("x")}, app="one")
    first = store.publish_permissions(schema_hash, SOME, app="one").json["head"]["bundleObjectId"]
    other = sqlite3.connect(tmp_path / "db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute(
        "INSERT INTO bundles (app, version, schema_hash, parent, object_id, fingerprint, permissions) "
        "SELECT app, version + 1, schema_hash, object_id, ?, fingerprint, permissions FROM bundles",
        (str(uuid.uuid4()),),
    )
    answers = []
    thread = threading.Thread(target=lambda: answers.append(store.publish_permissions(schema_hash, OTHER, first, app="one")))
    thread.start()
    thread.join(0.3)
    assert not answers
    other.execute("COMMIT")
    thread.join()
    assert is_error(answers[0], 409, "bad_request")
    assert store.head("one")["version"] == 2
