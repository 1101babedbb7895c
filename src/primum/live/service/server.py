"""The server of a live trial."""

from __future__ import annotations

import contextlib
import importlib
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import uvicorn
from rich.console import Console

from primum.live import Live, journal_at, software
from primum.live.journal.holding import held
from primum.live.service.app import create
from primum.live.service.seen_head import check_head, shown
from primum.live.service.service_file import ServiceFile, beside
from primum.live.service.user_header import BehindProxy
from primum.web.connections import Connection
from primum.web.hosts import Hosts
from primum.web.server import address_at, configuration, listen, open_page

MOST_CONNECTIONS = 1_500
FILES_BESIDES = 100  # open files that are no connections
SHUTDOWN_SECONDS = 30  # for requests that are being answered: an analysis takes some seconds


def serve(
    journal: str,
    host: str,
    port: int,
    *,
    allowed_hosts: Sequence[str] = (),
    browser: bool = True,
    state: Path | None = None,
    user_header: str | None = None,
    trusted_proxies: Sequence[str] = (),
    expect: str = "",
    rehearsal: bool = False,
) -> None:
    """Serve the trial in a journal until Ctrl-C or SIGTERM.

    `allowed_hosts` are further names of the service, `browser` opens its page where that is possible, `state` is
    another place for the file of the service. Proxies on this machine and `trusted_proxies` say for whom they ask, and
    in the header `user_header` who that is. `expect` is an end of the journal that was written down, ``NUMBER:HASH``;
    its very end is accepted although the service has seen a later one.
    """
    listening = listen(host, port)
    with (
        listening,
        held(journal_at(journal).path),
        Live(journal, rehearsal=rehearsal) as live,
        closing(ServiceFile(state or beside(journal))) as file,
        _ended_by_sigterm(),
    ):
        check_head(live, file, expect)
        software.rehearsal(live.design, live.settings)  # compiles what a decision needs
        importlib.import_module("pandas")  # which takes a second, and nobody is to wait for another's first download
        hosts = Hosts(host, allowed_hosts)
        app = BehindProxy(create(live, hosts, file=file), header=user_header, proxies=trusted_proxies)
        config = configuration(app, connection=_connection(), shutdown_seconds=SHUTDOWN_SECONDS, proxy_headers=False)
        address = address_at(host, listening)
        Console(stderr=True).print(f"The journal ends at {shown(live.head)}.", highlight=False, soft_wrap=True)
        Console(stderr=True).print(f"The trial is at {address}; Ctrl-C stops it.", highlight=False, soft_wrap=True)
        if browser:
            open_page(address, hosts)
        with contextlib.suppress(KeyboardInterrupt):  # the normal way to stop it
            uvicorn.Server(config).run([listening])


def _connection() -> type[Connection]:
    """Connections, as many as there can be open files."""

    class Some(Connection):
        most = min(MOST_CONNECTIONS, _open_files(MOST_CONNECTIONS + FILES_BESIDES) - FILES_BESIDES)

    return Some


def _open_files(wanted: int) -> int:
    """How many files can be open, after the limit was raised if need be and if possible."""
    try:
        import resource
    except ImportError:  # not on Unix, which alone has this limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM, which uvicorn sends again at its end, interrupt like Ctrl-C, so that the journal is closed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
