"""What every request passes: bounded bodies, text that can be kept, and headers that keep the page to itself."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from primum.lab.http.schemas import LARGEST_BODY

HEADERS = {
    # nothing from other hosts, no inline script or style; Plotly draws pictures through blobs
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message["headers"]}
                headers = {"cache-control": "no-store"} | HEADERS
                extra = [(name.encode(), text.encode()) for name, text in headers.items() if name.encode() not in known]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        body = b""
        if scope["method"] in ("POST", "PUT", "PATCH", "DELETE"):
            try:
                body = await _whole(receive)
                _check(body)
            except _Refused as refused:
                refusal = JSONResponse({"errors": {"": str(refused)}}, refused.status, {"connection": "close"})
                await refusal(scope, receive, answer)
                return
        await self.app(scope, _replayed(body, receive), answer)


class _Refused(Exception):
    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def _whole(receive: Receive) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        part = message.get("body", b"")
        size += len(part)
        if size > LARGEST_BODY:
            raise _Refused(413, f"at most {LARGEST_BODY / 1e6:g} MB can be sent, and this is more")
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


def _check(body: bytes) -> None:
    """Refuse half a surrogate pair, which JSON can spell but no file can hold."""
    if b"\\ud" in body or b"\\uD" in body:
        try:
            json.dumps(json.loads(body), ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise _Refused(422, "the text has half a character in it: a surrogate without its other half") from None
        except (ValueError, RecursionError):  # not JSON, which is said elsewhere
            return


def _replayed(body: bytes, receive: Receive) -> Receive:
    """The body that was read, then what comes after it."""
    given: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return given.pop() if given else await receive()

    return again
