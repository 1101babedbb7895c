"""One picture of each kind, with names that could spoil it."""

from __future__ import annotations

import numpy as np

from primum.figures import (
    Bars,
    Categories,
    Cloud,
    Curves,
    Dots,
    Forest,
    Grid,
    HeatMap,
    Line,
    Mark,
    Panels,
    Reference,
    Row,
    Shares,
)

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


def categories(**more):
    numbers = np.array([0.2, 0.5, 0.3])
    lines = [Line(name, numbers + i, numbers / 2 + i, numbers * 2 + i) for i, name in enumerate(HOSTILE[:2])]
    level = Line(HOSTILE[2], *np.full((3, 3), [[2.0], [1.5], [2.5]]), level=True)
    given = {"title": "<b>Title</b> of $5", "subtitle": "_s", "y_label": "Regret < $", "x": np.arange(3)}
    return Categories(**given | {"lines": (*lines, level), "names": HOSTILE, "x_label": "Problem"} | more)


def heat_map(numbers=((1.0, 2.5, 30.0), (1.5, 1.0, np.inf), (4e5, 12.3, 1.0)), names=(HOSTILE, HOSTILE)):
    about = ("<b>T</b> $", "_s", "_Experiment $", "<y>", "Ratio <b>to</b> $")
    return HeatMap(*about, *names, np.array(numbers), "<b>infinite</b> $")


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
        "stepped": curves(stepped=True, share=True),
        "joined": curves(
            lines=tuple(Line(n, np.where(i == X % 3, X, np.nan), X - 1, X + 1) for i, n in enumerate(HOSTILE)),
            joined=True,
        ),
        "categories": categories(),
        "grid of categories": Grid("<b>T</b> $", "_s", tuple(categories(title=name) for name in HOSTILE), own=True),
        "heat map": heat_map(),
        "shares": Shares("<b>T</b> $", "_s", X + 1, HOSTILE, dict.fromkeys(HOSTILE, shares), (0, 1, 2)),
    }
