"""Faults in what snapshots show of the registers, and in collecting what is superseded."""

from interference import Interference, kind_of, message_of


class SnapshotBreak(Interference):
    """What breaks have in common that alter the registers of snapshots."""

    kinds = ("welcome",)

    def outgoing(self, connection, message):
        if message["mode"] == "snapshot":
            self.alter(message)
        return [message]

    def alter(self, message):
        for register in message["registers"]:
            self.alter_register(register)

    def alter_register(self, register):
        pass


class LosesSiblings(SnapshotBreak):
    """Keeps one sibling for each path."""

    clauses = ("register.sibling",)

    def alter_register(self, register):
        del register["siblings"][1:]


class LosesPrev(SnapshotBreak):
    """Does not keep what a write replaced."""

    clauses = ("register.sibling",)

    def alter_register(self, register):
        for sibling in register["siblings"]:
            sibling.pop("prev", None)


class KeepsOtherValues(SnapshotBreak):
    """Keeps another value than it sent on."""

    clauses = ("register.sibling", "history.registers")

    def alter_register(self, register):
        for sibling in register["siblings"]:
            if sibling["kind"] == "set":
                sibling["value"] = "another"


class KeepsClearsWithPrev(SnapshotBreak):
    """Gives a clear's sibling a prev."""

    clauses = ("register.sibling",)

    def alter_register(self, register):
        for sibling in register["siblings"]:
            if sibling["kind"] == "clear":
                sibling["prev"] = None


class LowersWater(SnapshotBreak):
    """Has the water one below the highest stamp that was cited."""

    clauses = ("register.water",)

    def alter_register(self, register):
        for stamp in register["water"].values():
            stamp["l"] -= 1


class CountsOwnCitations(SnapshotBreak):
    """Has water for each origin that has a sibling, as if it had cited itself."""

    clauses = ("register.water",)

    def alter_register(self, register):
        for sibling in register["siblings"]:
            register["water"].setdefault(sibling["origin"], sibling["hlc"])


class LosesBaselines(SnapshotBreak):
    """Does not tell the highest epoch of a path."""

    clauses = ("register.baseline",)

    def alter_register(self, register):
        register.pop("epoch", None)


class LosesBareBaselines(SnapshotBreak):
    """Forgets a register of which only the highest epoch is left."""

    clauses = ("register.baseline",)

    def alter(self, message):
        message["registers"] = [register for register in message["registers"] if register["siblings"] or register["water"]]


class LosesTombstones(SnapshotBreak):
    """Forgets what was deleted."""

    clauses = ("register.tombstone",)

    def alter_register(self, register):
        register["siblings"] = [sibling for sibling in register["siblings"] if sibling["kind"] != "delete"]


class CountsVersionsOnce(SnapshotBreak):
    """Has every watermark one too low."""

    clauses = ("register.snapshot",)

    def alter(self, message):
        message["wm"] = {origin: version - 1 for origin, version in message["wm"].items()}


class SpellsPathsAsStrings(SnapshotBreak):
    """Writes the numbers of a path as strings."""

    clauses = ("register.snapshot",)

    def alter_register(self, register):
        register["path"] = [str(segment) for segment in register["path"]]


class SendsValueTrees(SnapshotBreak):
    """Sends a value tree, too."""

    clauses = ("register.never-folds",)

    def alter(self, message):
        message["root"] = {}


class CollectsTombstones(SnapshotBreak):
    """Collects each tombstone with the first settled notice, superseded or not."""

    clauses = ("settle.invisible",)

    def __init__(self, ask):
        super().__init__(ask)
        self.settled = set()  # rooms

    def note_events(self, events):
        super().note_events(events)
        self.settled |= {message_of(event)["room"] for event in events if kind_of(event) == "settled"}

    def alter(self, message):
        if message["room"] in self.settled:
            for register in message["registers"]:
                register["siblings"] = [sibling for sibling in register["siblings"] if sibling["kind"] == "set"]


class NeverSettles(Interference):
    """Lets its journal grow, so that it never collects."""

    clauses = ("settle.when",)

    def told(self, command):
        if command["do"] != "open" or "journalLimit" not in self.options:
            return command
        return {**command, "options": {name: value for name, value in self.options.items() if name != "journalLimit"}}


class SettlesEarly(Interference):
    """Collects one envelope before the journal is over its limit."""

    clauses = ("settle.when",)

    def told(self, command):
        limit = self.options.get("journalLimit", 0)
        if command["do"] != "open" or limit < 1:
            return command
        return {**command, "options": {**self.options, "journalLimit": limit - 1}}


class SwallowsSettled(Interference):
    """Never says what is settled."""

    clauses = ("settle.notice",)
    kinds = ("settled",)

    def outgoing(self, connection, message):
        return []


class SettlesBeforeTheEcho(Interference):
    """Says what is settled in front of the envelope that settled it."""

    clauses = ("settle.notice",)

    def seen(self, command, events):
        return sorted(events, key=lambda event: 0 if event["on"] != "send" else 1 if kind_of(event) == "settled" else 2)


class SettlesForItsWriter(Interference):
    """Says what is settled to the one member whose envelope it was."""

    clauses = ("settle.notice",)

    def seen(self, command, events):
        return [event for event in events if kind_of(event) != "settled" or event["conn"] == command.get("conn")]


class SettlesInPart(Interference):
    """Leaves one origin out of what is settled when there are several."""

    clauses = ("settle.notice",)
    kinds = ("settled",)

    def outgoing(self, connection, message):
        if len(message["settled"]) > 1:
            message["settled"].popitem()
        return [message]
