"""Figures of a run in the forms that can be sent; what was drawn last is kept, because many look at the same."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from primum.figures import style
from primum.lab.models import Figure
from primum.results import Results

MOST_KEPT = 1 << 25  # bytes
_matplotlib = threading.Lock()  # it is not made for threads


class Drawings:
    """Pictures by what they show, those asked for last."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: Any, draw: Callable[[], bytes]) -> bytes:
        """The picture with this key, drawn if it is not there."""
        found = self._find(key)
        if found is None:
            found = draw()
            self._keep(key, found)
        return found

    def _find(self, key: Any) -> bytes | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: Any, content: bytes) -> None:
        with self._lock:
            self._size += len(content) - len(self._kept.get(key, b""))
            self._kept[key] = content
            while self._size > MOST_KEPT and len(self._kept) > 1:
                self._size -= len(self._kept.popitem(last=False)[1])


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
