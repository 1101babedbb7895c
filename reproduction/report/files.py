"""The files of the report."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator

from primum.figures import style, table
from primum.text import as_cell, csv_of
from reproduction.report import rendering
from reproduction.report.model import Figure, Report, Table
from reproduction.report.rendering import Drawing


def files(report: Report) -> Iterator[tuple[str, bytes]]:
    """Each file of the report, by its path in the folder of the report; equal input gives equal bytes.

    The page, ``index.html``, comes last. All else comes as it is drawn, about a second for each figure.
    """
    for name, experiment in report.experiments.items():
        yield f"experiments/{name}.toml", experiment.encode()
    drawings: dict[str, Drawing] = {}
    for figure in report.figures.values():
        if isinstance(figure, Table):
            yield f"data/{figure.name}.csv", _csv(figure)
            continue
        drawn = figure.picture.static()
        svg = style.svg(drawn)
        yield f"figures/{figure.name}.png", style.png(drawn)
        yield f"figures/{figure.name}.svg", svg
        data = figure.picture.data()
        yield f"data/{figure.name}.nc", bytes(data.to_netcdf(engine="h5netcdf"))
        yield f"data/{figure.name}.csv", csv_of(table.frame(data)).encode()
        drawings[figure.name] = Drawing(svg, _plots(figure))
    yield "verdicts.json", _verdicts(report)
    yield "report.md", rendering.markdown(report).encode()
    yield "index.html", rendering.html(report, drawings).encode()


def _plots(figure: Figure) -> tuple[str, ...]:
    drawn = figure.picture.interactive()
    return tuple(style.plotly_json(one) for one in (drawn if isinstance(drawn, tuple | list) else (drawn,)))


def _csv(table: Table) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(map(as_cell, row) for row in [table.header, *table.rows])
    return text.getvalue().encode()


def _verdicts(report: Report) -> bytes:
    judgements = [judgement.plain() for judgement in report.judgements]
    about = {
        "scale": report.scale.name,
        "version": report.version,
        "fingerprint": report.fingerprint,
        "judgements": judgements,
    }
    return (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode()
