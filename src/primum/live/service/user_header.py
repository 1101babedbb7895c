"""A proxy that identifies people, by OpenID Connect or otherwise, and names them in a header."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from primum.errors import ParameterError, quoted

LOOPBACK = ("127.0.0.0/8", "::1/128")
USER = "primum.user"  # in the scope of a request


class BehindProxy:
    """An ASGI application around another: takes names of people, and addresses of clients, from trusted proxies alone.

    `header` has the name of the person, if the proxy identifies people. From anybody else it says nothing.
    """

    def __init__(self, app: ASGIApp, *, header: str | None = None, proxies: Sequence[str] = ()) -> None:
        self._header, self._networks = header, [_network(each) for each in (*LOOPBACK, *proxies)]
        forwarded: Any = ProxyHeadersMiddleware  # whose types are those of uvicorn
        self._app: ASGIApp = forwarded(app, trusted_hosts=[str(each) for each in self._networks])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._header is not None and self._trusts(scope):
            names = Headers(scope=scope).getlist(self._header)
            if len(names) > 1:  # one is of the client, whom the proxy should have silenced
                answer = PlainTextResponse(f"the header {self._header} is there more than once", 400)
                await answer(scope, receive, send)
                return
            if names and names[0].strip():
                scope[USER] = names[0].encode("latin-1").decode(errors="replace").strip()
        await self._app(scope, receive, send)

    def _trusts(self, scope: Scope) -> bool:
        try:
            peer = ipaddress.ip_address(scope["client"][0])
        except (TypeError, ValueError):  # a socket of Unix has no address
            return False
        peer = getattr(peer, "ipv4_mapped", None) or peer
        return any(peer in network for network in self._networks)


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text.strip())
    except ValueError:
        raise ParameterError(
            f"trusted-proxy must be an address such as 10.0.0.2 or a network such as 10.0.0.0/24, got {quoted(text)}"
        ) from None
