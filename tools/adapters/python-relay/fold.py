"""The fold: what the ordered operations of a room make of its root value."""

import re

from wire import MAX_FRAME_DEPTH, is_index, is_number, segment_text

NOTHING = object()  # a root that has no value yet, which is not the same as null
MAX_HOLES = 1_000_000  # array elements of a root that nobody wrote; an op that needs more is not folded
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,9})\Z", re.ASCII)

class Fold:
    """Owns the root. Values handed in through ops belong to it from then on and are changed in place."""

    def __init__(self, root=NOTHING):
        self.root, self.holes = root, 0

    def apply(self, op):
        """Folds one op in. fold.odd-segments: an op without a clear meaning changes no value."""
        kind, path = op.get("kind"), op["path"]
        if kind == "set" and "next" in op and not path:  # fold.root-set
            self.root, self.holes = op["next"], 0
        elif kind == "set" and "next" in op:
            place, key = self.walk(path)
            if place is not None:
                self._put(place, key, op["next"])
        elif kind == "delete" and path:  # fold.root-delete: a delete at [] does nothing
            place, key = self.walk(path)
            if isinstance(place, dict):
                place.pop(key, None)
            elif place is not None and key < len(place):
                place[key] = None  # fold.array-delete: a hole, nothing shifts

    def walk(self, path):
        """The container of the last segment and its key there; (None, None) when there is no such place."""
        if len(path) > MAX_FRAME_DEPTH or not all(isinstance(s, str) or is_number(s) for s in path):
            return None, None
        place, key = vars(self), "root"  # so that the root is a value in a container like all below it
        for segment in path:
            inner = place.get(key) if isinstance(place, dict) else place[key] if key < len(place) else None
            if not isinstance(inner, (dict, list)):
                inner = [] if is_number(segment) else {}  # fold.create-array, fold.create-object
                if not self._put(place, key, inner):
                    return None, None
            place, key = inner, _key_in(inner, segment)
            if key is None:
                return None, None
        return place, key

    def _put(self, place, key, value):
        """False when an array would need more holes than a root may have (fold.huge-index)."""
        if isinstance(place, list) and key >= len(place):
            holes = key - len(place)
            if self.holes + holes > MAX_HOLES:
                return False
            self.holes += holes
            place.extend([None] * (holes + 1))  # fold.array-extend
        place[key] = value
        return True

def _key_in(place, segment):
    """The segment as a key of this container; None for what is no index of an array (fold.array-index)."""
    if isinstance(place, dict):
        return segment_text(segment)  # fold.object-number-key
    return int(segment) if is_index(segment) or isinstance(segment, str) and _INDEX.match(segment) else None
