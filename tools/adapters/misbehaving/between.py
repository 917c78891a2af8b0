"""An adapter that stands between the harness and a relay that is right, and does wrong what its flags ask for.

It starts the right adapter as a child and hands commands and what they caused on, but for what a --break changes. So the relay may be any that
speaks the adapter protocol; the breaks here are of protocol version 0.9.
"""

import argparse
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools/adapters/python-relay"))

import interference  # noqa: E402
import admission_breaks  # noqa: E402, F401  (this one and the next three define the breaks)
import life_breaks  # noqa: E402, F401
import durable_breaks  # noqa: E402, F401
import register_breaks  # noqa: E402, F401
import wire  # noqa: E402

EXAMPLES = """\
examples:
  between.py --break swallows-drops                        over the reference relay's adapter (build/meshspec-adapter)
  between.py --break swallows-drops --relay 'node tools/adapters/npm-relay/adapter.mjs'
  between.py --list-breaks                                 names every --break, the rules it breaks and what it does
"""


class Child:
    """The right adapter."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, command):
        """The events that it caused, and the reply, parsed. Raises EOFError when the adapter ended."""
        self.process.stdin.write(wire.dump(command).encode() + b"\n")
        self.process.stdin.flush()
        events = []
        for line in self.process.stdout:
            said = wire.parse(line.decode(), wire.MAX_DEPTH)
            if "on" not in said:
                return events, said
            events.append(said)
        raise EOFError(f"the relay ended with status {self.process.wait()}")

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def serve(child, chosen):
    """Answers commands until standard input ends. Each relay that is opened is broken anew."""
    broken = interference.Interference(child.ask)
    for line in sys.stdin.buffer:
        command = wire.parse(line.decode(), wire.MAX_DEPTH)
        if command.get("do") == "open":
            broken = chosen(child.ask)
        events, reply = broken.carry_out(command)
        for said in (*events, reply):
            sys.stdout.write(wire.dump(said) + "\n")
        sys.stdout.flush()


def list_breaks():
    for name, broken in sorted(interference.breaks().items()):
        print(name, " ".join(broken.clauses), broken.__doc__, sep="\t")
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(prog="between.py", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--break", metavar="NAME", dest="chosen", choices=sorted(interference.breaks()), help="break rules of the protocol")
    parser.add_argument("--relay", default=shlex.quote(str(ROOT / "build/meshspec-adapter")), metavar="COMMAND", help="the right adapter")
    parser.add_argument("--list-breaks", action="store_true", help="list them: name, rules, what it does, separated by tabs")
    flags = parser.parse_args(arguments)
    if flags.list_breaks:
        return list_breaks()
    child = Child(shlex.split(flags.relay))
    chosen = interference.breaks()[flags.chosen] if flags.chosen else interference.Interference
    wire.run_with_deep_stack(lambda: serve(child, chosen))
    return child.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
