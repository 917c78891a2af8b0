"""What belongs to siblings is carried as the text that the store gave (provision.siblings-verbatim), new tables come last."""
import json

from provisioners import fixture
from store_double import Deployed, serving

SIBLING_TABLES = [
    r'''"10":{"columns":[{"name":"b","column_type":{"type":"Text"}},{"name":"a","column_type":{"type":"Integer"},"default":{"type":"Integer","value":1.0}}]}''',
    r'''"2":{"columns":[],"unknown part":[1e2,-0,9007199254740993,1E400,0.1000000000000000055]}''',
    r'''"sib__\u0065sc\/aped":{"columns":[{"column_type":{"type":"Text"},"name":"\u00e9\ud83d\ude00\/\b\u0000"}]}''',
    r'''"sib__lone":{"columns":[{"name":"\ud800","column_type":{"type":"Text"}}]}''',
    r'''"__proto__":{"columns":[]}''',
    r'''"sib__twice":{"columns":[],"note":1,"note":2}''',
    '''"sib__заметки\U0001f600":{ "columns" : [\n\t] }''',
]
SIBLING_POLICIES = [
    r'''"2":{"select":{"using":{"type":"Cmp","column":"n","op":"Eq","value":{"type":"Literal","value":{"value":1.0,"type":"Double"}}}}}''',
    r'''"sib__\u0065sc\/aped":{"odd":"kept","select":{"using":{"type":"SessionCmp","value":{"$date":1e3}}}}''',
    r'''"__proto__":{"delete":{}}''',
    r'''"10":{"select":{"using":{"type":"True"}}}''',
]


def squeezed(text):
    """JSON text without the white space between its tokens."""
    out, inside, at = [], False, 0
    while at < len(text):
        step = 2 if inside and text[at] == "\\" else 1
        piece = text[at : at + step]
        inside ^= piece == '"'
        if inside or not piece.isspace():
            out.append(piece)
        at += step
    return "".join(out)


def merged_bodies(provisioner):
    store = Deployed("{" + ", ".join(SIBLING_TABLES) + "}", "{" + " , ".join(SIBLING_POLICIES) + "}")
    with serving(store) as (url, _):
        answer = provisioner("apply", fixture("apps/tasks.json"), url, fixture("permissions/tasks.json"))
    assert answer["result"]["status"] == "updated"
    return store


def test_sibling_tables_keep_their_text_and_order_and_new_ones_follow(provisioner):
    body = squeezed(merged_bodies(provisioner).bodies("admin/schemas")[0])
    siblings = squeezed(",".join(SIBLING_TABLES))
    assert body.startswith('{"schema":{' + siblings + ',"taskapp__projects":')
    assert body.index('"taskapp__projects":') < body.index('"taskapp__tasks":')


def test_sibling_policies_keep_their_text_and_order(provisioner):
    body = squeezed(merged_bodies(provisioner).bodies("admin/permissions")[0])
    assert '"permissions":{' + squeezed(",".join(SIBLING_POLICIES)) + ',"taskapp__projects":' in body


def test_the_lenses_name_the_tables_in_order_however_their_names_are_spelled(provisioner):
    store = merged_bodies(provisioner)
    merge, own = (json.loads(body) for body in store.bodies("admin/migrations"))
    assert [lens["table"] for lens in merge["forward"]] == ["taskapp__projects", "taskapp__tasks"]
    stored = list(json.loads("{" + ",".join(SIBLING_TABLES) + "}"))
    assert [lens["table"] for lens in own["forward"]] == stored
    assert all(lens == {"table": lens["table"], "added": True, "operations": []} for lens in merge["forward"] + own["forward"])


def test_a_second_run_is_unchanged_and_writes_no_bundle(provisioner):
    store = merged_bodies(provisioner)
    written = len(store.bodies("admin/permissions"))
    with serving(store) as (url, _):
        for app in ("tasks", "tasks-reordered", "tasks-compiled"):
            answer = provisioner("apply", fixture(f"apps/{app}.json"), url, fixture("permissions/tasks.json"))
            assert answer == {"result": {"status": "unchanged", "headHash": store.head["schemaHash"]}}
    assert len(store.bodies("admin/permissions")) == written


def test_the_apps_own_policies_are_replaced_and_those_it_no_longer_names_go(provisioner):
    store = merged_bodies(provisioner)
    with serving(store) as (url, _):
        permissions = fixture("permissions/tasks-with-labels.json")
        answer = provisioner("apply", fixture("apps/tasks-with-labels.json"), url, permissions)
    assert answer["result"]["status"] == "updated"
    bundle = json.loads(store.bodies("admin/permissions")[-1])["permissions"]
    assert list(bundle)[-2:] == ["taskapp__tasks", "taskapp__labels"]
    assert "taskapp__projects" not in bundle
    assert "insert" in bundle["taskapp__tasks"] and "delete" not in bundle["taskapp__tasks"]


def test_names_that_only_look_alike_stay_apart(provisioner):
    """`é` in one character and in two, upper and lower case, a namespace that is the beginning of another."""
    app = {"namespaces": {"caf\u00e9": {"tables": {"t": {"columns": []}}}}}
    others = ["cafe\u0301__t", "Caf\u00e9__t", "caf\u00e9x__t", "caf__\u00e9", "caf\u00e9_t", "__caf\u00e9__t"]
    store = Deployed(json.dumps({name: {"columns": []} for name in others}))
    with serving(store) as (url, _):
        assert provisioner("status", app, url)["result"]["missingTables"] == ["caf\u00e9__t"]
        assert provisioner("apply", app, url, {"caf\u00e9__t": {}})["result"]["status"] == "updated"
    assert list(json.loads(store.bodies("admin/schemas")[0])["schema"]) == [*others, "caf\u00e9__t"]
