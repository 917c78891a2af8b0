"""An adapter that misbehaves to order, to show that a harness notices and survives.

It carries the Python relay of the folder next door, which is right, and does wrong only what its flags ask for.
"""

import argparse
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python-relay"))

import broken_relay  # noqa: E402
import envelope_faults  # noqa: E402, F401  (this one and the next two define the faults)
import join_faults  # noqa: E402, F401
import message_faults  # noqa: E402, F401
import wire  # noqa: E402
from adapter import ABOUT, Adapter, Unsupported, serve  # noqa: E402  (the Python relay's adapter)

EXAMPLES = """\
examples:
  adapter.py --crash-on 3                       ends at the third frame of every case
  adapter.py --crash-on 3 --once /tmp/crashed   the same, but once only, however often it is started again
  adapter.py --hang-on 1 --only-relay 2         hangs at the first frame of the second case
  adapter.py --break skip-seq --after 5         breaks seq.dense in every case but the first five
  adapter.py --break no-gone --break leaks-room does both
  adapter.py --list-breaks                      names every --break, the rules it breaks and what it does

A case begins with an open command; frames are receive commands, counted from 1 in each case. The counting
starts again when the adapter is started again. --cannot, --says-yes, --slow-start, --dies-at-start and
--ignore-term hold for the whole process; everything else only for the cases that --only-relay, --after and --once pick.
"""

AT_FRAME = {
    "crash": "end with status 70 and a line on standard error",
    "segfault": "end by SIGSEGV",
    "hang": "answer nothing more, but read on until the input ends",
    "half-line": "write its events and half of the reply, then end",
    "stuck-line": "write its events and half of the reply, then hang",
    "garbage": "write a line that is not JSON before its events and the reply",
    "wrong-id": "answer with another id",
    "wrong-order": "write the reply before the events that it caused",
    "double-reply": "answer twice",
}


def read_flags(arguments):
    parser = argparse.ArgumentParser(
        prog="adapter.py", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    frames = parser.add_argument_group("at the N-th frame")
    for name, what in AT_FRAME.items():
        frames.add_argument(f"--{name}-on", type=_count, metavar="N", help=what)
    extra = parser.add_argument_group("events that nobody asked for, at the first frame")
    extra.add_argument("--flood", type=_count, metavar="N", help="N messages to the frame's connection")
    extra.add_argument("--big-event", type=_count, metavar="BYTES", help="one message of about BYTES to the frame's connection")
    extra.add_argument("--stray-event", action="store_true", help="a message to a connection that does not exist")
    whole = parser.add_argument_group("all the time")
    whole.add_argument("--says-yes", action="store_true", help="answer ok to commands that it does not know")
    whole.add_argument("--cannot", action="append", default=[], choices=ABOUT["can"], help="lack this capability")
    whole.add_argument("--slow-start", type=float, nargs="?", const=3.0, metavar="SECONDS", help="answer start only then (3)")
    whole.add_argument("--dies-at-start", action="store_true", help="end with status 71 instead of answering start")
    whole.add_argument("--ignore-term", action="store_true", help="take no notice of SIGTERM")
    rules = parser.add_argument_group("wrong on the wire")
    rules.add_argument("--break", action="append", default=[], metavar="NAME", dest="breaks",
                       choices=sorted(broken_relay.faults()), help="break rules of the protocol; can be repeated")
    rules.add_argument("--list-breaks", action="store_true", help="list them: name, rules, what it does, separated by tabs")
    when = parser.add_argument_group("when it strikes (default: in every case)")
    when.add_argument("--only-relay", type=_count, metavar="N", help="only in the N-th case")
    when.add_argument("--after", type=int, default=0, metavar="N", help="not in the first N cases")
    when.add_argument("--once", type=pathlib.Path, metavar="FILE", help="only while FILE does not exist; striking creates it")
    return parser.parse_args(arguments)


def _count(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


class Misbehaving(Adapter):
    """Collects what the right adapter would write for a command, then writes what the flags make of it."""

    def __init__(self, flags, write):
        self.lines = []
        super().__init__(self.lines.append)
        self.flags, self.output = flags, write
        self.cases = self.frames = 0
        self.fault = None  # what to do wrong with the command at hand
        self.faults = {
            getattr(flags, f"{name.replace('-', '_')}_on"): getattr(self, f"be_{name.replace('-', '_')}") for name in AT_FRAME
        }

    def handle(self, line):
        self.lines.clear()
        self.fault = None
        super().handle(line)
        *events, reply = self.lines
        muted = [f'{{"on":"{name}",' for name in ("commit", "violation") if name in self.flags.cannot]
        events = [event for event in events if not event.startswith(tuple(muted))]
        if self.flags.says_yes and wire.parse(reply, wire.MAX_DEPTH).get("unsupported"):
            reply = reply.replace('"unsupported":true', '"ok":true')
        (self.fault or self.be_right)(events, reply)

    # ---- commands -------------------------------------------------------------------------------

    def do_start(self, command):
        if self.flags.dies_at_start:
            end(71, "dying at the start, as asked")
        if self.flags.slow_start:
            time.sleep(self.flags.slow_start)
        answer = super().do_start(command)
        can = [name for name in ABOUT["can"] if name not in self.flags.cannot]
        return {"ok": {**answer["ok"], "name": "meshspec-misbehaving", "can": can}}

    def do_open(self, command):
        self.cases, self.frames = self.cases + 1, 0
        self.refuse_options(command.get("options") or {})
        chosen = [broken_relay.faults()[name] for name in self.flags.breaks]
        broken = chosen and self.strikes()
        self.make_relay = broken_relay.combine(chosen) if broken else Adapter.make_relay
        return super().do_open(command)

    def refuse_options(self, options):
        policy = options.get("policy") or {}
        asked = {"options": options, "policy.acl": "acl" in policy, "policy.validate": "validate" in policy}
        for name in self.flags.cannot:
            if asked.get(name):
                raise Unsupported(f"it was told that it cannot do {name}")

    def do_connect(self, command):
        answer = super().do_connect(command)
        relay, connection = self.connections[command["conn"]]
        if isinstance(relay, broken_relay.Fault):
            send = connection.send
            connection.send = lambda text: relay.deliver(connection, send, text)
        return answer

    def do_receive(self, command):
        self.frames += 1
        if self.frames in self.faults and self.strikes():
            self.fault = self.faults[self.frames]
        if self.frames == 1 and self.has_extra_events() and self.strikes():
            self.add_events(command["conn"])
        return super().do_receive(command)

    def do_clock(self, command):
        return {"unsupported": True} if "clock" in self.flags.cannot else super().do_clock(command)

    def do_hydrate(self, command):
        return {"unsupported": True} if "hydrate" in self.flags.cannot else super().do_hydrate(command)

    def do_room(self, command):
        return {"unsupported": True} if "room" in self.flags.cannot else super().do_room(command)

    # ---- striking -------------------------------------------------------------------------------

    def strikes(self):
        """Whether this case is one to misbehave in; notes in the --once file that it happened."""
        flags = self.flags
        if self.cases <= flags.after or flags.only_relay not in (None, self.cases):
            return False
        if flags.once:
            try:
                flags.once.open("x").close()
            except FileExistsError:
                return False
        return True

    def has_extra_events(self):
        return self.flags.flood or self.flags.big_event or self.flags.stray_event

    def add_events(self, connection):
        for number in range(self.flags.flood or 0):
            self.add_event(connection, number)
        if self.flags.big_event:
            self.add_event(connection, "x" * self.flags.big_event)
        if self.flags.stray_event:
            self.add_event("nobody", 0)

    def add_event(self, connection, data):
        text = wire.dump({"t": "signal", "room": "r", "from": "flood", "data": data})
        self.write(wire.dump({"on": "send", "conn": connection, "text": text}))

    # ---- what it writes for one command -------------------------------------------------------------

    def be_right(self, events, reply):
        for line in (*events, reply):
            self.output(line)

    def be_crash(self, _events, _reply):
        end(70, "crashing, as asked")

    def be_segfault(self, _events, _reply):
        os.kill(os.getpid(), signal.SIGSEGV)

    def be_hang(self, _events, _reply):
        sys.stdout.flush()
        while sys.stdin.buffer.read(1 << 16):
            pass
        end(0, "it hung until its input ended, as asked")

    def be_half_line(self, events, reply):
        self.write_half(events, reply)
        end(72, "ending in the middle of a line, as asked")

    def be_stuck_line(self, events, reply):
        self.write_half(events, reply)
        self.be_hang(events, reply)

    def write_half(self, events, reply):
        for line in events:
            self.output(line)
        sys.stdout.buffer.write(reply[: len(reply) // 2].encode())
        sys.stdout.flush()

    def be_garbage(self, events, reply):
        self.output("this line is not JSON")
        self.be_right(events, reply)

    def be_wrong_id(self, events, reply):
        answer = wire.parse(reply, wire.MAX_DEPTH)
        self.be_right(events, wire.dump({**answer, "id": -1}))

    def be_wrong_order(self, events, reply):
        self.output(reply)
        for line in events:
            self.output(line)

    def be_double_reply(self, events, reply):
        self.be_right(events, reply)
        self.output(reply)


def end(status, why):
    """Ends the process at once, from whatever thread."""
    sys.stdout.flush()
    print(f"misbehaving adapter: {why}", file=sys.stderr, flush=True)
    os._exit(status)


def list_breaks():
    for name, fault in sorted(broken_relay.faults().items()):
        print(name, " ".join(fault.clauses), fault.__doc__, sep="\t")
    return 0


def main(arguments):
    flags = read_flags(arguments)
    if flags.list_breaks:
        return list_breaks()
    if flags.ignore_term:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return wire.run_with_deep_stack(lambda: serve(lambda write: Misbehaving(flags, write)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
