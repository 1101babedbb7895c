"""The command `primum lab`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from primum.cli.terminal import Plugins, load_plugins
from primum.errors import needing_extra


def lab(
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 admits other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at; 0 chooses a free one.")] = 8000,
    seconds: Annotated[float, typer.Option(min=1, help="Limit the processor time of a run.")] = 600,
    runs: Annotated[int, typer.Option(min=1, help="Limit the runs that wait or run at a time.")] = 100,
    store: Annotated[
        Path | None,
        typer.Option(help="Folder for results and links; $PRIMUM_CACHE or ~/.cache/primum by default."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Serve requests to this host name, for example behind a proxy; repeatable."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in a browser when the laboratory is ready.")] = True,
    plugins: Plugins = None,
    warm_up: Annotated[bool, typer.Option(hidden=True)] = True,
) -> None:
    """Open the laboratory: a web page to define arms and a safety value, run policies and inspect the results."""
    with needing_extra("lab", "the laboratory"):
        from primum.lab.server import serve

    load_plugins(plugins)
    serve(
        host,
        port,
        store,
        seconds=seconds,
        runs=runs,
        allowed_hosts=allow_host or (),
        browser=browser,
        warm_up=warm_up,
        plugins=plugins or (),
    )
