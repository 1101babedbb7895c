"""What was asked for lately, so that it need not be made again."""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Kept = TypeVar("Kept")


class Recent(Generic[Kept]):
    """What was looked at last, by key: the last of it, and as much more as there is room for; for threads to share.

    >>> squares = Recent[int](most=2)
    >>> [squares.made(x, lambda: x * x) for x in (1, 2, 3)], squares.get(1), squares.get(3)
    ([1, 4, 9], None, 9)
    """

    def __init__(self, most: int, room: float = math.inf, size: Callable[[Kept], int] = lambda kept: 0) -> None:
        self.most, self.room, self._size_of = most, room, size
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._size = 0
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable) -> Kept | None:
        """What has this key, if it is still there."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: Hashable, kept: Kept) -> None:
        """Remember something; what nobody looked at for longest is forgotten."""
        with self._lock:
            self.forget(key)
            self._kept[key] = kept
            self._size += self._size_of(kept)
            while len(self._kept) > 1 and (self._size > self.room or len(self._kept) > self.most):
                self.forget(next(iter(self._kept)))

    def forget(self, key: Hashable) -> None:
        """Forget what has this key, if it is there."""
        with self._lock:
            if key in self._kept:
                self._size -= self._size_of(self._kept.pop(key))

    def made(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What has this key; if it is not there, it is made. Two who ask at the same time may both make it."""
        kept = self.get(key)
        if kept is None:
            kept = make()
            self.put(key, kept)
        return kept


def digest(data: Any) -> bytes:
    """A short key for plain data of any length."""
    return hashlib.sha256(json.dumps(data).encode()).digest()
