"""What the clients of a relay know of one room, over all of the relay's lives, and what must therefore be true."""
import json


def canonical(value):
    return json.dumps(value, sort_keys=True)


class Root:
    """What a snapshot of wire version 1 shows. The paths here are two names, so that everything on the way is an object."""

    def __init__(self):
        self.root = {}

    def take(self, envelope):
        for op in envelope["ops"]:
            (outer, inner), place = op["path"], self.root.setdefault(op["path"][0], {})
            if op["kind"] == "set":
                place[inner] = op["next"]
            else:
                place.pop(inner, None)

    def equals(self, welcome):
        return canonical(welcome.get("root", {})) == canonical(self.root)


class Registers:
    """What a snapshot of wire version 3 shows, apart from what was superseded: the relay may have collected that."""

    def __init__(self):
        self.siblings, self.water, self.versions = {}, {}, {}

    def take(self, envelope):
        origin, stamp = envelope["origin"], envelope["hlc"]["p"]
        self.versions[origin] = max(envelope["version"], self.versions.get(origin, 0))
        for op in envelope["ops"]:
            path = canonical(op["path"])
            for cite in op["cites"]:
                key = path, cite["origin"]
                self.water[key] = max(cite["hlc"]["p"], self.water.get(key, 0))
            self.siblings[path, origin] = (stamp, op["kind"], canonical(op.get("next")))

    def live(self):
        return {key: value for key, value in self.siblings.items() if value[0] > self.water.get(key, 0)}

    def equals(self, welcome):
        shown = Registers()
        for register in welcome["registers"]:
            path = canonical(register["path"])
            for origin, hlc in register["water"].items():
                shown.water[path, origin] = hlc["p"]
            for one in register["siblings"]:
                shown.siblings[path, one["origin"]] = (one["hlc"]["p"], one["kind"], canonical(one.get("value")))
        return shown.live() == self.live() and welcome["wm"] == self.versions


class Wrong(AssertionError):
    pass


def check(condition, *what):
    if not condition:
        raise Wrong(*what)


class Room:
    def __init__(self, name, journal_limit, wire):
        self.name, self.journal_limit, self.wire = name, journal_limit, wire
        self.life = "epoch" if wire == 1 else "instance"
        self.order = {}     # seq -> envelope as somebody saw it
        self.places = {}    # (origin, version) -> seq
        self.newest = {}    # (path, origin) -> stamp, for citing
        self.echoed = 0     # the highest seq that anybody saw
        self.schema = 0     # the highest that anybody wrote
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
        for op in envelope["ops"]:
            self.newest[canonical(op["path"]), envelope["origin"]] = envelope["hlc"]

    def cites(self, path):
        path = canonical(path)
        return [{"origin": origin, "hlc": hlc} for (at, origin), hlc in self.newest.items() if at == path]

    def knows(self, first, last):
        return all(seq in self.order for seq in range(first, last + 1))

    def shows(self, welcome):
        state = Root() if self.wire == 1 else Registers()
        for seq in range(1, welcome["seq"] + 1):
            state.take(self.order[seq])
        return state.equals(welcome)

    def meet(self, welcome, watermark):
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
        if wanted == "snapshot" and self.knows(1, seq):
            check(self.shows(welcome), "snapshot", self.name, seq)
        self.meet_epoch(welcome, seq)

    def meet_epoch(self, welcome, seq):
        """The same until somebody migrates; a room at seq 0 is nobody's to keep."""
        moved = any("schemaVersion" in self.order.get(at, {}) for at in range(self.epoch_seq + 1, seq + 1))
        if self.epoch_seq > 0 and self.knows(self.epoch_seq + 1, seq) and not moved:
            check(welcome[self.life] == self.epoch, "another epoch", self.name, self.epoch, welcome[self.life])
        self.epoch, self.epoch_seq = welcome[self.life], seq

    def conclude(self):
        """The whole history: dense, and each client's in the order in which it wrote."""
        check(sorted(self.order) == list(range(1, len(self.order) + 1)), "seq is not dense", self.name)
        last = {}
        for seq in sorted(self.order):
            envelope = self.order[seq]
            check(last.get(envelope["origin"], 0) < envelope["version"], "out of a client's order", self.name, seq)
            last[envelope["origin"]] = envelope["version"]
