#!/usr/bin/env python3
"""Breaks the reference relay in one place at a time, and shows which breaks the suite does not notice.

    tools/mutants.py                                 every source of relay-ref/core
    tools/mutants.py relay-ref/core/join.c           only this one
    tools/mutants.py --list relay-ref/core/join.c    the places, without trying them

A place is a comparison, a logical operator, a negation or an off-by-one; each is turned into its opposite or neighbour. The relay so broken is
built in a copy below build/mutants/ and judged in memory in all profiles. A break that no scenario notices either has no effect that the
protocol speaks of (a ceiling, a shortcut), or a scenario is missing. Exit status: 0 every break was noticed, 1 some were not.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPY = ROOT / "build/mutants"
SWAPS = [(r"(?<![<>=!\-])<=(?!=)", ["<"]), (r"(?<![<>=!\-])>=(?!=)", [">"]), (r"(?<![<\-])<(?![<=])", ["<="]),
         (r"(?<![>\-])>(?![>=])", [">="]), (r"==", ["!="]), (r"!=", ["=="]), (r"&&", ["||"]), (r"\|\|", ["&&"]),
         (r"(?<=[\w\])] )\+ 1\b", ["+ 0"]), (r"(?<=[\w\])] )- 1\b", ["- 0"]), (r"(?<=\()!(?=\w)", [""]),
         (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"])]
# Lines that say nothing of the protocol: includes, out-of-memory paths, assertions.
SKIP = re.compile(r"^\s*(#|/?\*|//)|NULL|alloc|static_assert|sizeof|_t \w+ = 0;|length <|capacity|for \(size_t")


def places(path):
    """Every (line number, column, old, new) of a source."""
    in_comment = False
    for number, line in enumerate(path.read_text().splitlines()):
        starts, ends = "/*" in line, "*/" in line
        if in_comment or SKIP.search(line):
            in_comment = (in_comment or starts) and not ends
            continue
        in_comment = starts and not ends
        code = line.split("/*")[0]
        for pattern, replacements in SWAPS:
            for found in re.finditer(pattern, code):
                for new in replacements:
                    yield number, found.start(), found.group(), new


def build():
    return subprocess.run(["make", "-s", "build/meshspec"], cwd=COPY, capture_output=True, text=True, check=False)


def judge(profiles):
    """The clauses of the cases that fail; None when the suite itself went down or hung."""
    command = ["build/meshspec", "run", "--json", "-"] + [word for profile in profiles for word in ("--profile", profile)]
    try:
        ran = subprocess.run(command, cwd=COPY, capture_output=True, timeout=120, check=False)
        cases = json.loads(ran.stdout)["cases"]
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return sorted({clause["id"] for case in cases if case["verdict"] in ("fail", "error") for clause in case["clauses"]})


def prepare():
    shutil.rmtree(COPY, ignore_errors=True)
    COPY.mkdir(parents=True)
    for name in subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n"):
        if name and (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)
    built = build()
    if built.returncode != 0:
        sys.exit(built.stderr)


def try_one(source, place, profiles):
    number, column, old, new = place
    text = source.read_text()
    lines = text.splitlines(keepends=True)
    line = lines[number]
    lines[number] = line[:column] + new + line[column + len(old):]
    source.write_text("".join(lines))
    try:
        if build().returncode != 0:
            return "does not build"
        clauses = judge(profiles)
        return "noticed: crash or hang" if clauses is None else "noticed: " + ", ".join(clauses[:6]) if clauses else "NOT NOTICED"
    finally:
        source.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", type=pathlib.Path, help="default: relay-ref/core/*.c")
    parser.add_argument("--list", action="store_true", help="list the places without trying them")
    parser.add_argument("--all", action="store_true", help="print the breaks that were noticed, too")
    options = parser.parse_args()
    sources = options.sources or sorted(path.relative_to(ROOT) for path in (ROOT / "relay-ref/core").glob("*.c"))
    if not options.list:
        prepare()
    tried = unnoticed = 0
    for source in sources:
        for place in places(ROOT / source):
            where = f"{source}:{place[0] + 1}:{place[1] + 1}: {place[2]} -> {place[3] or 'nothing'}"
            if options.list:
                print(where)
                continue
            outcome = try_one(COPY / source, place, ["0.1.0", "0.1.1", "0.2.0"])
            tried += outcome != "does not build"
            unnoticed += outcome == "NOT NOTICED"
            if options.all or outcome == "NOT NOTICED":
                print(f"{where}: {outcome}", flush=True)
    print(f"{tried} breaks tried, {unnoticed} not noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
