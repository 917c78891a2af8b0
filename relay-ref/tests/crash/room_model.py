"""What the clients of a relay know of one room, over all of the relay's lives, and what must therefore be true."""
import json


def canonical(value):
    return json.dumps(value, sort_keys=True)


def fold(root, ops):
    """The paths here are two names, so that everything on the way is an object."""
    for op in ops:
        (outer, inner), kind = op["path"], op["kind"]
        place = root.setdefault(outer, {})
        if kind == "set":
            place[inner] = op["next"]
        else:
            place.pop(inner, None)
    return root


class Wrong(AssertionError):
    pass


def check(condition, *what):
    if not condition:
        raise Wrong(*what)


class Room:
    def __init__(self, name, journal_limit):
        self.name, self.journal_limit = name, journal_limit
        self.order = {}     # seq -> envelope as somebody saw it
        self.places = {}    # (origin, version) -> seq
        self.last = {}      # origin -> its highest version in the order
        self.echoed = 0     # the highest seq that anybody saw
        self.epoch = None
        self.epoch_seq = 0  # the room's seq when that epoch was told

    def see(self, envelope):
        """An envelope that came live or in a delta: the same for everybody, each of a client's own once, in its order."""
        seq, dot = envelope["seq"], (envelope["origin"], envelope["version"])
        if seq in self.order:
            check(canonical(self.order[seq]) == canonical(envelope), "two envelopes with one seq", self.order[seq], envelope)
            return
        check(dot not in self.places, "ordered twice", dot, self.places.get(dot), seq)
        self.order[seq] = envelope
        self.places[dot] = seq
        self.echoed = max(self.echoed, seq)

    def root_at(self, seq):
        root = {}
        for at in range(1, seq + 1):
            check(at in self.order, "nobody knows the envelope", self.name, at)
            fold(root, self.order[at]["ops"])
        return root

    def meet(self, welcome, watermark, watches=True):
        """A welcome for a hello with `watermark` (None: without)."""
        seq = welcome["seq"]
        check(seq >= self.echoed, "echoed and lost", self.name, self.echoed, seq)
        covered = watermark is not None and 0 < seq != watermark >= max(0, seq - self.journal_limit)
        wanted = "up-to-date" if seq == 0 or watermark == seq else "delta" if covered else "snapshot"
        check(welcome["mode"] == wanted, "mode", self.name, watermark, seq, welcome["mode"], wanted)
        if wanted == "delta":
            check([e["seq"] for e in welcome["envs"]] == list(range(watermark + 1, seq + 1)), "a delta with holes",
                  watermark, seq, [e["seq"] for e in welcome["envs"]])
            for envelope in welcome["envs"]:
                self.see(envelope)
        if wanted == "snapshot" and all(at in self.order for at in range(1, seq + 1)):
            check(canonical(welcome.get("root", {})) == canonical(self.root_at(seq)), "snapshot", self.name, seq)
        self.meet_epoch(welcome, seq)

    def meet_epoch(self, welcome, seq):
        """The same until somebody migrates; a room at seq 0 is nobody's to keep."""
        known = all(at in self.order for at in range(self.epoch_seq + 1, seq + 1))
        moved = any("schemaVersion" in self.order.get(at, {}) for at in range(self.epoch_seq + 1, seq + 1))
        if self.epoch is not None and self.epoch_seq > 0 and known and not moved:
            check(welcome["epoch"] == self.epoch, "another epoch", self.name, self.epoch, welcome["epoch"])
        self.epoch, self.epoch_seq = welcome["epoch"], seq

    def conclude(self):
        """The whole history: dense, and each client's in the order in which it wrote."""
        check(sorted(self.order) == list(range(1, len(self.order) + 1)), "seq is not dense", self.name)
        for seq in sorted(self.order):
            envelope = self.order[seq]
            check(self.last.get(envelope["origin"], 0) < envelope["version"], "out of a client's order", self.name, seq)
            self.last[envelope["origin"]] = envelope["version"]
