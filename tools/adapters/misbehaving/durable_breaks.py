"""Faults in holding back what is not durable yet."""

from interference import Interference, incoming, kind_of, message_of, sending


class HoldsNothing(Interference):
    """Sends the echo before its commit is decided."""

    clauses = ("durable.hold",)

    def told(self, command):
        return None if command["do"] in ("hold", "release") else command


class HoldingBreak(Interference):
    """What breaks have in common that have to know which commits are held."""

    def __init__(self, ask):
        super().__init__(ask)
        self.holding = False
        self.held = {}  # room: the seqs of held commits, in order

    def note_command(self, command):
        super().note_command(command)
        if command["do"] in ("hold", "unhold"):
            self.holding = command["do"] == "hold"
        if command["do"] in ("release", "fail") and command["seq"] in self.held.get(command["room"], ()):
            self.held[command["room"]].remove(command["seq"])

    def note_events(self, events):
        super().note_events(events)
        for event in events:
            if event["on"] == "commit" and self.holding:
                self.held.setdefault(event["room"], []).append(event["env"]["seq"])

    def waits(self, room):
        return bool(self.held.get(room))


class ReleasesEarly(HoldingBreak):
    """Sends an envelope as soon as its own commit is decided, whatever is held in front of it."""

    clauses = ("durable.order",)

    def carry_out(self, command):
        events = []
        if command["do"] == "release":
            for seq in [seq for seq in self.held.get(command["room"], ()) if seq < command["seq"]]:
                caused, _ = self.ask({**command, "seq": seq})
                events += caused
        caused, reply = super().carry_out(command)
        if command["do"] == "release":
            reply = {**reply, "ok": True}
        return events + caused, reply


class ReleasesBackwards(HoldingBreak):
    """Sends what is set free together in the order of decisions."""

    clauses = ("durable.order",)

    def seen(self, command, events):
        sent = [event for event in events if kind_of(event) == "env"]
        if command["do"] != "release" or len(sent) < 2:
            return events
        return [event for event in events if kind_of(event) != "env"] + sent[::-1]


class HoldsEverything(HoldingBreak):
    """Holds presence, signals, members, drops and ejections, too."""

    clauses = ("durable.hold",)

    def __init__(self, ask):
        super().__init__(ask)
        self.waiting = []

    def seen(self, command, events):
        kinds = ("presence", "signal", "member", "drop", "eject")
        now = []
        for event in events:
            late = kind_of(event) in kinds and self.waits(message_of(event)["room"])
            (self.waiting if late else now).append(event)
        if any(self.held.values()):
            return now
        late, self.waiting = self.waiting, []
        return now + late


class WelcomesAtOnce(HoldingBreak):
    """Answers a hello at once, with the room as it is behind commits that are held."""

    clauses = ("durable.hold",)

    def __init__(self, ask):
        super().__init__(ask)
        self.states = {}  # room: the state of its latest commit
        self.early = set()  # connections that got such a welcome

    def note_events(self, events):
        super().note_events(events)
        self.states.update({event["room"]: event["state"] for event in events if event["on"] == "commit"})

    def seen(self, command, events):
        hello = incoming(command, "hello")
        if hello is not None and self.waits(hello.get("room")) and any(event["on"] == "join" for event in events):
            self.early.add(command["conn"])
            state = {name: self.states[hello["room"]][name] for name in ("seq", "instance", "schemaVersion", "registers", "wm")}
            people = {"peers": [], "members": []}
            return events + [sending(command["conn"], {"t": "welcome", "room": hello["room"], "mode": "snapshot", **state, **people})]
        return [event for event in events if kind_of(event) != "welcome" or event["conn"] not in self.early]


class GoesOnAfterFailure(Interference):
    """Sends what was held as if it had become durable, when it failed."""

    clauses = ("durable.stall",)

    def told(self, command):
        return {**command, "do": "release"} if command["do"] == "fail" else command


class StallsUnseen(Interference):
    """Tells nobody that a room is stalled."""

    clauses = ("durable.stall",)

    def seen(self, command, events):
        return [event for event in events if event["on"] != "stalled"]


class StallsEverything(Interference):
    """Says nothing more in a room that is stalled, not even presence."""

    clauses = ("durable.stall",)

    def __init__(self, ask):
        super().__init__(ask)
        self.stalled = set()

    def seen(self, command, events):
        self.stalled |= {event["room"] for event in events if event["on"] == "stalled"}
        return [event for event in events if event["on"] != "send" or message_of(event)["room"] not in self.stalled]
