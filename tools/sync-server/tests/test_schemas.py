"""Schemas: hashes, what comes back, what is refused."""

import copy
import json
import random
import time

import pytest
from store_server import is_error, text_table

COLUMN = {
    "name": "n", "column_type": {"type": "Integer"}, "nullable": False, "references": "a__u",
    "default": {"type": "Integer", "value": 3}, "merge_strategy": "Counter",
}
SCHEMA = {"a__t": {"columns": [COLUMN, {"name": "x", "column_type": {"type": "Text"}}]}, "a__u": text_table("y")}


def raw_hash(store, text):
    answer = store.admin("POST", "admin/schemas", text)
    assert answer.status == 201, answer
    return answer.json["hash"]


def test_a_hash_is_64_lower_case_hex_digits_and_the_id_a_uuid(store):
    answer = store.admin("POST", "admin/schemas", {"schema": SCHEMA})
    assert answer.status == 201 and set(answer.json) == {"objectId", "hash"}
    assert len(answer.json["hash"]) == 64 and set(answer.json["hash"]) <= set("0123456789abcdef")
    assert [len(part) for part in answer.json["objectId"].split("-")] == [8, 4, 4, 4, 12]


def test_publishing_again_is_harmless(store):
    """store.hash-stable"""
    first = store.admin("POST", "admin/schemas", {"schema": SCHEMA})
    stored = store.contents()
    assert store.admin("POST", "admin/schemas", {"schema": SCHEMA}).json == first.json
    assert store.contents() == stored


def test_another_store_gives_the_same_hash(start):
    assert start().publish_schema(SCHEMA) == start().publish_schema(SCHEMA)


def changes():
    def change(path, value):
        changed = copy.deepcopy(SCHEMA)
        place = changed
        for step in path[:-1]:
            place = place[step]
        if value is None:
            del place[path[-1]]
        else:
            place[path[-1]] = value
        return changed

    column = ("a__t", "columns", 0)
    yield "column name", change((*column, "name"), "m")
    yield "column type", change((*column, "column_type"), {"type": "BigInt"})
    yield "element type", change((*column, "column_type"), {"type": "Array", "element": {"type": "Text"}})
    yield "enum", change((*column, "column_type"), {"type": "Enum", "variants": ["a", "b"]})
    yield "enum order", change((*column, "column_type"), {"type": "Enum", "variants": ["b", "a"]})
    yield "nullable", change((*column, "nullable"), True)
    yield "reference", change((*column, "references"), "a__t")
    yield "no reference", change((*column, "references"), None)
    yield "default", change((*column, "default"), {"type": "Integer", "value": 4})
    yield "default type", change((*column, "default"), {"type": "BigInt", "value": 3})
    yield "no default", change((*column, "default"), None)
    yield "large default", change((*column, "default"), {"type": "BigInt", "value": 9007199254740993})
    yield "its neighbour", change((*column, "default"), {"type": "BigInt", "value": 9007199254740992})
    yield "merge strategy", change((*column, "merge_strategy"), "Other")
    yield "no merge strategy", change((*column, "merge_strategy"), None)
    yield "column order", {**SCHEMA, "a__t": {"columns": SCHEMA["a__t"]["columns"][::-1]}}
    yield "table name", {"a__v": SCHEMA["a__t"], "a__u": SCHEMA["a__u"]}
    yield "table case", {"a__T": SCHEMA["a__t"], "a__u": SCHEMA["a__u"]}
    yield "a table less", {"a__t": SCHEMA["a__t"]}
    yield "a column less", {**SCHEMA, "a__t": {"columns": SCHEMA["a__t"]["columns"][:1]}}
    yield "nothing", {}


def test_every_change_of_structure_changes_the_hash(store):
    """store.hash-structure"""
    hashes = {"unchanged": store.publish_schema(SCHEMA)}
    for name, changed in changes():
        hashes[name] = store.publish_schema(changed)
    assert len(set(hashes.values())) == len(hashes), hashes
    assert store.admin("GET", "schemas").json["hashes"] == list(hashes.values())


def test_whitespace_table_order_and_spelling_do_not_change_the_hash(store):
    """store.hash-structure"""
    compact = json.dumps({"schema": SCHEMA}, separators=(",", ":"))
    expected = raw_hash(store, compact)
    assert raw_hash(store, json.dumps({"schema": SCHEMA}, indent=7)) == expected
    assert raw_hash(store, "\r\n\t " + compact.replace(",", "\n,\t").replace(":", " :  ") + "\n") == expected
    assert raw_hash(store, json.dumps({"schema": dict(reversed(SCHEMA.items()))})) == expected
    assert raw_hash(store, compact.replace('"a__t"', '"\\u0061__t"')) == expected
    assert raw_hash(store, compact.replace(":3", ":3.0")) == expected
    assert raw_hash(store, compact.replace(":3", ":30e-1")) == expected
    assert raw_hash(store, compact.replace(":3", ":0.3E+1")) == expected
    assert raw_hash(store, json.dumps({"other": 1, "schema": SCHEMA})) == expected


def test_a_schema_comes_back_as_its_text(store):
    """store.schema-verbatim: key order, number spelling and escapes are kept; only whitespace goes."""
    schema = (r'{"z\u005f_t":{"columns":[{"nullable":true,"name":"\u00e9\uD83D\ude00","column_type":{"type":"Json"},'
              r'"default":{"value":1.50e+03,"type":"Double"}},{"name":"b\/","column_type":{"type":"Text","later":[1,-0,2e0]}}]},'
              r'"a__t":{"columns":[],"more":"\ud800"}}')
    published = raw_hash(store, '{"schema":' + schema.replace(",", " ,\n ") + "}")
    answer = store.admin("GET", f"schema/{published}")
    assert answer.status == 200
    assert answer.body.decode().startswith('{"schema":' + schema + ',"publishedAt":')


def test_the_time_of_publishing_is_in_milliseconds(store):
    before = int(time.time() * 1000)
    published = store.publish_schema(SCHEMA)
    answer = store.admin("GET", f"schema/{published}").json
    assert set(answer) == {"schema", "publishedAt"}
    assert before <= answer["publishedAt"] <= time.time() * 1000 + 1


@pytest.mark.parametrize("text, status", [
    ("0" * 64, 404), ("0" * 63, 400), ("0" * 65, 400), ("A" * 64, 400), ("g" * 64, 400), ("x", 400), ("", 400),
    ("0" * 63 + "%30", 404), ("0" * 63 + "%00", 400),
])
def test_asking_for_what_is_no_known_hash(store, text, status):
    assert is_error(store.admin("GET", f"schema/{text}"), status, "not_found" if status == 404 else "bad_request")


def test_a_schema_of_another_app_is_unknown(store):
    published = store.publish_schema(SCHEMA)
    assert store.admin("GET", f"schema/{published}", app="other").status == 404


def test_all_column_types(store):
    types = [{"type": t} for t in ["Text", "Boolean", "Integer", "BigInt", "Double", "Timestamp", "Uuid", "Bytea", "Json"]]
    types += [{"type": "Enum", "variants": ["a"]}, {"type": "Enum", "variants": []}, {"type": "Array", "element": types[0]}]
    types += [{"type": "Array", "element": types[-1]}]
    types += [{"type": "Row", "columns": [{"name": "inner", "column_type": types[-1], "nullable": True}]}]
    schema = {"a__t": {"columns": [{"name": f"c{n}", "column_type": t} for n, t in enumerate(types)]}}
    published = store.publish_schema(schema)
    assert store.admin("GET", f"schema/{published}").json["schema"] == schema


def column(**members):
    return {"a__t": {"columns": [{"name": "x", "column_type": {"type": "Text"}, **members}]}}


@pytest.mark.parametrize("schema", [
    None, [], "text", 1, {"a__t": None}, {"a__t": []}, {"a__t": {}}, {"a__t": {"columns": None}}, {"a__t": {"columns": {}}},
    {"": text_table("x")}, {"a__t": text_table("")}, {"a__t": text_table("x", "x")},
    {"a__t": {"columns": ["x"]}}, {"a__t": {"columns": [None]}}, {"a__t": {"columns": [{}]}},
    {"a__t": {"columns": [{"name": "x"}]}}, {"a__t": {"columns": [{"column_type": {"type": "Text"}}]}},
    column(name=None), column(name=1), column(column_type=None), column(column_type="Text"), column(column_type={}),
    column(column_type={"type": "text"}), column(column_type={"type": "Nope"}), column(column_type={"type": 1}),
    column(column_type={"type": "Enum"}), column(column_type={"type": "Enum", "variants": "ab"}),
    column(column_type={"type": "Enum", "variants": [1]}), column(column_type={"type": "Array"}),
    column(column_type={"type": "Array", "element": "Text"}), column(column_type={"type": "Array", "element": {"type": "No"}}),
    column(column_type={"type": "Row"}), column(column_type={"type": "Row", "columns": [{}]}),
    column(nullable=None), column(nullable="yes"), column(nullable=1), column(references=1), column(references=["a"]),
    column(merge_strategy=3), column(default=3), column(default="x"), column(default={"value": 3}),
])
def test_a_bad_schema_is_400_and_changes_nothing(store, schema):
    """store.bad-json"""
    before = store.contents()
    assert is_error(store.admin("POST", "admin/schemas", {"schema": schema}), 400, "bad_request")
    assert store.contents() == before


@pytest.mark.parametrize("body", [
    '{"schema":{"a__t":{"columns":[]},"a__t":{"columns":[]}}}', r'{"schema":{"a__t":{"columns":[]},"\u0061__t":{"columns":[]}}}',
    r'{"schema":{"a__t":{"columns":[{"name":"x","column_type":{"type":"Text"}},{"name":"\u0078","column_type":{"type":"Text"}}]}}}',
])
def test_one_name_twice_is_400_however_it_is_spelled(store, body):
    assert is_error(store.admin("POST", "admin/schemas", body), 400, "bad_request")


@pytest.mark.parametrize("body", [{}, {"Schema": SCHEMA}, {"schema": SCHEMA, "permissions": {}},
                                  {"schema": SCHEMA, "permissions": None}])
def test_a_schema_goes_alone(store, body):
    assert is_error(store.admin("POST", "admin/schemas", body), 400, "bad_request")
    assert store.admin("GET", "schemas").json == {"hashes": []}


@pytest.mark.parametrize("member", [{"nullable": False}, {"references": None}, {"default": None}, {"merge_strategy": None},
                                    {"default": {"type": "Null"}}])
def test_harmless_members_are_taken_and_come_back(store, member):
    published = store.publish_schema(column(**member))
    assert store.admin("GET", f"schema/{published}").json["schema"] == column(**member)


def test_errors_name_the_table_and_column(store):
    error = store.admin("POST", "admin/schemas", {"schema": column(nullable="yes")}).json["error"]
    assert '"a__t"' in error and '"x"' in error and "nullable" in error
    long = store.admin("POST", "admin/schemas", {"schema": {"é" * 100000: {}}})
    assert long.status == 400 and len(long.body) < 3000


def test_two_thousand_tables_are_published_migrated_to_and_read(store):
    schema = {f"ns{n % 7}__t{n}": text_table(*[f"c{c}" for c in range(8)]) for n in range(2000)}
    lens = [{"table": name, "added": True, "operations": []} for name in schema]
    random.Random(1).shuffle(lens)
    target = store.publish_schema(schema)
    assert store.publish_migration(store.publish_schema({}), target, lens).status == 201
    assert store.admin("GET", f"schema/{target}").json["schema"] == schema


def test_a_wide_table(store):
    schema = {"a__t": text_table(*[f"c{n}" for n in range(20000)])}
    published = store.publish_schema(schema)
    assert store.admin("GET", f"schema/{published}").json["schema"] == schema
