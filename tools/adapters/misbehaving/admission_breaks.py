"""Faults in checking envelopes, dropping them and ejecting who sent them."""

from interference import Interference, incoming, incoming_envelope, kind_of, message_of, sending, with_message


class SwallowsDrops(Interference):
    """Does not say that an envelope was dropped."""

    clauses = ("admit.generation", "admit.schema", "admit.duplicate", "admit.order")
    kinds = ("drop",)

    def outgoing(self, connection, message):
        return []


class DropsToAll(Interference):
    """Tells every member of a dropped envelope, not its sender alone."""

    clauses = ("admit.generation", "admit.schema", "admit.duplicate", "admit.order")

    def seen(self, command, events):
        out = []
        for event in events:
            told = self.members(message_of(event)["room"]) if kind_of(event) == "drop" else []
            out += [event, *({**event, "conn": connection} for connection in told if connection != event["conn"])]
        return out


class CallsDuplicatesDisordered(Interference):
    """Gives order as the reason where an envelope came again."""

    clauses = ("admit.duplicate",)
    kinds = ("drop",)

    def outgoing(self, connection, message):
        return [{**message, "reason": "order"} if message["reason"] == "duplicate" else message]


class DropsLateAsDuplicate(Interference):
    """Gives duplicate as the reason where a lower version comes too late."""

    clauses = ("admit.order",)
    kinds = ("drop",)

    def outgoing(self, connection, message):
        return [{**message, "reason": "duplicate"} if message["reason"] == "order" else message]


class LooksAtSchemaFirst(Interference):
    """Gives schema as the reason for an envelope of an old instance when its schema is old, too."""

    clauses = ("admit.precedence",)

    def seen(self, command, events):
        _, envelope = incoming_envelope(command)
        out = []
        for event in events:
            if kind_of(event) == "drop" and message_of(event)["reason"] == "generation" and "schemaVersion" in envelope:
                event = sending(event["conn"], {**message_of(event), "reason": "schema"})
            out.append(event)
        return out


class RefusesGaps(Interference):
    """Drops a version that leaves others out."""

    clauses = ("admit.order",)

    def __init__(self, ask):
        super().__init__(ask)
        self.highest = {}  # (room, origin): version

    def carry_out(self, command):
        room, envelope = incoming_envelope(command)
        version = envelope and envelope.get("version")
        if isinstance(version, int) and room in self.joined.get(command["conn"], {}):
            key = room, str(envelope.get("origin"))
            if version > self.highest.get(key, version - 1) + 1:
                drop = {"t": "drop", "room": room, "origin": envelope["origin"], "version": version, "reason": "order"}
                return [sending(command["conn"], drop)], {"id": command["id"], "ok": True}
            self.highest[key] = max(version, self.highest.get(key, 0))
        return super().carry_out(command)


class AdmitsOldGenerations(Interference):
    """Takes an envelope of whatever instance as one of the room's own."""

    clauses = ("admit.generation", "generation.fence")

    def __init__(self, ask):
        super().__init__(ask)
        self.instances = {}  # room: the latest

    def note_events(self, events):
        super().note_events(events)
        for event in events:
            if kind_of(event) == "welcome":
                self.instances[message_of(event)["room"]] = message_of(event)["instance"]

    def told(self, command):
        room, envelope = incoming_envelope(command)
        if envelope is None or room not in self.instances or not isinstance(envelope.get("instance"), str):
            return command
        return with_message(command, {**incoming(command, "env"), "env": {**envelope, "instance": self.instances[room]}})


class WithoutPolicy(Interference):
    """What breaks lack who do not apply a policy."""

    policy = None

    def told(self, command):
        if command["do"] != "open" or self.policy not in (self.options.get("policy") or {}):
            return command
        kept = {name: value for name, value in self.options["policy"].items() if name != self.policy}
        return {**command, "options": {**self.options, "policy": kept}}


class LetsAnybodyBump(WithoutPolicy):
    """Never asks canBump."""

    clauses = ("admit.bump",)
    policy = "canBump"


class TrustsCitations(WithoutPolicy):
    """Does not look whether it knows what is cited."""

    clauses = ("admit.citations",)
    policy = "verifyCitations"


class KeepsTheRest(Interference):
    """Sends the others the ops of an ejected envelope that were in order."""

    clauses = ("admit.whole",)

    def seen(self, command, events):
        room, envelope = incoming_envelope(command)
        ejected = any(kind_of(event) == "eject" and message_of(event)["reason"] in ("epoch-bump", "unknown-citation") for event in events)
        if not ejected:
            return events
        rest = {"t": "env", "room": room, "env": {**envelope, "ops": envelope["ops"][:1], "seq": 1}}
        return events + [sending(connection, rest) for connection in self.members(room)]


class NamesAnotherDetail(Interference):
    """Reports every malformed envelope as no object."""

    clauses = ("valid.details",)

    def seen(self, command, events):
        for event in events:
            if event["on"] == "violation" and event["violation"].get("reason") == "malformed":
                event["violation"]["detail"] = "envelope"
        return events


class EjectsForFormFirst(Interference):
    """Calls an envelope malformed that also has another wire version."""

    clauses = ("valid.order",)
    kinds = ("eject",)

    def outgoing(self, connection, message):
        return [{**message, "reason": "malformed"} if message["reason"] == "proto" else message]


class EjectsLoudly(Interference):
    """Tells every member of the ejection of a connection."""

    clauses = ("eject.connection",)

    def seen(self, command, events):
        out = []
        for event in events:
            loud = kind_of(event) == "eject" and self.options.get("ejection") == "connection"
            told = self.members(message_of(event)["room"]) if loud else []
            out += [event, *({**event, "conn": connection} for connection in told if connection != event["conn"])]
        return out


class EjectsTheWholeWriter(Interference):
    """Ejects a writer where it was asked to eject a connection."""

    clauses = ("eject.connection",)

    def told(self, command):
        if command["do"] != "open" or "ejection" not in self.options:
            return command
        return {**command, "options": {name: value for name, value in self.options.items() if name != "ejection"}}


class EjectsWithoutClosing(Interference):
    """Leaves the connection open that it ejected."""

    clauses = ("eject.connection",)

    def seen(self, command, events):
        ejected = {event["conn"] for event in events if kind_of(event) == "eject"}
        return [event for event in events if event["on"] != "close" or event["conn"] not in ejected]


class LetsClearsPass(Interference):
    """Orders a clear that its writer may not write, or that is not valid."""

    clauses = ("valid.clear-is-write",)

    def seen(self, command, events):
        room, envelope = incoming_envelope(command)
        reasons = [message_of(event)["reason"] for event in events if kind_of(event) == "eject"]
        if not any(reason in ("can-write", "validate") for reason in reasons) or envelope["ops"][0]["kind"] != "clear":
            return events
        members = {*self.members(room), command["conn"]}
        return [sending(connection, {"t": "env", "room": room, "env": {**envelope, "seq": 1}}) for connection in sorted(members)]
