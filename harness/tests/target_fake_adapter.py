#!/usr/bin/env python3
"""An adapter that breaks the adapter protocol on demand, for the tests of the exec target.

Its arguments say how the handshake goes wrong; none: it goes well.

  yes-man     answers ok to every command, one that nobody knows too
  nameless    answers `start` without a name
  profileless offers no profile
  other       speaks another version of the protocol
  mute        never answers `start`
  refuses     answers `start` with no
  plain       can neither take options nor anything else
  chatty      sends to connections that have disconnected

A received text says what comes next; any other text is sent back to its connection:

  say:TEXT     TEXT is written as a line, before the reply
  crash        the end, with status 3, after some words on standard error
  signal       the end, by a signal
  hang         no answer, ever, and a grandchild that holds the pipes
  mute         standard output is closed, the process stays
  twice        two replies
  flood        events without end
  log:N        N bytes on standard error, then the text is sent back
  kick         the connection is closed
  ghost        an event of a connection that was never made
  late:N       an event of connection number N of the case before
  observe      an observer's event of this relay, and one of another
  nothing      a reply without ok
"""
import json
import os
import signal
import subprocess
import sys
import time

MODES = sys.argv[1:]
LISTED = [] if "plain" in MODES else ["options", "clock", "hydrate", "room", "commit", "binary", "hold", "unload", "stretch"]


def write(value):
    sys.stdout.write((value if isinstance(value, str) else json.dumps(value)) + "\n")
    sys.stdout.flush()


def start(command):
    if "mute" in MODES:
        time.sleep(3600)
    if "refuses" in MODES:
        return {"no": "not today"}
    about = {"name": "fake", "version": "1.2", "language": "Python", "profiles": ["0.1.1", "0.2.0"], "can": LISTED,
             "issues": "https://example.org/issues", "pid": os.getpid()}
    if "nameless" in MODES:
        del about["name"]
    if "profileless" in MODES:
        about["profiles"] = []
    if "other" in MODES:
        about["meshspec"] = 2
    return {"ok": about}


def receive(command):
    text, conn = command["text"], command["conn"]
    verb, _, argument = text.partition(":")
    if verb == "say":
        write(argument)
    elif verb == "crash":
        sys.stderr.write("first words\nlast words\n")
        sys.stderr.flush()
        os._exit(3)
    elif verb == "signal":
        os.kill(os.getpid(), signal.SIGTERM)
    elif verb == "hang":
        subprocess.run(["/bin/sh", "-c", "sleep 3600; true"])
    elif verb == "mute":
        os.close(1)
        time.sleep(3600)
    elif verb == "twice":
        write({"id": command["id"], "ok": True})
    elif verb == "flood":
        line = json.dumps({"on": "send", "conn": conn, "text": "x" * 10})
        while True:
            sys.stdout.write((line + "\n") * 200000)
    elif verb == "log":
        sys.stderr.write("x" * (int(argument) - 5) + "\nend\n")
        sys.stderr.flush()
        write({"on": "send", "conn": conn, "text": text})
    elif verb == "kick":
        write({"on": "close", "conn": conn})
    elif verb == "ghost":
        write({"on": "send", "conn": "nobody", "text": "boo"})
    elif verb == "late":
        case = int(conn[len("case"):].split("-")[0])
        write({"on": "send", "conn": f"case{case - 1}-{argument}", "text": "late"})
    elif verb == "observe":
        write({"on": "commit", "relay": "another", "room": "r", "env": {}})
        write({"on": "commit", "relay": STATE["relay"], "room": "r", "env": {"seq": 1}, "state": {"seq": 1}})
    elif verb == "nothing":
        return {}
    else:
        write({"on": "send", "conn": conn, "text": text})
    return {"ok": True}


STATE = {"clock": None, "relay": None}


def answer(command):
    verb = command["do"]
    if "yes-man" in MODES and verb != "start":
        return {"ok": True}
    if verb == "start":
        return start(command)
    if verb == "open":
        if command["options"].get("journalLimit") == 7:
            return {"no": "seven is too many"}
        STATE["relay"] = command["relay"]
        return {"ok": True}
    if verb == "clock":
        STATE["clock"] = command["ms"]
        return {"ok": True}
    if verb == "receive":
        return receive(command)
    if verb == "hydrate":
        return {"ok": command["snapshot"].get("answer", True)}
    if verb == "room":
        return {"ok": {"clock": STATE["clock"], "relay": STATE["relay"], "room": command["room"]}}
    if verb in ("hold", "unload"):
        return {"ok": {name: value for name, value in command.items() if name != "id"}}
    if verb == "release":
        return {"no": "nothing is held"}
    if verb == "connect":
        write({"on": "send", "conn": command["conn"], "text": json.dumps(command["principal"])})
        return {"ok": True}
    if verb == "disconnect" and "chatty" in MODES:
        write({"on": "send", "conn": command["conn"], "text": "psst"})
        write({"on": "close", "conn": command["conn"]})
    if verb in ("disconnect", "close", "stop"):
        return {"ok": True}
    return {"unsupported": True}


def main():
    for line in sys.stdin:
        command = json.loads(line)
        write({"id": command["id"], **answer(command)})
        if command["do"] == "stop":
            return


main()
