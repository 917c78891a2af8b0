"""Apps and permissions that are wrong are refused with the file, the place and the reason, before any request."""
import json
import re

import pytest
from provisioners import APP_ID, FIXTURES, command_line, fixture
from store_double import Deployed, serving

# file: (line, column, JSON path, words of the reason)
BAD_APPS = {
    "namespace-without-name": (1, 17, '$.namespaces[""]', "name of a namespace is empty"),
    "namespace-with-a-dot": (1, 17, '$.namespaces["task.app"]', "dot"),
    "namespace-with-two-underscores": (1, 17, "$.namespaces.task__app", "two underscores"),
    "namespace-that-ends-in-an-underscore": (1, 17, "$.namespaces.taskapp_", "end in an underscore"),
    "namespace-without-tables": (2, 3, "$.namespaces.taskapp", "at least one"),
    "namespace-twice": (3, 3, r'$.namespaces["task\u0061pp"]', "there twice"),
    "no-namespaces": (1, 2, "$.namespaces", "at least one namespace"),
    "table-without-name": (1, 40, '$.namespaces.taskapp.tables[""]', "name of a table is empty"),
    "table-with-two-underscores": (1, 40, "$.namespaces.taskapp.tables.my__tasks", "two underscores"),
    "table-without-columns": (1, 40, "$.namespaces.taskapp.tables.tasks", "columns"),
    "column-without-type": (2, 3, "$.namespaces.taskapp.tables.tasks.columns[0]", "column_type"),
    "column-of-unknown-type": (2, 37, "$.namespaces.taskapp.tables.tasks.columns[0].column_type.type", "Text, Boolean"),
    "column-twice": (3, 4, "$.namespaces.taskapp.tables.tasks.columns[1].name", "another column"),
    "column-with-a-typing-error": (2, 54, "$.namespaces.taskapp.tables.tasks.columns[0].nulable", "nullable"),
    "reference-to-nothing": (2, 56, "$.namespaces.taskapp.tables.tasks.columns[0].references", 'no such table: "projects"'),
    "reference-to-another-namespace": (2, 53, "$.namespaces.taskapp.tables.tasks.columns[0].references", 'no such table: "notes.pages"'),
    "reference-by-mangled-name": (2, 55, "$.namespaces.taskapp.tables.tasks.columns[0].references", "mangled"),
    "reference-with-two-dots": (2, 55, "$.namespaces.taskapp.tables.tasks.columns[0].references", "no such table"),
    "compiled-table-of-nobody": (1, 40, "$.tables.notes__pages", "none of the app's namespaces"),
    "not-json": (2, 50, None, "a name in double quotes must stand here"),
    "not-utf8": (1, 19, None, "not UTF-8"),
    "not-an-app": (1, 1, "$", "must be a JSON object"),
}

# file: (code, exit code, line, column, JSON path, words of the reason)
BAD_PERMISSIONS = {
    "table-of-another-app": ("outside-namespace", 5, 3, 3, "$.notes__pages", "notes__pages"),
    "table-without-namespace": ("outside-namespace", 5, 1, 2, "$.tasks", "tasks"),
    "bytes": ("policy-literal", 6, 2, 50, "$.taskapp__tasks.select.using.value", "bytes"),
    "date-compared-with-the-session": ("policy-literal", 6, 2, 67, "$.taskapp__tasks.select.using.value", "session"),
    "number-beyond-doubles": ("policy-literal", 6, 2, 3, "$.taskapp__tasks.select.using.values[1]", "double"),
    "object-without-a-type": ("policy-literal", 6, 2, 50, "$.taskapp__tasks.insert.with_check.expr.value", "type"),
    "not-an-object": ("bad-input", 3, 1, 1, "$", "JSON object"),
    "list-expected": ("bad-input", 3, 1, 57, "$.taskapp__tasks.select.using.exprs", "list"),
}


def run(command, url, tmp_path, app, permissions):
    return command_line(command, "--json", "--store", url, "--app-id", APP_ID, "--app", FIXTURES / "apps" / app,
                        "--permissions", FIXTURES / "permissions" / permissions, secret_file=tmp_path / "secret")


def check_place(error, file, line, column, path):
    assert (error["file"], error["line"], error["column"], error.get("path")) == (str(FIXTURES / file), line, column, path)
    assert error["message"].startswith(f"{FIXTURES / file}:{line}:{column}: ")


def test_every_bad_file_is_expected_here():
    assert {p.stem for p in (FIXTURES / "apps/bad").glob("*.json")} == set(BAD_APPS)
    assert {p.stem for p in (FIXTURES / "permissions/bad").glob("*.json")} == set(BAD_PERMISSIONS)


@pytest.mark.parametrize("command", ["status", "apply"])
@pytest.mark.parametrize("name", BAD_APPS)
def test_bad_apps(tmp_path, command, name):
    line, column, path, words = BAD_APPS[name]
    with serving(Deployed()) as (url, requests):
        code, out, err = run(command, url, tmp_path, f"bad/{name}.json", "none.json")
    error = json.loads(out)["error"]
    assert (code, error["code"], requests) == (3, "bad-input", [])
    check_place(error, f"apps/bad/{name}.json", line, column, path)
    assert words in error["message"] and words in err


@pytest.mark.parametrize("name", BAD_PERMISSIONS)
def test_bad_permissions(tmp_path, name):
    wanted, exit_code, line, column, path, words = BAD_PERMISSIONS[name]
    with serving(Deployed('{"taskapp__tasks":{"columns":[]}}')) as (url, requests):
        code, out, err = run("apply", url, tmp_path, "tasks.json", f"bad/{name}.json")
    error = json.loads(out)["error"]
    assert (code, error["code"], requests) == (exit_code, wanted, [])
    check_place(error, f"permissions/bad/{name}.json", line, column, path)
    assert words in error["message"] and words in err


@pytest.mark.parametrize("name", BAD_APPS)
def test_every_provisioner_refuses_bad_apps(provisioner, name):
    if name in ("not-json", "not-utf8", "not-an-app", "column-of-unknown-type"):
        pytest.skip("a request cannot hold it, or the rules leave it open")
    with serving(Deployed()) as (url, requests):
        error = provisioner("apply", fixture(f"apps/bad/{name}.json"), url, "{}")["error"]
    assert error["code"] == "bad-input" and requests == []


@pytest.mark.parametrize("request_text", ["", "{", "[]", "{}", '{"op":"status"}', '{"op":"drop","app":{}}', "[" * 100_000,
                                          '{"op":"status","app":{"namespaces":{"a":{"tables":{"t":{"columns":[]}}}}}}'])
def test_requests_that_cannot_be_read(provisioner, request_text):
    assert json.loads(provisioner.raw(request_text))["error"]["code"] == "bad-input"


def test_provisioning_needs_permissions(provisioner):
    with serving(Deployed()) as (url, requests):
        assert provisioner("apply", fixture("apps/tasks.json"), url)["error"]["code"] == "bad-input"
    assert requests == []


@pytest.mark.parametrize("op", ["status", "apply"])
@pytest.mark.parametrize("app", [fixture("apps/flat.json"), '{"kind":"flat","namespaces":["a"],"tables":{"a__t":{"columns":[]}}}',
                                 '{"namespaces":[],"tables":{"a__t":{"columns":[]}}}'])
def test_a_flat_app_is_refused_before_any_request(provisioner, op, app):
    with serving(Deployed()) as (url, requests):
        assert provisioner(op, app, url, '{"sib__a":{}}')["error"]["code"] == "not-nested"
    assert requests == []


@pytest.mark.parametrize("name", ["tasks", "tasks-with-labels", "notes"])
def test_good_apps_compile_to_mangled_tables(provisioner, name):
    store, app = Deployed(), json.loads(fixture(f"apps/{name}.json"))
    with serving(store) as (url, _):
        assert provisioner("apply", fixture(f"apps/{name}.json"), url, fixture(f"permissions/{name}.json"))["result"]["status"] == "created"
    published = json.loads(store.bodies("admin/schemas")[0])["schema"]
    wanted = {f"{space}__{table}": with_mangled_references(definition, space)
              for space, tables in app["namespaces"].items() for table, definition in tables["tables"].items()}
    assert published == wanted and list(published) == list(wanted)


def with_mangled_references(table, space):
    columns = [dict(column) for column in table["columns"]]
    for column in columns:
        if "references" in column:
            target = column["references"]
            column["references"] = re.sub(r"\.", "__", target) if "." in target else f"{space}__{target}"
    return {"columns": columns}


def test_the_compiled_form_is_the_same_slice(provisioner):
    bodies = []
    for app in ("tasks", "tasks-compiled"):
        store = Deployed()
        with serving(store) as (url, _):
            provisioner("apply", fixture(f"apps/{app}.json"), url, fixture("permissions/tasks.json"))
        bodies.append(json.loads(store.bodies("admin/schemas")[0]))
    assert bodies[0] == bodies[1] and list(bodies[0]["schema"]) == list(bodies[1]["schema"])
