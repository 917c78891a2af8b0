"""Two provisioners that share no code, given the same seeded apps, permissions and stores, must ask and answer the same.

MESHSPEC_PROVISION_SEEDS says how many seeds (20)."""
import json
import os
import random

import pytest
from provisioners import PROVISIONERS, Provisioner
from store_double import Deployed, serving

WORDS = ["a", "b_c", "tasks", "é", "ключ", "a b", "10", "2", "constructor", "x" * 60, '"', "\\", "\u0000", "\U0001f600"]
TYPES = ["Text", "Boolean", "Integer", "BigInt", "Double", "Timestamp", "Uuid", "Bytea", "Json", "Enum", "Array", "Row"]


class Maker:
    """Makes apps, permissions and stored tables out of a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def names(self, most):
        return self.random.sample(WORDS, self.random.randint(1, most))

    def column(self, name, targets):
        column = {"name": name, "column_type": {"type": self.random.choice(TYPES)}}
        if self.chance(0.4):
            column["nullable"] = self.chance(0.5)
        if self.chance(0.3):
            column["default"] = self.random.choice([None, {"type": "Integer", "value": 1.0}, {"value": [1e2], "type": "Array"}])
        if self.chance(0.2):
            column["merge_strategy"] = self.random.choice([None, "Counter"])
        if targets and self.chance(0.3):
            column["references"] = self.random.choice([None, *targets])
        return column

    def app(self):
        spaces = {space: self.names(3) for space in self.names(2) if not space.endswith("_")}
        targets = [f"{space}.{table}" for space, tables in spaces.items() for table in tables]
        return {"namespaces": {space: {"tables": {table: self.table(targets) for table in tables}} for space, tables in spaces.items()}}

    def table(self, targets=()):
        return {"columns": [self.column(name, targets) for name in self.names(4)]}

    def raw(self, depth=2):
        plain = [None, True, 0, -1, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 - 1, 2**53, 0.5, 1e300, -0.0, "", "x", "\ud800",
                 "123E4567-e89b-12d3-a456-426614174000", {"$date": 1700000000000}, {"type": "Text", "value": "t"}]
        rare = [{"$bytes": [1]}, {"x": 1}, {"$date": "x"}, {"type": 1}]
        if depth > 0 and self.chance(0.2):
            return [self.raw(depth - 1) for _ in range(self.random.randint(0, 3))]
        return self.random.choice(rare if self.chance(0.01) else plain)

    def value(self):
        raw = self.raw()
        return self.random.choice([raw, raw, {"value": raw}, {"type": "Literal", "value": raw}, {"type": "SessionRef", "path": ["u"]}])

    def expression(self, depth=3):
        kind = self.random.choice(["True", "IsNull", "Cmp", "Contains", "InList", "SessionCmp", "SessionInList", "New", "And", "Or", "Not",
                                   "Exists", "ExistsRel"][: 13 if depth else 8])
        made = {"type": kind, "column": "c"}
        if kind in ("Cmp", "Contains"):
            made["value"] = self.value()
        elif kind == "SessionCmp":
            made["value"] = self.random.choice([1, "x", {"value": self.raw()}])
        elif kind in ("InList", "SessionInList"):
            made["values"] = [self.value() if kind == "InList" else {"value": self.raw()} for _ in range(self.random.randint(0, 3))]
        elif kind in ("And", "Or"):
            made["exprs"] = [self.expression(depth - 1) for _ in range(self.random.randint(0, 3))]
        elif kind in ("Not", "Exists"):
            made["expr" if kind == "Not" else "condition"] = self.expression(depth - 1)
        elif kind == "ExistsRel":
            made["rel"] = self.relation(2)
        return made

    def relation(self, depth):
        kind = self.random.choice(["TableScan", "Filter", "Union", "Join", "Gather", "Limit"][: 6 if depth else 1])
        below = lambda: self.relation(depth - 1)  # noqa: E731
        return {kind: {"TableScan": lambda: {"table": "t", "input": 1},
                       "Filter": lambda: {"input": below(), "predicate": self.predicate(2)},
                       "Union": lambda: {"inputs": [below(), below()]},
                       "Join": lambda: {"left": below(), "right": below(), "on": []},
                       "Gather": lambda: {"step": below(), "seed": below(), "max_depth": 1},
                       "Limit": lambda: {"input": below(), "n": 1}}[kind]()}

    def predicate(self, depth):
        ref = lambda: self.random.choice([{"Literal": self.raw()}, {"SessionRef": ["u"]}, {"Column": "c"}, "Row"])  # noqa: E731
        kind = self.random.choice(["Cmp", "In", "True", "And", "Not"][: 5 if depth else 3])
        if kind == "True":
            return kind
        return {kind: {"Cmp": lambda: {"left": ref(), "right": ref()}, "In": lambda: {"left": ref(), "values": [ref(), ref()]},
                       "And": lambda: [self.predicate(depth - 1)], "Not": lambda: self.predicate(depth - 1)}[kind]()}

    def permissions(self, tables):
        bundle = {}
        for table in tables:
            if self.chance(0.8):
                bundle[table] = {operation: {condition: self.expression() for condition in ("using", "with_check") if self.chance(0.6)}
                                 for operation in ("select", "insert", "update", "delete", "other") if self.chance(0.5)}
        if self.chance(0.05):
            bundle[self.random.choice(["flat", "sib__a", "__x"])] = {}
        return bundle

    def stored(self, tables):
        """What is deployed: siblings, and of the app's own tables some, sometimes with another column or order."""
        stored = {name: self.table() for name in ("sib__a", "plain", "__odd", "é__") if self.chance(0.5)}
        for name, table in tables.items():
            if self.chance(0.4):
                columns = self.random.sample(table["columns"], len(table["columns"]))
                stored[name] = {"columns": columns + ([{"name": "more", "column_type": {"type": "Text"}}] if self.chance(0.1) else [])}
        return dict(self.random.sample(list(stored.items()), len(stored)))


def compiled(app):
    def column(space, given):
        target = given.get("references")
        return {**given, "references": target.replace(".", "__", 1)} if target else given

    return {f"{space}__{name}": {"columns": [column(space, c) for c in table["columns"]]}
            for space, tables in app["namespaces"].items() for name, table in tables["tables"].items()}


def life(kind, seed):
    """What one provisioner asks of a store made from this seed, and answers: status, then apply twice."""
    maker = Maker(seed)
    app = maker.app()
    tables = compiled(app)
    permissions = maker.permissions(tables)
    stored = maker.stored(tables) if maker.chance(0.85) else None
    policies = {name: maker.permissions([name]).get(name, {}) for name in stored or {} if maker.chance(0.6)}
    store = Deployed(None if stored is None else json.dumps(stored), json.dumps(policies))
    if store.head:
        store.head["bundleObjectId"] = "the-first"
    provisioner, answers = Provisioner(PROVISIONERS[kind]), []
    with serving(store) as (url, requests):
        for op in ("status", "apply", "apply"):
            answer = provisioner(op, app, url, permissions)
            answers.append({k: v for k, v in answer.get("error", {}).items() if k in ("code", "tables")} or answer)
    return answers, [(r.method, r.target.split("?")[0] if "connectivity" in r.target else r.target, in_order(r.body_bytes)) for r in requests]


def in_order(body):
    """A JSON body with the order of its keys, hashes left out: the two need not space and spell alike."""
    if not body:
        return None
    parsed = json.loads(body)
    for key in ("schemaHash", "fromHash", "toHash"):
        parsed.pop(key, None)
    return json.dumps(parsed)


@pytest.mark.skipif("node" not in PROVISIONERS, reason="there is no node here")
@pytest.mark.parametrize("seed", range(int(os.environ.get("MESHSPEC_PROVISION_SEEDS", "20"))))
def test_the_two_provisioners_agree(seed):
    (c_answers, c_requests), (node_answers, node_requests) = life("c", seed), life("node", seed)
    masked = lambda text: [(m, t.split("schema/")[0], b) for m, t, b in text]  # noqa: E731
    assert masked(c_requests) == masked(node_requests)
    assert [mask(a) for a in c_answers] == [mask(a) for a in node_answers]


def mask(answer):
    """Hashes depend on how a body is spelled; all else must agree."""
    return {key: mask(value) if isinstance(value, dict) else "hash" if key == "headHash" else value for key, value in answer.items()}
