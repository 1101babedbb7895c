"""The server of the laboratory."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Sequence
from pathlib import Path

import uvicorn
from rich.console import Console

from primum.lab import memory
from primum.lab.http.app import create
from primum.lab.jobs.limits import Limits
from primum.lab.jobs.manager import JobManager
from primum.lab.sandbox.sandbox import sandboxed
from primum.lab.warm_up import compile_policies, compile_trials, prepare
from primum.store import Store
from primum.web.hosts import Hosts
from primum.web.server import address_at, configuration, in_background, listen, open_page


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
    config = configuration(create(manager, hosts))
    address = address_at(host, listening)
    Console(stderr=True).print(f"The laboratory is at {address}; Ctrl-C stops it.", highlight=False)
    if warm_up:
        in_background(compile_trials, manager)
        in_background(compile_policies)
    in_background(memory.trim_when_idle, manager)
    if browser:
        open_page(address, hosts)
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
