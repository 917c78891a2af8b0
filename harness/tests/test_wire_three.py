"""Scenarios in profile 0.9: what is filled in for them, and how `epoch` reads there. Each is played by the reference relay in memory."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
HEAD = "title: x\nclauses: [frame.multi-room]\nclients: {ana: {}, ben: {}}\nignore: [member]\n"
JOINED = HEAD + "steps:\n  - ana: hello\n  - ana: {gets: {t: welcome}}\n"


def play(tmp_path, text, profile="0.9", target="memory"):
    path = tmp_path / "scenario.yaml"
    path.write_text(text)
    ran = subprocess.run([MESHSPEC, "run", "--target", target, "--profile", profile, "--json", "-", path], cwd=ROOT, capture_output=True,
                         text=True, timeout=60, check=False)
    assert ran.stdout, ran.stderr
    return json.loads(ran.stdout)["cases"][0]


def expect_pass(tmp_path, text, profile="0.9"):
    case = play(tmp_path, text, profile)
    assert case["verdict"] == "pass", case.get("failure", case)


def echo_of(ops, more="", wire=True):
    head = "proto: 3, instance: {$any: true}" if wire else "proto: 1"
    return ("  - ana: {gets: {t: env, env: {$exactly: {%s, origin: ana, writer: ana, version: 1, hlc: {p: 1700000000000, l: 1}, "
            "policyVersion: 0, seq: 1, ops: %s%s}}}}\n" % (head, ops, more))


SHORT = "  - ana: {writes: [{set: [a], to: 1, was: 0}, {delete: [b]}, {set: [c], to: 2, epoch: 3, cites: [{origin: o, hlc: {p: 1, l: 1}}]}]}\n"


def test_short_ops_get_cites_and_epoch_unless_they_are_given(tmp_path):
    expect_pass(tmp_path, JOINED + SHORT + echo_of(
        "[{kind: set, path: [a], next: 1, prev: 0, cites: [], epoch: 0}, {kind: delete, path: [b], prev: null, cites: [], epoch: 0}, "
        "{kind: set, path: [c], next: 2, cites: [{origin: o, hlc: {p: 1, l: 1}}], epoch: 3}]"))


def test_before_0_9_nothing_is_added(tmp_path):
    ops = ("[{kind: set, path: [a], next: 1, prev: 0}, {kind: delete, path: [b], prev: null}, "
           "{kind: set, path: [c], next: 2, cites: [{origin: o, hlc: {p: 1, l: 1}}], epoch: 3}]")
    expect_pass(tmp_path, JOINED + SHORT + echo_of(ops, wire=False), "0.2.0")


def test_an_op_in_the_protocols_own_form_goes_as_it_is(tmp_path):
    steps = ("  - ana: {writes: [{kind: set, path: [a], next: 1, epoch: 0}]}\n"
             "  - ana: {gets: {t: eject, reason: malformed}}\n  - ana: closed\n")
    expect_pass(tmp_path, JOINED + steps)


@pytest.mark.parametrize("profile", ["0.2.0", "0.9"])
def test_versions_count_per_origin_and_room(tmp_path, profile):
    expect_pass(tmp_path, JOINED + """
  - ana: {hello: {}, in: q}
  - ana: {gets: {t: welcome, room: q}}
  - ana: {writes: []}
  - ana: {gets: {room: r, env: {version: 1}}}
  - ana: {writes: [], in: q}
  - ana: {gets: {room: q, env: {version: 1}}}
  - ana: {writes: [], as: {version: 7}}
  - ana: {gets: {room: r, env: {version: 7, hlc: {l: 2}}}}
  - ana: leaves
  - twin: {joins-as: ana}
  - twin: {hello: {}, in: q}
  - twin: {gets: {t: welcome}}
  - twin: {writes: [], in: q}
  - twin: {gets: {room: q, env: {version: 2}}}
""".lstrip("\n"), profile)


def test_the_instance_is_the_clients_own_then_anybodys_then_empty(tmp_path):
    dropped = "  - relay: {dropped: {reason: generation}}\n"
    # Nobody has been welcomed: the instance is empty, as a raw client would have it.
    expect_pass(tmp_path, HEAD + "steps:\n  - relay: {hydrate: {seq: 1, instance: kept}}\n  - relay: holds-commits\n"
                "  - ana: hello\n  - ana: {gets: {t: welcome, instance: kept}}\n  - ana: {writes: []}\n"
                "  - ben: hello\n  - ben: {writes: []}\n  - relay: {dropped: {$absent: true}}\n"
                "  - relay: {release: 2}\n  - relay: {release: 3}\n"
                "  - ana: {gets: {env: {instance: kept, origin: ana}}}\n  - ana: {gets: {env: {instance: kept, origin: ben}}}\n"
                "  - ben: {gets: {t: welcome}}\n  - ben: {gets: {env: {seq: 3}}}\n")
    # What a member has learnt stays with it until it is welcomed anew.
    expect_pass(tmp_path, JOINED + "  - ben: hello\n  - ben: {gets: {t: welcome, instance: {$bind: old}}}\n"
                "  - ben: {writes: [], as: {instance: \"\"}}\n  - ben: {gets: {t: drop, reason: generation}}\n" + dropped +
                "  - ben: {writes: []}\n  - ben: {gets: {env: {instance: {$is: old}}}}\n  - ana: {gets: {env: {instance: {$is: old}}}}\n")


def test_a_restart_forgets_every_instance(tmp_path):
    case = play(tmp_path, JOINED + "  - relay: restart\n  - ana: {writes: [], in: r}\n  - ana: {gets: {t: env}}\n")
    sent = [json.loads(entry["text"]) for entry in case["trace"] if entry["kind"] == "sends"]
    assert case["verdict"] == "fail" and sent[-1]["env"]["instance"] == ""


@pytest.mark.parametrize("pattern", [
    "{t: welcome, epoch: {$regex: .}}",
    "{$all: [{t: welcome}, {epoch: {$regex: .}}]}",
    "{$one-of: [{t: reject}, {t: welcome, epoch: {$regex: .}}]}",
    "{$not: {epoch: another}}",
    "{$exactly: {t: welcome, room: r, seq: 0, epoch: {$any: true}, schemaVersion: 0, peers: [], members: [], mode: up-to-date}}",
    "{t: welcome, epoch: {$absent: true}, instance: {$any: true}}",
])
def test_epoch_reads_as_instance_in_a_welcome(tmp_path, pattern):
    expect_pass(tmp_path, HEAD + f"steps:\n  - ana: hello\n  - ana: {{gets: {pattern}}}\n")
    expect_pass(tmp_path, HEAD + f"steps:\n  - ana: hello\n  - ana: {{gets-in-any-order: [{pattern}]}}\n")


def test_epoch_is_wanted_as_instance_and_shown_so(tmp_path):
    case = play(tmp_path, HEAD + "steps:\n  - ana: hello\n  - ana: {gets: {t: welcome, epoch: another}}\n")
    assert case["verdict"] == "fail" and case["failure"]["differences"][0]["path"] == "instance"
    assert play(tmp_path, HEAD + "steps:\n  - ana: hello\n  - ana: {gets: {epoch: {$absent: true}}}\n")["verdict"] == "fail"


def test_epoch_reads_as_instance_in_commits_rooms_and_snapshots(tmp_path):
    expect_pass(tmp_path, HEAD + """steps:
  - relay: {hydrate: {seq: 4, epoch: kept, root: {a: 1}}}
  - ana: hello
  - ana: {gets: {t: welcome, seq: 4, instance: kept}}
  - relay: {room: {seq: 4, epoch: kept}}
  - ana: {writes: [{set: [a], to: 1, epoch: 2}]}
  - ana: {gets: {env: {seq: 5, ops: [{epoch: 2}]}}}
  - relay: {committed: {state: {epoch: kept, registers: [{epoch: 2}]}}}
""")


@pytest.mark.parametrize("profile, wire", [("0.1.0", 1), ("0.2.0", 1), ("0.9", 3)])
def test_wire_is_bound_to_the_wire_version(tmp_path, profile, wire):
    expect_pass(tmp_path, HEAD + f"""steps:
  - ana: {{sends: {{t: hello, room: r, origin: ana, proto: {{$is: wire}}, policyVersion: 0}}}}
  - ana: {{gets: {{t: welcome}}}}
  - ben: {{hello: {{proto: 2}}}}
  - ben: {{gets: {{t: reject, expected: {wire}}}}}
""", profile)


def test_signals_and_quiet_pass_what_is_held_on_a_socket(tmp_path):
    """The same on a server: fences are signals there, and what they prove is what is not held."""
    path = tmp_path / "scenario.yaml"
    path.write_text(HEAD + """steps:
  - ana: hello
  - ana: {gets: {t: welcome}}
  - relay: holds-commits
  - ana: {writes: [{set: [a], to: 1}]}
  - ben: hello
  - ana: quiet
  - ben: quiet
  - ana: {presence: here}
  - ben: {writes: [], as: {instance: another}}
  - relay: {release: 1}
  - ana: {gets: {env: {seq: 1}}}
  - ben: {gets-in-any-order: [{t: presence}, {t: welcome, seq: 1}, {t: drop, reason: generation}]}
  - ben: leaves
  - ana: {gets: {t: member, origin: ben, gone: true}}
  - ana: {writes: [{set: [a], to: 2}]}
  - relay: {fail: 2}
  - relay: {stalled: {seq: 2}}
  - ben: hello
  - ben: {writes: []}
  - ben: quiet
""")
    ran = subprocess.run([MESHSPEC, "run", "--spawn", f"'{MESHSPEC.parent / 'meshspec-relay'}' --port 0 --control 0", "--profile", "0.9", "--json", "-", path],
                         cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    case = json.loads(ran.stdout)["cases"][0]
    assert case["verdict"] == "pass", case.get("failure", case)
    assert case["us"] < 5_000_000, "nothing may wait for what is held"


TEXTS = HEAD + """steps:
  - ana: {sends-text: '{"t":"hello","room":"{{room}}","origin":"ana","proto":{{wire}},"policyVersion":0}'}
  - ana:
      sends-text: '{"t":"env","room":"{{room}}","env":{"proto":{{wire}},"instance":"{{instance}}","origin":"ana","writer":"{{writer:ana}}","version":1,
        "hlc":{"p":1,"l":0},"policyVersion":0,"ops":[{"kind":"set","path":["{{wires}}"],"next":{"instance":1},"cites":[],"epoch":0}]}}'
  - ana: {gets: {t: welcome, epoch: {$bind: life}}}
"""


@pytest.mark.parametrize("profile, wire, instance", [("0.1.0", 1, '""'), ("0.2.0", 1, '""'), ("0.9", 3, "{$is: life}")])
def test_texts_name_the_wire_version_and_the_instance(tmp_path, profile, wire, instance):
    expect_pass(tmp_path, TEXTS + f"  - ana: {{gets: {{t: env, env: {{proto: {wire}, instance: {instance}, ops: [{{path: ['{{{{wires}}}}']}}]}}}}}}\n",
                profile)
