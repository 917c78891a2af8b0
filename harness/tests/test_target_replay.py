"""Replaying has teeth: a recording that is changed in any one place is no longer what the relay does."""
import copy
import json
import os
import pathlib
import random
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
RECORDING = ROOT / "fixtures/recordings/mesh-0.2.0.jsonl"
RECORDING_3 = ROOT / "fixtures/recordings/mesh-0.9.1.jsonl"
NPM_RELAY = ROOT / "tools/adapters/npm-relay"
needs_npm_relay = pytest.mark.skipif(not (shutil.which("node") and (NPM_RELAY / "node_modules/ws").is_dir()),
                                     reason="the npm relay is not available: make npm-packages")


def replay(*arguments):
    return subprocess.run([MESHSPEC, "replay", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)


def leaves(value, path=()):
    """Every place of a scalar or an empty container below `value`."""
    if isinstance(value, dict) and value:
        for key in value:
            yield from leaves(value[key], path + (key,))
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, path + (index,))
    else:
        yield path


def change_a_leaf(event, rng):
    path = rng.choice(list(leaves(event)))
    at = event
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = "changed" if at[path[-1]] != "changed" else 1


def change(session, rng):
    """Changes one thing that the session wants; returns the step's number."""
    steps = [(number, step) for number, step in enumerate(session["steps"], 1) if step["out"]]
    number, step = rng.choice(steps)
    place = rng.randrange(len(step["out"]))
    event = step["out"][place]
    kind = rng.choice(["drop", "double", "leaf"])
    body = event.get("msg") if event["on"] == "send" else event
    if kind == "leaf" and isinstance(body, dict) and event["on"] != "close":
        inside = {key: value for key, value in body.items() if key != "on"}
        change_a_leaf(inside, rng)
        body.update(inside)
    elif kind == "drop":
        del step["out"][place]
    else:
        step["out"].insert(place, copy.deepcopy(event))
    return number


def expect_one_difference(tmp_path, recording, target, seed):
    """Changes one thing in a few sessions; the replay must tell it, and nothing else."""
    rng = random.Random(seed)
    sessions = [json.loads(line) for line in rng.sample(recording.read_text(encoding="utf-8").splitlines(), 4)]
    place = rng.randrange(len(sessions))
    number = change(sessions[place], rng)
    changed = tmp_path / "changed.jsonl"
    changed.write_text("\n".join(map(json.dumps, sessions)) + "\n", encoding="utf-8")
    ran = replay("--target", target, str(changed))
    assert ran.returncode == 1, ran.stdout + ran.stderr
    told = [line for line in ran.stdout.splitlines() if " different at step " in line]
    assert len(told) == 1, ran.stdout
    start = f"changed.jsonl:{place + 1}: session {sessions[place]['seed']} different at step "
    assert start in told[0]
    at = int(told[0].split(" different at step ")[1].split(" ")[0])
    # A changed epoch's name binds to what comes, and differs where the name stands rightly.
    assert at == number or (at > number and ("epoch" in told[0] or "instance" in told[0])), told[0]


@pytest.mark.parametrize("seed", range(40))
def test_one_change_is_one_difference(tmp_path, seed):
    expect_one_difference(tmp_path, RECORDING, "memory", seed)


@pytest.mark.parametrize("seed", range(40))
def test_one_change_is_one_difference_with_wire_version_3(tmp_path, seed):
    expect_one_difference(tmp_path, RECORDING_3, "memory", seed)


@needs_npm_relay
def test_the_npm_relay_does_what_it_did_when_it_was_recorded():
    ran = replay("--target", f"exec:node '{NPM_RELAY}/adapter.mjs'", str(RECORDING_3))
    assert ran.returncode == 0 and "25 sessions, 25 alike, 0 different, 0 skipped, 0 broken" in ran.stdout, ran.stdout + ran.stderr


def test_a_socket_cannot_be_held_against_a_recording():
    ran = replay("--target", "ws://127.0.0.1:1/", str(RECORDING))
    assert ran.returncode == 3
    assert "cannot replay a recording" in ran.stderr

