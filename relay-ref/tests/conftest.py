import pathlib
import signal
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from relay_process import RelayProcess  # noqa: E402


@pytest.fixture
def start():
    """Starts relays with flags of the test's choice; each must end with exit code 0 and nothing on standard error."""
    relays = []

    def start_one(*flags):
        relays.append(RelayProcess(*flags))
        return relays[-1]

    yield start_one
    for relay in relays:
        code, errors = relay.stop()
        assert (code, errors) == (0, ""), errors


@pytest.fixture
def begin():
    """Starts relays whose end the test looks at itself; none stays behind when it does not come to that."""
    relays = []

    def begin_one(*flags):
        relays.append(RelayProcess(*flags))
        return relays[-1]

    yield begin_one
    for relay in relays:
        if relay.process.poll() is None:
            relay.stop(signal.SIGKILL)


@pytest.fixture
def relay(start):
    return start()
