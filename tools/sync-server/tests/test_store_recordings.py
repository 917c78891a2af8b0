"""Replays what the published provisioner asked of the published store: our store gives the recorded answers, up to
hashes, ids and times.

A session begins with a store that has something in it already; what that was is gathered from the recorded answers
and published first. In a run that ended in an injected fault the last request is the one that was disturbed.
"""

import json

import pytest
from store_server import ROOT

RECORDINGS = ROOT / "fixtures" / "recordings"
SESSIONS = [
    pytest.param(json.loads(line), id=f"{version}-{number}")
    for version in ["0.4.0", "0.9.1"]
    for number, line in enumerate((RECORDINGS / f"provisioner-{version}.jsonl").read_text().splitlines())
]


def exchanges(session):
    """Every exchange that reached the recorded store undisturbed."""
    for run in session["runs"]:
        done = run["exchanges"][:-1] if run.get("fault") else run["exchanges"]
        for exchange in done:
            yield bool(run.get("fault")), exchange["request"], exchange["response"]


class Names:
    """Which of our hashes and ids stands for which recorded one: one to one."""

    def __init__(self):
        self.ours = {}
        self.theirs = {}

    def bind(self, recorded, own):
        assert (recorded is None) == (own is None)
        assert self.ours.setdefault(recorded, own) == own, "one recorded name, two of ours"
        assert self.theirs.setdefault(own, recorded) == recorded, "two recorded names, one of ours"

    def translate(self, value):
        if isinstance(value, dict):
            return {key: self.translate(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.translate(inner) for inner in value]
        if isinstance(value, str):
            for recorded, own in self.ours.items():
                if recorded:
                    value = value.replace(recorded, own)
        return value


def before(session):
    """What the recorded store had: schemas by hash, hashes of which nothing more is known, the head's answer, edges."""
    schemas, unknown, head, edges = {}, [], None, []
    joined = {}

    def group(name):
        while joined.get(name, name) != name:
            name = joined[name]
        return name

    first_list = first_head = True
    for _, request, response in exchanges(session):
        path, answer = request["path"], json.loads(response["text"])
        if path == "schemas" and first_list:
            first_list, unknown = False, answer["hashes"]
        elif path == "admin/permissions" and request["method"] == "GET" and first_head:
            first_head, head = False, answer
        elif path.startswith("schema/"):
            schemas.setdefault(path[7:], answer["schema"])
        elif path == "admin/schemas":
            schemas.setdefault(answer["hash"], request["body"]["schema"])
        elif path == "admin/migrations":
            joined[group(answer["fromHash"])] = group(answer["toHash"])
        elif path.startswith("admin/schema-connectivity") and answer["connected"]:
            source, target = (field.split("=")[1] for field in path.split("?")[1].split("&"))
            if group(source) != group(target):
                edges.append([next(h for h in unknown if group(h) == group(end)) for end in (source, target)])
                joined[group(source)] = group(target)
    return schemas, unknown, head, edges


def prepare(store, session, names):
    schemas, hashes, head, edges = before(session)
    for number, recorded in enumerate(hashes):
        names.bind(recorded, store.publish_schema(schemas.get(recorded, {f"unknown__t{number}": {"columns": []}})))
    if head and head["head"]:
        parent = None
        for version in range(1, head["head"]["version"] + 1):
            last = version == head["head"]["version"]
            permissions = head["permissions"] if last else {f"before{version}": {}}
            answer = store.publish_permissions(names.ours[head["head"]["schemaHash"]], permissions, parent)
            assert answer.status == 201, answer
            parent = answer.json["head"]["bundleObjectId"]
        bind_head(names, head["head"], answer.json["head"])
    for source, target in edges:
        assert store.publish_migration(names.ours[source], names.ours[target]).status == 201


def bind_head(names, recorded, own):
    names.bind(recorded["schemaHash"], own["schemaHash"])
    names.bind(recorded["bundleObjectId"], own["bundleObjectId"])
    names.bind(recorded["parentBundleObjectId"], own["parentBundleObjectId"])


def bind_answer(names, path, recorded, own):
    if "head" in recorded and recorded["head"]:
        bind_head(names, recorded["head"], own["head"])
    if path == "admin/schemas":
        names.bind(recorded["hash"], own["hash"])
    if "objectId" in recorded:
        recorded["objectId"] = own["objectId"]
    if "publishedAt" in recorded:
        assert isinstance(own["publishedAt"], int)
        recorded["publishedAt"] = own["publishedAt"]


@pytest.mark.parametrize("session", SESSIONS)
def test_the_recorded_answers(store, session):
    names = Names()
    names.bind(None, None)
    prepare(store, session, names)
    compared = 0
    for disturbed, request, response in exchanges(session):
        body = request.get("body")
        answer = store.admin(request["method"], names.translate(request["path"]), None if body is None else names.translate(body))
        recorded = json.loads(response["text"])
        assert answer.status == response["status"], (request, answer)
        own = answer.json
        bind_answer(names, request["path"], recorded, own)
        recorded = names.translate(recorded)
        if request["path"] == "schemas":
            recorded["hashes"].sort()
            own["hashes"].sort()
        assert own == recorded, request
        assert list(own) == list(recorded), request
        compared += not disturbed
    wanted = sum(len(run["exchanges"]) for run in session["runs"] if not run.get("fault"))
    assert compared == wanted
