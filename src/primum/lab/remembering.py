"""Answers that are remembered, so that a change of one arm costs one arm."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from primum.registry import Plugin

Answer = TypeVar("Answer")


class Remembered(Generic[Answer]):
    """A function of plug-ins that remembers what it answered last, for threads to share.

    `functools.lru_cache` would keep the plug-ins as well, and an arm can have thousands of numbers.
    """

    def __init__(self, answer: Callable[..., Answer], most: int) -> None:
        self._answer, self._most = answer, most
        self._kept, self._lock = OrderedDict[Hashable, Answer](), threading.Lock()

    def __call__(self, *plugins: Plugin) -> Answer:
        key = tuple((type(plugin), _digest(plugin)) for plugin in plugins)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        answer = self._answer(*plugins)
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return answer


def _digest(plugin: Plugin) -> bytes:
    return hashlib.sha256(json.dumps(plugin.spec()).encode()).digest()
