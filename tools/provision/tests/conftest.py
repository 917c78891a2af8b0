import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from provisioners import PROVISIONERS, Provisioner  # noqa: E402


@pytest.fixture(params=sorted(PROVISIONERS))
def provisioner(request):
    """Each provisioner in turn, called as `provisioner(op, app, url, permissions)`."""
    return Provisioner(PROVISIONERS[request.param])
