#!/usr/bin/env python3
"""Holds what README.md says of the number of scenarios against what is there: 'some N' may be a tenth off, and so may the example of a run.

  tools/readme_counts.py build/meshspec README.md
"""
import pathlib
import re
import subprocess
import sys

# What is said, in the order of the text, and the profile that it is about.
CLAIMS = {
    "0.2.0": r"plays\s+some ([0-9,]+) scenarios against it",
    "0.9": r"\(for version 0\.9 some ([0-9,]+)\)",
    "store": r"with\s+some ([0-9,]+) more, for the sync stores",
}
EXAMPLE = r"\$ build/meshspec run\n(?:skipped .*\n)*([0-9]+) cases: "
OFF = 0.1


def count(meshspec, profile):
    listed = subprocess.run([meshspec, "list", "--profile", profile], capture_output=True, text=True, check=True)
    return len(listed.stdout.splitlines())


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    meshspec, readme = arguments
    text = pathlib.Path(readme).read_text(encoding="utf-8")
    wrong = []
    for profile, pattern in [*CLAIMS.items(), ("0.2.0", EXAMPLE)]:
        said, there = re.search(pattern, text), count(meshspec, profile)
        if said is None:
            wrong.append(f"{readme}: it should say how many scenarios {profile} has: {pattern}")
        elif abs(int(said[1].replace(",", "")) - there) > OFF * there:
            wrong.append(f"{readme}: it says {said[1]} scenarios, and {profile} has {there}")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main(sys.argv[1:])
