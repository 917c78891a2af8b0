#!/usr/bin/env python3
"""Breaks the reference relay in one place at a time, and shows which breaks the suite does not notice.

    tools/mutants.py                                 every source of relay-ref/core
    tools/mutants.py relay-ref/core/join.c           only this one
    tools/mutants.py --list relay-ref/core/join.c    the places, without trying them
    tools/mutants.py --profile 0.9 --first scenarios/settle relay-ref/core/settle.c
                                                     what the scenarios of one profile notice; those first that are likely to

A place is a comparison, a logical operator, a negation, an off-by-one, a whole condition or a statement; each is turned into its opposite or
neighbour, and a statement is left out. The relay so broken is built in a copy below build/mutants/ and judged in memory in all profiles. A break
that no scenario notices either has no effect that the protocol speaks of (a ceiling, a shortcut), or a scenario is missing. Exit status: 0 every
break was noticed, 1 some were not.
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
PROFILES = ["0.1.0", "0.1.1", "0.2.0", "0.9"]
MEMORY = 2 << 30  # bytes of address space, many times what a run takes: a break that takes without end is ended before the machine is full
SWAPS = [(r"(?<![<>=!\-])<=(?!=)", ["<"]), (r"(?<![<>=!\-])>=(?!=)", [">"]), (r"(?<![<\-])<(?![<=])", ["<="]),
         (r"(?<![>\-])>(?![>=])", [">="]), (r"==", ["!="]), (r"!=", ["=="]), (r"&&", ["||"]), (r"\|\|", ["&&"]),
         (r"(?<=[\w\])] )\+ 1\b", ["+ 0"]), (r"(?<=[\w\])] )- 1\b", ["- 0"]), (r"(?<=\()!(?=\w)", [""]),
         (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"])]
# A statement, but for declarations, what gives memory back, and what writes a piece of a message, which nobody could miss.
STATEMENT = re.compile(r"^\s+(?!return\b|goto\b|\(\*?va_|(?:free|free_\w+|\w+_(?:free|release|end|start|add|add_\w+))\(|(?:const |static |unsigned )*(?:struct|enum|char|bool|double|size_t|outcome) )[\w*(+-].*;\s*$")
CONDITION = re.compile(r"^\s+(?:\} else )?(?:if|while) \((.*)\)(?: \{)?$")
# Lines that say nothing of the protocol: includes, out-of-memory paths, assertions.
SKIP = re.compile(r"^\s*(#|/?\*|//)|alloc|_reserve\(|static_assert|sizeof|_t \w+ = 0;|length <|capacity|for \(size_t")
# A line and the next: what is not there ends a function, mostly for want of memory. Every other NULL is tried.
GIVES_UP = re.compile(r"== NULL\)(?: \{)?\n\s+return\b")


def places(path):
    """Every (line number, column, old, new) of a source."""
    in_comment = False
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        starts, ends = "/*" in line, "*/" in line
        if in_comment or SKIP.search(line) or GIVES_UP.search("\n".join(lines[number:number + 2])):
            in_comment = (in_comment or starts) and not ends
            continue
        in_comment = starts and not ends
        code = line.split("/*")[0]
        if STATEMENT.match(code):
            start = len(code) - len(code.lstrip())
            yield number, start, code[start:].rstrip(), ";"
        condition = CONDITION.match(code)
        if condition and not re.fullmatch(r"!?[\w>.-]+|[^&|]*(==|!=|<|>)[^&|]*", condition[1]):
            yield number, condition.start(1), condition[1], f"!({condition[1]})"
        for pattern, replacements in SWAPS:
            for found in re.finditer(pattern, code):
                for new in replacements:
                    yield number, found.start(), found.group(), new


def make(*arguments):
    """Without optimising and without warnings: a break is built in no time, and may leave something unused."""
    return subprocess.run(["make", "-s", "CFLAGS=-O0 -w", *arguments, "build/meshspec"], cwd=COPY, capture_output=True, text=True, check=False)


def judge(profiles, scenarios=()):
    """The clauses of the cases that fail; None when the suite itself went down or hung."""
    command = ["build/meshspec", "run", "--json", "-", *scenarios] + [word for profile in profiles for word in ("--profile", profile)]
    seconds = 3 if scenarios else 5 * len(profiles)  # of the processor: a break that hangs is ended soon, on a busy machine, too
    try:
        ran = subprocess.run(["prlimit", f"--cpu={seconds}", f"--as={MEMORY}", *command], cwd=COPY, capture_output=True, timeout=120, check=False)
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
    built = make()
    if built.returncode != 0:
        sys.exit(built.stderr)


def commands_for(source):
    """What make would run to build the command after a change of this source: a shell script, the same for each of its breaks."""
    planned = make("--dry-run", "--what-if", str(source))
    if planned.returncode != 0:
        sys.exit(planned.stderr)
    return planned.stdout


def try_one(source, place, commands, options):
    number, column, old, new = place
    text = source.read_text()
    lines = text.splitlines(keepends=True)
    line = lines[number]
    lines[number] = line[:column] + new + line[column + len(old):]
    source.write_text("".join(lines))
    try:
        if subprocess.run(["bash", "-e"], input=commands, cwd=COPY, capture_output=True, text=True, check=False).returncode != 0:
            return "does not build"
        clauses = judge(options.profile, options.first) if options.first else []
        if clauses == []:
            clauses = judge(options.profile)
        return "noticed: crash or hang" if clauses is None else "noticed: " + ", ".join(clauses[:6]) if clauses else "NOT NOTICED"
    finally:
        source.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", type=pathlib.Path, help="default: relay-ref/core/*.c")
    parser.add_argument("--list", action="store_true", help="list the places without trying them")
    parser.add_argument("--all", action="store_true", help="print the breaks that were noticed, too")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX", help="only breaks of what this matches, such as '<|>'")
    parser.add_argument("--profile", action="append", help="judge in this profile only; may be given several times (default: all)")
    parser.add_argument("--first", action="append", default=[], help="scenarios to play first: the rest only when they notice nothing")
    options = parser.parse_args()
    options.profile = options.profile or PROFILES
    sources = options.sources or sorted(path.relative_to(ROOT) for path in (ROOT / "relay-ref/core").glob("*.c"))
    if not options.list:
        prepare()
    tried = unnoticed = 0
    for source in sources:
        commands = None if options.list else commands_for(source)
        for place in filter(lambda place: options.only.fullmatch(place[2]) or not options.only.pattern, places(ROOT / source)):
            where = f"{source}:{place[0] + 1}:{place[1] + 1}: {place[2]} -> {place[3] or 'nothing'}"
            if options.list:
                print(where)
                continue
            outcome = try_one(COPY / source, place, commands, options)
            tried += outcome != "does not build"
            unnoticed += outcome == "NOT NOTICED"
            if options.all or outcome == "NOT NOTICED":
                print(f"{where}: {outcome}", flush=True)
    print(f"{tried} breaks tried, {unnoticed} not noticed")
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
