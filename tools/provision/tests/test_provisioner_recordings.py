"""Replays what the published provisioner asked and answered, and compares every request and outcome."""
import json

import pytest
from provisioners import APP_ID, REPOSITORY, SECRET
from store_double import Recorded, serving

APP_PATH = "/apps/app%20one%2F%C3%BC/"


def read_sessions(version):
    with open(REPOSITORY / "fixtures/recordings" / f"provisioner-{version}.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sessions():
    """Each session with the errors of its runs. The older release had other codes for unsupported literals; the newer one's hold."""
    newer = read_sessions("0.9.1")
    for session, model in [*zip(read_sessions("0.4.0"), newer), *zip(newer, newer)]:
        errors = [run.get("error") for run in model["runs"]]
        yield pytest.param(session, errors, id=f"{session['version']}-{session['seed']}-{session['situation']}")


def asked(requests):
    """Requests as they are compared: JSON bodies as JSON, and the order of the tables in a published schema."""
    seen = []
    for request in requests:
        assert request.target.startswith(APP_PATH)
        assert request.headers["X-Jazz-Admin-Secret"] == SECRET
        body = json.loads(request.body_text) if request.body_bytes else None
        seen.append(comparable(request.method, request.target[len(APP_PATH):], body))
    return seen


def comparable(method, path, body):
    order = list(body["schema"]) if path == "admin/schemas" else None
    return {"method": method, "path": path, "body": body, "order of tables": order}


def replay(provisioner, session, run):
    with serving(Recorded(run["exchanges"])) as (url, requests):
        op = "apply" if run["op"] == "provision" else "status"
        answer = provisioner(op, session["app"], url, session["permissions"])
    recorded = [comparable(e["request"]["method"], e["request"]["path"], e["request"].get("body")) for e in run["exchanges"]]
    assert asked(requests) == recorded
    return answer


@pytest.mark.parametrize("session, errors", sessions())
def test_asks_and_answers_as_recorded(provisioner, session, errors):
    for run, error in zip(session["runs"], errors, strict=True):
        answer = replay(provisioner, session, run)
        if error:
            assert answer.get("error", {}).get("code") == error, answer
        else:
            assert answer == {"result": run["result"]}


def test_the_app_id_goes_into_the_path_as_one_segment():
    assert "/" in APP_ID and "%2F" in APP_PATH
