"""Policies that travel as data: who may write where, and which values nobody may write."""

import re

from wire import is_number, number_text


class Unsupported(ValueError):
    """Something is asked for that this relay does not know; the message says what."""


class Policy:
    """canWrite and validate, read from {"acl": [{prefix, allow}], "validate": [{prefix, deny}]}."""

    def __init__(self, data):
        self.acl = _rules(data, "acl", "allow")
        self.denials = _rules(data, "validate", "deny") or []

    def can_write(self, principal, path):
        """With an acl present, what none of its rules grants is denied."""
        return self.acl is None or any(
            rule["allow"] is True or rule["allow"] is not False and matches(rule["allow"], principal)
            for rule in self.acl
            if _covers(rule["prefix"], path)
        )

    def is_valid(self, op):
        """False when a rule for the op's path denies the value that it sets; a delete sets none."""
        if op.get("kind") != "set" or "next" not in op:
            return True
        return not any(_covers(r["prefix"], op["path"]) and matches(r["deny"], op["next"]) for r in self.denials)


def _rules(data, name, verb):
    rules = data.get(name)
    if rules is not None and not isinstance(rules, list):
        raise Unsupported(f"policy.{name} must be a list of rules")
    for rule in rules or ():
        if not isinstance(rule, dict) or set(rule) != {"prefix", verb} or not isinstance(rule["prefix"], list):
            raise Unsupported(f"policy.{name}: a rule has a prefix (a list) and {verb}, nothing else")
        _check_pattern(rule[verb])
    return rules


def _covers(prefix, path):
    """Segments compare as strings; "*" matches any one of them; an empty prefix covers every path."""
    return len(prefix) <= len(path) and all(
        wanted == "*" or _segment_text(wanted) == _segment_text(found) for wanted, found in zip(prefix, path)
    )


def _segment_text(segment):
    return number_text(segment) if is_number(segment) else segment


_TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
_OPERATORS = {
    "$any": lambda value, _: True,
    "$type": lambda value, name: is_number(value) if name == "number" else isinstance(value, _TYPES[name]),
    "$lt": lambda value, bound: is_number(value) and value < bound,
    "$lte": lambda value, bound: is_number(value) and value <= bound,
    "$gt": lambda value, bound: is_number(value) and value > bound,
    "$gte": lambda value, bound: is_number(value) and value >= bound,
    "$regex": lambda value, pattern: isinstance(value, str) and re.search(pattern, value) is not None,
    "$not": lambda value, pattern: not matches(pattern, value),
    "$one-of": lambda value, patterns: any(matches(pattern, value) for pattern in patterns),
}
_OPERAND = {
    "$any": lambda _: True,
    "$type": lambda name: name == "number" or isinstance(name, str) and name in _TYPES,
    "$regex": lambda pattern: isinstance(pattern, str),
    "$not": lambda _: True,
    "$one-of": lambda patterns: isinstance(patterns, list),
}


def _operator(pattern):
    """The operator that a one-key object is, or None."""
    name = next(iter(pattern)) if isinstance(pattern, dict) and len(pattern) == 1 else ""
    return name if name.startswith("$") else None


def _check_pattern(pattern):
    name = _operator(pattern)
    if name and (name not in _OPERATORS or not _OPERAND.get(name, is_number)(pattern[name])):
        raise Unsupported(f"the pattern {name} with this operand is not known here")
    for inner in pattern.values() if isinstance(pattern, dict) else pattern if isinstance(pattern, list) else ():
        _check_pattern(inner)


def matches(pattern, value):
    """An object must be contained, an array must match in length and order, a scalar must be equal."""
    name = _operator(pattern)
    if name:
        return _OPERATORS[name](value, pattern[name])
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(k in value and matches(p, value[k]) for k, p in pattern.items())
    if isinstance(pattern, list):
        return isinstance(value, list) and len(value) == len(pattern) and all(map(matches, pattern, value))
    return isinstance(pattern, bool) == isinstance(value, bool) and pattern == value
