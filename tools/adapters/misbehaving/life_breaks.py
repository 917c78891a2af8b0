"""Faults in the generations of a room, in forgetting rooms and in restoring them."""

from interference import Interference, incoming, incoming_envelope, kind_of, message_of, sending, with_message


class OldInstanceBreak(Interference):
    """What breaks have in common that go on under an instance that has ended: clients never see the new one."""

    def __init__(self, ask):
        super().__init__(ask)
        self.shown = {}  # room: the instance that clients get to see
        self.real = {}  # room: the relay's

    def keeps(self, message):
        """Whether a welcome of another instance than before is to show the one of before."""
        return False

    def note_events(self, events):
        super().note_events(events)
        for event in events:
            if kind_of(event) == "welcome":
                message = message_of(event)
                room, instance = message["room"], message["instance"]
                if instance != self.real.get(room) and not (room in self.shown and self.keeps(message)):
                    self.shown[room] = instance
                self.real[room] = instance

    def told(self, command):
        room, envelope = incoming_envelope(command)
        if envelope is None or room not in self.real or envelope.get("instance") != self.shown[room]:
            return command
        return with_message(command, {**incoming(command, "env"), "env": {**envelope, "instance": self.real[room]}})

    kinds = ("welcome", "env")

    def outgoing(self, connection, message):
        room = message["room"]
        inner = message["env"] if message["t"] == "env" else message
        if room in self.real and inner["instance"] == self.real[room]:
            inner["instance"] = self.shown[room]
        return [message]


class KeepsInstances(OldInstanceBreak):
    """Keeps a room's instance through a migration."""

    clauses = ("generation.cut", "generation.rewelcome", "generation.fence")

    def keeps(self, message):
        return message["seq"] > 0


class KeepsEmptyRooms(OldInstanceBreak):
    """Keeps a room, and so its instance, that nobody wrote to."""

    clauses = ("room.evict-empty",)

    def keeps(self, message):
        return message["seq"] == 0


class RewelcomeBreak(Interference):
    """What breaks have in common that welcome members wrongly after a migration."""

    def seen(self, command, events):
        if command["do"] == "receive" and incoming(command, "hello") is None and any(kind_of(event) == "welcome" for event in events):
            return self.rewelcomed(command, events)
        return events


class WelcomesNobodyAnew(RewelcomeBreak):
    """Sends no new welcome after a migration."""

    clauses = ("generation.rewelcome",)

    def rewelcomed(self, command, events):
        return [event for event in events if kind_of(event) != "welcome"]


class WelcomesItsWriterAnew(RewelcomeBreak):
    """Sends the one member that migrated the room a new welcome."""

    clauses = ("generation.rewelcome",)

    def rewelcomed(self, command, events):
        return [event for event in events if kind_of(event) != "welcome" or event["conn"] == command["conn"]]


class WelcomesAnewFirst(RewelcomeBreak):
    """Sends the new welcomes in front of the migration's echo."""

    clauses = ("generation.rewelcome",)

    def rewelcomed(self, command, events):
        return sorted(events, key=lambda event: 0 if event["on"] != "send" else 1 if kind_of(event) == "welcome" else 2)


class WelcomesAnewWithMarks(RewelcomeBreak):
    """Counts the migration itself as admitted."""

    clauses = ("generation.rewelcome", "generation.cut")

    def rewelcomed(self, command, events):
        _, envelope = incoming_envelope(command)
        marks = {envelope["origin"]: envelope["version"]}
        return [sending(event["conn"], {**message_of(event), "wm": marks}) if kind_of(event) == "welcome" else event for event in events]


class WelcomesAnewEmpty(RewelcomeBreak):
    """Leaves the migration's own writes out of the new registers."""

    clauses = ("generation.rewelcome", "generation.cut")

    def rewelcomed(self, command, events):
        return [sending(event["conn"], {**message_of(event), "registers": []}) if kind_of(event) == "welcome" else event for event in events]


# ---- unloading -----------------------------------------------------------------------------------


class UnloadBreak(Interference):
    """What breaks have in common that answer an unload wrongly."""

    says = None

    def answered(self, command, reply):
        return {**reply, "ok": self.says} if command["do"] == "unload" else reply


class SaysUnloaded(UnloadBreak):
    """Says of every room that it was unloaded."""

    clauses = ("room.unload",)
    says = True


class RefusesToUnload(UnloadBreak):
    """Says of every room that it was not unloaded."""

    clauses = ("room.unload",)
    says = False


class UnloadsNothing(Interference):
    """Says that it unloaded a room, and keeps it."""

    clauses = ("room.unload",)

    def told(self, command):
        return None if command["do"] == "unload" else command


class DiscardsNothing(Interference):
    """Refuses to unload a stalled room even when it may discard it."""

    clauses = ("room.unload",)

    def told(self, command):
        return {**command, "discard": False} if command["do"] == "unload" else command


# ---- restoring -----------------------------------------------------------------------------------


class HydrateBreak(Interference):
    """What breaks have in common that restore a room without some part of it."""

    lost = ()

    def told(self, command):
        if command["do"] != "hydrate" or not isinstance(command["snapshot"], dict):
            return command
        return {**command, "snapshot": {name: value for name, value in command["snapshot"].items() if name not in self.lost}}


class RestoresNoRegisters(HydrateBreak):
    """Restores a room without its registers."""

    clauses = ("hydrate.registers",)
    lost = ("registers",)


class RestoresNoRanges(HydrateBreak):
    """Restores the highest versions of a room without its ranges."""

    clauses = ("hydrate.registers",)
    lost = ("ranges",)


class RestoresNoSettled(HydrateBreak):
    """Restores a room without what was settled."""

    clauses = ("hydrate.registers",)
    lost = ("settled",)


class RestoresNoInstance(HydrateBreak):
    """Restores a room under another instance."""

    clauses = ("hydrate.registers",)
    lost = ("instance",)


class RestoresNoMarks(HydrateBreak):
    """Restores a room that has watermarks and no ranges as one that admitted nothing yet."""

    clauses = ("hydrate.wm-only",)
    lost = ("wm",)


class RestoresNoBaselines(HydrateBreak):
    """Restores a room without the highest epochs of its paths."""

    clauses = ("hydrate.registers",)

    def told(self, command):
        if command["do"] == "hydrate" and isinstance(command["snapshot"], dict):
            for register in command["snapshot"].get("registers") or ():
                if isinstance(register, dict):
                    register.pop("epoch", None)
        return command
