"""Holds every scenario against fixtures/schemas/scenario.json with python3-jsonschema: a second opinion on the
interpreter that meshspec itself uses, and on what it lets through."""

import json
import re
from pathlib import Path

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="python3-jsonschema is not installed")
yaml = pytest.importorskip("yaml", reason="python3-yaml is not installed")

TOP = Path(__file__).resolve().parents[2]
DATA = TOP / "harness" / "tests" / "data"


class CoreLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """YAML 1.2's core schema; PyYAML itself reads YAML 1.1, in which `on` is true."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("null", r"(~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("bool", r"(true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$", list("-+.0123456789")),
]:
    CoreLoader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), first)
CoreLoader.add_constructor(
    "tag:yaml.org,2002:int",
    lambda loader, node: int(node.value, 10 if re.match(r"[-+]?[0-9]+$", node.value) else 0),
)
CoreLoader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def with_text_keys(value):
    """JSON has no keys but strings."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): with_text_keys(item) for key, item in value.items()}
    if isinstance(value, list):
        return [with_text_keys(item) for item in value]
    return value


def read(file):
    return with_text_keys(yaml.load(file.read_text(encoding="utf-8"), Loader=CoreLoader))


def validator(name):
    schema = json.loads((TOP / "fixtures" / "schemas" / name).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def mistakes(schema, value):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in schema.iter_errors(value)]


SCENARIOS = sorted((TOP / "scenarios").rglob("*.yaml")) + sorted((DATA / "good-scenarios").glob("*.yaml"))


@pytest.fixture(scope="module")
def scenario_schema():
    return validator("scenario.json")


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: str(file.relative_to(TOP)))
def test_scenario_keeps_to_the_schema(scenario_schema, file):
    assert mistakes(scenario_schema, read(file)) == []


def refused_by_the_schema():
    """The files in bad-scenarios/ whose mistake the schema can see. Others break YAML itself, or rules that no schema can say."""
    beyond = re.compile(
        r"/(yaml-|pattern-|template-|head-clause-unknown|head-profile-bad|head-limit-(zero|above)|head-expect-elsewhere|step-unknown-client"
        r"|step-client-before|step-bytes-odd|step-joins-as|step-clock-too-far|step-race-with|step-race-in|step-race-too|step-dropped-in|step-either-with|step-repeat-bad"
        r"|store-(bad-|clauses-of|client-step|no-such|nothing|options-of|race|step-for|unbound|with))"
    )
    return [file for file in sorted((DATA / "bad-scenarios").glob("*.yaml")) if not beyond.search(str(file))]


@pytest.mark.parametrize("file", refused_by_the_schema(), ids=lambda file: file.stem)
def test_mistake_is_seen_by_the_schema(scenario_schema, file):
    assert mistakes(scenario_schema, read(file)) != []


@pytest.mark.parametrize("file", sorted((TOP / "fixtures" / "clauses").glob("*.yaml")), ids=lambda file: file.name)
def test_clauses_keep_to_the_schema(file):
    assert mistakes(validator("clauses.json"), read(file)) == []
