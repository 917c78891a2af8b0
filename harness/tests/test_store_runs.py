"""Runs against stores: provisioners that misbehave in known ways must be found out, and a store by URL must be judged as far as it can be."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("MESHSPEC_BUILD", "build")
FAKE = f"{sys.executable} {ROOT / 'harness/tests/store_fake_provisioner.py'} {BUILD / 'meshspec-provision'}"


def run(*arguments):
    ran = subprocess.run([BUILD / "meshspec", "run", "--color", "never", "--json", "-", *arguments], cwd=ROOT, capture_output=True,
                         text=True, timeout=120, check=False)
    cases = json.loads(ran.stdout)["cases"] if ran.stdout else []
    return ran, {case["name"]: case for case in cases}


def judge(tmp_path, steps, *arguments, head="clauses: [status.states]"):
    """The one case of a scenario of these steps."""
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(f"title: A scenario\n{head}\nsteps:\n" + "".join(f"  - {step}\n" for step in steps))
    ran, cases = run("--target", "store", *arguments, str(scenario))
    assert len(cases) == 1, ran.stderr
    return next(iter(cases.values()))


def trace_of(case):
    return [entry["text"] for entry in case.get("trace", [])]


STATUS = "provisioner: {status: {app: tasks}, gives: {state: no_schema}}"


# ---- provisioners ----

def test_ours_passes(tmp_path):
    assert judge(tmp_path, [STATUS])["verdict"] == "pass"


@pytest.mark.parametrize("fault, verdict, words", [
    ("no-json", "error", "gave no JSON answer"),
    ("two-answers", "error", "gave no JSON answer"),
    ("neither", "error", 'neither a "result" nor an "error"'),
    ("silent", "error", "ended with status 0"),
    ("crashes", "error", "it ended with s"),
    ("wrong-state", "fail", "answered otherwise"),
    ("refuses", "fail", "should have had a result"),
])
def test_a_wrong_answer_is_found(tmp_path, fault, verdict, words):
    case = judge(tmp_path, [STATUS], "--provisioner", f"{FAKE} {fault}")
    assert case["verdict"] == verdict
    assert words in case.get("reason", "") + case.get("failure", {}).get("message", "")


def test_standard_error_is_the_evidence_of_a_broken_answer(tmp_path):
    case = judge(tmp_path, [STATUS], "--provisioner", f"{FAKE} no-json")
    assert "a line on standard error" in case["reason"]


def test_one_that_hangs_is_killed_and_the_case_is_an_error(tmp_path):
    case = judge(tmp_path, [STATUS], "--provisioner", f"{FAKE} hangs", head="clauses: [status.states]\nlimit: 2s")
    assert case["verdict"] == "error"
    assert "was killed" in case["reason"]


def test_one_that_stays_after_its_answer_is_not_waited_for(tmp_path):
    case = judge(tmp_path, [STATUS], "--provisioner", f"{FAKE} lingers")
    assert case["verdict"] == "pass"


@pytest.mark.parametrize("fault, where", [
    ("secret-in-answer", "in the provisioner's answer"),
    ("secret-on-stderr", "in the provisioner's standard error"),
    ("secret-in-url", "in a request to"),
])
def test_a_secret_that_gets_out_fails_the_case(tmp_path, fault, where):
    case = judge(tmp_path, ["provisioner: {status: {app: tasks}}"], "--provisioner", f"{FAKE} {fault}")
    assert case["verdict"] == "fail"
    assert where in case["failure"]["message"]
    assert case["failure"]["rule"] == "provision.secret"
    assert not re.search("[0-9a-f]{40}", json.dumps(case["trace"])), "the secret stands in the transcript"


def test_requests_are_those_of_the_last_run(tmp_path):
    steps = ["store: {requests: []}", "store: {get: {path: schemas}}", STATUS, "store: {get: {path: schemas}}",
             "store: {requests: [{method: GET, path: schemas, secret: right}, {method: GET, path: admin/permissions}]}",
             "provisioner: {status: {app: flat}, fails: {code: not-nested}}", "store: {requests: []}"]
    assert judge(tmp_path, steps)["verdict"] == "pass"


def test_a_request_that_was_not_made_fails_with_what_was(tmp_path):
    case = judge(tmp_path, [STATUS, "store: {requests: [{method: POST}, {method: GET}]}"])
    assert case["verdict"] == "fail"
    assert case["failure"]["differences"][0]["path"] == "[0].method"
    assert '"path":"schemas"' in case["failure"]["came"]
    assert any(text.startswith("GET admin/permissions") for text in trace_of(case))


# ---- the store's steps ----

SCHEMA = "store: {post: {path: admin/schemas, body: {schema: {a__t: {columns: [{name: n, column_type: {type: Text}}]}}}}, answers: {body: {hash: {$bind: h}}}}"
WRITE = "{schemaHash: {$is: h}, session: {userId: ana}, table: a__t, values: {n: x}}"
ALLOWED = ("store: {post: {path: admin/permissions, body: {schemaHash: {$is: h}, expectedParentBundleObjectId: null, "
           "permissions: {a__t: {insert: {with_check: {type: 'True'}}}}}}}")


@pytest.mark.parametrize("steps, words", [
    (["store: {get: {path: schemas, secret: wrong}}"], "a status from 200 to 299 was expected"),
    (["store: {get: {path: schemas}, answers: {status: 404}}"], "answered otherwise"),
    (["store: {faults: [{method: GET, path: schemas, cut: before}]}", "store: {get: {path: schemas}}"], "a status from 200"),
    ([SCHEMA, ALLOWED, f"store: {{insert: {WRITE}, hangs: w}}"], "should hang; it was answered"),
    ([SCHEMA, f"store: {{insert: {WRITE}, hangs: w}}", ALLOWED, "store: {still-hangs: w}"], "does not hang any more"),
    ([SCHEMA, f"store: {{insert: {WRITE}, hangs: w}}", ALLOWED, "store: {goes-through: w, answers: {status: 408}}"], "another end"),
    ([SCHEMA, ALLOWED, "store: {at-once: [{get: {path: schemas}}, {get: {path: nothing}}], answers: [{status: 200}, {status: 200}]}"], "answered otherwise"),
], ids=["status", "pattern", "cut", "answered", "no-longer", "other-end", "at-once"])
def test_what_the_store_does_otherwise_fails(tmp_path, steps, words):
    case = judge(tmp_path, steps, head="clauses: [store.fresh]")
    assert case["verdict"] == "fail"
    assert words in case["failure"]["message"]


def test_a_write_that_never_comes_through_fails_at_the_limit(tmp_path):
    case = judge(tmp_path, [SCHEMA, f"store: {{insert: {WRITE}, hangs: w}}", "store: {goes-through: w}"], head="clauses: [data.hang]\nlimit: 2s")
    assert case["verdict"] == "fail"
    assert "still hangs" in case["failure"]["message"]


def test_faults_end_with_their_case(tmp_path):
    """A store keeps 64 faults at most: more cases than that would run out of them."""
    for number in range(66):
        (tmp_path / f"{number}.yaml").write_text("title: A\nclauses: [store.fresh]\nsteps:\n  - store: {faults: [{method: GET, path: '*', count: all, status: 500}]}\n")
    ran, cases = run("--target", "store", str(tmp_path))
    assert [case["verdict"] for case in cases.values()] == ["pass"] * 66, ran.stdout


def test_faults_take_the_place_of_those_before(tmp_path):
    steps = ["store: {faults: [{method: GET, path: '*', count: all, status: 500}]}", "store: {get: {path: schemas}, answers: {status: 500}}",
             "store: {faults: []}", "store: {get: {path: schemas}, answers: {status: 200}}"]
    assert judge(tmp_path, steps)["verdict"] == "pass"


def test_a_store_that_cannot_start_makes_errors_and_status_3():
    ran, cases = run("--target", "store", "--store-command", "echo no >&2; false", "scenarios/store/fresh.yaml")
    assert ran.returncode == 3
    assert "does not answer" in cases["store/fresh"]["reason"]


def test_nothing_is_left_behind(tmp_path):
    environment = dict(os.environ, TMPDIR=str(tmp_path))
    subprocess.run([BUILD / "meshspec", "run", "--target", "store", "scenarios/store/fresh.yaml", "scenarios/store/auth-no-secret-configured.yaml"],
                   cwd=ROOT, env=environment, check=True, timeout=60)
    assert list(tmp_path.iterdir()) == []


# ---- profiles ----

@pytest.mark.parametrize("arguments, words", [
    (["--profile", "store"], "goes with --target store"),
    (["--target", "store", "--profile", "0.2.0"], "a store is judged by the profile store"),
    (["--target", "http://127.0.0.1:1"], "needs --app-id and --admin-secret-file"),
    (["scenarios/store"], "no scenario matches"),
    (["--target", "store", "scenarios/join"], "no scenario matches"),
])
def test_stores_and_relays_do_not_mix(arguments, words):
    ran, _ = run(*arguments)
    assert ran.returncode == 2
    assert words in ran.stderr


def test_the_table_of_clauses_has_a_column_for_stores():
    ran = subprocess.run([BUILD / "meshspec", "clauses"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    rows = {line.split()[0]: line.split()[1:] for line in ran.stdout.splitlines() if line.strip()}
    assert rows["clause"] == ["level", "0.1.0", "0.1.1", "0.2.0", "0.9", "store"]
    assert rows["join.delta"][-1] == rows["history.fold"][-1] == "-"
    assert rows["store.fresh"][:5] == ["MUST", "-", "-", "-", "-"] and int(rows["store.fresh"][5]) > 0


# ---- a store by URL ----

@pytest.fixture(name="store_url")
def fixture_store_url(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("a-secret-of-this-test\n")
    with subprocess.Popen([BUILD / "meshspec-store", "--admin-secret-file", secret, "--base-path", "/sync"], stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().split()[1], str(secret)
        server.terminate()


def test_a_store_by_url_is_judged_as_far_as_it_can_be(store_url):
    url, secret = store_url
    ran, cases = run("--target", url, "--app-id", "demo", "--admin-secret-file", secret, "scenarios/store")
    verdicts = {name: case["verdict"] for name, case in cases.items()}
    assert ran.returncode == 0, ran.stdout
    assert verdicts["store/auth-wrong-secret"] == "pass"
    assert "app id of its own" in cases["store/fresh"]["reason"]


def test_with_case_in_its_app_id_each_case_is_fresh(store_url):
    url, secret = store_url
    ran, cases = run("--target", url, "--app-id", "demo-{case}", "--admin-secret-file", secret, "scenarios/store")
    assert ran.returncode == 0, ran.stdout
    assert cases["store/fresh"]["verdict"] == "pass" and cases["store/concurrent"]["verdict"] == "pass"
    assert "data plane" in cases["store/write-hangs"]["reason"] and "kill the store" in cases["store/restart-keeps-schemas"]["reason"]


def test_a_store_that_is_not_there_is_an_error(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x\n")
    ran, cases = run("--target", "http://127.0.0.1:1/", "--app-id", "demo", "--admin-secret-file", str(secret), "scenarios/store/auth-wrong-secret.yaml")
    assert ran.returncode == 3
    assert cases["store/auth-wrong-secret"]["verdict"] == "error"
