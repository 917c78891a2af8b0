"""JSON as the relay needs it: strict in, lossless out, to a stated depth.

Python's own json module does the work. This file has it refuse NaN, Infinity and numbers that no double
holds, keep -0, and read and write nesting of many thousand levels.
"""

import json
import math
import re
import sys
import threading
from decimal import Decimal

MAX_FRAME_DEPTH = 100_000  # levels of a client's message, segments of a path that is folded
MAX_DEPTH = 2 * MAX_FRAME_DEPTH + 1_000  # the root: a path of that length with such a value at its end
STACK_BYTES = 512 << 20  # reserved, not used: a level costs well under a kilobyte


def _real(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("a number that no double holds")
    return value


def _integer(text):
    if text == "-0" or len(text) > 300:  # only so long a number can be too large for a double
        return _real(text)
    return int(text)


def _refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


_decoder = json.JSONDecoder(parse_int=_integer, parse_float=_real, parse_constant=_refuse_constant)
# In ASCII, so that lone surrogates and U+0000 survive any pipe.
dump = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


def parse(text, depth=MAX_FRAME_DEPTH):
    """The value of a JSON text. Raises ValueError for anything else, also for too deep a nesting."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(depth)
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise ValueError(f"nested more than {depth} levels") from None
    finally:
        sys.setrecursionlimit(usual)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def number_text(value):
    """A number's decimal string, as ECMAScript and so every client prints it."""
    value = float(value)
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    return re.sub(r"e([-+])0*", r"e\1", repr(value))


def run_with_deep_stack(work):
    """Runs work() on a thread whose stack holds MAX_DEPTH levels; 1 when it ended by an exception."""
    answers = []
    sys.setrecursionlimit(MAX_DEPTH + 1_000)
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()
    thread.join()
    return answers[0] if answers else 1
