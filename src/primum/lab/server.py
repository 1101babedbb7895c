"""The server of the laboratory."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import uvicorn
from rich.console import Console

from primum.errors import PrimumError
from primum.lab import memory
from primum.lab.http.app import create
from primum.lab.http.connections import Connection
from primum.lab.http.hosts import Hosts
from primum.lab.jobs.limits import Limits
from primum.lab.jobs.manager import JobManager
from primum.lab.sandbox.sandbox import sandboxed
from primum.lab.warm_up import compile_policies, prepare
from primum.store import Store

SHUTDOWN_SECONDS = 2  # for requests that are being answered


def serve(
    host: str,
    port: int,
    folder: Path | None,
    *,
    seconds: float,
    runs: int,
    allowed_hosts: Sequence[str] = (),
    browser: bool = False,
    warm_up: bool = True,
    plugins: Sequence[str] = (),
) -> None:
    """Serve until Ctrl-C; results and links are stored in a folder.

    `allowed_hosts` are further names of the laboratory, `browser` opens its page where that is possible. Without
    `warm_up` nothing is compiled in advance: the start is faster, and the first use of each policy slower. `plugins`
    are modules with plug-ins, loaded here already, that the processes of the sandbox load too.
    """
    with sandboxed(plugins):
        _serve(host, port, folder, Limits(seconds=seconds, runs=runs), allowed_hosts, browser, warm_up)


def _serve(
    host: str,
    port: int,
    folder: Path | None,
    limits: Limits,
    allowed_hosts: Sequence[str],
    browser: bool,
    warm_up: bool,
) -> None:
    listening = listen(host, port)
    hosts = Hosts(host, allowed_hosts)
    results = Store(folder, area="laboratory", limit=limits.store)
    questions = Store(folder, area="questions", limit=limits.questions)
    manager = JobManager(results, questions, limits)
    if warm_up:
        prepare(manager)
    config = uvicorn.Config(
        create(manager, hosts),
        log_level="warning",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        http=Connection,
        ws="none",
        server_header=False,
    )
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listening.getsockname()[1]}"
    Console(stderr=True).print(f"The laboratory is at {address}; Ctrl-C stops it.", highlight=False)
    if warm_up:
        _in_background(compile_policies)
    _in_background(memory.trim_when_idle, manager)
    if browser and hosts.is_loopback and _has_screen():
        _in_background(_open_page, address)
    try:
        with contextlib.suppress(KeyboardInterrupt):  # the normal way to stop it
            _Server(config, manager).run([listening])
    finally:
        manager.close()


class _Server(uvicorn.Server):
    """A server that ends its event streams before it shuts down: otherwise they are cut off with a traceback each."""

    def __init__(self, config: uvicorn.Config, manager: JobManager) -> None:
        super().__init__(config)
        self._manager = manager

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._manager.stop_following()
        await super().shutdown(sockets)


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


def _in_background(function: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=function, args=arguments, daemon=True, name=function.__name__).start()


def _has_screen() -> bool:
    """Whether this machine has a display: without one, a text browser would take over the terminal."""
    has_display = sys.platform in ("darwin", "win32") or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    return has_display and sys.stderr.isatty()


def _open_page(address: str) -> None:
    with contextlib.suppress(webbrowser.Error, OSError):  # the address is in the terminal
        webbrowser.open(address)
