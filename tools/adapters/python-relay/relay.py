"""The relay itself: it orders, keeps and fans out envelopes, as JSON text. No sockets, clock or files in here."""

from collections import deque, namedtuple

from fold import NOTHING, Fold
from wire import dump, is_number, parse

PROTO = 1
PROFILES = ("0.1.0", "0.1.1", "0.2.0")
# max_per_second may be None: no limit. policy is a Policy.
Options = namedtuple("Options", "policy_version journal_limit max_ops max_per_second policy")

class Connection:
    """One socket with one principal. send(text) and close() are handed in by who carries it."""

    def __init__(self, principal, send, close):
        self.principal, self.writer = principal, principal["writer"]
        self.send, self.close, self.closed = send, close, False
        self.rooms = {}  # room -> the origin it is a member with, in the order they were joined

class Room:
    def __init__(self, name, epoch, has_schema):
        self.name, self.epoch, self.has_schema = dump(name), epoch, has_schema
        self.seq, self.schema_version, self.fold = 0, 0, Fold()
        self.journal = deque()  # (seq, envelope as text), ascending
        self.members = {}  # origin -> Connection, in join order
        self.peers = {}  # origin -> presence entry as text, in the order of first announcement
        self.ejected = set()
        self.buckets = {}  # writer -> (thousandths of a token, when they were counted)
        self._root_text = None

    def message(self, kind, body):
        return f'{{"t":"{kind}","room":{self.name},{body}}}'

    def broadcast(self, kind, body, but=None):
        text = self.message(kind, body)
        for connection in list(self.members.values()):
            if connection is not but and not connection.closed:
                connection.send(text)

    def write(self, seq, envelope, ops, limit):
        self.keep(seq, envelope, limit)
        self._root_text = None
        for op in ops:
            self.fold.apply(op)

    def keep(self, seq, envelope, limit):
        self.journal.append((seq, envelope))
        while len(self.journal) > limit:  # journal.limit
            self.journal.popleft()

    def root(self):
        """The member "root" of a message, or nothing while there is no value. Kept until the next write."""
        if self._root_text is None:
            self._root_text = "" if self.fold.root is NOTHING else f',"root":{dump(self.fold.root)}'
        return self._root_text

    def state(self):
        schema = f',"schemaVersion":{dump(self.schema_version)}' if self.has_schema else ""
        return f'"seq":{self.seq},"epoch":{dump(self.epoch)}{schema}'

    def forget_peer(self, origin):
        if peer := self.peers.pop(origin, None):
            self.broadcast("presence", f'"peer":{peer},"gone":true')

    def leave(self, connection):
        """presence.gone, then leave.member-gone, to the members that stay."""
        origin = connection.rooms.pop(self)
        del self.members[origin]
        self.forget_peer(origin)
        self.broadcast("member", f'"origin":{dump(origin)},"gone":true')

    def catch_up(self, seq):
        """What a newcomer with this watermark has to be told."""
        if self.seq == 0 or _is(seq, self.seq):  # join.fresh, join.up-to-date
            return '"mode":"up-to-date"'
        if is_number(seq) and self.journal and seq >= self.journal[0][0] - 1:  # join.delta, join.ahead
            missed = ",".join(text for number, text in self.journal if number > seq)
            return f'"mode":"delta","envs":[{missed}]'
        return f'"mode":"snapshot"{self.root()}'  # join.snapshot, join.snapshot-rootless

class Relay:
    """now() gives milliseconds, mint() a new epoch; the observers get the room's name first."""

    make_room = Room

    def __init__(self, profile, options, now, mint, on_commit, on_violation):
        self.profile, self.options, self.rooms = profile, options, {}
        self.now, self.mint, self.on_commit, self.on_violation = now, mint, on_commit, on_violation
        self.handlers = {"env": self.envelope, "presence": self.presence, "signal": self.signal}

    def receive(self, connection, text):
        """Takes one text frame. frame.garbage-isolated: what makes no sense is dropped in silence."""
        try:
            message = None if connection.closed else parse(text)
        except ValueError:
            return
        match message:
            case {"t": "hello", "room": str(name), "origin": str()}:
                self.hello(self.room(name), connection, message)
            case {"t": "env" | "presence" | "signal" as kind, "room": str(name)}:
                room = self.rooms.get(name)
                if room in connection.rooms:  # seq.non-member
                    self.handlers[kind](room, connection, message)

    def disconnect(self, connection):
        """leave.member-gone, leave.once, leave.no-ghost"""
        connection.closed = True
        for room in list(connection.rooms):
            room.leave(connection)

    def room(self, name):
        if name not in self.rooms:
            self.rooms[name] = self.make_room(name, self.mint(), self.profile == "0.2.0")
        return self.rooms[name]

    def hydrate(self, name, snapshot):
        """Restores a persisted room; False, and nothing changes, when the room has already lived."""
        room = self.room(name)
        if room.members or room.seq > 0 or room.journal:
            return False
        room.seq, room.fold = int(snapshot["seq"]), Fold(snapshot.get("root", NOTHING))
        room.epoch, room.schema_version = snapshot.get("epoch", room.epoch), snapshot.get("schemaVersion", 0)
        for entry in sorted(snapshot.get("journal", ()), key=lambda entry: entry["seq"]):
            if entry["seq"] <= room.seq:  # hydrate.journal
                room.keep(entry["seq"], dump(entry), self.options.journal_limit)
        return True

    def hello(self, room, connection, hello):
        refusal, origin = self.refusal(room, connection, hello), hello["origin"]
        if refusal:
            connection.send(room.message("reject", refusal))
            return
        if connection.rooms.get(room, origin) != origin:  # join.second-origin: it moves to the new one
            room.leave(connection)
        holder = room.members.pop(origin, None)
        room.forget_peer(origin)  # join.takeover, join.rehello: no member gone is sent
        if holder and holder is not connection:
            del holder.rooms[room]
            self.close(holder)
        others = list(room.members)
        room.members[origin], connection.rooms[room] = connection, origin
        room.broadcast("member", f'"origin":{dump(origin)}', but=connection)
        roster = f'"peers":[{",".join(room.peers.values())}],"members":{dump(others)}'
        connection.send(room.message("welcome", f'{room.state()},{roster},{room.catch_up(hello.get("seq"))}'))

    def refusal(self, room, connection, hello):
        """join.reject-order: the first check that fails names the reason."""
        if connection.writer in room.ejected:
            return '"reason":"unauthorized"'
        if not _is(hello.get("proto"), PROTO):
            return f'"reason":"proto","expected":{PROTO}'
        if not _is(hello.get("policyVersion"), self.options.policy_version):
            return f'"reason":"policy-version","expected":{dump(self.options.policy_version)}'
        schema = hello.get("schemaVersion")
        if room.has_schema and is_number(schema) and schema < room.schema_version:
            return f'"reason":"schema","expected":{dump(room.schema_version)}'
        return None

    def envelope(self, room, connection, message):
        envelope = message.get("env")
        if not is_envelope(envelope):
            return
        if violation := self.violation(room, connection, envelope):
            self.eject(room, connection.writer, violation)
        else:
            self.order(room, envelope)

    def violation(self, room, connection, envelope):
        """eject.order: the first check that fails, as onViolation reports it, or None."""
        options = self.options
        if not _is(envelope.get("proto"), PROTO) or not _is(envelope.get("policyVersion"), options.policy_version):
            return {"reason": "proto"}
        if len(envelope["ops"]) > options.max_ops:
            return {"reason": "ops-limit"}
        if options.max_per_second is not None and not self.take_token(room, connection.writer):
            return {"reason": "rate"}
        if envelope.get("writer") != connection.writer:
            return {"reason": "writer-mismatch"}
        for op in envelope["ops"]:
            if not options.policy.can_write(connection.principal, op["path"]):
                return {"reason": "can-write", "path": op["path"]}
            if not options.policy.is_valid(op):
                return {"reason": "validate", "path": op["path"]}
        return None

    def take_token(self, room, writer):
        """rate.burst, rate.refill: a bucket of twice the rate, in thousandths so that integers stay exact."""
        rate, now = self.options.max_per_second, self.now()
        tokens, since = room.buckets.get(writer, (2000 * rate, now))
        tokens = min(2000 * rate, tokens + max(0, now - since) * rate)
        room.buckets[writer] = (tokens - 1000, now)
        return tokens >= 1000

    def order(self, room, envelope):
        """seq.dense, seq.verbatim, seq.echo-all: the next number, then to everybody."""
        room.seq += 1
        envelope["seq"] = room.seq
        text = dump(envelope)  # before the fold takes over the values
        schema = envelope.get("schemaVersion")
        if room.has_schema and is_number(schema) and schema > room.schema_version:  # migrate.bump
            room.schema_version, room.epoch = schema, self.mint()
        room.write(room.seq, text, envelope["ops"], self.options.journal_limit)
        room.broadcast("env", f'"env":{text}')
        if self.profile != "0.1.0":  # commit.each
            self.on_commit(room.name, text, f"{{{room.state()}{room.root()}}}")

    def eject(self, room, writer, violation):
        """eject.broadcast first, then eject.all-connections; eject.blacklist for the relay's life."""
        self.on_violation(room.name, dump({"writer": writer, **violation}))
        room.ejected.add(writer)
        room.broadcast("eject", f'"writer":{dump(writer)},"reason":"{violation["reason"]}"')
        for connection in [c for c in room.members.values() if c.writer == writer]:
            room.leave(connection)
            self.close(connection)

    def close(self, connection):
        """eject.closes-connection: its other rooms are left when the transport reports the end."""
        if not connection.closed:
            connection.closed = True
            connection.close()

    def presence(self, room, connection, message):
        origin = connection.rooms[room]
        data = {"data": message["data"]} if "data" in message else {}  # presence.data-absent
        room.peers[origin] = dump({"origin": origin, "writer": connection.writer, **data})
        room.broadcast("presence", f'"peer":{room.peers[origin]}', but=connection)

    def signal(self, room, connection, message):
        target = room.members.get(message["to"]) if isinstance(message.get("to"), str) else None
        if target and not target.closed:
            data = f',"data":{dump(message["data"])}' if "data" in message else ""
            target.send(room.message("signal", f'"from":{dump(connection.rooms[room])}{data}'))

def _is(value, wanted):
    return is_number(value) and value == wanted

def is_envelope(envelope):
    """What the relay must be able to read of an envelope; all the rest is opaque to it."""
    ops = envelope.get("ops") if isinstance(envelope, dict) else None
    return isinstance(ops, list) and all(isinstance(o, dict) and isinstance(o.get("path"), list) for o in ops)
