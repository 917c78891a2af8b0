"""Policies: which expressions are true for which session and row."""

import itertools

import pytest
from store_server import is_error, text_table

TRUE, FALSE, ODD = {"type": "True"}, {"type": "False"}, {"type": "Inherits", "operation": "Select", "via_column": "x"}
COLUMNS = [
    {"name": "text", "column_type": {"type": "Text"}, "nullable": True}, {"name": "number", "column_type": {"type": "Double"}, "nullable": True},
    {"name": "flag", "column_type": {"type": "Boolean"}, "nullable": True}, {"name": "big", "column_type": {"type": "BigInt"}, "nullable": True},
    {"name": "list", "column_type": {"type": "Array", "element": {"type": "Text"}}, "nullable": True},
    {"name": "uuid", "column_type": {"type": "Uuid"}, "nullable": True}, {"name": "json", "column_type": {"type": "Json"}, "nullable": True},
]
UUID = "123e4567-e89b-12d3-a456-42661417400A"
ROW = {"text": "abc", "number": 1.5, "flag": True, "big": 9007199254740993, "list": ["p", "q"], "uuid": UUID, "json": {"k": [1, 2.0]}}
CLAIMS = {"role": "admin", "level": 3, "teams": ["abc", "x"], "none": None, "deep": {"er": "here"}, "user_id": "not me", "numbers": [1.50, 2]}


def tag(value):
    if value is None:
        return {"type": "Null"}
    kinds = {bool: "Boolean", int: "Integer", float: "Double", str: "Text"}
    if isinstance(value, list):
        return {"type": "Array", "value": [tag(v) for v in value]}
    return {"type": kinds[type(value)], "value": value}


def literal(value):
    return {"type": "Literal", "value": value if isinstance(value, dict) else tag(value)}


def ref(*path):
    return {"type": "SessionRef", "path": list(path)}


def cmp(column, op, value):
    return {"type": "Cmp", "column": column, "op": op, "value": value}


def session_cmp(path, op, value):
    return {"type": "SessionCmp", "path": path, "op": op, "value": tag(value)}


def both(*exprs):
    return {"type": "And", "exprs": list(exprs)}


def either(*exprs):
    return {"type": "Or", "exprs": list(exprs)}


def negation(expr):
    return {"type": "Not", "expr": expr}


class Deployed:
    def __init__(self, store):
        self.store = store
        self.schema_hash = store.publish_schema({"a__t": {"columns": COLUMNS}, "a__u": {"columns": [*COLUMNS[:1], {"name": "owner", "column_type": {"type": "Text"}}]}})
        self.parent = None

    def policies(self, **policies):
        answer = self.store.publish_permissions(self.schema_hash, {"a__t": policies, "a__u": {"insert": {"with_check": TRUE}}}, self.parent)
        assert answer.status == 201, answer
        self.parent = answer.json["head"]["bundleObjectId"]

    def insert(self, values=None, user="ana", table="a__t", **more):
        return self.store.data("insert", self.schema_hash, table, user, values=ROW if values is None else values, **more)

    def holds(self, condition, user="ben", claims=CLAIMS):
        """Whether ben, with claims, sees ana's row under the condition."""
        self.policies(select={"using": condition}, insert={"with_check": TRUE})
        answer = self.store.data("list", self.schema_hash, "a__t", user, claims)
        assert answer.status == 200, answer
        return len(answer.json["rows"]) == 1


@pytest.fixture
def deployed(store):
    deployed = Deployed(store)
    deployed.policies(insert={"with_check": TRUE})
    assert deployed.insert().status == 201
    return deployed


def check(deployed, cases):
    wrong = [(condition, expected) for condition, expected in cases if deployed.holds(condition) != expected]
    assert not wrong


def test_comparisons_with_literals(deployed):
    check(deployed, [
        (TRUE, True), (FALSE, False),
        (cmp("text", "Eq", literal("abc")), True), (cmp("text", "Eq", literal("ab")), False), (cmp("text", "Ne", literal("ab")), True),
        (cmp("text", "Ne", literal("abc")), False), (cmp("text", "Lt", literal("abd")), True), (cmp("text", "Lt", literal("abc")), False),
        (cmp("text", "Le", literal("abc")), True), (cmp("text", "Gt", literal("ab")), True), (cmp("text", "Ge", literal("abc")), True),
        (cmp("text", "Gt", literal("abc")), False), (cmp("text", "Ge", literal("abd")), False),
        (cmp("number", "Eq", literal(1.5)), True), (cmp("number", "Eq", literal({"type": "Integer", "value": 15e-1})), True),
        (cmp("number", "Gt", literal(1)), True), (cmp("number", "Lt", literal(2)), True), (cmp("number", "Le", literal(1.25)), False),
        (cmp("big", "Eq", literal({"type": "BigInt", "value": 9007199254740993})), True),
        (cmp("big", "Eq", literal({"type": "BigInt", "value": 9007199254740992})), False),
        (cmp("big", "Gt", literal({"type": "BigInt", "value": 9007199254740992})), True),
        (cmp("flag", "Eq", literal(True)), True), (cmp("flag", "Eq", literal(False)), False), (cmp("flag", "Gt", literal(False)), True),
        (cmp("uuid", "Eq", literal({"type": "Uuid", "value": UUID.lower()})), True), (cmp("uuid", "Eq", literal("x")), False),
        (cmp("list", "Eq", literal(["p", "q"])), True), (cmp("list", "Eq", literal(["q", "p"])), False), (cmp("list", "Eq", literal(["p"])), False),
        (cmp("list", "Eq", literal(["p", "q", "r"])), False), (cmp("list", "Lt", literal(["z"])), False),
        (cmp("text", "Eq", literal(1)), False), (cmp("text", "Ne", literal(1)), True), (cmp("text", "Lt", literal(1)), False), (cmp("text", "Gt", literal(1)), False),
        (cmp("text", "Eq", literal(None)), False), (cmp("text", "Ne", literal(None)), True), (cmp("text", "Gt", literal(None)), False),
    ])


def test_nulls(deployed):
    deployed.policies(select={"using": TRUE}, update={"using": TRUE})
    row = deployed.store.data("list", deployed.schema_hash, "a__t").json["rows"][0]["id"]
    assert deployed.store.data("update", deployed.schema_hash, "a__t", id=row, values={"text": None}).status == 200
    null, not_null = {"type": "IsNull", "column": "text"}, {"type": "IsNotNull", "column": "text"}
    check(deployed, [
        (null, True), (not_null, False), ({**null, "column": "number"}, False), ({**not_null, "column": "number"}, True),
        (cmp("text", "Eq", literal(None)), True), (cmp("text", "Ne", literal(None)), False), (cmp("text", "Le", literal(None)), False),
        (cmp("text", "Eq", literal("x")), False), (cmp("text", "Ne", literal("x")), True), (cmp("text", "Lt", literal("x")), False),
        ({"type": "Contains", "column": "text", "value": literal("")}, False),
    ])


def test_the_author_and_the_session(deployed):
    own = cmp("$createdBy", "Eq", ref("user_id"))
    assert deployed.holds(own, user="ana") and not deployed.holds(own, user="ben") and not deployed.holds(own, user="Ana")
    check(deployed, [
        (cmp("$createdBy", "Eq", literal("ana")), True), (cmp("$createdBy", "Eq", ref("userId")), False), (cmp("$createdBy", "Ne", ref("userId")), True),
        ({"type": "IsNull", "column": "$createdBy"}, False),
        (session_cmp(["user_id"], "Eq", "ben"), True), (session_cmp(["userId"], "Eq", "ben"), True), (session_cmp(["user_id"], "Eq", "not me"), False),
        (session_cmp(["claims", "user_id"], "Eq", "not me"), True), (session_cmp(["user_id", "x"], "Eq", "ben"), False),
        (session_cmp(["claims", "role"], "Eq", "admin"), True), (session_cmp(["role"], "Eq", "admin"), True), (session_cmp(["claims", "role"], "Ne", "admin"), False),
        (session_cmp(["claims", "level"], "Ge", 3), True), (session_cmp(["claims", "level"], "Gt", 3), False), (session_cmp(["claims", "deep", "er"], "Eq", "here"), True),
        (session_cmp(["claims", "none"], "Eq", None), True), (session_cmp(["claims", "teams"], "Eq", ["abc", "x"]), True),
        (session_cmp(["claims", "missing"], "Eq", None), False), (session_cmp(["claims", "missing"], "Ne", "x"), False),
        (negation(session_cmp(["claims", "missing"], "Eq", "x")), True), (session_cmp(["claims", "role", "deeper"], "Ne", "x"), False),
        (cmp("text", "Eq", ref("claims", "missing")), False), (cmp("number", "Lt", ref("claims", "level")), True),
    ])


def test_a_session_without_claims(deployed):
    condition = session_cmp(["claims", "role"], "Eq", "admin")
    assert not deployed.holds(condition, claims=None) and not deployed.holds(condition, claims={})


def test_containing_and_lists(deployed):
    contains = lambda column, value: {"type": "Contains", "column": column, "value": value}  # noqa: E731
    within = lambda column, *path: {"type": "In", "column": column, "session_path": list(path)}  # noqa: E731
    in_list = lambda column, *values: {"type": "InList", "column": column, "values": list(values)}  # noqa: E731
    session_in = lambda path, *values: {"type": "SessionInList", "path": path, "values": [tag(v) for v in values]}  # noqa: E731
    check(deployed, [
        (contains("text", literal("b")), True), (contains("text", literal("abc")), True), (contains("text", literal("")), True), (contains("text", literal("ac")), False),
        (contains("text", literal("abcd")), False), (contains("text", literal(1)), False), (contains("list", literal("p")), True), (contains("list", literal("z")), False),
        (contains("list", literal(["p"])), False), (contains("number", literal(1)), False), (contains("list", ref("claims", "role")), False), (contains("text", ref("claims", "missing")), False),
        (within("text", "claims", "teams"), True), (within("uuid", "claims", "teams"), False), (within("number", "claims", "numbers"), True),
        (within("text", "claims", "role"), False), (within("text", "claims", "missing"), False),
        (in_list("text", literal("x"), literal("abc")), True), (in_list("text", literal("x")), False), (in_list("text"), False),
        (in_list("number", literal("1.5"), literal(1.5)), True), (in_list("text", ref("claims", "missing"), literal("abc")), True),
        (session_in(["claims", "role"], "user", "admin"), True), (session_in(["claims", "role"], "user"), False), (session_in(["claims", "role"]), False),
        (session_in(["claims", "missing"], "user", None), False), (session_in(["user_id"], "ben"), True),
    ])


@pytest.mark.parametrize("a, b", itertools.product(["true", "false", "odd"], repeat=2))
def test_what_is_unsupported_is_neither_true_nor_false(deployed, a, b):
    """An unsupported expression never lets anything through, under Not neither."""
    expression = {"true": TRUE, "false": FALSE, "odd": ODD}
    known = {"true": True, "false": False, "odd": None}
    x, y = known[a], known[b]
    conjunction = False if x is False or y is False else None if x is None or y is None else True
    disjunction = True if x is True or y is True else None if x is None or y is None else False
    left, right = expression[a], expression[b]
    check(deployed, [
        (both(left, right), conjunction is True), (either(left, right), disjunction is True),
        (negation(both(left, right)), conjunction is False), (negation(either(left, right)), disjunction is False),
        (negation(negation(left)), x is True), (negation(left), x is False),
    ])


MALFORMED = [
    {"type": "Nope"}, {"type": "true"}, {"type": "ExistsRel", "rel": {"TableScan": {"table": "a__u"}}}, {"type": "SessionContains", "path": ["user_id"], "value": tag("b")},
    {"type": "Cmp", "column": "text", "op": "Eq"}, {"type": "Cmp", "op": "Eq", "value": literal("abc")}, {"type": "Cmp", "column": "text", "value": literal("abc")},
    {"type": "Cmp", "column": "text", "op": "eq", "value": literal("abc")}, {"type": "Cmp", "column": "text", "op": "Eq", "value": "abc"},
    {"type": "Cmp", "column": "text", "op": "Eq", "value": tag("abc")}, {"type": "Cmp", "column": "text", "op": "Eq", "value": {"type": "Literal", "value": "abc"}},
    {"type": "Cmp", "column": "text", "op": "Eq", "value": {"type": "Literal"}}, {"type": "Cmp", "column": "text", "op": "Eq", "value": {"type": "SessionRef"}},
    {"type": "Cmp", "column": "text", "op": "Ne", "value": {"type": "SessionRef", "path": []}}, {"type": "Cmp", "column": "text", "op": "Ne", "value": {"type": "SessionRef", "path": [1]}},
    {"type": "Cmp", "column": "text", "op": "Ne", "value": {"type": "SessionRef", "path": "user_id"}}, {"type": "Cmp", "column": "missing", "op": "Ne", "value": literal("x")},
    {"type": "Cmp", "column": 1, "op": "Ne", "value": literal("x")}, {"type": "Cmp", "column": "text", "op": "Ne", "value": ref("__jazz_outer_row", "text")},
    {"type": "SessionCmp", "path": ["user_id"], "op": "Ne", "value": "x"}, {"type": "SessionCmp", "path": "user_id", "op": "Ne", "value": tag("x")}, {"type": "SessionCmp", "op": "Ne", "value": tag("x")},
    {"type": "IsNull"}, {"type": "IsNull", "column": "missing"}, {"type": "IsNotNull", "column": "missing"}, {"type": "IsNotNull", "column": None},
    {"type": "Contains", "column": "text"}, {"type": "Contains", "column": "missing", "value": literal("x")}, {"type": "In", "column": "text"}, {"type": "In", "column": "text", "session_path": "teams"},
    {"type": "InList", "column": "text"}, {"type": "InList", "column": "text", "values": {}}, {"type": "InList", "column": "text", "values": ["x"]},
    {"type": "SessionInList", "path": ["user_id"]}, {"type": "SessionInList", "values": [tag("ben")]}, {"type": "SessionInList", "path": ["user_id"], "values": ["x"]},
    {"type": "And"}, {"type": "And", "exprs": {}}, {"type": "And", "exprs": [1]}, {"type": "And", "exprs": [{}]}, {"type": "Or"}, {"type": "Or", "exprs": None}, {"type": "Or", "exprs": ["x"]},
    {"type": "Not"}, {"type": "Not", "expr": None}, {"type": "Not", "expr": "x"}, {"type": "Exists"}, {"type": "Exists", "table": "a__u"}, {"type": "Exists", "condition": TRUE},
    {"type": "Exists", "table": 1, "condition": TRUE},
]


@pytest.mark.parametrize("condition", MALFORMED)
def test_what_is_malformed_denies(deployed, condition):
    assert not deployed.holds(condition)
    assert not deployed.holds(negation(condition))
    assert deployed.holds(either(condition, TRUE)) and deployed.holds(negation(both(condition, FALSE)))


def test_empty_and_and_or(deployed):
    check(deployed, [(both(), True), (either(), False)])


def exists(condition, table="a__u"):
    return {"type": "Exists", "table": table, "condition": condition}


def test_exists(deployed):
    check(deployed, [(exists(TRUE), False), (negation(exists(TRUE)), True)])
    deployed.insert({"text": "abc", "owner": "ben"}, "carl", "a__u")
    deployed.insert({"text": "zzz", "owner": "dora"}, "dora", "a__u")
    outer = lambda column: ref("__jazz_outer_row", column)  # noqa: E731
    check(deployed, [
        (exists(TRUE), True), (exists(FALSE), False), (exists(TRUE, "a__none"), False),
        (exists(cmp("owner", "Eq", ref("user_id"))), True), (exists(both(cmp("owner", "Eq", ref("user_id")), cmp("text", "Eq", literal("zzz")))), False),
        (exists(cmp("$createdBy", "Eq", literal("carl"))), True), (exists(cmp("$createdBy", "Eq", literal("ana"))), False),
        (exists(cmp("text", "Eq", outer("text"))), True), (exists(both(cmp("text", "Eq", outer("text")), cmp("owner", "Eq", literal("dora")))), False),
        (exists(cmp("text", "Eq", outer("uuid"))), False), (exists(cmp("owner", "Eq", outer("$createdBy"))), False), (exists(cmp("text", "Ne", outer("missing"))), False),
        (exists(cmp("id", "Eq", outer("id")), "a__t"), True), (exists(cmp("id", "Eq", outer("id"))), False), (exists(cmp("number", "Eq", literal(1))), False),
        (negation(exists(cmp("missing", "Eq", literal(1)))), False), (exists(either(ODD, cmp("owner", "Eq", literal("dora")))), True), (exists(ODD), False), (negation(exists(ODD)), False),
        (exists(exists(cmp("text", "Eq", outer("text")), "a__t")), True), (exists(exists(cmp("text", "Eq", outer("owner")), "a__t")), False),
    ])


def nested_exists(depth):
    condition = TRUE
    for _ in range(depth):
        condition = exists(condition, "a__t")
    return condition


def test_exists_goes_eight_deep(deployed):
    check(deployed, [(nested_exists(8), True), (nested_exists(9), False), (negation(nested_exists(9)), False), (nested_exists(200), False)])


def test_a_policy_that_takes_too_long_is_503_and_others_are_served(deployed):
    for _ in range(40):
        deployed.insert({"text": "x"})
    never = exists(exists(exists(exists(exists(FALSE, "a__t"), "a__t"), "a__t"), "a__t"), "a__t")
    deployed.policies(select={"using": never}, insert={"with_check": either(never, TRUE)})
    assert is_error(deployed.store.data("list", deployed.schema_hash, "a__t"), 503, "internal")
    assert is_error(deployed.insert(), 503, "internal")
    deployed.policies(select={"using": TRUE})
    assert len(deployed.store.data("list", deployed.schema_hash, "a__t").json["rows"]) == 41


@pytest.mark.parametrize("condition", [
    {"type": "InList", "column": "text", "values": [literal("y")] * 60000},
    {"type": "SessionInList", "path": ["user_id"], "values": [tag("y")] * 60000},
    either(*[FALSE] * 60000), cmp("text", "Eq", literal("y" * 4_000_000)), session_cmp(["user_id"], "Eq", "y" * 4_000_000),
    cmp("text", "Eq", ref("claims", "long")),
])
def test_long_lists_and_values_count_as_well(deployed, condition):
    for _ in range(40):
        deployed.insert({"text": "x"})
    deployed.policies(select={"using": condition})
    answer = deployed.store.data("list", deployed.schema_hash, "a__t", claims={"long": "y" * 4_000_000})
    assert is_error(answer, 503, "internal")


# ---- which clause gates what -----------------------------------------------------------------------


@pytest.mark.parametrize("policies", [
    {}, {"select": {}, "insert": {}, "update": {}, "delete": {}}, {"select": {"with_check": TRUE}, "insert": {"using": TRUE}, "delete": {"with_check": TRUE}},
    {"select": {"using": FALSE}, "insert": {"with_check": FALSE}, "update": {"using": FALSE, "with_check": TRUE}, "delete": {"using": FALSE}},
    {"select": {"using": None}, "insert": {"with_check": None}, "update": {"using": None}, "delete": {"using": None}},
])
def test_an_operation_without_a_policy_is_denied(deployed, policies):
    """data.policy"""
    store, schema_hash = deployed.store, deployed.schema_hash
    deployed.policies(select={"using": TRUE})
    row = store.data("list", schema_hash, "a__t").json["rows"][0]["id"]
    deployed.policies(**policies)
    assert is_error(deployed.insert(), 403, "forbidden")
    assert is_error(store.data("update", schema_hash, "a__t", id=row, values={"text": "new"}), 403, "forbidden")
    assert is_error(store.data("delete", schema_hash, "a__t", id=row), 403, "forbidden")
    if policies.get("select", {}).get("using"):
        assert store.data("list", schema_hash, "a__t").json["rows"] == []
    else:
        assert is_error(store.data("list", schema_hash, "a__t"), 403, "forbidden")
    deployed.policies(select={"using": TRUE})
    assert [r["values"]["text"] for r in store.data("list", schema_hash, "a__t").json["rows"]] == ["abc"]


def test_a_table_that_the_bundle_does_not_name_is_denied(store):
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    store.publish_permissions(schema_hash, {})
    assert is_error(store.data("insert", schema_hash, "a__t", values={"x": "1"}), 403, "forbidden")


def test_insert_is_gated_by_the_new_row(deployed):
    deployed.policies(insert={"with_check": both(cmp("$createdBy", "Eq", ref("user_id")), cmp("text", "Ne", literal("forbidden")))})
    assert deployed.insert({"text": "fine"}).status == 201
    assert is_error(deployed.insert({"text": "forbidden"}), 403, "forbidden")


def test_update_is_gated_by_the_old_row_and_the_new_one(deployed):
    store, schema_hash = deployed.store, deployed.schema_hash
    deployed.policies(select={"using": TRUE}, update={"using": cmp("text", "Eq", literal("abc")), "with_check": cmp("number", "Lt", literal(5))})
    row = store.data("list", schema_hash, "a__t").json["rows"][0]["id"]
    update = lambda **values: store.data("update", schema_hash, "a__t", "ben", id=row, values=values).status  # noqa: E731
    assert update(number=5) == 403
    assert update(number=4) == 200
    assert update(text="other", number=6) == 403
    assert update(text="other") == 200
    assert update(text="abc") == 403
    assert store.data("list", schema_hash, "a__t").json["rows"][0]["values"]["number"] == 4


@pytest.mark.parametrize("clause", ["using", "with_check"])
def test_an_update_with_one_clause_takes_it_for_both_rows(deployed, clause):
    store, schema_hash = deployed.store, deployed.schema_hash
    deployed.policies(select={"using": TRUE}, update={clause: cmp("text", "Eq", literal("abc"))})
    row = store.data("list", schema_hash, "a__t").json["rows"][0]["id"]
    assert store.data("update", schema_hash, "a__t", id=row, values={"number": 9}).status == 200
    assert is_error(store.data("update", schema_hash, "a__t", id=row, values={"text": "x"}), 403, "forbidden")
    deployed.policies(select={"using": TRUE}, update={clause: cmp("text", "Eq", literal("x"))})
    assert is_error(store.data("update", schema_hash, "a__t", id=row, values={"text": "x"}), 403, "forbidden")


def test_the_author_stays_the_author(deployed):
    store, schema_hash = deployed.store, deployed.schema_hash
    deployed.policies(select={"using": cmp("$createdBy", "Eq", ref("user_id"))}, update={"using": TRUE})
    row = store.data("list", schema_hash, "a__t", "ana").json["rows"][0]["id"]
    assert store.data("update", schema_hash, "a__t", "ben", id=row, values={"text": "ben was here"}).status == 200
    assert store.data("list", schema_hash, "a__t", "ben").json["rows"] == []
    assert is_error(store.data("update", schema_hash, "a__t", "ben", id=row, values={"$createdBy": "ben"}), 400, "bad_request")


def test_delete_is_gated(deployed):
    store, schema_hash = deployed.store, deployed.schema_hash
    deployed.policies(select={"using": TRUE}, delete={"using": cmp("$createdBy", "Eq", ref("user_id"))})
    row = store.data("list", schema_hash, "a__t").json["rows"][0]["id"]
    assert is_error(store.data("delete", schema_hash, "a__t", "ben", id=row), 403, "forbidden")
    assert store.data("delete", schema_hash, "a__t", "ana", id=row).status == 200


def test_a_new_bundle_is_in_force_at_once(deployed):
    for expected in [True, False, True]:
        deployed.policies(select={"using": TRUE if expected else FALSE})
        assert bool(deployed.store.data("list", deployed.schema_hash, "a__t").json["rows"]) == expected


def test_quirky_names_in_policies(store):
    column = "spalte \"\\\u0000é𐀀"
    schema_hash = store.publish_schema({"ns__тест": text_table(column)})
    store.publish_permissions(schema_hash, {"ns__тест": {"insert": {"with_check": TRUE}, "select": {"using": cmp(column, "Eq", ref("claims", column))}}})
    assert store.data("insert", schema_hash, "ns__тест", values={column: "v"}).status == 201
    assert len(store.data("list", schema_hash, "ns__тест", claims={column: "v"}).json["rows"]) == 1
    assert store.data("list", schema_hash, "ns__тест", claims={column: "w"}).json["rows"] == []
