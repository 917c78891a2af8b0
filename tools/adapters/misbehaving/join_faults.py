"""Faults in joining, catching up, leaving and restoring rooms."""

from broken_relay import Fault
from wire import dump, parse


class OffByOneJournal(Fault):
    """The journal keeps one envelope more than its limit."""

    clauses = ("journal.limit",)

    class room_fault:
        def keep(self, seq, envelope, limit):
            super().keep(seq, envelope, limit + 1)


class NarrowDelta(Fault):
    """A watermark just below the first journalled envelope is answered with a snapshot."""

    clauses = ("join.delta",)

    class room_fault:
        def catch_up(self, seq):
            at_the_bound = self.journal and seq == self.journal[0][0] - 1
            return super().catch_up(None if at_the_bound else seq)


class DeltaIncludesOld(Fault):
    """A delta begins with the envelope that the client has seen last."""

    clauses = ("join.delta",)

    class room_fault:
        def catch_up(self, seq):
            answer = super().catch_up(seq)
            old = [text for number, text in self.journal if number == seq]
            return answer.replace("[", f"[{old[0]},", 1) if old and answer.startswith('"mode":"delta"') else answer


class DeltaMissesLast(Fault):
    """A delta lacks the newest envelope."""

    clauses = ("join.delta",)

    class room_fault:
        def catch_up(self, seq):
            newest = self.journal.pop() if len(self.journal) > 1 else None
            answer = super().catch_up(seq)
            if newest:
                self.journal.append(newest)
            return answer


class AheadIsUpToDate(Fault):
    """A watermark above the room's seq is answered up-to-date."""

    clauses = ("join.ahead",)

    class room_fault:
        def catch_up(self, seq):
            ahead = isinstance(seq, (int, float)) and seq > self.seq
            return super().catch_up(self.seq if ahead else seq)


class SnapshotRootWrong(Fault):
    """A snapshot shows the root of one envelope earlier."""

    clauses = ("join.snapshot", "fold.set")

    class room_fault:
        earlier = ""

        def write(self, *args):
            self.earlier = self.root()
            super().write(*args)

        def catch_up(self, seq):
            answer = super().catch_up(seq)
            return f'"mode":"snapshot"{self.earlier}' if answer.startswith('"mode":"snapshot"') else answer


class WrongRejectOrder(Fault):
    """The policy version is checked before everything else."""

    clauses = ("join.reject-order",)

    def refusal(self, room, connection, hello):
        wrong_policy = super().refusal(room, connection, {**hello, "proto": 1})
        if wrong_policy and "policy-version" in wrong_policy:
            return wrong_policy
        return super().refusal(room, connection, hello)


class RejectCloses(Fault):
    """A rejected hello closes the connection."""

    clauses = ("join.reject-open",)

    def hello(self, room, connection, hello):
        refused = self.refusal(room, connection, hello)
        super().hello(room, connection, hello)
        if refused:
            self.close(connection)


class RejectEndsMembership(Fault):
    """A rejected second hello ends the membership that the connection had."""

    clauses = ("join.reject-keeps-membership",)

    def hello(self, room, connection, hello):
        if room in connection.rooms and self.refusal(room, connection, hello):
            room.leave(connection)
        super().hello(room, connection, hello)


class SchemaGateOpen(Fault):
    """An outdated schema version is let in."""

    clauses = ("join.reject-schema", "migrate.gate")

    def refusal(self, room, connection, hello):
        refused = super().refusal(room, connection, hello)
        return None if refused and '"reason":"schema"' in refused else refused


class GoneOnTakeover(Fault):
    """The others hear that a member has left when its origin is only taken over."""

    clauses = ("join.takeover",)

    def hello(self, room, connection, hello):
        holder = room.members.get(hello["origin"])
        if holder and holder is not connection and not self.refusal(room, connection, hello):
            room.leave(holder)
            self.close(holder)
        super().hello(room, connection, hello)


class TakeoverLeavesOpen(Fault):
    """The older connection of an origin that is taken over is not closed."""

    clauses = ("join.takeover",)

    def hello(self, room, connection, hello):
        close, self.close = self.close, lambda holder: None
        super().hello(room, connection, hello)
        self.close = close


class LateCloseGhost(Fault):
    """The end of a displaced connection is reported as its origin's leave."""

    clauses = ("join.takeover-late-close",)

    def hello(self, room, connection, hello):
        holder = room.members.get(hello["origin"])
        super().hello(room, connection, hello)
        if holder and holder is not connection and room not in holder.rooms:
            self.__dict__.setdefault("displaced", {})[holder] = (room, hello["origin"])

    def disconnect(self, connection):
        room, origin = self.__dict__.setdefault("displaced", {}).pop(connection, (None, None))
        if room:
            room.broadcast("member", f'"origin":{dump(origin)},"gone":true')
        super().disconnect(connection)


class ForgetsEmptyRooms(Fault):
    """A room is forgotten when its last member leaves."""

    clauses = ("seq.durable-room",)

    def disconnect(self, connection):
        super().disconnect(connection)
        self.rooms = {name: room for name, room in self.rooms.items() if room.members or room.ejected}


class OneEpoch(Fault):
    """All rooms and all their lives have the same epoch."""

    clauses = ("epoch.unique", "migrate.bump")

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.mint = lambda: "the-epoch"


class HydratesAlways(Fault):
    """A room with members and a history can be hydrated."""

    clauses = ("hydrate.refused-members", "hydrate.refused-state")

    def hydrate(self, name, snapshot):
        room = self.room(name)
        members, room.members = room.members, {}
        room.seq, room._root_text = 0, None
        room.journal.clear()
        done = super().hydrate(name, snapshot)
        room.members = members
        return done


class HydrateForgetsEpoch(Fault):
    """A restored room gets a new epoch."""

    clauses = ("hydrate.epoch",)

    def hydrate(self, name, snapshot):
        return super().hydrate(name, {key: value for key, value in snapshot.items() if key != "epoch"})


class HydrateKeepsOrder(Fault):
    """A restored journal stays in the order in which it was given."""

    clauses = ("hydrate.journal",)

    def hydrate(self, name, snapshot):
        done = super().hydrate(name, {**snapshot, "journal": []})
        if done:
            for entry in snapshot.get("journal", ()):
                self.rooms[name].keep(entry["seq"], dump(entry), self.options.journal_limit)
        return done


class DeafAfterJunk(Fault):
    """A connection that sent junk is never listened to again, but stays open."""

    clauses = ("frame.garbage-survives",)

    def receive(self, connection, text):
        deaf = self.__dict__.setdefault("deaf", set())
        try:
            junk = not isinstance(parse(text), dict)
        except ValueError:
            junk = True
        if junk:
            deaf.add(connection)
        if connection not in deaf:
            super().receive(connection, text)


class JunkClosesAll(Fault):
    """Junk from one connection closes the connections of everybody."""

    clauses = ("frame.garbage-isolated",)

    def receive(self, connection, text):
        try:
            parse(text)
        except ValueError:
            for room in self.rooms.values():
                for member in list(room.members.values()):
                    self.close(member)
        super().receive(connection, text)
