"""Parts of a server: its socket, its settings, its address, and the browser that opens its page."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from primum.errors import PrimumError
from primum.web.connections import Connection
from primum.web.hosts import Hosts

SHUTDOWN_SECONDS = 2  # for requests that are being answered


def listen(host: str, port: int) -> socket.socket:
    """A socket at this address; a PrimumError if that is not possible."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(address[:2], family=family)
        # without this an answer in two parts waits 40 ms for its second one
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        hint = f"; another program may use this port: try --port {port % 65535 + 1}" if port else ""
        raise PrimumError(f"cannot listen at {host}, port {port}: {error.strerror or error}{hint}") from None


def address_at(host: str, listening: socket.socket) -> str:
    """The address of a server that listens at a host, for people and browsers."""
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{listening.getsockname()[1]}"


def configuration(
    app: ASGIApp,
    *,
    connection: type[Connection] = Connection,
    shutdown_seconds: int = SHUTDOWN_SECONDS,
    proxy_headers: bool = True,
) -> uvicorn.Config:
    """The settings of uvicorn for an application; without `proxy_headers` it sees the addresses of proxies."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=shutdown_seconds,
        http=connection,
        proxy_headers=proxy_headers,
        ws="none",
        server_header=False,
    )


def in_background(function: Callable[..., None], *arguments: Any) -> None:
    """Call a function in a thread that ends with the process."""
    threading.Thread(target=function, args=arguments, daemon=True, name=function.__name__).start()


def open_page(address: str, hosts: Hosts) -> None:
    """Open a page in a browser, if the server is for this machine and there is a screen."""
    if hosts.is_loopback and _has_screen():
        in_background(_open_page, address)


def _has_screen() -> bool:
    """Whether this machine has a display: without one, a text browser would take over the terminal."""
    has_display = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return has_display and sys.stderr.isatty()


def _open_page(address: str) -> None:
    with contextlib.suppress(webbrowser.Error, OSError):  # the address is in the terminal
        webbrowser.open(address)
