"""The relay behind the adapter protocol: JSON Lines over standard input and output."""

import sys
import uuid

from policy import Policy, Unsupported
from relay import PROFILES, Connection, Options, Relay
from wire import MAX_DEPTH, dump, is_index, is_number, parse, run_with_deep_stack

MAX_LINE = 256 << 20  # bytes of one command; a longer one comes out cut and so is no JSON
CLOCK_START = 1_700_000_000_000  # a relay's clock stands here until a clock command sets it
ABOUT = {
    "name": "meshspec-python-relay", "version": "1.0.0", "language": "Python", "profiles": list(PROFILES),
    "can": ["options", "clock", "hydrate", "room", "commit", "violation", "policy.acl", "policy.validate"],
}

class Adapter:
    """write(line) takes a line without its newline. A do_ method returns its answer; None is {"ok": true}."""

    make_relay = Relay

    def __init__(self, write):
        self.write, self.running, self.relays, self.connections = write, True, {}, {}

    def handle(self, line):
        """Carries out one line and answers it, whatever it holds."""
        identity = None
        try:
            command = parse(line.decode("utf-8"), MAX_DEPTH)
            if not isinstance(command, dict) or "id" not in command:
                raise ValueError("a command is an object with an id")
            identity = command["id"]
            work = getattr(self, f"do_{command.get('do')}", None)
            answer = (work(command) or {"ok": True}) if work else {"unsupported": True}
        except Unsupported as problem:
            answer = {"no": str(problem)}
        except ValueError as problem:  # not UTF-8, not JSON, or it cannot be carried out
            answer = {"error": str(problem)}
        self.write(dump({"id": identity, **answer}))

    def do_start(self, command):
        if command.get("meshspec") != 1:
            raise Unsupported("this adapter speaks version 1 of the adapter protocol")
        return {"ok": ABOUT}

    def do_open(self, command):
        name, profile, write = text(command, "relay"), command.get("profile"), self.write
        if profile not in PROFILES:
            raise Unsupported(f"the profile must be one of {', '.join(PROFILES)}")
        options, tag = read_options(command.get("options", {})), f'"relay":{dump(name)}'
        if name in self.relays:
            self.do_close(command)
        self.relays[name] = self.make_relay(
            profile, options, now=lambda: CLOCK_START, mint=lambda: str(uuid.uuid4()),
            on_commit=lambda room, e, state: write(f'{{"on":"commit",{tag},"room":{room},"env":{e},"state":{state}}}'),
            on_violation=lambda room, found: write(f'{{"on":"violation",{tag},"room":{room},"violation":{found}}}'))

    def do_connect(self, command):
        relay, name, principal = self.relay(command), text(command, "conn"), command.get("principal")
        if name in self.connections:
            raise ValueError(f"connection {dump(name)} is already there")
        if not isinstance(principal, dict) or not isinstance(principal.get("writer"), str):
            raise ValueError("a principal is an object with a writer, a string")
        tag = f'"conn":{dump(name)}'
        self.connections[name] = relay, Connection(
            principal, send=lambda message: self.write(f'{{"on":"send",{tag},"text":{dump(message)}}}'),
            close=lambda: self.write(f'{{"on":"close",{tag}}}'))

    def do_receive(self, command):
        relay, connection = self.connection(command)
        relay.receive(connection, text(command, "text"))

    def do_disconnect(self, command):
        relay, connection = self.connection(command)
        del self.connections[command["conn"]]
        relay.disconnect(connection)

    def do_hydrate(self, command):
        relay = self.relay(command)
        if relay.profile == "0.1.0":  # hydrate came with 0.1.1
            return {"unsupported": True}
        return {"ok": relay.hydrate(text(command, "room"), read_snapshot(command.get("snapshot")))}

    def do_room(self, command):
        room = self.relay(command).rooms.get(text(command, "room"))
        return {"ok": room and {"seq": room.seq, "members": len(room.members), "journal": len(room.journal)}}

    def do_clock(self, command):
        relay, milliseconds = self.relay(command), command.get("ms")
        if not is_number(milliseconds):
            raise ValueError("clock needs ms, a number")
        relay.now = lambda: milliseconds

    def do_close(self, command):
        closed = self.relay(command)
        del self.relays[command["relay"]]
        self.connections = {n: held for n, held in self.connections.items() if held[0] is not closed}

    def do_stop(self, _command):
        self.running = False

    def relay(self, command):
        name = text(command, "relay")
        if name not in self.relays:
            raise ValueError(f"relay {dump(name)} is not open")
        return self.relays[name]

    def connection(self, command):
        name = text(command, "conn")
        if name not in self.connections:
            raise ValueError(f"connection {dump(name)} is not there")
        return self.connections[name]

def text(command, key):
    if not isinstance(command.get(key), str):
        raise ValueError(f"{command['do']} needs {key}, a string")
    return command[key]

def read_options(data):
    """Options from their JSON form. Raises Unsupported for what this relay cannot honour."""
    data = _fields("options", data, policyVersion=0, journalLimit=1000, limits={}, policy={})
    limits = _fields("limits", data["limits"], maxOpsPerEnvelope=1024, maxEnvelopesPerSecond=None)
    _fields("policy", data["policy"], acl={}, validate={})
    return Options(data["policyVersion"], data["journalLimit"], *limits.values(), Policy(data["policy"]))

def _fields(where, data, **defaults):
    """The data with its defaults, in their order. What has an object as default is not checked further here."""
    if not isinstance(data, dict):
        raise Unsupported(f"{where} must be an object")
    for name, value in sorted(data.items()):
        if name not in defaults:
            raise Unsupported(f"{where}: {name} is not known here")
        if defaults[name] != {} and not (is_number(value) and value >= 0):
            raise Unsupported(f"{name} must be a number from 0 on")
    return {**defaults, **data}

def read_snapshot(data):
    """What a hydrate brings, checked. Raises ValueError."""
    found = data.get("journal", []) if isinstance(data, dict) else None
    if not isinstance(found, list) or not all(isinstance(e, dict) and is_index(e.get("seq")) for e in [data, *found]):
        raise ValueError("a snapshot, and each envelope of its journal, is an object with seq, an integer from 0 on")
    if not isinstance(data.get("epoch", ""), str) or not is_number(data.get("schemaVersion", 0)):
        raise ValueError("a snapshot's epoch is a string and its schemaVersion a number")
    return data

def serve(make_adapter=Adapter):
    """Answers standard input until stop or its end; the reply to a command flushes all before it."""
    output = sys.stdout.buffer
    adapter = make_adapter(lambda line: output.write(line.encode("ascii") + b"\n"))
    while adapter.running and (line := sys.stdin.buffer.readline(MAX_LINE)):
        adapter.handle(line)
        output.flush()
    return 0

if __name__ == "__main__":
    sys.exit(run_with_deep_stack(serve))
