"""One long story that touches most rules, to tell a right relay from a broken one by its transcript alone."""

from adapter_process import set_op

RESTORED_EPOCH = "of an earlier life"


class Storyteller:
    """Plays commands and keeps what they caused, with epochs numbered by first sight."""

    def __init__(self, adapter):
        self.adapter, self.transcript, self.epochs = adapter, [], {}

    def note(self, step, outcome):
        self.transcript.append((step, self.without_epochs(outcome)))

    def without_epochs(self, value):
        if isinstance(value, dict):
            return {k: self.number(v) if k == "epoch" else self.without_epochs(v) for k, v in value.items()}
        return [self.without_epochs(inner) for inner in value] if isinstance(value, (list, tuple)) else value

    def number(self, epoch):
        if epoch == RESTORED_EPOCH:
            return epoch
        return self.epochs.setdefault(epoch, len(self.epochs) + 1)

    def connect(self, conn, writer):
        self.adapter.command("connect", relay="r1", conn=conn, principal={"writer": writer})

    def hello(self, conn, **more):
        self.note(f"{conn} says hello {more}", self.adapter.hello(conn, **more))

    def send(self, conn, t, room="r", **more):
        self.note(f"{conn} sends {t} {more}", self.adapter.send(conn, {"t": t, "room": room, **more}))

    def write(self, conn, *ops, **more):
        self.note(f"{conn} writes {ops} {more}", self.adapter.write_ops(conn, *ops, **more))

    def leave(self, *conns):
        for conn in conns:
            self.note(f"{conn} leaves", self.adapter.command("disconnect", conn=conn))

    def command(self, do, **more):
        self.note(f"{do} {more}", self.adapter.command(do, relay="r1", **more))


def tell(adapter):
    """The transcript of the whole story."""
    story = Storyteller(adapter)
    policy = {"validate": [{"prefix": ["n"], "deny": {"$lt": 0}}]}
    adapter.open("ana", "ben", "cid", "dan", "eve", journalLimit=2, limits={"maxOpsPerEnvelope": 3}, policy=policy)
    writing(story)
    joining(story)
    restoring(story)
    ejecting(story)
    adapter.open("ana", limits={"maxEnvelopesPerSecond": 1})
    story.hello("ana")
    story.write("ana")
    story.write("ana")
    story.command("clock", ms=1_700_000_001_000)
    story.write("ana")
    story.write("ana")
    return story.transcript


def writing(story):
    story.hello("ana")
    story.send("ana", "presence", data={"at": 1})
    story.hello("ben")
    story.send("ben", "presence")
    story.hello("ana", room="q")
    story.write("ben", set_op([], 1), room="q")
    story.write("ana", set_op([], {"n": None, "s": "a\0b", "u": "\ud83d"}), note="kept")
    story.write("ana", set_op(["l", 2], "x"))
    story.write("ana", set_op(["l", 0], 1), set_op(["l", 1], 2), {"kind": "delete", "path": ["l", 0]})
    story.write("ana", version=1)
    story.send("ana", "signal", to="ben", data=1)
    story.send("ana", "signal", to="ana", data=2)


def joining(story):
    for seq in ({}, {"seq": 1}, {"seq": 2}, {"seq": 3}, {"seq": 4}, {"seq": 99}):
        story.hello("cid", **seq)
    story.hello("cid", proto=2, policyVersion=7)
    story.write("cid", set_op(["c"], 1))
    story.hello("dan", origin="cid")
    story.write("cid", set_op(["c"], 2))
    story.leave("cid")
    story.write("ana", set_op(["m"], 1), schemaVersion=1)
    story.hello("eve", schemaVersion=0)
    story.hello("eve", schemaVersion=1, seq=4)
    story.hello("eve", schemaVersion=1)
    story.leave("ben", "ana")
    story.hello("eve", room="q")
    story.leave("dan", "eve")
    story.connect("ana", "ana")
    story.hello("ana")


def restoring(story):
    snapshot = {"seq": 5, "root": {"v": 1}, "epoch": RESTORED_EPOCH, "journal": [envelope(5), envelope(4)]}
    story.command("hydrate", room="h", snapshot=snapshot)
    story.hello("ana", room="h", seq=3)
    story.hello("ana", room="h")
    story.command("hydrate", room="h", snapshot={"seq": 9})
    story.command("room", room="h")


def envelope(seq):
    return {"proto": 1, "origin": "o", "writer": "w", "version": seq, "policyVersion": 0, "ops": [], "seq": seq}


def ejecting(story):
    for conn, writer in (("x1", "x"), ("x2", "x"), ("y", "y"), ("ben", "ben")):
        story.connect(conn, writer)
        story.hello(conn, schemaVersion=1)
    story.note("ben sends junk", story.adapter.command("receive", conn="ben", text="junk"))
    story.hello("ben")
    story.write("x1", proto=9)
    story.hello("x2")
    story.leave("x1", "x2")
    story.connect("x3", "x")
    story.hello("x3")
    story.write("y", set_op(["n"], 1), set_op(["n"], -1), writer="y")
    story.write("ben")
