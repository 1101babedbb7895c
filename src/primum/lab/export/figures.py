"""Figures of a run as JSON, PNG, SVG or CSV."""

from __future__ import annotations

import json
import threading

from primum.figures import style
from primum.figures.sheet import Sheet
from primum.lab.http.schemas import Figure
from primum.results import Results
from primum.store.lru_cache import LruCache
from primum.text import csv_of

CACHED_FIGURES = 1000
CACHED_BYTES = 1 << 25
PNG_DPI = 300  # sharp on slides
_matplotlib = threading.Lock()  # it is not thread-safe


def figure_cache() -> LruCache[bytes]:
    """A cache of recently requested figures, because many people look at the same ones."""
    return LruCache(most=CACHED_FIGURES, room=CACHED_BYTES, size=len)


def drawn(results: Results, kind: str, form: str, *, statistic: str, log: bool, hidden: tuple[str, ...]) -> bytes:
    """A figure as JSON for Plotly, as PNG, as SVG, or as a table of its data."""
    picture = results.picture(kind, statistic=statistic, log=log, hidden=hidden)
    if form in ("png", "svg"):
        with _matplotlib:
            figure = picture.static(Sheet(legend="outside"))
            return style.png(figure, dpi=PNG_DPI) if form == "png" else style.svg(figure)
    if form == "csv":
        return csv_of(picture.data().to_dataframe().reset_index()).encode()
    plain = json.loads(style.plotly_json(picture.interactive()))
    plain["layout"].pop("title", None)
    return (
        Figure(
            title=picture.title,
            subtitle=picture.subtitle,
            replications=len(results.replications),
            data=plain["data"],
            layout=plain["layout"],
        )
        .model_dump_json()
        .encode()
    )
