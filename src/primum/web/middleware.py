"""The middleware that every request passes: its address, host, body and text, and security headers."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from primum.web.addresses import address_of
from primum.web.hosts import Hosts

HEADERS = {
    # nothing from other hosts, no inline script or style; Plotly exports images through blobs
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
LONGEST_SHOWN = 200  # characters of a header in an error
CHANGES = ("POST", "PUT", "PATCH", "DELETE")
MOST_REQUESTS, MOST_REQUESTS_OF_ADDRESS = 400, 100  # that are being answered, event streams among them
LARGEST_BODY = 2_000_000  # bytes of a request
BODY_SECONDS = 60  # until a request is complete
RETRY_SECONDS = 10


class Guard:
    """An ASGI application around another: checks requests, and adds headers to responses.

    Refusals call the application by a noun: "the laboratory is busy".
    """

    def __init__(self, app: ASGIApp, hosts: Hosts, noun: str) -> None:
        self.app, self.hosts, self.noun = app, hosts, noun
        self._requests: Counter[str] = Counter()  # that are being answered, by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        address = address_of(scope)
        self._requests[address] += 1
        try:
            await self._answer(scope, receive, send, address)
        finally:
            self._requests -= Counter({address: 1})  # without those that have none left

    async def _answer(self, scope: Scope, receive: Receive, send: Send, address: str) -> None:
        is_head, has_started = scope["method"] == "HEAD", False

        async def answer(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                known = {name for name, _ in message["headers"]}
                headers = {"cache-control": "no-store"} | HEADERS
                extra = [(name.encode(), text.encode()) for name, text in headers.items() if name.encode() not in known]
                await send({**message, "headers": [*message["headers"], *extra]})
                if is_head:
                    await send({"type": "http.response.body", "body": b""})
            elif not is_head:
                await send(message)

        try:
            self._check_room(address)
            self._check_addressee(scope)
            body = b""
            if scope["method"] in CHANGES:
                try:
                    async with asyncio.timeout(BODY_SECONDS):
                        body = await _whole(receive)
                except TimeoutError:
                    raise _Refused(408, f"the request was not complete after {BODY_SECONDS} s") from None
                _check(body)
            inner = {**scope, "method": "GET"} if is_head else scope  # every GET answers HEAD too
            await self.app(inner, _replayed(body, receive), answer)
        except _Refused as refused:
            await refused.response(scope, receive, answer)
        except asyncio.CancelledError:  # the server shuts down, and has waited long enough
            if not has_started:
                await _Refused(503, f"the {self.noun} is shutting down", RETRY_SECONDS).response(scope, receive, answer)

    def _check_room(self, address: str) -> None:
        own = self._requests[address]
        if own > MOST_REQUESTS_OF_ADDRESS:
            most = f"at most {MOST_REQUESTS_OF_ADDRESS} requests at a time, event streams included, got {own}"
            raise _Refused(429, f"one address can have {most}", RETRY_SECONDS)
        if self._requests.total() > MOST_REQUESTS:
            raise _Refused(503, f"the {self.noun} is busy", RETRY_SECONDS)

    def _check_addressee(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.hosts.serves(host):
            raise _Refused(
                421,
                f"this {self.noun} does not serve the host {host[:LONGEST_SHOWN]!r}; "
                "start it with --allow-host NAME if that is its name",
            )
        if scope["method"] in CHANGES and origin is not None and not self.hosts.allows(origin, host):
            raise _Refused(403, f"pages of {origin[:LONGEST_SHOWN]!r} must not change anything in this {self.noun}")


class _Refused(Exception):
    def __init__(self, status: int, sentence: str, retry_after: int | None = None) -> None:
        headers = {"connection": "close"}
        if retry_after is not None:
            sentence, headers["retry-after"] = f"{sentence}; try again in {retry_after} s", str(retry_after)
        self.response = JSONResponse({"errors": {"": sentence}}, status, headers)


async def _whole(receive: Receive) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        part = message.get("body", b"")
        size += len(part)
        if size > LARGEST_BODY:
            raise _Refused(413, f"the request is larger than the limit of {LARGEST_BODY / 1e6:g} MB")
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


def _check(body: bytes) -> None:
    """Refuse an unpaired surrogate, which JSON can contain but UTF-8 cannot."""
    if b"\\ud" in body or b"\\uD" in body:
        try:
            json.dumps(json.loads(body), ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise _Refused(422, "the text contains an unpaired surrogate, which is not a character") from None
        except (ValueError, RecursionError):  # not JSON, which is reported elsewhere
            return


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body that was read, then further messages."""
    given: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return given.pop() if given else await receive()

    return again
