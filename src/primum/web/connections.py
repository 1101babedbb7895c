"""Connections: those that wait are closed in time, and when there are too many."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable

from uvicorn.protocols.http.h11_impl import H11Protocol

from primum.web.addresses import network_of

MOST_CONNECTIONS = 500  # well below 1024, the usual limit of open files
PATIENCE_SECONDS = 20  # for the header of a request, and for a client that reads nothing of its response


class Connection(H11Protocol):
    """A connection of uvicorn that cannot be held for nothing.

    uvicorn itself closes only connections on which nothing at all arrives after a response. Here a connection is closed
    too if no complete header arrives, however slowly its parts do, or if nothing of a response can be sent. A request
    that is being answered can take any time; event streams do. `Guard` limits how many there are, and the time that the
    body of a request takes.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = network_of(self.client[0]) if self.client else ""
        self.waits_since, self._unsent = self.loop.time(), 0
        self._timer = self.loop.call_later(PATIENCE_SECONDS, self._check)
        if len(self.connections) > MOST_CONNECTIONS:
            make_room(each for each in self.connections if isinstance(each, Connection))

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self.waits_since = self.loop.time()
        super().on_response_complete()

    @property
    def waits(self) -> bool:
        """Whether it is open, and no request is being answered."""
        is_idle = self.cycle is None or self.cycle.response_complete
        return is_idle and not self.transport.is_closing() and not self.transport.get_write_buffer_size()

    def _check(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        is_stuck = 0 < self._unsent <= unsent
        if is_stuck or (self.waits and self.loop.time() - self.waits_since >= PATIENCE_SECONDS):
            self.transport.abort()
        else:
            self._unsent = unsent
            self._timer = self.loop.call_later(PATIENCE_SECONDS, self._check)


def make_room(connections: Iterable[Connection]) -> None:
    """If there are too many, close the older half of those that wait, of the address that has most of these."""
    is_open = [each for each in connections if not each.transport.is_closing()]
    if len(is_open) <= MOST_CONNECTIONS:
        return
    waiting = sorted((each for each in is_open if each.waits), key=lambda each: each.waits_since)
    [(address, count)] = Counter(each.address for each in waiting).most_common(1)
    for connection in [each for each in waiting if each.address == address][: (count + 1) // 2]:
        connection.transport.abort()
