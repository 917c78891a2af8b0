#!/bin/sh
# Prints the first Python that has every module the tests need: the one on PATH may not see Debian's modules.
for python in "${PYTHON:-python3}" /usr/bin/python3; do
    if "$python" -c 'import pytest, xdist, pytest_timeout, yaml, jsonschema' >/dev/null 2>&1; then
        command -v "$python"
        exit 0
    fi
done
echo "no Python here has pytest, pytest-xdist, pytest-timeout, PyYAML and jsonschema" >&2
exit 1
