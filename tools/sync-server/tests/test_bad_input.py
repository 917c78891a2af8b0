"""Bodies that are no JSON, cut, nested, oversized or not UTF-8: a 4xx, nothing changed, everybody else served."""

import json

import pytest
from store_server import SECRET, is_error, text_table

POSTS = ["admin/schemas", "admin/permissions", "admin/migrations"]
VALID = '{"schema":{"a__t":{"columns":[{"name":"x","column_type":{"type":"Text"}}]}}}'

NOT_JSON = [
    b"", b" ", b"x", b"{", b"}", b"{]", b"[}", b"{}{}", b"{}x", b"{},", b"[1,]", b"{,}", b'{"a"}', b'{"a":}', b'{"a":1,}', b'{a:1}',
    b"{'a':1}", b'{"a":1 "b":2}', b'{"a" 1}', b'{"a":01}', b'{"a":1.}', b'{"a":.1}', b'{"a":+1}', b'{"a":1e}', b'{"a":1e+}', b'{"a":-}',
    b'{"a":--1}', b'{"a":0x1}', b'{"a":NaN}', b'{"a":Infinity}', b'{"a":True}', b'{"a":nul}', b'{"a":nulll}', b'{"a":tru', b'{"a":"',
    b'{"a":"\\x"}', b'{"a":"\\u12"}', b'{"a":"\\u12g4"}', b'{"a":"\\', b'{"a":"\\u', b'{"a":"\t"}', b'{"a":"\n"}', b'{"a":"\x00"}', b"\x00",
    b'{"a":1}\x00', b"/**/{}", b"{}//", b"\xef\xbb\xbf{}", b'{"a":"\xff"}', b'{"a":"\xc0\x80"}', b'{"a":"\xc3"}', b'{"a":"\xe0\x80\xaf"}',
    b'{"a":"\xed\xa0\x80"}', b'{"a":"\xf4\x90\x80\x80"}', b'{"a":"\xf8\x88\x80\x80\x80"}', b'{"\x80":1}', b"\xff\xfe{\x00}\x00", b"\x0c{}",
]


@pytest.mark.parametrize("body", NOT_JSON)
def test_what_is_not_json_is_400_and_changes_nothing(store, body):
    """store.bad-json"""
    before = store.contents()
    for path in POSTS:
        assert is_error(store.admin("POST", path, body), 400, "bad_request")
    assert store.contents() == before


@pytest.mark.parametrize("body", ["null", "true", "[]", '"x"', "1", "[{}]", "[" + VALID + "]"])
def test_what_is_no_object_is_400(store, body):
    for path in POSTS:
        assert is_error(store.admin("POST", path, body), 400, "bad_request")


def test_every_beginning_of_a_valid_body_is_400(store):
    connection = store.connect()
    for length in range(len(VALID)):
        assert is_error(store.admin("POST", "admin/schemas", VALID[:length], connection=connection), 400, "bad_request")
    assert store.admin("POST", "admin/schemas", VALID, connection=connection).status == 201


def test_the_error_says_where(store):
    assert "(byte 5)" in store.admin("POST", "admin/schemas", '{"a":x}').json["error"]
    assert "(byte 6)" in store.admin("POST", "admin/schemas", b'{"a":"\xff"}').json["error"]


def nested(levels):
    """A valid schema whose text has exactly so many brackets open at once."""
    inner = levels - 5
    return '{"schema":{"a__t":{"columns":[{"name":"x","more":' + "[" * inner + "]" * inner + ',"column_type":{"type":"Text"}}]}}}'


@pytest.mark.parametrize("levels, status", [(64, 201), (511, 201), (512, 201), (513, 400), (514, 400), (1001, 400), (100_000, 400), (5_000_000, 400)])
def test_nesting_is_read_down_to_512_levels(store, levels, status):
    answer = store.admin("POST", "admin/schemas", nested(levels))
    assert answer.status == status, answer
    if status == 201:
        assert store.admin("GET", "schema/" + answer.json["hash"]).status == 200
    else:
        assert "512" in answer.json["error"]


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":', '{"a":['])
def test_endless_opening_is_refused(store, opening):
    for path in POSTS:
        assert is_error(store.admin("POST", path, opening * 100_000), 400, "bad_request")


def test_deep_column_types_and_conditions_are_walked_to_the_limit(store):
    deep = {"type": "Text"}
    for _ in range(400):
        deep = {"type": "Array", "element": deep}
    schema_hash = store.publish_schema({"a__t": {"columns": [{"name": "x", "column_type": deep}]}})
    condition = {"type": "True"}
    for _ in range(200):
        condition = {"type": "Not", "expr": {"type": "And", "exprs": [condition]}} if _ % 2 else {"type": "Not", "expr": condition}
    assert store.publish_permissions(schema_hash, {"a__t": {"select": {"using": condition}}}).status in (201, 400)


def padded(length):
    body = VALID.encode()
    return body + b" " * (length - len(body))


def test_a_body_up_to_the_ceiling_is_taken_and_one_byte_more_is_413(start):
    store = start("--max-body", "5000")
    assert store.admin("POST", "admin/schemas", padded(5000)).status == 201
    before = store.contents()
    assert is_error(store.admin("POST", "admin/schemas", padded(5001)), 413, "bad_request")
    assert is_error(store.admin("POST", "admin/schemas", padded(5001), secret=None), 413, "bad_request")
    assert store.contents() == before


def test_the_usual_ceiling_is_16_mebibytes(store):
    assert store.admin("POST", "admin/schemas", padded(16 * 1024 * 1024)).status == 201
    connection = store.connect()
    connection.putrequest("POST", "/apps/a/admin/schemas")
    connection.putheader("X-Jazz-Admin-Secret", SECRET)
    connection.putheader("Content-Length", str(16 * 1024 * 1024 + 1))
    connection.endheaders()
    assert connection.getresponse().status == 413  # before the body was even sent


def test_a_large_string_and_many_small_values(store):
    schema = {"a__t": {"columns": [], "long": "x" * 5_000_000, "many": [0] * 1_000_000}}
    schema_hash = store.publish_schema(schema)
    assert json.loads(store.admin("GET", f"schema/{schema_hash}").body)["schema"] == schema


def test_others_are_served_while_bad_input_comes(store):
    schema_hash = store.publish_schema({"a__t": text_table("x")})
    for body in [b"[" * 1000000, b"\xff" * 1000, b'{"schema":' * 50000]:
        store.admin("POST", "admin/schemas", body)
        assert store.admin("GET", f"schema/{schema_hash}").status == 200
