"""Runs an adapter and changes one kind of thing in what it says: a relay of wire version 3 that is wrong in one place.

    compare_filter.py FAULT COMMAND…
"""
import json
import subprocess
import sys


def message_of(kind, change):
    """A fault in messages of one type; `change` returns the messages to send in their place."""
    def alter(event):
        if event.get("on") != "send" or json.loads(event["text"]).get("t") != kind:
            return [event]
        return [{**event, "text": json.dumps(message)} for message in change(json.loads(event["text"]))]
    return alter


def observation_of(kind, change):
    return lambda event: change(event) if event.get("on") == kind else [event]


def count_too_much(welcome):
    return [{**welcome, "wm": {origin: version + 1 for origin, version in welcome["wm"].items()}} if welcome.get("wm") else welcome]


def forget_value(commit):
    for register in commit["state"]["registers"]:
        for sibling in register["siblings"]:
            sibling.pop("value", None)
    return [commit]


def hide_detail(violation):
    violation["violation"].pop("detail", None)
    return [violation]


FAULTS = {
    "settles-in-silence": message_of("settled", lambda _: []),
    "drops-without-version": message_of("drop", lambda drop: [{key: value for key, value in drop.items() if key != "version"}]),
    "counts-too-much": message_of("welcome", count_too_much),
    "commits-without-values": observation_of("commit", forget_value),
    "hides-details": observation_of("violation", hide_detail),
    "sees-no-joins": observation_of("join", lambda _: []),
    "unloads-never": lambda reply: [reply],  # see main
    "nothing": lambda event: [event],
}


def main(fault, command):
    alter = FAULTS[fault]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as adapter:
        for line in sys.stdin:
            adapter.stdin.write(line)
            adapter.stdin.flush()
            asked, replied = json.loads(line), False
            while not replied:
                said = adapter.stdout.readline()
                if not said:
                    return 1
                event = json.loads(said)
                replied = "id" in event
                if replied and fault == "unloads-never" and asked["do"] == "unload":
                    event["ok"] = False
                for one in [event] if replied else alter(event):
                    print(json.dumps(one), flush=replied)
            if asked["do"] == "stop":
                return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
