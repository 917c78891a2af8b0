"""JSON as the relay needs it, on top of Python's own: strict in, lossless out, to a depth of many thousand levels."""

import json
import math
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

MAX_FRAME_DEPTH = 100_000  # levels of a client's message, segments of a path that is folded
MAX_DEPTH = 2 * MAX_FRAME_DEPTH + 1_000  # the root: a path of that length with such a value at its end
STACK_BYTES = 512 << 20  # reserved, not used: a level costs well under a kilobyte

def _real(text):
    value = float(text)
    if not math.isfinite(value):  # NaN and Infinity come here too
        raise ValueError("a number that no double holds, or none of JSON")
    return value

def _integer(text):
    return _real(text) if text == "-0" or len(text) > 300 else int(text)  # a shorter one is in a double's range

_decoder = json.JSONDecoder(parse_int=_integer, parse_float=_real, parse_constant=_real)
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

def is_index(value):
    return is_number(value) and value >= 0 and value == int(value)

def segment_text(segment):
    """A number's decimal string, as ECMAScript and so every client prints it; anything else as it is."""
    if not is_number(segment):
        return segment
    value = float(segment) or 0.0  # -0 is printed as 0
    if 1e-6 <= abs(value) < 1e21 or value == 0:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    return re.sub(r"e([-+])0*", r"e\1", repr(value))

def run_with_deep_stack(work):
    """What work() returns on a thread whose stack holds MAX_DEPTH levels."""
    sys.setrecursionlimit(MAX_DEPTH + 1_000)
    threading.stack_size(STACK_BYTES)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()
