"""Limits of requests and connections that a server sets itself."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pytest

from primum.web.connections import make_room
from primum.web.hosts import Hosts
from primum.web.middleware import MOST_REQUESTS, MOST_REQUESTS_OF_ADDRESS, Guard


def statuses(requests: int, **limits) -> list[int]:
    """The statuses of requests of one address that are all being answered at the same time."""

    async def asked() -> list[int]:
        everybody, found = asyncio.Event(), []

        async def app(scope, receive, send):
            await everybody.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        async def send(message):
            if message["type"] == "http.response.start":
                found.append(message["status"])

        guard = Guard(app, Hosts("127.0.0.1"), "service", **limits)
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/",
            "headers": [(b"host", b"localhost")],
            "client": ("::1", 1),
        }
        waiting = [asyncio.create_task(guard(scope, None, send)) for _ in range(requests)]
        await asyncio.sleep(0)  # each has come as far as it can
        everybody.set()
        await asyncio.gather(*waiting)
        return sorted(found)

    return asyncio.run(asked())


def test_an_address_has_a_share_unless_a_server_lets_one_have_all():
    few = MOST_REQUESTS_OF_ADDRESS
    assert statuses(few + 3) == [200] * few + [429] * 3
    assert statuses(MOST_REQUESTS + 100, most=MOST_REQUESTS + 98) == [200] * (MOST_REQUESTS + 98) + [503] * 2


@pytest.mark.parametrize(("size", "status"), [(100, 200), (101, 413)])
def test_a_server_can_want_small_requests(size, status):
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive():
        return {"type": "http.request", "body": b" " * size, "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"host", b"localhost")]}
    asyncio.run(Guard(app, Hosts("127.0.0.1"), "service", largest_body=100)(scope, receive, send))
    assert sent[0]["status"] == status
    if status == 413:
        assert json.loads(sent[1]["body"]) == {"errors": {"": "the request is larger than the limit of 0.0001 MB"}}


def test_connections_are_closed_only_if_they_wait():
    closed = []

    def connection(number, waits):
        transport = SimpleNamespace(is_closing=lambda: False, abort=lambda: closed.append(number))
        return SimpleNamespace(transport=transport, waits=waits, waits_since=number, address="192.0.2.1")

    make_room([connection(number, False) for number in range(5)], 3)
    assert closed == []
    make_room([connection(number, number in (1, 3)) for number in range(5)], 3)
    assert closed == [1]
