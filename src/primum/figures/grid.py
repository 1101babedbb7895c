"""Line charts side by side in one figure, also in its interactive form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.figures import interactive
from primum.figures.kinds.panels import Panels


@dataclass(frozen=True)
class Grid(Panels):
    """Panels over the same axes, without references; or each with its `own` vertical scale."""

    own: bool = False

    def interactive(self) -> Any:
        """A Plotly figure."""
        import plotly.graph_objects as go

        traces = [
            trace
            | {"xaxis": f"x{interactive.nth(i)}", "yaxis": f"y{interactive.nth(i)}"}
            | ({"showlegend": False} if i else {})  # each line appears once in the legend
            for i, panel in enumerate(self.panels)
            for trace in panel.traces()
        ]
        first, names = self.panels[0], [panel.title for panel in self.panels]
        words: dict[str, Any] = {"title": self.title, "subtitle": self.subtitle, "legend": first.legend}
        words |= {"entries": len(first.lines), "own": self.own, "named": first.named}
        return go.Figure(traces, interactive.panels(names, first.x_axis(), first.y_axis(), **words))
