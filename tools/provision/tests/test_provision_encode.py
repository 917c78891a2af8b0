"""Encoding permissions (encode.literals, .expressions, .relations): what goes over the wire for what the app wrote."""
import json

import pytest
from store_double import Deployed, serving

APP = {"namespaces": {"app": {"tables": {"t": {"columns": []}}}}}
UUID = "123E4567-e89b-12d3-A456-426614174000"


def published(provisioner, policy_texts):
    """What is published for each of these conditions, all in one bundle, or the answer's error."""
    names = [f"t{number}" for number in range(len(policy_texts))]
    app = {"namespaces": {"app": {"tables": {name: {"columns": []} for name in names}}}}
    policies = [f'"app__{name}":{{"select":{{"using":{text}}}}}' for name, text in zip(names, policy_texts)]
    store = Deployed()
    with serving(store) as (url, _):
        answer = provisioner("apply", app, url, "{" + ",".join(policies) + "}")
    if "error" in answer:
        assert store.posted == []
        return answer["error"]
    bundle = json.loads(store.bodies("admin/permissions")[0])["permissions"]
    return [bundle[f"app__{name}"]["select"]["using"] for name in names]


LITERALS = {
    "null": {"type": "Null"},
    "true": {"type": "Boolean", "value": True},
    "0": {"type": "Integer", "value": 0},
    "-0": {"type": "Integer", "value": 0},
    "1.0": {"type": "Integer", "value": 1},
    "1e3": {"type": "Integer", "value": 1000},
    "2147483647": {"type": "Integer", "value": 2147483647},
    "-2147483648": {"type": "Integer", "value": -2147483648},
    "2147483648": {"type": "BigInt", "value": 2147483648},
    "-2147483649": {"type": "BigInt", "value": -2147483649},
    "9007199254740991": {"type": "BigInt", "value": 9007199254740991},
    "-9007199254740991": {"type": "BigInt", "value": -9007199254740991},
    "9007199254740992": {"type": "Double", "value": 9007199254740992},
    "1e300": {"type": "Double", "value": 1e300},
    "0.5": {"type": "Double", "value": 0.5},
    "5e-324": {"type": "Double", "value": 5e-324},
    '""': {"type": "Text", "value": ""},
    r'"a\u0000\ud800b"': {"type": "Text", "value": "a\u0000\ud800b"},
    f'"{UUID}"': {"type": "Uuid", "value": UUID},
    rf'"\u0031{UUID[1:]}"': {"type": "Uuid", "value": UUID},
    f'"{UUID} "': {"type": "Text", "value": UUID + " "},
    f'"{UUID.replace("-", "")}"': {"type": "Text", "value": UUID.replace("-", "")},
    f'"{UUID}0"': {"type": "Text", "value": UUID + "0"},
    f'"{UUID[:-1]}g"': {"type": "Text", "value": UUID[:-1] + "g"},
    '{"$date": 1700000000000}': {"type": "Timestamp", "value": 1700000000000},
    '{"$date": -1e3}': {"type": "Timestamp", "value": -1000},
    "[]": {"type": "Array", "value": []},
    '[1, ["x", null]]': {
        "type": "Array",
        "value": [{"type": "Integer", "value": 1}, {"type": "Array", "value": [{"type": "Text", "value": "x"}, {"type": "Null"}]}],
    },
    '[{"type": "Odd", "x": 1}]': {"type": "Array", "value": [{"type": "Odd", "x": 1}]},
}


def test_literals_in_a_policy_value(provisioner):
    policies = [f'{{"type":"Cmp","column":"c","op":"Eq","value":{raw}}}' for raw in LITERALS]
    got = dict(zip(LITERALS, (policy["value"] for policy in published(provisioner, policies)), strict=True))
    assert got == {raw: {"type": "Literal", "value": tagged} for raw, tagged in LITERALS.items()}


def test_bare_literals_compared_with_the_session(provisioner):
    bare = [raw for raw in LITERALS if not raw.startswith("{")]
    policies = [f'{{"type":"SessionCmp","path":["p"],"op":"Eq","value":{raw}}}' for raw in bare]
    got = dict(zip(bare, (policy["value"] for policy in published(provisioner, policies)), strict=True))
    assert got == {raw: LITERALS[raw] for raw in bare}


REFUSED_VALUES = ['{"$bytes": [1]}', '{"x": 1}', "1e999", "[1, -1e999]", '{"$date": "today"}', '{"$date": 0.5}', '{"$date": 9e15}',
                  '{"type": 5}', "{}", '[[{"$bytes": []}]]']


@pytest.mark.parametrize("raw", REFUSED_VALUES)
def test_literals_that_the_wire_cannot_carry(provisioner, raw):
    for policy in (f'{{"type":"Cmp","column":"c","op":"Eq","value":{raw}}}', f'{{"type":"SessionInList","path":["p"],"values":[1,{raw}]}}'):
        assert published(provisioner, ['{"type":"True"}', policy])["code"] == "policy-literal"


@pytest.mark.parametrize("raw", ['{"$date": 1700000000000}', '{"type": "Text"}'])
def test_an_object_compared_with_the_session_must_hold_a_value(provisioner, raw):
    assert published(provisioner, [f'{{"type":"SessionContains","path":["p"],"value":{raw}}}'])["code"] == "policy-literal"


def integer(number):
    return {"type": "Integer", "value": number}


def literal(number):
    return {"type": "Literal", "value": integer(number)}


REF = {"type": "SessionRef", "path": ["user_id"]}
LEAF, ENCODED_LEAF = {"type": "Cmp", "column": "c", "value": 1}, {"type": "Cmp", "column": "c", "value": literal(1)}
SCAN = {"TableScan": {"table": "app__t", "value": 1, "right": {"Literal": 1}}}
RAW_FILTER = {"Filter": {"input": SCAN, "predicate": {"Cmp": {"left": {"Literal": 1}, "op": "Eq", "right": {"Literal": 1}}}}}
FILTER = {"Filter": {"input": SCAN, "predicate": {"Cmp": {"left": {"Literal": 1}, "op": "Eq", "right": {"Literal": integer(1)}}}}}


def predicate(raw):
    return {"type": "ExistsRel", "rel": {"Filter": {"input": SCAN, "predicate": raw}}}


def relation(raw):
    return {"type": "ExistsRel", "rel": raw}


EXPRESSIONS = [
    ({"type": "True", "value": 1}, {"type": "True", "value": 1}),
    ({"type": "IsNull", "column": "c"}, {"type": "IsNull", "column": "c"}),
    ({"type": "NewKind", "exprs": [LEAF], "value": 1}, {"type": "NewKind", "exprs": [LEAF], "value": 1}),
    ({"type": "Cmp", "column": "c", "value": REF}, {"type": "Cmp", "column": "c", "value": REF}),
    ({"type": "Contains", "value": {"value": 1}}, {"type": "Contains", "value": literal(1)}),
    ({"type": "Contains", "value": {"type": "Literal", "value": 1}}, {"type": "Contains", "value": literal(1)}),
    ({"type": "SessionCmp", "value": {"type": "Literal", "value": 1}}, {"type": "SessionCmp", "value": integer(1)}),
    ({"type": "SessionContains", "value": {"value": integer(1)}}, {"type": "SessionContains", "value": integer(1)}),
    ({"type": "InList", "values": [1, REF, {"value": 1}]}, {"type": "InList", "values": [literal(1), REF, literal(1)]}),
    ({"type": "SessionInList", "values": [1, {"value": 1}]}, {"type": "SessionInList", "values": [integer(1), integer(1)]}),
    ({"type": "Exists", "table": "x", "condition": LEAF}, {"type": "Exists", "table": "x", "condition": ENCODED_LEAF}),
    ({"type": "And", "exprs": [LEAF, LEAF]}, {"type": "And", "exprs": [ENCODED_LEAF, ENCODED_LEAF]}),
    ({"type": "Or", "exprs": []}, {"type": "Or", "exprs": []}),
    ({"type": "Not", "expr": {"type": "Not", "expr": LEAF}}, {"type": "Not", "expr": {"type": "Not", "expr": ENCODED_LEAF}}),
    (relation(SCAN), relation(SCAN)),
    (relation({"Union": {"inputs": [RAW_FILTER, SCAN]}}), relation({"Union": {"inputs": [FILTER, SCAN]}})),
    (relation({"Join": {"left": RAW_FILTER, "right": RAW_FILTER, "on": [1]}}),
     relation({"Join": {"left": FILTER, "right": FILTER, "on": [1]}})),
    (relation({"Gather": {"seed": RAW_FILTER, "step": RAW_FILTER, "max_depth": 3}}),
     relation({"Gather": {"seed": FILTER, "step": FILTER, "max_depth": 3}})),
    *[(relation({name: {"input": RAW_FILTER, "n": 1}}), relation({name: {"input": FILTER, "n": 1}}))
      for name in ("Project", "Distinct", "OrderBy", "Offset", "Limit")],
    (predicate({"Contains": {"left": {"Column": "c"}, "right": {"Literal": 1}}}),
     predicate({"Contains": {"left": {"Column": "c"}, "right": {"Literal": integer(1)}}})),
    (predicate({"In": {"left": 1, "values": [{"Literal": {"$date": 1}}, {"SessionRef": ["u"]}, "Row"]}}),
     predicate({"In": {"left": 1, "values": [{"Literal": {"type": "Timestamp", "value": 1}}, {"SessionRef": ["u"]}, "Row"]}})),
    (predicate({"And": ["True", {"Or": [{"Not": {"Cmp": {"right": {"Literal": 1}}}}]}]}),
     predicate({"And": ["True", {"Or": [{"Not": {"Cmp": {"right": {"Literal": integer(1)}}}}]}]})),
    (predicate({"IsNull": {"right": {"Literal": 1}}}), predicate({"IsNull": {"right": {"Literal": 1}}})),
]


def test_expressions_and_relations(provisioner):
    got = published(provisioner, [json.dumps(raw) for raw, _ in EXPRESSIONS])
    assert got == [encoded for _, encoded in EXPRESSIONS]


def test_what_is_no_operation_or_condition_is_left_out(provisioner):
    store = Deployed()
    table = {"select": {"using": {"type": "True"}, "note": 1}, "insert": "odd", "update": None, "comment": {"using": LEAF}, "delete": {}}
    with serving(store) as (url, _):
        provisioner("apply", APP, url, {"app__t": table})
    bundle = json.loads(store.bodies("admin/permissions")[0])["permissions"]
    assert bundle == {"app__t": {"select": {"using": {"type": "True"}}, "delete": {}}}


def test_policies_are_not_encoded_when_the_store_keeps_its_own(provisioner):
    """A store that is `ok` gets no permissions, so that the published provisioner does not look at their literals."""
    store = Deployed('{"app__t":{"columns":[]}}')
    bad = {"app__t": {"select": {"using": {"type": "Cmp", "value": {"$bytes": []}}}}}
    with serving(store) as (url, _):
        assert provisioner("apply", APP, url, bad)["result"]["status"] == "unchanged"


def test_a_condition_nested_very_deeply_is_encoded_or_refused(provisioner):
    for depth, code in ((400, None), (5000, "bad-input")):
        policy = '{"type":"Not","expr":' * depth + json.dumps(LEAF) + "}" * depth
        got = published(provisioner, [policy])
        if code is not None:
            assert got["code"] == code
            continue
        encoded = got[0]
        for _ in range(depth):
            encoded = encoded["expr"]
        assert encoded == ENCODED_LEAF
