"""Faults in ordering, folding, checking and committing envelopes."""

from broken_relay import Fault
from fold import Fold
from relay import is_envelope
from wire import dump, parse


class SkipSeq(Fault):
    """The number 2 is left out: after 1 comes 3."""

    clauses = ("seq.dense",)

    def order(self, room, envelope):
        room.seq += room.seq == 1
        super().order(room, envelope)


class RepeatSeq(Fault):
    """The number 1 is given twice."""

    clauses = ("seq.dense",)

    def order(self, room, envelope):
        first = self.__dict__.setdefault("first", {})
        if room.seq == 1 and first.setdefault(room, envelope) is envelope:
            room.seq = 0
        super().order(room, envelope)


class NotVerbatim(Fault):
    """Envelope fields that the relay does not know are dropped."""

    clauses = ("seq.verbatim",)
    KNOWN = {"proto", "origin", "writer", "version", "hlc", "policyVersion", "ops", "schemaVersion"}

    def order(self, room, envelope):
        super().order(room, {key: value for key, value in envelope.items() if key in self.KNOWN})


class Dedups(Fault):
    """An origin's version is ordered only once."""

    clauses = ("seq.no-dedup",)

    def order(self, room, envelope):
        known = self.__dict__.setdefault("known", set())
        mark = (room, str(envelope.get("origin")), str(envelope.get("version")))
        if mark not in known:
            known.add(mark)
            super().order(room, envelope)


class NoEmptyOps(Fault):
    """An envelope without ops is ignored."""

    clauses = ("seq.empty-ops",)

    def order(self, room, envelope):
        if envelope["ops"]:
            super().order(room, envelope)


class NonMemberWrites(Fault):
    """An envelope is ordered although its connection never joined the room."""

    clauses = ("seq.non-member",)

    def receive(self, connection, text):
        super().receive(connection, text)
        for name, room in list(self.rooms.items()):
            message = self.stray_envelope(connection, text, name)
            if message and room not in connection.rooms and connection.writer not in room.ejected:
                self.envelope(room, connection, message)

    @staticmethod
    def stray_envelope(connection, text, name):
        try:
            message = parse(text)
        except ValueError:
            return None
        fits = isinstance(message, dict) and message.get("t") == "env" and message.get("room") == name
        return message if fits and not connection.closed else None


class DropsNulls(Fault):
    """Object members that are null are lost from the values of an envelope."""

    clauses = ("frame.payload-lossless", "fold.null")

    def order(self, room, envelope):
        super().order(room, {**envelope, "ops": without_nulls(envelope["ops"])})


class CutsAtZero(Fault):
    """Strings in values end at their first U+0000."""

    clauses = ("frame.payload-lossless",)

    def order(self, room, envelope):
        ops = map_strings(envelope["ops"], lambda text: text.partition("\0")[0])
        super().order(room, {**envelope, "ops": ops})


class ReplacesSurrogates(Fault):
    """Lone surrogates become U+FFFD."""

    clauses = ("frame.lone-surrogate",)

    def order(self, room, envelope):
        ops = map_strings(envelope["ops"], lambda t: "".join("\ufffd" if 0xD800 <= ord(c) < 0xE000 else c for c in t))
        super().order(room, {**envelope, "ops": ops})


def map_strings(value, change):
    if isinstance(value, dict):
        return {key: map_strings(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [map_strings(inner, change) for inner in value]
    return change(value) if isinstance(value, str) else value


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [without_nulls(inner) for inner in value] if isinstance(value, list) else value


class _ShiftingFold(Fold):
    def apply(self, op):
        path = op["path"]
        place, key = self.walk(path) if op.get("kind") == "delete" and path else (None, None)
        if isinstance(place, list) and key < len(place):
            del place[key]
        else:
            super().apply(op)


class ArrayDeleteShifts(Fault):
    """Deleting an array element moves the ones behind it."""

    clauses = ("fold.array-delete",)

    class room_fault:
        def write(self, *args):
            self.fold.__class__ = _ShiftingFold
            super().write(*args)


class _ObjectsOnlyFold(Fold):
    def apply(self, op):
        super().apply({**op, "path": [s if isinstance(s, str) else str(s) for s in op["path"]]})


class NoArrays(Fault):
    """A missing container is always made an object, also below a number."""

    clauses = ("fold.create-array",)

    class room_fault:
        def write(self, *args):
            self.fold.__class__ = _ObjectsOnlyFold
            super().write(*args)


class WrongEjectOrder(Fault):
    """The writer is checked before everything else."""

    clauses = ("eject.order",)

    def violation(self, room, connection, envelope):
        if envelope.get("writer") != connection.writer:
            return {"reason": "writer-mismatch"}
        return super().violation(room, connection, envelope)


class OpsLimitTooLow(Fault):
    """An envelope with exactly the limit of ops is a violation."""

    clauses = ("eject.ops-limit",)

    def violation(self, room, connection, envelope):
        found = super().violation(room, connection, envelope)
        return found or ({"reason": "ops-limit"} if len(envelope["ops"]) == self.options.max_ops else None)


class ViolationWithoutPath(Fault):
    """The observer of violations does not learn the path."""

    clauses = ("eject.observed",)

    def violation(self, room, connection, envelope):
        found = super().violation(room, connection, envelope)
        return found and {"reason": found["reason"]}


class EjectsTooLate(Fault):
    """A violating envelope is ordered and sent to all before its writer is ejected."""

    clauses = ("eject.whole-envelope", "commit.none")

    def envelope(self, room, connection, message):
        if self.breaks_a_rule(room, connection, message.get("env")):
            self.order(room, dict(message["env"]))
        super().envelope(room, connection, message)

    def breaks_a_rule(self, room, connection, envelope):
        buckets = dict(room.buckets)
        found = is_envelope(envelope) and self.violation(room, connection, envelope)
        room.buckets = buckets
        return found


class NoBlacklist(Fault):
    """An ejected writer may come back at once."""

    clauses = ("eject.blacklist",)

    def eject(self, room, writer, violation):
        super().eject(room, writer, violation)
        room.ejected.discard(writer)


class EjectsOneConnection(Fault):
    """Only the offending connection of an ejected writer leaves."""

    clauses = ("eject.all-connections",)

    def eject(self, room, writer, violation):
        others = {o: c for o, c in room.members.items() if c.writer == writer and c is not self.sender}
        text = room.message("eject", f'"writer":{dump(writer)},"reason":"{violation["reason"]}"')
        for origin, connection in others.items():
            del room.members[origin]
            connection.send(text)
        super().eject(room, writer, violation)
        room.members.update(others)


class EjectLeavesOpen(Fault):
    """An ejected writer's connections stay open."""

    clauses = ("eject.all-connections",)

    def eject(self, room, writer, violation):
        close, self.close = self.close, lambda connection: None
        super().eject(room, writer, violation)
        self.close = close


class ShortBurst(Fault):
    """One envelope fewer than twice the rate may be sent at once."""

    clauses = ("rate.burst",)

    def take_token(self, room, writer):
        if writer not in room.buckets:
            super().take_token(room, writer)
        return super().take_token(room, writer)


class NeverRefills(Fault):
    """Tokens do not come back with time."""

    clauses = ("rate.refill",)

    def take_token(self, room, writer):
        if writer in room.buckets:
            room.buckets[writer] = (room.buckets[writer][0], self.now())
        return super().take_token(room, writer)


class CommitsTwice(Fault):
    """Every commit is reported twice."""

    clauses = ("commit.each",)

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        report = self.on_commit

        def twice(*what):
            report(*what)
            report(*what)

        self.on_commit = twice


class CommitsBefore(Fault):
    """A commit shows the root of one envelope earlier."""

    clauses = ("commit.fold",)

    class room_fault:
        def write(self, *args):
            self.earlier = self.root()
            super().write(*args)

    def order(self, room, envelope):
        report = self.on_commit
        self.on_commit = lambda name, text, _: report(name, text, f"{{{room.state()}{room.earlier}}}")
        super().order(room, envelope)
        self.on_commit = report


class NoNewEpoch(Fault):
    """A migration raises the schema version but keeps the epoch."""

    clauses = ("migrate.bump",)

    def order(self, room, envelope):
        mint, self.mint = self.mint, lambda: room.epoch
        super().order(room, envelope)
        self.mint = mint


class MigrationCutsJournal(Fault):
    """A migration empties the journal."""

    clauses = ("migrate.journal-kept",)

    def order(self, room, envelope):
        epoch = room.epoch
        super().order(room, envelope)
        if room.epoch != epoch:
            room.journal.clear()
