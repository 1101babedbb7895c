"""Thread-safe LRU cache."""

from __future__ import annotations

import hashlib
import json
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")


class LruCache(Generic[Item]):
    """The items used most recently: at most `most` of them, of at most `room` together by their `size`.

    The last item stays whatever its size.

    >>> squares = LruCache[int](most=2)
    >>> [squares.get_or_compute(x, lambda: x * x) for x in (1, 2, 3)], squares.get(1), squares.get(3)
    ([1, 4, 9], None, 9)
    """

    def __init__(self, most: int, room: float = math.inf, size: Callable[[Item], int] = lambda item: 0) -> None:
        self.most, self.room, self._size_of = most, room, size
        self._items: OrderedDict[Hashable, Item] = OrderedDict()
        self._size = 0
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: Hashable) -> Item | None:
        """The item of a key, or None."""
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def put(self, key: Hashable, item: Item) -> None:
        """Add an item, and drop those used least recently that there is no room for."""
        with self._lock:
            self.forget(key)
            self._items[key] = item
            self._size += self._size_of(item)
            while len(self._items) > 1 and (self._size > self.room or len(self._items) > self.most):
                self.forget(next(iter(self._items)))

    def forget(self, key: Hashable) -> None:
        """Drop the item of a key, if there is one."""
        with self._lock:
            if key in self._items:
                self._size -= self._size_of(self._items.pop(key))

    def get_or_compute(self, key: Hashable, make: Callable[[], Item]) -> Item:
        """The item of a key; if it is missing, it is made. Two threads that ask at the same time may both make it."""
        item = self.get(key)
        if item is None:
            item = make()
            self.put(key, item)
        return item


def digest(data: Any) -> bytes:
    """A short key for plain data of any length."""
    return hashlib.sha256(json.dumps(data).encode()).digest()
