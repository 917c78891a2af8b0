"""The command line: exit codes for deploy scripts, JSON and text, the plan of a dry run, limits."""
import json
import os
import pty
import re
import subprocess
import threading

import pytest
from provisioners import APP_ID, C_PROVISIONER, FIXTURES, SECRET, command_line
from store_double import Deployed, serving

SIBLING = '{"sib__a":{"columns":[]}}'


def run(url, tmp_path, *arguments, app="tasks", permissions="tasks"):
    return command_line(*arguments, "--store", url, "--app-id", APP_ID, "--app", FIXTURES / f"apps/{app}.json",
                        "--permissions", FIXTURES / f"permissions/{permissions}.json", secret_file=tmp_path / "secret")


def test_the_states_of_a_life(tmp_path):
    """A store from nothing to two releases of an app, as a deploy script sees it."""
    store = Deployed()
    with serving(store) as (url, _):
        assert run(url, tmp_path, "status")[0] == 10
        assert run(url, tmp_path, "apply", "--detailed-exit-code")[0] == 20
        assert run(url, tmp_path, "status")[0] == 0
        assert run(url, tmp_path, "apply", "--detailed-exit-code")[0] == 0
        newer = {"app": "tasks-with-labels", "permissions": "tasks-with-labels"}
        assert run(url, tmp_path, "status", **newer)[0] == 11
        assert run(url, tmp_path, "apply", "--detailed-exit-code", **newer)[0] == 21
        assert run(url, tmp_path, "apply", **newer)[0] == 0
        assert run(url, tmp_path, "status", app="tasks-retyped")[0] == 12
        code, out, _ = run(url, tmp_path, "apply", "--json", app="tasks-retyped")
        assert code == 12 and json.loads(out)["error"]["tables"] == ["taskapp__tasks", "taskapp__labels"]
        assert run(url, tmp_path, "status", app="flat")[0] == 4
    assert run(url, tmp_path, "status")[0] == 7


def test_apply_without_the_flag_is_0_whatever_it_did(tmp_path):
    for store in (Deployed(), Deployed(SIBLING)):
        with serving(store) as (url, _):
            assert run(url, tmp_path, "apply")[0] == 0


@pytest.mark.parametrize("store, outcome, code", [(Deployed(), "created", 20), (Deployed(SIBLING, '{"sib__a":{}}'), "updated", 21)])
def test_a_dry_run_shows_the_plan_and_only_reads(tmp_path, store, outcome, code):
    with serving(store) as (url, requests):
        given, out, _ = run(url, tmp_path, "apply", "--dry-run", "--json", "--detailed-exit-code")
        assert run(url, tmp_path, "apply", "--dry-run")[0] == 0
    plan = json.loads(out)["result"]["plan"]
    assert given == code and plan["outcome"] == outcome
    assert plan["tablesAdded"] == plan["policiesAdded"] == ["taskapp__projects", "taskapp__tasks"]
    assert plan["tablesKept"] == plan["policiesKept"] == (["sib__a"] if outcome == "updated" else [])
    assert {r.method for r in requests} == {"GET"} and store.posted == []


def test_a_dry_run_tells_replaced_removed_and_kept_policies(tmp_path):
    store = Deployed(SIBLING, '{"sib__a":{},"taskapp__tasks":{},"taskapp__old":{}}')
    with serving(store) as (url, _):
        plan = json.loads(run(url, tmp_path, "apply", "--dry-run", "--json")[1])["result"]["plan"]
        text = run(url, tmp_path, "apply", "--dry-run", "--text")[1]
    assert [plan[k] for k in ("policiesReplaced", "policiesRemoved", "policiesAdded", "policiesKept")] == [
        ["taskapp__tasks"], ["taskapp__old"], ["taskapp__projects"], ["sib__a"]]
    assert "removes policies  \"taskapp__old\"\n" in text and 'ends in "updated"' in text


def test_a_dry_run_refuses_what_apply_would(tmp_path):
    with serving(Deployed('{"taskapp__tasks":{"columns":[]}}')) as (url, requests):
        assert run(url, tmp_path, "apply", "--dry-run")[0] == 12
    assert {r.method for r in requests} == {"GET"}


def test_json_unless_on_a_terminal(tmp_path):
    with serving(Deployed()) as (url, _):
        assert json.loads(run(url, tmp_path, "status")[1]) == {"result": {"state": "no_schema"}}
        assert run(url, tmp_path, "status", "--text")[1].startswith("no_schema: nothing is deployed")
        command = [C_PROVISIONER, "status", "--store", url, "--app-id", APP_ID, "--app", FIXTURES / "apps/tasks.json",
                   "--admin-secret-file", tmp_path / "secret"]
        mine, theirs = pty.openpty()
        done = subprocess.run([str(part) for part in command], stdout=theirs, stderr=subprocess.PIPE, timeout=120, check=False)
        shown = os.read(mine, 4096).decode()
        os.close(mine)
        os.close(theirs)
    assert done.returncode == 10 and shown.startswith("no_schema: ")


def test_control_characters_of_a_store_do_not_reach_the_terminal(tmp_path):
    with serving(lambda _: (500, "\x1b[2J\x9b\u009b\x00\r\nend")) as (url, _):
        _, out, err = run(url, tmp_path, "status", "--text")
    assert out == "" and err.endswith("end\n") and not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", err)


def test_help_tells_every_code():
    code, out, err = command_line("--help")
    assert (code, err) == (0, "")
    for word in ("bad-input", "not-nested", "outside-namespace", "schema-drift", "policy-literal", "http", "examples:", "--stdio"):
        assert word in out
    documented = set(map(int, re.findall(r"^ +(\d+)  ", out, re.MULTILINE)))
    assert documented == {0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 20, 21}


@pytest.mark.parametrize("arguments", [(), ("drop",), ("status", "apply"), ("status",), ("--stdio", "x"), ("status", "--nonsense"),
                                       ("apply", "--store", "http://x", "--app-id", "a", "--admin-secret-file", "f", "--app", "g"),
                                       ("status", "--timeout-ms", "0"), ("status", "--timeout-ms", "1s"), ("status", "--store")])
def test_bad_usage(arguments):
    code, out, err = command_line(*arguments)
    assert (code, out) == (2, "") and err != ""


@pytest.mark.parametrize("missing", ["--app", "--permissions", "--admin-secret-file"])
def test_files_that_cannot_be_read(tmp_path, missing):
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    files = {"--app": FIXTURES / "apps/tasks.json", "--permissions": FIXTURES / "permissions/none.json", "--admin-secret-file": secret}
    for instead, why in ((tmp_path / "nothing", "No such file"), (tmp_path, "Is a directory")):
        given = [part for pair in {**files, missing: instead}.items() for part in pair]
        code, out, _ = command_line("status", "--json", "--store", "http://127.0.0.1:1", "--app-id", "a", *given)
        error = json.loads(out)["error"]
        assert (code, error["code"]) == (3, "bad-input") and str(instead) in error["message"] and why in error["message"]


def test_an_answer_past_the_ceiling_is_a_failed_request(tmp_path):
    with serving(lambda _: (200, '{"hashes":[]}' + " " * 100)) as (url, _):
        code, out, _ = run(url, tmp_path, "status", "--json", "--max-answer-bytes", "50")
    assert code == 7 and "longer than 50 bytes" in out


def test_a_store_that_does_not_answer_in_time(tmp_path):
    """The answer is held back until the command has ended by itself."""
    ended = threading.Event()

    def held(_):
        ended.wait(60)
        return 200, "{}"

    with serving(held) as (url, _):
        code, out, _ = run(url, tmp_path, "status", "--json", "--timeout-ms", "100")
        assert not ended.is_set()
        ended.set()
    assert code == 7 and json.loads(out)["error"]["code"] == "http"


def test_proxies_of_the_environment_are_not_asked(tmp_path, monkeypatch):
    with serving(lambda _: (200, "{}")) as (proxy, seen), serving(Deployed()) as (url, _):
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        assert run(url, tmp_path, "status")[0] == 10
    assert seen == []


def test_a_full_disk_is_told():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([C_PROVISIONER, "--stdio"], input=b"{}", stdout=full, stderr=subprocess.PIPE, timeout=120, check=False)
    assert done.returncode == 1
