"""From a command to a laboratory that answers."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path

from rich.console import Console

from primum.errors import PrimumError
from primum.lab.drafts.catalogue import catalogue
from primum.lab.drafts.presets import OPENING, preset
from primum.lab.export import files
from primum.lab.export.figures import drawn
from primum.lab.http import static_files
from primum.lab.jobs.manager import Desk, Limits
from primum.lab.sandbox.sandbox import sandboxed
from primum.lab.warm_up import warm_up
from primum.progress import bars
from primum.store import Store, fingerprints

CONNECTIONS = 1000
PATIENCE = 2  # seconds that open streams get when the laboratory closes


@sandboxed()
def serve(host: str, port: int, folder: Path | None, *, seconds: float, runs: int) -> None:
    """Serve until Ctrl-C; results and links are kept in a folder."""
    import uvicorn

    from primum.lab.http.app import create

    listening = listen(host, port)
    results, questions = (folder / name if folder else fingerprints.folder(name) for name in ("store", "questions"))
    desk = Desk(Store(results), Store(questions), Limits(seconds=seconds, runs=runs))
    prepare(desk)
    config = uvicorn.Config(
        create(desk),
        log_level="warning",
        timeout_graceful_shutdown=PATIENCE,
        limit_concurrency=CONNECTIONS,
        server_header=False,
    )
    shown = f"[{host}]" if ":" in host else host
    where = f"http://{shown}:{listening.getsockname()[1]}"
    Console(stderr=True).print(f"The laboratory is at {where}; Ctrl-C closes it.", highlight=False)
    threading.Thread(target=warm_up, daemon=True, name="warm-up").start()
    try:
        uvicorn.Server(config).run([listening])
    finally:
        desk.close()


def listen(host: str, port: int) -> socket.socket:
    """A socket at this address, or a sentence that says why not."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(address[:2], family=family)
        # without this an answer in two parts waits 40 ms for its second one
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except OSError as error:
        hint = f"; another program may be there: try --port {port % 65535 + 1}" if port else ""
        raise PrimumError(f"cannot listen at {host}, port {port}: {error.strerror or error}{hint}") from None


def prepare(desk: Desk) -> None:
    """Run the experiment that the page opens with; the first time on a machine it is compiled, which takes a while.

    What the first visitor would wait for is done as well: packages that draw are imported, files are compressed.
    """

    async def run() -> str:
        with bars() as bar:
            task = bar.add_task("preparing", total=1.0)
            id = desk.submit(preset(OPENING, {})).id
            async for status in desk.watch(id):
                bar.update(task, completed=status.share, description=f"preparing: {status.sentence}")
            return id

    try:
        results = desk.results(asyncio.run(run()))
        files.summary(results)
        drawn(results, "regret", "json", statistic="mean", log=False, hidden=())
        catalogue()
        static_files.file(static_files.PLOTLY)
    except PrimumError as error:  # limits that are very small
        Console(stderr=True).print(f"The opening experiment cannot be run: {error}", highlight=False)
