"""Faults in what goes out: messages that are lost, doubled, altered, swapped or sent to the wrong ones."""

import uuid

import wire
from broken_relay import Fault


class NoEcho(Fault):
    """The sender does not get its own envelope back."""

    clauses = ("seq.echo-all",)

    def outgoing(self, connection, message):
        lost = message["t"] == "env" and connection is self.sender
        return [] if lost else super().outgoing(connection, message)


class DoubleEcho(Fault):
    """The sender gets its own envelope back twice."""

    clauses = ("seq.echo-all",)

    def outgoing(self, connection, message):
        doubled = message["t"] == "env" and connection is self.sender
        return super().outgoing(connection, message) * (2 if doubled else 1)


class Reorders(Fault):
    """Members other than the sender get each two envelopes in the wrong order."""

    clauses = ("seq.same-order",)

    def outgoing(self, connection, message):
        if message["t"] != "env" or connection is self.sender:
            return super().outgoing(connection, message)
        held = self.__dict__.setdefault("held", {})
        if connection not in held:
            held[connection] = message
            return []
        return [message, held.pop(connection)]


class NoGone(Fault):
    """Nobody hears that a member has left."""

    clauses = ("leave.member-gone",)

    def outgoing(self, connection, message):
        lost = message["t"] == "member" and "gone" in message
        return [] if lost else super().outgoing(connection, message)


class DoubleGone(Fault):
    """Everybody hears twice that a member has left."""

    clauses = ("leave.once", "leave.member-gone")

    def outgoing(self, connection, message):
        doubled = message["t"] == "member" and "gone" in message
        return super().outgoing(connection, message) * (2 if doubled else 1)


class NoPresenceGone(Fault):
    """Nobody hears that a presence entry has gone."""

    clauses = ("presence.gone", "join.takeover")

    def outgoing(self, connection, message):
        lost = message["t"] == "presence" and "gone" in message
        return [] if lost else super().outgoing(connection, message)


class NoArrival(Fault):
    """Nobody hears that a member has come."""

    clauses = ("join.member-broadcast",)

    def outgoing(self, connection, message):
        lost = message["t"] == "member" and "gone" not in message
        return [] if lost else super().outgoing(connection, message)


class WrongRoster(Fault):
    """A welcome lists the newcomer itself among the others."""

    clauses = ("join.roster",)

    def outgoing(self, connection, message):
        if message["t"] == "welcome":
            message["members"].append(connection.rooms[self.rooms[message["room"]]])
        return super().outgoing(connection, message)


class NoPeers(Fault):
    """A welcome never lists presence entries."""

    clauses = ("join.peers",)

    def outgoing(self, connection, message):
        if message["t"] == "welcome":
            message["peers"] = []
        return super().outgoing(connection, message)


class NullsForNothing(Fault):
    """Fields without a value are sent as null instead of being left out."""

    clauses = ("join.welcome-fields", "presence.data-absent", "join.snapshot-rootless")

    def outgoing(self, connection, message):
        if message["t"] == "welcome":
            message.setdefault("root", None)
        if message["t"] == "presence":
            message["peer"].setdefault("data", None)
        return super().outgoing(connection, message)


class EpochEachJoin(Fault):
    """Every welcome shows another epoch."""

    clauses = ("epoch.stable",)

    def outgoing(self, connection, message):
        if message["t"] == "welcome":
            message["epoch"] = str(uuid.uuid4())
        return super().outgoing(connection, message)


class EjectHidesReason(Fault):
    """An ejection gives the same reason for everything."""

    clauses = ("eject.proto", "eject.ops-limit", "eject.can-write", "eject.validate", "eject.order")

    def outgoing(self, connection, message):
        if message["t"] == "eject":
            message["reason"] = "writer-mismatch"
        return super().outgoing(connection, message)


class RejectWithoutExpected(Fault):
    """A reject does not say which version was expected."""

    clauses = ("join.reject-proto", "join.reject-policy-version", "join.reject-schema")

    def outgoing(self, connection, message):
        if message["t"] == "reject":
            message.pop("expected", None)
        return super().outgoing(connection, message)


class PresenceToSender(Fault):
    """A presence announcement comes back to who made it."""

    clauses = ("presence.fan-out",)

    def presence(self, room, connection, message):
        super().presence(room, connection, message)
        connection.send(room.message("presence", f'"peer":{room.peers[connection.rooms[room]]}'))


class SignalToAll(Fault):
    """A signal goes to every member of the room."""

    clauses = ("signal.addressed",)

    def signal(self, room, connection, message):
        for origin in list(room.members):
            super().signal(room, connection, {**message, "to": origin})


class SignalDropsSelf(Fault):
    """A member cannot signal its own origin."""

    clauses = ("signal.self",)

    def signal(self, room, connection, message):
        if message.get("to") != connection.rooms[room]:
            super().signal(room, connection, message)


class LeaksRoom(Fault):
    """An envelope also goes to the members of all other rooms, under their room's name."""

    clauses = ("seq.per-room", "frame.multi-room")

    def order(self, room, envelope):
        leaked = wire.dump({**envelope, "seq": room.seq + 1})
        super().order(room, envelope)
        for other in self.rooms.values():
            if other is not room:
                other.broadcast("env", f'"env":{leaked}')
