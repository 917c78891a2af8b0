"""What every deliberate fault between the harness and a right relay builds on, and the list of them all.

A break is a subclass of Interference. Its name on the command line is its class name in kebab-case, its first docstring line says what it does
wrong, and `clauses` names the rules that are meant to notice.
"""

import re

import wire


def name_of(broken):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", broken.__name__).lower()


def breaks():
    """All of them by name. The modules that define them have to be imported before."""
    found, classes = {}, [Interference]
    for known in classes:
        classes += known.__subclasses__()
        if known.clauses:
            found[name_of(known)] = known
    return found


class Interference:
    """Hands everything on. A break overrides what it wants otherwise; there is one for each relay that is opened."""

    clauses = ()
    kinds = ()  # the types of messages that outgoing() wants to see

    def __init__(self, ask):
        self.ask = ask  # a command to the right relay: its events and its reply
        self.options = {}
        self.joined = {}  # connection: {room: origin}, as welcomes said
        self.asking = {}  # connection: {room: origin}, as hellos said

    def carry_out(self, command):
        """The events and the reply that the harness gets for a command."""
        self.note_command(command)
        told = self.told(command)
        events, reply = ([], {"id": command["id"], "ok": True}) if told is None else self.ask(told)
        self.note_events(events)
        return self.seen(command, events), self.answered(command, reply)

    # ---- what a break overrides -----------------------------------------------------------------

    def told(self, command):
        """What the relay is told in the place of a command; None: nothing, and the harness is told that all is well."""
        return command

    def seen(self, command, events):
        """The events that come out of what happened."""
        return [changed for event in events for changed in self.changed(event)]

    def outgoing(self, connection, message):
        """The messages that go out in the place of this one."""
        return [message]

    def answered(self, command, reply):
        return reply

    # ---- help for them --------------------------------------------------------------------------

    def changed(self, event):
        if kind_of(event) not in self.kinds:
            return [event]
        return [sending(event["conn"], message) for message in self.outgoing(event["conn"], message_of(event))]

    def members(self, room):
        """The connections that are in a room."""
        return [connection for connection, rooms in self.joined.items() if room in rooms]

    def note_command(self, command):
        if command["do"] == "open":
            self.options = command.get("options") or {}
        if command["do"] == "disconnect":
            self.joined.pop(command["conn"], None)
        hello = incoming(command, "hello")
        if hello is not None and isinstance(hello.get("room"), str):
            self.asking.setdefault(command["conn"], {})[hello["room"]] = hello.get("origin")

    def note_events(self, events):
        for event in events:
            if event["on"] == "close":
                self.joined.pop(event["conn"], None)
            if kind_of(event) == "welcome":
                room = message_of(event)["room"]
                self.joined.setdefault(event["conn"], {})[room] = self.asking.get(event["conn"], {}).get(room)


def kind_of(event):
    """The type of the message that an event sends; relays write it first."""
    kind = re.match(r'\{"t":"(\w+)"', event["text"]) if event["on"] == "send" else None
    return kind and kind[1]


def message_of(event):
    return wire.parse(event["text"], wire.MAX_DEPTH)


def sending(connection, message):
    return {"on": "send", "conn": connection, "text": wire.dump(message)}


def incoming(command, kind):
    """The message of such a type that a command brings, or None."""
    if command["do"] != "receive":
        return None
    try:
        message = wire.parse(command["text"])
    except ValueError:
        return None
    return message if isinstance(message, dict) and message.get("t") == kind else None


def incoming_envelope(command):
    """The room and the envelope that a command brings; both None when it is no such thing."""
    message = incoming(command, "env")
    if message is None or not isinstance(message.get("env"), dict):
        return None, None
    return message.get("room"), message["env"]


def with_message(command, message):
    return {**command, "text": wire.dump(message)}
