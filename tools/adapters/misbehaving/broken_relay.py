"""What every deliberate protocol fault builds on, and the list of them all.

A fault is a subclass of Fault. Its name on the command line is its class name in kebab-case, its first docstring line
says what it does wrong, and `clauses` names the rules that are meant to notice. Several can be combined.
"""

import re

import wire
from relay import Relay, Room


class Fault(Relay):
    """A relay whose outgoing messages and rooms can be tampered with."""

    clauses = ()
    room_fault = None  # a mixin for the rooms of this relay, where the fault is in there

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.sender = None  # the connection whose frame is being handled

    def receive(self, connection, text):
        self.sender = connection
        super().receive(connection, text)

    def deliver(self, connection, send, text):
        """Stands between the relay and a connection's send."""
        for message in self.outgoing(connection, wire.parse(text, wire.MAX_DEPTH)):
            send(wire.dump(message))

    def outgoing(self, connection, message):
        """The messages that go out in the place of this one."""
        return [message]


def name_of(fault):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", fault.__name__).lower()


def faults():
    """All of them by name. The modules that define them have to be imported before."""
    return {name_of(fault): fault for fault in Fault.__subclasses__()}


def combine(chosen):
    """One relay class with all the chosen faults, on a combined room class."""
    room_faults = tuple(fault.room_fault for fault in chosen if fault.room_fault)
    room = type("BrokenRoom", (*room_faults, Room), {})
    return type("BrokenRelay", tuple(chosen), {"make_room": room})
