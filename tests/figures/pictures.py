"""One picture of each kind, with names that could spoil it."""

from __future__ import annotations

import numpy as np

from primum.figures import Bars, Cloud, Curves, Dots, Forest, Grid, Line, Mark, Panels, Reference, Row, Shares

HOSTILE = ("<b>bold</b>", "$x^{", "_hidden")
X = np.arange(0.0, 30.0)
NONE = np.full(30, np.nan)


def line(label, factor=1.0, **more):
    return Line(label, factor * X, factor * X - 1, factor * X + 2, **more)


def curves(**more):
    given = {
        "title": "<b>Title</b> of $5",
        "subtitle": "_mean & band",
        "y_label": "Regret < $",
        "x": X,
        "lines": tuple(line(name, i + 1.0) for i, name in enumerate(HOSTILE)),
    }
    return Curves(**given | more)


def pictures():
    shares = np.random.default_rng(1).dirichlet(np.ones(3), 30)
    numbers = np.array([0.2, 0.5, 0.3])
    marks = (Mark(0.5, "<i>first</i>"), Mark(11.0, "_$second"))
    references = (Reference("_bound $", "it <b>holds</b>", 2 * X, (6, 2)),)
    return {
        "curves": curves(marks=marks, references=references),
        "logarithmic": curves(marks=marks, references=references, log=True, log_y=True, share=True),
        "panels": Panels("<b>T</b> $", "_s", tuple(curves(title=name, marks=marks) for name in HOSTILE)),
        "grid": Grid("<b>T</b> $", "_s", tuple(curves(title=name) for name in HOSTILE)),
        "forest": Forest(
            "<b>T</b> $", "_s", "_Ratio $", tuple(Row(name, 1.0, 0.5, 2.0, name) for name in HOSTILE), 1.0, True
        ),
        "bars": Bars(
            "<b>T</b> $",
            "_s",
            "_x $",
            "<y>",
            HOSTILE,
            tuple(Line(n, numbers, numbers / 2, numbers * 2) for n in HOSTILE),
        ),
        "dots": Dots("<b>T</b> $", "_s", "_x $", "<y>", tuple(Cloud(n, X + 1, X[::-1] + 1) for n in HOSTILE), log=True),
        "shares": Shares("<b>T</b> $", "_s", X + 1, HOSTILE, dict.fromkeys(HOSTILE, shares), (0, 1, 2)),
    }
