"""Migrations, lenses and what is connected with what."""

import random

import pytest
from store_server import is_error, text_table


@pytest.fixture
def pair(store):
    """A schema with table a__t, and one with a__t and a__new."""
    return (store.publish_schema({"a__t": text_table("x")}),
            store.publish_schema({"a__t": text_table("x"), "a__new": text_table("y")}))


def lens(table="a__t", operations=(), **members):
    return {"table": table, **members, "operations": list(operations)}


def test_a_migration_is_kept_and_connects(store, pair):
    assert not store.connected(*pair)
    answer = store.publish_migration(*pair, [lens("a__new", added=True)])
    assert answer.status == 201 and set(answer.json) == {"objectId", "fromHash", "toHash"}
    assert (answer.json["fromHash"], answer.json["toHash"]) == pair
    assert [len(part) for part in answer.json["objectId"].split("-")] == [8, 4, 4, 4, 12]
    assert store.connected(*pair) and store.connected(*reversed(pair))


def test_the_same_migration_again_answers_the_same(store, pair):
    first = store.publish_migration(*pair, [lens("a__new", added=True)])
    assert store.publish_migration(*pair, [lens("a__new", added=True)]).json == first.json
    assert store.publish_migration(*pair, []).json["objectId"] != first.json["objectId"]
    assert store.publish_migration(*reversed(pair), []).json["objectId"] != first.json["objectId"]


def test_both_schemas_must_be_known(store, pair):
    """store.migration-known"""
    for hashes in [(pair[0], "0" * 64), ("0" * 64, pair[0]), ("0" * 64, "1" * 64)]:
        assert is_error(store.publish_migration(*hashes), 404, "not_found")
    assert is_error(store.publish_migration(*pair, app="other"), 404, "not_found")


INTRODUCE = {"type": "introduce", "column": "z", "column_type": {"type": "Text"}, "value": {"type": "Null"}}


@pytest.mark.parametrize("good", [
    [], [lens()], [lens(operations=[INTRODUCE])], [lens(operations=[INTRODUCE, {"type": "drop", "column": "x"}])],
    [lens(operations=[{"type": "rename", "column": "x", "value": "y"}])], [lens("a__new", added=True)],
    [lens("a__t", removed=True)], [lens("a__new", renamedFrom="a__t")], [lens("a__new", operations=[INTRODUCE], renamedFrom="a__t")],
    [lens("a__new", added=True, removed=False)], [lens("a__new", added=True, renamedFrom=None)],
    [lens("elsewhere", added=False, removed=False, operations=[INTRODUCE])],
    [lens(r"a__new", added=True), lens("a__t", removed=True)],
])
def test_good_lenses(store, pair, good):
    assert store.publish_migration(*pair, good).status == 201


@pytest.mark.parametrize("bad", [
    lens("a__new", added=True, removed=True), lens("a__t", added=True, removed=True),
    lens("a__new", added=True, renamedFrom="a__t"), lens("a__t", removed=True, renamedFrom="a__t"),
    lens("a__new", added=True, operations=[INTRODUCE]), lens("a__t", removed=True, operations=[INTRODUCE]),
    lens("a__missing", added=True), lens("A__new", added=True), lens("a__new ", added=True),
    lens("a__new", removed=True), lens("a__missing", removed=True),
])
def test_lenses_that_contradict_themselves_or_the_schemas(store, pair, bad):
    """store.lens-conflict"""
    for forward in [[bad], [lens(), bad], [bad, lens()]]:
        assert is_error(store.publish_migration(*pair, forward), 400, "bad_request")
    assert not store.connected(*pair)


@pytest.mark.parametrize("bad", [
    None, "a__t", [], {}, {"table": "a__t"}, {"operations": []}, {"table": 1, "operations": []}, {"table": "", "operations": []},
    {"table": "a__t", "operations": None}, {"table": "a__t", "operations": {}}, lens(added="yes"), lens(removed=1), lens(added=None),
    lens(renamedFrom=1), lens(operations=[None]), lens(operations=["drop"]), lens(operations=[{}]),
    lens(operations=[{"type": "alter", "column": "x"}]), lens(operations=[{"type": "drop"}]),
    lens(operations=[{"type": "drop", "column": 1}]), lens(operations=[{"type": "drop", "column": ""}]),
    lens(operations=[{"column": "x"}]), lens(operations=[INTRODUCE, {"type": 1, "column": "x"}]),
])
def test_malformed_lenses(store, pair, bad):
    assert is_error(store.publish_migration(*pair, [bad]), 400, "bad_request")
    assert not store.connected(*pair)


def test_the_error_says_which_lens_and_table(store, pair):
    error = store.publish_migration(*pair, [lens(), lens("a__missing", added=True)]).json["error"]
    assert "lens 1" in error and "a__missing" in error


def test_names_are_compared_decoded(store, pair):
    body = '{"fromHash":"%s","toHash":"%s","forward":[{"table":"\\u0061__new","added":true,"operations":[]}]}' % pair
    assert store.admin("POST", "admin/migrations", body).status == 201


@pytest.mark.parametrize("change", [
    {"fromHash": ...}, {"toHash": ...}, {"forward": ...}, {"fromHash": None}, {"toHash": 1}, {"fromHash": "x"},
    {"toHash": "A" * 64}, {"toHash": "0" * 65}, {"forward": None}, {"forward": {}}, {"forward": "[]"},
])
def test_each_bad_or_missing_field_is_400(store, pair, change):
    """store.bad-json"""
    body = {"fromHash": pair[0], "toHash": pair[1], "forward": [], **change}
    body = {name: value for name, value in body.items() if value is not ...}
    assert is_error(store.admin("POST", "admin/migrations", body), 400, "bad_request")
    assert not store.connected(*pair)


def schemas(store, count):
    return [store.publish_schema({f"a__t{n}": text_table("x")}) for n in range(count)]


def test_connected_means_any_number_of_steps_in_any_direction(store):
    """store.connectivity"""
    a, b, c, d, e = schemas(store, 5)
    for source, target in [(a, b), (c, b), (c, d)]:
        assert store.publish_migration(source, target).status == 201
    for one in [a, b, c, d]:
        for other in [a, b, c, d]:
            assert store.connected(one, other)
        assert not store.connected(one, e) and not store.connected(e, one)
    assert store.connected(e, e)


def test_an_unknown_hash_is_connected_to_nothing(store):
    (known,) = schemas(store, 1)
    unknown = "0" * 64
    assert not store.connected(unknown, unknown)
    assert not store.connected(known, unknown) and not store.connected(unknown, known)
    assert not store.connected(known, known, app="other")


@pytest.mark.parametrize("query", [
    "", "?", "?fromHash={h}", "?toHash={h}", "?fromHash={h}&toHash=x", "?fromHash=x&toHash={h}", "?fromHash=&toHash={h}",
    "?fromHash={H}&toHash={h}", "?fromhash={h}&tohash={h}", "?fromHash={h}0&toHash={h}", "?fromHash=%&toHash={h}",
    "?fromHash={h}&toHash={h}%00",
])
def test_connectivity_of_what_is_no_hash(store, query):
    path = "admin/schema-connectivity" + query.format(h="0" * 64, H="A" * 64)
    assert is_error(store.admin("GET", path), 400, "bad_request")


def test_connectivity_takes_escapes_and_other_fields(store):
    (known,) = schemas(store, 1)
    escaped = "".join(f"%{ord(c):02x}" for c in known)
    answer = store.admin("GET", f"admin/schema-connectivity?x=1&toHash={escaped}&y&fromHash={known}&toHash=z")
    assert answer.json == {"connected": True}


def test_connectivity_agrees_with_a_simple_search(store):
    generator = random.Random(4711)
    hashes = schemas(store, 30)
    edges = [tuple(generator.sample(hashes, 2)) for _ in range(22)]
    for source, target in edges:
        assert store.publish_migration(source, target).status == 201
    for start in hashes:
        reached, border = {start}, [start]
        while border:
            one = border.pop()
            for source, target in edges:
                for near, far in [(source, target), (target, source)]:
                    if near == one and far not in reached:
                        reached.add(far)
                        border.append(far)
        for other in hashes:
            assert store.connected(start, other) == (other in reached)


def test_a_long_chain_is_connected_and_quick(store):
    connection = store.connect()
    hashes = []
    for number in range(1000):
        answer = store.admin("POST", "admin/schemas", {"schema": {f"a__t{number}": text_table("x")}}, connection=connection)
        hashes.append(answer.json["hash"])
    for source, target in zip(hashes, hashes[1:]):
        body = {"fromHash": target, "toHash": source, "forward": []}
        assert store.admin("POST", "admin/migrations", body, connection=connection).status == 201
    assert store.connected(hashes[0], hashes[-1]) and store.connected(hashes[-1], hashes[0])
