"""A server that meshspec started does not outlive it, however meshspec ends."""
import os
import pathlib
import select
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESHSPEC = ROOT / os.environ.get("MESHSPEC_BUILD", "build") / "meshspec"
LIMIT_SECONDS = 60


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGSEGV])
@pytest.mark.parametrize("server", ["sleep 300; true", "trap '' TERM; sleep 300; true"])
def test_a_started_server_ends_with_the_run(number, server):
    alive, held = os.pipe()
    command = f"{server.rpartition('sleep')[0]} echo started >/dev/fd/{held}; sleep{server.rpartition('sleep')[2]}"
    with subprocess.Popen([MESHSPEC, "run", "--spawn", command, "scenarios/join/delta.yaml"], cwd=ROOT, pass_fds=(held,),
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        os.close(held)
        assert os.read(alive, 100) == b"started\n"
        run.send_signal(number)
        run.wait(LIMIT_SECONDS)
    assert select.select([alive], [], [], LIMIT_SECONDS)[0], "the server lives on"
    assert os.read(alive, 100) == b""
    os.close(alive)
