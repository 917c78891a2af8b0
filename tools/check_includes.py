#!/usr/bin/env python3
"""Checks who includes whom (ARCHITECTURE.md, "Who may include whom"). Prints each breach as file:line and exits 1 if there is one."""
import pathlib
import re
import sys

# A room may include from itself and from what is listed; the first entry whose pattern fits a file decides.
HARNESS_BASE = ["harness/base/"]
RULES = [
    (r"relay-ref/json/", ["relay-ref/json/"]),
    (r"relay-ref/core/", ["relay-ref/core/", "relay-ref/json/"]),
    (r"relay-ref/adapters/", ["relay-ref/adapters/", "relay-ref/core/", "relay-ref/json/"]),
    (r"relay-ref/main/", ["relay-ref/adapters/", "relay-ref/core/"]),
    (r"relay-ref/bench/", ["relay-ref/adapters/", "relay-ref/core/", "relay-ref/json/", "relay-ref/bench/support/"]),
    # Held against the harness' own JSON and fold, which stand behind plain types there.
    (r"relay-ref/fuzz/", ["relay-ref/adapters/", "relay-ref/core/", "relay-ref/json/", "harness/fuzz/support/bytes.h",
                          "harness/fuzz/support/oracle.h", "harness/fuzz/support/registers_oracle.h",
                          "harness/fuzz/support/writes.h"]),
    (r"relay-ref/tests/", ["relay-ref/", "harness/json/", "harness/base/"]),
    (r"harness/base/", HARNESS_BASE),
    (r"harness/json/", ["harness/json/"] + HARNESS_BASE),
    (r"harness/match/", ["harness/match/", "harness/json/"] + HARNESS_BASE),
    (r"harness/scenario/", ["harness/scenario/", "harness/match/", "harness/json/"] + HARNESS_BASE),
    # The only place that knows the reference relay; it passes bytes.
    (r"harness/target/memory(_observe)?\.[ch]", ["harness/target/", "harness/json/", "relay-ref/adapters/", "relay-ref/core/relay.h"] + HARNESS_BASE),
    (r"harness/target/", ["harness/target/", "harness/json/"] + HARNESS_BASE),
    (r"harness/history/", ["harness/history/", "harness/json/"] + HARNESS_BASE),
    (r"harness/replay/", ["harness/replay/", "harness/target/target.h", "harness/match/", "harness/json/"] + HARNESS_BASE),
    (r"harness/compare/", ["harness/compare/", "harness/replay/difference.h", "harness/replay/freedom.h", "harness/run/schedule.h", "harness/target/target.h", "harness/json/"] + HARNESS_BASE),
    (r"harness/run/", ["harness/run/", "harness/history/", "harness/scenario/", "harness/match/", "harness/json/",
                       "harness/target/target.h", "harness/target/store.h", "harness/target/http.h",
                       "harness/target/provisioner.h"] + HARNESS_BASE),
    (r"harness/report/", ["harness/report/", "harness/run/result.h", "harness/run/suite.h", "harness/scenario/", "harness/match/",
                          "harness/json/"] + HARNESS_BASE),
    # Results of several runs in one table: a report like the others; what stands side by side is read as scenarios are.
    (r"harness/matrix/", ["harness/matrix/", "harness/report/", "harness/scenario/", "harness/match/", "harness/json/"] + HARNESS_BASE),
    # Compares report files, not results: it knows the form of a report, and the ways to print text safely.
    (r"harness/diff/", ["harness/diff/", "harness/report/visible.h", "harness/report/markdown_text.h", "harness/json/"] + HARNESS_BASE),
    (r"harness/command/|harness/main\.c", ["harness/"]),
    (r"harness/fuzz/", ["harness/"]),
    (r"harness/tests/", ["harness/"]),
    (r"tools/sync-server/", ["tools/sync-server/"]),
    (r"tools/provision/", ["tools/provision/"]),
    (r"tools/adapters/c-relay/", ["tools/adapters/c-relay/", "relay-ref/adapters/", "relay-ref/core/"]),
]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def allowed(path):
    for pattern, prefixes in RULES:
        if re.match(pattern, path):
            return prefixes
    return None


def main():
    breaches = 0
    sources = [p for top in ("relay-ref", "harness", "tools") for p in sorted(pathlib.Path(top).rglob("*.[ch]"))]
    for source in sources:
        path = source.as_posix()
        prefixes = allowed(path)
        if prefixes is None:
            print(f"{path}:1: no rule says what this room may include (tools/check_includes.py)")
            breaches += 1
            continue
        for number, line in enumerate(source.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and not any(found[1].startswith(prefix) for prefix in prefixes):
                print(f"{path}:{number}: may not include {found[1]}; allowed: {', '.join(prefixes)}")
                breaches += 1
    print(f"{len(sources)} files, {breaches} includes that break the rules")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
