"""Sessions of people who logged in with a page: in memory, and only as hashes."""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass

IDLE_SECONDS, LONGEST_SECONDS = 30 * 60, 12 * 60 * 60
MOST_OF_TOKEN = 20  # sessions that were begun with one token


@dataclass
class Session:
    """Who logged in, by the hash of the token, and when that was used first and last."""

    token_hash: str
    began: float
    seen: float


class Sessions:
    """Sessions by the hashes of their keys, which only the browsers have."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._sessions: dict[str, Session] = {}

    def begin(self, token_hash: str) -> str:
        """Begin a session; the key is for the browser."""
        key, now = secrets.token_urlsafe(32), self._clock()
        with self._lock:
            self._drop_old(now)
            own = [each for each, session in self._sessions.items() if session.token_hash == token_hash]
            for each in own[: max(0, len(own) + 1 - MOST_OF_TOKEN)]:
                del self._sessions[each]
            self._sessions[_hash(key)] = Session(token_hash, now, now)
        return key

    def token_hash(self, key: str) -> str | None:
        """The hash of the token that a session was begun with, or None if the session has ended."""
        with self._lock:
            now = self._clock()
            self._drop_old(now)
            session = self._sessions.get(_hash(key))
            if session is None:
                return None
            session.seen = now
            return session.token_hash

    def end(self, key: str) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(_hash(key), None)

    def _drop_old(self, now: float) -> None:
        self._sessions = {
            key: session
            for key, session in self._sessions.items()
            if now - session.seen < IDLE_SECONDS and now - session.began < LONGEST_SECONDS
        }


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
