"""Figures of a run in the forms that can be sent."""

from __future__ import annotations

import json
import threading

from primum.figures import style
from primum.lab.http.schemas import Figure
from primum.results import Results
from primum.store.lru_cache import LruCache

MOST_KEPT = 1 << 25  # bytes
_matplotlib = threading.Lock()  # it is not made for threads


def drawings() -> LruCache[bytes]:
    """Room for the pictures that were asked for last, because many look at the same."""
    return LruCache(most=1000, room=MOST_KEPT, size=len)


def drawn(results: Results, kind: str, form: str, *, statistic: str, log: bool, hidden: tuple[str, ...]) -> bytes:
    """A figure as JSON for Plotly, as PNG, as SVG or as a table of what it shows."""
    picture = results.picture(kind, statistic=statistic, log=log, hidden=hidden)
    if form in ("png", "svg"):
        with _matplotlib:
            figure = picture.static()
            return style.png(figure, dpi=300) if form == "png" else style.svg(figure)  # so many dots for slides
    if form == "csv":
        text: str = picture.data().to_dataframe().reset_index().to_csv(index=False)
        return text.encode()
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
