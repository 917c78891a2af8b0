"""Rows: inserting, updating, deleting, listing; what fits a column; clients of earlier schemas."""

import uuid

import pytest
from store_server import is_error, text_table

TRUE = {"type": "True"}
OPEN = {"select": {"using": TRUE}, "insert": {"with_check": TRUE}, "update": {"using": TRUE, "with_check": TRUE}, "delete": {"using": TRUE}}


def deploy(store, columns, policies=None, table="a__t"):
    schema_hash = store.publish_schema({table: {"columns": columns}})
    assert store.publish_permissions(schema_hash, {table: policies or OPEN}).status == 201
    return schema_hash


def column(name, type_name="Text", **members):
    extra = {key: members.pop(key) for key in ["element", "variants", "columns"] if key in members}
    return {"name": name, "column_type": {"type": type_name, **extra}, **members}


@pytest.fixture
def texts(store):
    return deploy(store, [column("x"), column("y", nullable=True)])


def rows(store, schema_hash, user="ana", table="a__t", **more):
    answer = store.data("list", schema_hash, table, user, **more)
    assert answer.status == 200, answer
    return answer.json["rows"]


def test_a_rows_life(store, texts):
    inserted = store.data("insert", texts, "a__t", values={"x": "one"})
    assert inserted.status == 201 and set(inserted.json) == {"id"}
    row = inserted.json["id"]
    assert rows(store, texts) == [{"id": row, "createdBy": "ana", "values": {"x": "one", "y": None}}]
    updated = store.data("update", texts, "a__t", "ben", id=row, values={"y": "two"})
    assert (updated.status, updated.json) == (200, {"id": row})
    assert rows(store, texts) == [{"id": row, "createdBy": "ana", "values": {"x": "one", "y": "two"}}]
    assert store.data("delete", texts, "a__t", id=row.upper()).status == 200
    assert rows(store, texts) == []
    assert is_error(store.data("delete", texts, "a__t", id=row), 404, "not_found")
    assert is_error(store.data("update", texts, "a__t", id=row, values={"y": "z"}), 404, "not_found")


def test_a_row_may_bring_its_id_once(store, texts):
    row = str(uuid.uuid4())
    assert store.data("insert", texts, "a__t", id=row, values={"x": "1"}).json == {"id": row}
    assert is_error(store.data("insert", texts, "a__t", id=row.upper(), values={"x": "2"}), 409, "bad_request")
    assert [r["values"]["x"] for r in rows(store, texts)] == ["1"]


def test_rows_of_apps_and_tables_are_apart(store, texts):
    store.data("insert", texts, "a__t", values={"x": "1"})
    other = store.publish_schema({"a__t": text_table("x"), "a__u": text_table("x")})
    store.publish_permissions(other, {"a__t": OPEN, "a__u": OPEN}, store.head()["bundleObjectId"])
    assert rows(store, other, table="a__u") == []
    assert store.publish_schema({"a__t": {"columns": [column("x"), column("y", nullable=True)]}}, app="b") == texts
    store.publish_permissions(texts, {"a__t": OPEN}, app="b")
    assert rows(store, texts, app="b") == []


def test_names_that_look_alike_are_different_tables_and_users(store):
    tables = ["é", "e\u0301", "A__t", "a__t", "a__t ", "a\u0000b", "a", "\ud800", "𐀀"]
    schema_hash = store.publish_schema({table: text_table("x") for table in tables})
    store.publish_permissions(schema_hash, {table: {**OPEN, "select": {"using": own_rows()}} for table in tables})
    for table in tables:
        for user in ["ana", "Ana", "ana ", "ana\u0000", "\udc00"]:
            assert store.data("insert", schema_hash, table, user, values={"x": table + "|" + user}).status == 201
    for table in tables:
        for user in ["ana", "Ana", "ana ", "ana\u0000", "\udc00"]:
            assert [r["values"]["x"] for r in rows(store, schema_hash, user, table)] == [table + "|" + user]


def own_rows():
    return {"type": "Cmp", "column": "$createdBy", "op": "Eq", "value": {"type": "SessionRef", "path": ["user_id"]}}


GOOD = {
    "Text": ["", "x", "\u0000", "é", "\ud800"], "Boolean": [True, False], "Integer": [0, -1, 2147483647, -2147483648],
    "BigInt": [0, 9007199254740993, -(2**62), 10**30], "Double": [0, 1.5, -1e300, 3], "Timestamp": [0, 1700000000000, -1],
    "Uuid": [str(uuid.uuid4()), str(uuid.uuid4()).upper()], "Bytea": [[], [0, 255]], "Json": [1, "x", [None], {"a": {}}, True],
    "Enum": ["red", "blüe"], "Array": [[], ["a", "b"]], "Row": [{}, {"inner": 1}],
}
BAD = {
    "Text": [1, True, [], {}], "Boolean": [0, 1, "true", "", []], "Integer": [1.5, 2147483648, -2147483649, "1", True],
    "BigInt": [1.5, "1", True], "Double": ["1", True, []], "Timestamp": [1.5, "2024-01-01", True],
    "Uuid": ["x", "", str(uuid.uuid4())[:-1], 1], "Bytea": ["x", [256], [-1], [1.5], ["a"]], "Json": [],
    "Enum": ["Red", "", 1, None], "Array": ["a", {}, [1], ["a", None]], "Row": [[], "x", 1],
}
EXTRA = {"Enum": {"variants": ["red", "blüe"]}, "Array": {"element": {"type": "Text"}}, "Row": {"columns": []}}


@pytest.mark.parametrize("type_name", GOOD)
def test_what_fits_a_column(store, type_name):
    schema_hash = deploy(store, [column("x", type_name, **EXTRA.get(type_name, {}))])
    for value in GOOD[type_name]:
        assert store.data("insert", schema_hash, "a__t", values={"x": value}).status == 201, value
    assert [r["values"]["x"] for r in rows(store, schema_hash)] == GOOD[type_name]
    row = rows(store, schema_hash)[0]["id"]
    for value in [*BAD[type_name], None]:
        assert is_error(store.data("insert", schema_hash, "a__t", values={"x": value}), 400, "bad_request"), value
        assert is_error(store.data("update", schema_hash, "a__t", id=row, values={"x": value}), 400, "bad_request"), value
    assert [r["values"]["x"] for r in rows(store, schema_hash)] == GOOD[type_name]


def test_numbers_keep_their_spelling(store):
    schema_hash = deploy(store, [column("x", "Double")])
    body = '{"schemaHash":"%s","session":{"userId":"ana"},"table":"a__t","values":{"\\u0078":1.50e+03}}' % schema_hash
    assert store.ask("POST", f"/apps/{store.app}/data/insert", body).status == 201
    assert b'"values":{"x":1.50e+03}' in store.data("list", schema_hash, "a__t").body


def test_gaps_are_filled_with_defaults_or_null(store):
    array = {"type": "Array", "value": [{"type": "Text", "value": "p"}, {"type": "Array", "value": []}]}
    schema_hash = deploy(store, [
        column("a"), column("b", nullable=True), column("c", default={"type": "Text", "value": "d"}),
        column("d", "Integer", nullable=True, default={"type": "Integer", "value": 3}), column("e", nullable=True, default={"type": "Null"}),
        column("f", "Json", default=array), column("g", nullable=True, default=None),
    ])
    assert store.data("insert", schema_hash, "a__t", values={"a": "x"}).status == 201
    assert rows(store, schema_hash)[0]["values"] == {"a": "x", "b": None, "c": "d", "d": 3, "e": None, "f": ["p", []], "g": None}
    assert is_error(store.data("insert", schema_hash, "a__t", values={"b": "x"}), 400, "bad_request")
    assert is_error(store.data("insert", schema_hash, "a__t", values={"a": "x", "z": "y"}), 400, "bad_request")
    assert is_error(store.data("insert", schema_hash, "a__t", values={"a": "x", "c": None}), 400, "bad_request")


def test_an_unknown_table_is_404(store, texts):
    assert is_error(store.data("insert", texts, "a__missing", values={}), 404, "not_found")
    assert is_error(store.data("list", texts, "a__missing"), 404, "not_found")


def test_limits_of_a_list(store, texts):
    for number in range(5):
        store.data("insert", texts, "a__t", values={"x": str(number)})
    for limit, more in [(1, True), (4, True), (5, False), (6, False), (10000, False)]:
        answer = store.data("list", texts, "a__t", limit=limit).json
        assert [r["values"]["x"] for r in answer["rows"]] == [str(n) for n in range(min(limit, 5))] and answer["more"] == more
    for limit in [0, -1, 10001, "1", None, 1.5]:
        assert is_error(store.data("list", texts, "a__t", limit=limit), 400, "bad_request")


@pytest.mark.parametrize("change", [
    {"schemaHash": ...}, {"schemaHash": None}, {"schemaHash": "x"}, {"schemaHash": "A" * 64}, {"table": ...}, {"table": None}, {"table": ""},
    {"session": ...}, {"session": None}, {"session": []}, {"session": {}}, {"session": {"userId": ""}}, {"session": {"userId": 1}},
    {"session": {"userId": "ana", "claims": []}}, {"session": {"userId": "ana", "claims": None}},
    {"id": ...}, {"id": None}, {"id": "x"}, {"id": 1}, {"values": ...}, {"values": None}, {"values": []},
])
def test_each_bad_or_missing_field_is_400(store, texts, change):
    row = store.data("insert", texts, "a__t", values={"x": "1"}).json["id"]
    body = {"schemaHash": texts, "session": {"userId": "ana"}, "table": "a__t", "id": row, "values": {"x": "2"}, **change}
    body = {name: value for name, value in body.items() if value is not ...}
    assert is_error(store.ask("POST", f"/apps/{store.app}/data/update", body), 400, "bad_request")
    assert [r["values"]["x"] for r in rows(store, texts)] == ["1"]


@pytest.mark.parametrize("body", ["", "x", "[]", "null", '{"a":}', b"\xff", "[" * 100000])
def test_bodies_that_are_no_object_are_400(store, body):
    for operation in ["insert", "update", "delete", "list"]:
        assert is_error(store.ask("POST", f"/apps/{store.app}/data/{operation}", body), 400, "bad_request")


@pytest.mark.parametrize("method, path, status", [
    ("GET", "data/list", 405), ("PUT", "data/insert", 405), ("POST", "data/upsert", 404), ("POST", "data", 404), ("POST", "data/list/x", 404), ("POST", "data/", 404),
])
def test_unknown_data_paths(store, method, path, status):
    assert store.ask(method, f"/apps/{store.app}/{path}").status == status


# ---- clients of earlier schemas --------------------------------------------------------------------


def merge_second_app(store, first_hash, first_tables, first_policies):
    """What provisioning a second app does."""
    union = store.publish_schema({**first_tables, "b__t": text_table("z")})
    store.publish_migration(first_hash, union, [{"table": "b__t", "added": True, "operations": []}])
    head = store.head()["bundleObjectId"]
    answer = store.publish_permissions(union, {**first_policies, "b__t": OPEN}, head)
    assert answer.status == 201
    return union


def test_a_client_of_an_earlier_hash_goes_on_working(store):
    """data.old-hash"""
    tables = {"a__t": text_table("x")}
    old = store.publish_schema(tables)
    store.publish_permissions(old, {"a__t": OPEN})
    row = store.data("insert", old, "a__t", values={"x": "before"}).json["id"]
    union = merge_second_app(store, old, tables, {"a__t": OPEN})
    assert store.data("insert", old, "a__t", values={"x": "after"}).status == 201
    assert store.data("update", old, "a__t", id=row, values={"x": "changed"}).status == 200
    for schema_hash in [old, union]:
        assert [r["values"] for r in rows(store, schema_hash)] == [{"x": "changed"}, {"x": "after"}]
    assert is_error(store.data("insert", old, "b__t", values={"z": "1"}), 404, "not_found")
    assert store.data("insert", union, "b__t", values={"z": "1"}).status == 201


def test_gates_hold_across_another_apps_merge(store):
    """data.sibling-policy"""
    tables = {"a__t": text_table("x", "shared")}
    gate = {"type": "Or", "exprs": [own_rows(), {"type": "Cmp", "column": "shared", "op": "Eq", "value": {"type": "Literal", "value": {"type": "Text", "value": "yes"}}}]}
    policies = {"a__t": {"select": {"using": gate}, "insert": {"with_check": own_rows()}, "update": {"using": own_rows()}, "delete": {"using": own_rows()}}}
    old = store.publish_schema(tables)
    store.publish_permissions(old, policies)
    for values in [{"x": "private", "shared": "no"}, {"x": "public", "shared": "yes"}]:
        store.data("insert", old, "a__t", "ana", values=values)
    union = merge_second_app(store, old, tables, policies)
    for schema_hash in [old, union]:
        assert [r["values"]["x"] for r in rows(store, schema_hash, "ana")] == ["private", "public"]
        seen = rows(store, schema_hash, "ben")
        assert [r["values"]["x"] for r in seen] == ["public"]
        assert is_error(store.data("update", schema_hash, "a__t", "ben", id=seen[0]["id"], values={"x": "mine"}), 403, "forbidden")
        assert is_error(store.data("delete", schema_hash, "a__t", "ben", id=seen[0]["id"]), 403, "forbidden")
    assert store.data("delete", old, "a__t", "ana", id=seen[0]["id"]).status == 200


def test_clients_of_two_schemas_share_what_both_know(store):
    narrow = store.publish_schema({"a__t": text_table("x")})
    wide = store.publish_schema({"a__t": {"columns": [column("extra", default={"type": "Text", "value": "e"}), column("x")]}})
    store.publish_migration(narrow, wide)
    store.publish_permissions(wide, {"a__t": OPEN})
    store.data("insert", narrow, "a__t", values={"x": "n"})
    row = store.data("insert", wide, "a__t", values={"x": "w", "extra": "own"}).json["id"]
    assert store.data("update", narrow, "a__t", id=row, values={"x": "w2"}).status == 200
    assert [list(r["values"].items()) for r in rows(store, wide)] == [[("extra", "e"), ("x", "n")], [("extra", "own"), ("x", "w2")]]
    assert [r["values"] for r in rows(store, narrow)] == [{"x": "n"}, {"x": "w2"}]
    assert is_error(store.data("insert", narrow, "a__t", values={"x": "n", "extra": "no"}), 400, "bad_request")
