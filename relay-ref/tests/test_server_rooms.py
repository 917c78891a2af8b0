"""Rooms in a file: what is there after a restart, and what clients see when the file fails."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "crash"))

from crash import SHIM  # noqa: E402
from relay_process import COMMAND, envelope, fence, hello, run_to_end, setting
from websocket_client import LIMIT_SECONDS, Closed


@pytest.fixture
def path(tmp_path):
    return tmp_path / "rooms.db"


def write(connection, origin, first, last, room="r"):
    """Writes envelopes with these versions and takes their echoes; gives the last seq."""
    for version in range(first, last + 1):
        connection.send(envelope(origin, origin, version, setting(["k" + str(version % 5)], version), room))
    seq = None
    for _ in range(first, last + 1):
        seq = connection.receive()["env"]["seq"]
    return seq


def welcome(relay, room="r", **more):
    connection = relay.connect("watcher")
    connection.send(hello("watcher", room, **more))
    answer = connection.receive()
    connection.close()
    return answer


def ended(connection):
    """(messages, code, reason) up to the close that comes."""
    messages = []
    try:
        while True:
            messages.append(connection.receive())
    except Closed as closed:
        return messages, closed.code, closed.reason


DURABLE = pytest.mark.parametrize("durable", [True, False], ids=["durable", "fast"])


def flags(path, durable):
    return ["--db", path] + (["--durable"] if durable else [])


def test_rooms_come_back_with_epoch_journal_and_schema(start, path):
    relay = start("--db", path)
    for room in ["r", "", "a/b", "\u0000é\ud800"]:
        ana, _ = relay.join("ana", "ana", room)
        write(ana, "ana", 1, 3, room)
        ana.send(envelope("ana", "ana", 4, [], room, schemaVersion=6.5))
        ana.close()
    before = {room: [welcome(relay, room, seq=seq) for seq in range(5)] for room in ["r", "", "a/b", "\u0000é\ud800", "new"]}
    assert before["r"][4]["mode"] == "up-to-date" and before["r"][4]["schemaVersion"] == 6.5
    assert relay.stop() == (0, "")
    relay = start("--db", path)
    for room in ["r", "", "a/b", "\u0000é\ud800"]:
        assert [welcome(relay, room, seq=seq) for seq in range(5)] == before[room]
    assert welcome(relay, "new")["epoch"] != before["new"][0]["epoch"]
    ben = relay.connect("ben")
    ben.send(hello("ben", schemaVersion=6))
    assert ben.receive() == {"t": "reject", "room": "r", "reason": "schema", "expected": 6.5}
    ben.close()


def test_a_write_just_before_the_end_is_there(start, path):
    """A delayed save lost at shutdown: no."""
    relay = start("--db", path)
    ana, _ = relay.join("ana", "ana")
    write(ana, "ana", 1, 1)
    relay.process.terminate()
    assert ended(ana)[1] == 1001
    assert relay.stop() == (0, "")
    assert welcome(start("--db", path))["root"] == {"k1": 1}


@DURABLE
def test_writes_and_the_end_at_once(start, path, durable):
    """Whatever of a burst is echoed before the relay ends is there afterwards, in the same life of the room."""
    epoch, seq = None, 0
    for life in range(8):
        relay = start(*flags(path, durable))
        ana, joined = relay.join("ana", "ana")
        assert joined["seq"] >= seq and epoch in (None, joined["epoch"])
        epoch, seq = (joined["epoch"] if joined["seq"] > 0 else None), joined["seq"]
        for version in range(20 * life):
            ana.send(envelope("ana", "ana", 1000 * life + version, []))
        relay.process.terminate()
        messages, code, _ = ended(ana)
        assert code == 1001
        for message in messages:
            assert message["env"]["seq"] == seq + 1
            seq += 1
        assert relay.stop() == (0, "")
        if seq > 0:
            epoch = joined["epoch"]


def test_rooms_leave_the_memory_and_come_back(start, path):
    relay = start("--db", path, "--unload-after", 1, "--metrics", 0)
    ana, first = relay.join("ana", "ana")
    write(ana, "ana", 1, 3)
    ana.close()
    end = time.monotonic() + LIMIT_SECONDS
    while relay.metrics()["meshspec_relay_rooms"] > 0:
        assert time.monotonic() < end
    again = welcome(relay, seq=2)
    assert (again["epoch"], again["mode"], len(again["envs"])) == (first["epoch"], "delta", 1)


def test_what_waits_for_the_disk_keeps_its_order(start, path):
    """A signal behind an envelope comes behind its echo, and a snapshot may be larger than what may wait behind it."""
    relay = start("--db", path, "--durable", "--max-waiting-bytes", 20000)
    ana, _ = relay.join("ana", "ana")
    for version in range(1, 51):
        ana.send(envelope("ana", "ana", version, []))
        ana.send({"t": "signal", "room": "r", "to": "ana", "data": version})
    for version in range(1, 51):
        assert ana.receive()["env"]["seq"] == version
        assert ana.receive()["data"] == version
    for version in range(51, 101):
        ana.send(envelope("ana", "ana", version, setting(["k" + str(version)], "x" * 1000)))
        assert ana.receive()["env"]["seq"] == version
    assert len(welcome(relay)["root"]) == 50
    assert ana.receive()["t"] == "member"
    ana.close()


def test_two_joiners_of_a_cold_room_meet_one_room(start, path):
    """A slow load answered too early: no. Hellos and writes come in one packet each, to a room that is not in memory."""
    relay = start("--db", path)
    ana, first = relay.join("ana", "ana")
    write(ana, "ana", 1, 3)
    ana.close()
    relay.stop()
    relay = start("--db", path)
    both = [relay.connect(name) for name in ("ana", "ben")]
    for name, one in zip(("ana", "ben"), both):
        one.send(hello(name))
        one.send(envelope(name, name, 4, setting([name], 1)))
    seqs = []
    for name, one in zip(("ana", "ben"), both):
        messages = fence(one, name)
        assert messages[0]["t"] == "welcome" and messages[0]["epoch"] == first["epoch"] and messages[0]["seq"] >= 3
        seqs += [message["env"]["seq"] for message in messages if message["t"] == "env" and message["env"]["origin"] == name]
        one.close()
    assert sorted(seqs) == [4, 5]


# ---- files that cannot be served ---------------------------------------------------------------------


def execute(path, text):
    """As somebody else might, while nobody serves the file."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(text)
    database.close()


def refused(*flags):
    end = run_to_end(*flags)
    assert end.returncode == 2 and end.stdout == "", end
    return end.stderr


def test_what_is_wrong_with_a_file_is_told_at_the_start(start, path):
    relay = start("--db", path)
    assert "rooms.db is being served by another process" in refused("--db", path)
    relay.stop()
    assert "--db wants --protocol 0.1.1 or newer" in refused("--db", path, "--protocol", "0.1.0")
    execute(path, "PRAGMA user_version = 9")
    assert "has version 9; this program knows versions up to 1" in refused("--db", path)
    path.write_bytes(b"not a database " * 100)
    before = path.read_bytes()
    assert "not a database" in refused("--db", path)
    assert path.read_bytes() == before
    assert "No such file" in refused("--db", "/nonexistent/rooms.db")
    assert "--db got an empty text" in refused("--db", "")
    assert "--durable wants a --db FILE" in refused("--durable")


def test_a_read_only_file_is_told_at_the_start(start, path):
    relay = start("--db", path)
    ana, _ = relay.join("ana", "ana")
    write(ana, "ana", 1, 1)
    ana.close()
    relay.stop()
    os.chmod(path, 0o444)
    os.chmod(path.parent, 0o755)
    for folder in path.parents:
        if folder.stat().st_uid == os.geteuid() and folder != folder.parent:
            os.chmod(folder, folder.stat().st_mode | 0o055)
    program = shutil.copy(COMMAND[0], path.parent / "relay")  # where it was built, nobody else may be let in
    run = subprocess.run([program, *COMMAND[1:], "--db", str(path)], capture_output=True, text=True, timeout=LIMIT_SECONDS,
                         user=65534 if os.geteuid() == 0 else None)
    assert run.returncode == 2 and "rooms.db cannot be opened for reading and writing: Permission denied" in run.stderr, run


@DURABLE
def test_a_locked_file_closes_who_writes_and_nobody_else(begin, path, durable):
    relay = begin(*flags(path, durable), "--metrics", 0)
    ana, first = relay.join("ana", "ana")
    ben, _ = relay.join("ben", "ben", "calm")
    write(ana, "ana", 1, 2)
    write(ben, "ben", 1, 2, "calm")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ana.send(envelope("ana", "ana", 3, []))
    echoes, code, reason = ended(ana)
    assert (len(echoes), code, reason) == (0 if durable else 1, 1013, "the relay's file is locked; try again later")
    assert fence(ben, "ben", "calm") == []
    other.execute("ROLLBACK")
    assert write(ben, "ben", 3, 3, "calm") == 3
    again, back = relay.join("ana", "ana")
    # Where its echo had gone out, the lower seq has a new epoch.
    assert back["seq"] == 2 and (back["epoch"] == first["epoch"]) == durable
    assert write(again, "ana", 3, 3) == 3
    counts = relay.metrics()
    assert [counts[f"meshspec_relay_file_{name}_total"] for name in ("envelopes", "loads", "failures")] == [6, 1, 1]
    assert 2 <= counts["meshspec_relay_file_transactions_total"] <= 7
    for one in (ben, again):
        one.close()
    code, errors = relay.stop()
    assert code == 0 and errors.endswith("rooms.db cannot be written: database is locked\n")


@pytest.fixture
def small_disk(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system wants root")
    folder = tmp_path / "small"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], capture_output=True).returncode != 0:
        pytest.skip("a file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(folder):
    try:
        with open(folder / "ballast", "ab", buffering=0) as ballast:
            while ballast.write(b"x" * 1024):
                pass
    except OSError:
        pass


@DURABLE
def test_a_full_disk_closes_who_writes_and_keeps_what_is_there(begin, small_disk, durable):
    relay = begin(*flags(small_disk / "rooms.db", durable))
    ana, first = relay.join("ana", "ana")
    ben, _ = relay.join("ben", "ben", "calm")
    write(ana, "ana", 1, 2)
    write(ben, "ben", 1, 2, "calm")
    fill(small_disk)
    ana.send(envelope("ana", "ana", 3, setting(["big"], "x" * 100000)))
    echoes, code, reason = ended(ana)
    assert len(echoes) == (0 if durable else 1)
    assert (code, reason) == (1011, "the relay could not write to its file; the room is as it was before")
    assert fence(ben, "ben", "calm") == []
    (small_disk / "ballast").unlink()
    assert write(ben, "ben", 3, 3, "calm") == 3
    again, back = relay.join("ana", "ana")
    assert (back["seq"], back["root"]) == (2, {"k1": 1, "k2": 2})
    assert write(again, "ana", 3, 5) == 5
    for one in (ben, again):
        one.close()
    code, errors = relay.stop()
    assert code == 0 and "database or disk is full" in errors


def with_bad_device(monkeypatch, point):
    """Relays that start from now on have a device that fails at this point (crash/kill_point.c)."""
    monkeypatch.setenv("LD_PRELOAD", str(SHIM))
    monkeypatch.setenv("MESHSPEC_KILL", point)
    monkeypatch.setenv("ASAN_OPTIONS", os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")


def test_a_read_that_fails_refuses_the_hello_and_the_next_one_meets_the_room(begin, path, monkeypatch):
    relay = begin("--db", path)
    ana, first = relay.join("ana", "ana")
    for version in range(1, 4):
        ana.send(envelope("ana", "ana", version, setting(["k"], str(version) * 20000)))
        ana.receive()
    ana.close()
    relay.stop()
    with_bad_device(monkeypatch, "bad-read:1")
    relay = begin("--db", path)
    ana = relay.connect("ana")
    ana.send(hello("ana"))
    ana.send(envelope("ana", "ana", 4, []))
    assert ended(ana) == ([], 1011, "the room is in the relay's file but cannot be read")
    ana, again = relay.join("ana", "ana")
    assert (again["seq"], again["epoch"], again["root"]) == (3, first["epoch"], {"k": "3" * 20000})
    ana.close()
    code, errors = relay.stop()
    assert code == 0 and "rooms.db cannot be read: " in errors  # SQLite takes this failure for damage


def test_a_disk_that_fails_to_sync_lets_no_echo_out(begin, path, monkeypatch):
    with_bad_device(monkeypatch, "bad-sync:8")
    relay = begin("--db", path, "--durable")
    seqs, lives = [], 0
    while len(seqs) < 30:
        ana, joined = relay.join("ana", "ana")
        assert joined["seq"] == (seqs[-1] if seqs else 0)
        lives += 1
        try:
            while len(seqs) < 30:
                ana.send(envelope("ana", "ana", 100 * lives + len(seqs), []))
                seqs.append(ana.receive()["env"]["seq"])
        except Closed as closed:
            assert (closed.code, closed.reason) == (1011, "the relay could not write to its file; the room is as it was before")
    assert seqs == list(range(1, 31)) and lives == 2
    ana.close()
    code, errors = relay.stop()
    assert code == 0 and "rooms.db cannot be written: disk I/O error" in errors


def test_a_room_that_cannot_be_read_is_refused_and_kept(begin, path):
    relay = begin("--db", path)
    for room in ("r", "calm"):
        ana, _ = relay.join("ana", "ana", room)
        write(ana, "ana", 1, 5, room)
        ana.close()
    relay.stop()
    execute(path, "UPDATE journal SET seq = 99 WHERE seq = 3 AND room = (SELECT id FROM rooms WHERE name = x'72')")
    relay = begin("--db", path)
    for _ in range(3):
        ana = relay.connect("ana")
        ana.send(hello("ana"))
        ana.send(envelope("ana", "ana", 6, []))
        assert ended(ana) == ([], 1011, "the room is in the relay's file but cannot be read")
    assert welcome(relay, "calm")["seq"] == 5
    code, errors = relay.stop()
    assert code == 0 and errors.count("damaged: a room's journal has a hole") == 1, errors
    execute(path, "UPDATE journal SET seq = 3 WHERE seq = 99")
    relay = begin("--db", path)
    assert welcome(relay)["seq"] == 5
    assert relay.stop() == (0, "")


def test_control_wants_a_file_of_its_own(start, path):
    relay = start("--db", path, "--control", 0)
    relay.join("ana", "ana")[0].close()
    relay.stop()
    relay = start("--db", path)
    ana, _ = relay.join("ana", "ana")
    write(ana, "ana", 1, 1)
    ana.close()
    relay.stop()
    assert "has rooms in it" in refused("--db", path, "--control", 0)
    assert welcome(start("--db", path))["seq"] == 1
