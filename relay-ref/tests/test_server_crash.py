"""A relay killed at seeded points of its dealings with its file; `make crash COUNT=200` plays many more."""
import pathlib
import signal
import sys

import pytest

from relay_process import envelope, setting

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "crash"))

from crash import KINDS, PROTOCOLS, SHIM, run_point  # noqa: E402


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_loses_nothing_that_was_echoed(kind, protocol):
    assert SHIM.exists(), "make run-test builds it"
    # A few seeds, for one whose point is reached: a load may end before.
    assert any(run_point(seed, kind, protocol) for seed in range(5))


@pytest.mark.parametrize("flags, same", [(("--durable",), True), ((), False)])
def test_without_durable_a_killed_relays_rooms_have_new_epochs(begin, tmp_path, flags, same):
    epochs = []
    for life in range(3):
        relay = begin("--db", tmp_path / "rooms.db", *flags)
        ana, welcome = relay.join("ana", "ana")
        epochs.append(welcome["epoch"])
        assert welcome["seq"] == life
        ana.send(envelope("ana", "ana", life + 1, setting(["k"], life)))
        assert ana.receive()["env"]["seq"] == life + 1
        relay.stop(signal.SIGKILL)
    assert len(set(epochs)) == (1 if same else 3)
