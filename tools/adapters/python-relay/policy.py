"""Policies that travel as data: who may write where, and which values nobody may write."""

import re

from wire import is_number, segment_text

class Unsupported(ValueError):
    """Something is asked for that this relay does not know; the message says what."""

class Policy:
    """canWrite and validate, read from {"acl": [{prefix, allow}], "validate": [{prefix, deny}]}."""

    def __init__(self, data):
        self.acl, self.denials = _rules(data, "acl", "allow"), _rules(data, "validate", "deny") or []

    def can_write(self, principal, path):
        """With an acl present, what none of its rules grants is denied."""
        grants = (rule["allow"] for rule in self.acl or () if _covers(rule["prefix"], path))
        return self.acl is None or any(g if isinstance(g, bool) else matches(g, principal) for g in grants)

    def is_valid(self, op):
        """False when a rule for the op's path denies the value that it sets; a delete sets none."""
        denials = self.denials if op.get("kind") == "set" and "next" in op else ()
        return not any(_covers(rule["prefix"], op["path"]) and matches(rule["deny"], op["next"]) for rule in denials)

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
    pairs = zip(prefix, path)
    return len(prefix) <= len(path) and all(p == "*" or segment_text(p) == segment_text(s) for p, s in pairs)

_TYPES = {dict: "object", list: "array", str: "string", bool: "boolean", int: "number", float: "number",
          type(None): "null"}
_OPERATORS = {  # each: whether it takes this operand, whether a value matches with it
    "$any": (lambda _: True, lambda value, _: True),
    "$type": (lambda name: name in _TYPES.values(), lambda value, name: _TYPES[type(value)] == name),
    "$lt": (is_number, lambda value, bound: is_number(value) and value < bound),
    "$lte": (is_number, lambda value, bound: is_number(value) and value <= bound),
    "$gt": (is_number, lambda value, bound: is_number(value) and value > bound),
    "$gte": (is_number, lambda value, bound: is_number(value) and value >= bound),
    "$regex": (lambda text: isinstance(text, str),
               lambda value, text: isinstance(value, str) and re.search(text, value)),
    "$not": (lambda _: True, lambda value, pattern: not matches(pattern, value)),
    "$one-of": (lambda some: isinstance(some, list), lambda value, some: any(matches(one, value) for one in some)),
}

def _operator(pattern):
    """The operator that a one-key object is, or None."""
    name = next(iter(pattern)) if isinstance(pattern, dict) and len(pattern) == 1 else ""
    return name if name.startswith("$") else None

def _check_pattern(pattern):
    name = _operator(pattern)
    if name and (name not in _OPERATORS or not _OPERATORS[name][0](pattern[name])):
        raise Unsupported(f"the pattern {name} with this operand is not known here")
    for inner in pattern.values() if isinstance(pattern, dict) else pattern if isinstance(pattern, list) else ():
        _check_pattern(inner)

def matches(pattern, value):
    """An object must be contained, an array must match in length and order, a scalar must be equal."""
    name = _operator(pattern)
    if name:
        return _OPERATORS[name][1](value, pattern[name])
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(k in value and matches(p, value[k]) for k, p in pattern.items())
    if isinstance(pattern, list):
        return isinstance(value, list) and len(value) == len(pattern) and all(map(matches, pattern, value))
    return isinstance(pattern, bool) == isinstance(value, bool) and pattern == value
