"""Runs a program again and again, each time with another of its allocations failing (see failing_memory.c)."""
import dataclasses
import os
import pathlib
import re
import select
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = ROOT / os.environ.get("MESHSPEC_BUILD", "build")
LIBRARY = BUILD / "tests" / "failing_memory.so"
SANITIZED = "sanitize" in str(BUILD)  # a sanitizer brings an allocator of its own
EVERY = os.environ.get("MESHSPEC_EVERY_ALLOCATION") == "1"
RUNS = 14  # of a session, when not every allocation's turn comes
LIMIT_SECONDS = 60


@dataclasses.dataclass
class Outcome:
    code: int  # negative: ended by a signal
    out: str
    err: str
    failed: bool  # an allocation did fail
    allocations: int  # how many there were; 0 when the program did not end in the ordinary way
    left_behind: bool  # a process that it had started did not end with it


def environment(program, nth, report, forever=False):
    report.unlink(missing_ok=True)
    return {**os.environ, "LD_PRELOAD": str(LIBRARY), "FAILING_MEMORY_PROGRAM": program, "FAILING_MEMORY_AT": str(nth),
            "FAILING_MEMORY_REPORT": str(report), **({"FAILING_MEMORY_FOREVER": "1"} if forever else {})}


def told(report):
    """Whether an allocation failed, and how many there were."""
    lines = report.read_text() if report.exists() else ""
    count = re.search(r"allocations (\d+)", lines)
    return "failed" in lines, int(count[1]) if count else 0


def run(command, nth, folder, forever=False):
    """Runs a command in `folder` to its end; its allocation number `nth` fails (0: none)."""
    command = [str(part) for part in command]
    report = folder / "allocations"
    env = environment(pathlib.Path(command[0]).name, nth, report, forever)
    # Every process that it starts holds the other end: it reads as ended when all of them have.
    alive, held = os.pipe()
    with subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          pass_fds=(held,)) as process:
        os.close(held)
        try:
            out, err = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    left_behind = not select.select([alive], [], [], LIMIT_SECONDS)[0]
    os.close(alive)
    return Outcome(process.returncode, out.decode(errors="replace"), err.decode(errors="replace"), *told(report), left_behind)


SHARDS = range(12 if EVERY else 1)  # of a session, so that several processors can share it


def turns(count, shard=0, first=1):
    """Which allocations fail, from `first` to `count`: every one, or a stride through them that is another one for another count."""
    stride = 1 if EVERY else max(1, (count - first) // RUNS)
    return range(first + shard, count + 1, stride * len(SHARDS))
