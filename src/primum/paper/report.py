"""The report on the paper, as files."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import primum
from primum.errors import PrimumError, UnknownNameError
from primum.experiments import Experiment
from primum.figures import style
from primum.paper import markdown, words
from primum.paper.chapter import Chapter, Figure, Table
from primum.paper.exhibits import Drawn
from primum.paper.page import RESERVED, page
from primum.paper.scale import Scale

if TYPE_CHECKING:  # at run time they are imported where they are used: together they take a second
    from pandas import DataFrame
    from xarray import Dataset

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


def files(
    chapters: tuple[Chapter, ...], experiments: Mapping[str, Experiment], scale: Scale
) -> Iterator[tuple[str, bytes]]:
    """Each file of the report, by its path in the folder of the report; equal input gives equal bytes.

    The page, ``index.html``, comes last. All else comes as it is drawn, about a second for each figure.
    """
    check(chapters, experiments)
    recipes = {name: experiment.to_toml() for name, experiment in experiments.items()}
    for name, recipe in recipes.items():
        yield f"experiments/{name}.toml", recipe.encode()
    drawn: dict[str, Drawn] = {}
    for exhibit in (exhibit for chapter in chapters for exhibit in chapter.exhibits):
        if isinstance(exhibit, Table):
            yield f"data/{exhibit.name}.csv", _csv(exhibit)
            continue
        figure = exhibit.picture.static()
        svg = style.svg(figure)
        yield f"figures/{exhibit.name}.png", style.png(figure)
        yield f"figures/{exhibit.name}.svg", svg
        data = exhibit.picture.data()
        yield f"data/{exhibit.name}.nc", bytes(data.to_netcdf(engine="h5netcdf"))
        yield f"data/{exhibit.name}.csv", frame(data).to_csv(index=False, lineterminator="\n").encode()
        drawn[exhibit.name] = Drawn(svg, _plots(exhibit))
    yield "verdicts.json", _verdicts(chapters, scale)
    yield "claims.md", markdown.claims_table(words.sorted_judgements(chapters), brief=True).encode()
    yield "report.md", markdown.report(chapters, scale, primum.__version__).encode()
    yield "index.html", page(chapters, drawn, recipes, scale, primum.__version__).encode()


def check(chapters: tuple[Chapter, ...], experiments: Mapping[str, Any]) -> None:
    """Raise a PrimumError if a name cannot be that of a file, is there twice, or leads nowhere."""
    exhibits = {exhibit.name: exhibit for chapter in chapters for exhibit in chapter.exhibits}
    judgements = words.sorted_judgements(chapters)
    anchors = [*RESERVED, *(f"claim-{judgement.claim.number}" for judgement in judgements)]
    for chapter in chapters:
        anchors += [chapter.name, *(exhibit.name for exhibit in chapter.exhibits)]
    if twice := [name for i, name in enumerate(anchors) if name in anchors[:i]]:
        raise PrimumError(f"names in a report must differ, got {twice[0]!r} twice")
    for name in [*anchors, *(part for path in experiments for part in path.split("/"))]:
        if not _NAME.fullmatch(name):
            raise PrimumError(f"names in a report must be letters, digits, '-', '_' and '.', got {name!r}")
    for exhibit in exhibits.values():
        for name in exhibit.experiments:
            if name not in experiments:
                raise UnknownNameError("experiment", name, experiments)
    for judgement in judgements:
        for name in judgement.exhibits:
            if name not in exhibits:
                raise UnknownNameError("figure or table", name, exhibits)


def frame(data: Dataset) -> DataFrame:
    """A dataset as rows; arrays with other axes follow in rows of their own."""
    import pandas

    groups: dict[tuple[Any, ...], list[Any]] = {}
    for name, array in data.data_vars.items():
        groups.setdefault(array.dims, []).append(name)
    tables = [data[names].to_dataframe(dim_order=list(axes)).reset_index() for axes, names in groups.items() if axes]
    if len(tables) == 1:
        return tables[0]
    return pandas.concat([table.astype(object) for table in tables], ignore_index=True)


def _plots(exhibit: Figure) -> tuple[str, ...]:
    figures = exhibit.picture.interactive()
    return tuple(style.plotly_json(one) for one in (figures if isinstance(figures, tuple | list) else (figures,)))


def _csv(exhibit: Table) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([exhibit.header, *exhibit.rows])
    return text.getvalue().encode()


def _verdicts(chapters: tuple[Chapter, ...], scale: Scale) -> bytes:
    judgements = [judgement.plain() for judgement in words.sorted_judgements(chapters)]
    about = {"scale": scale.name, "version": primum.__version__, "judgements": judgements}
    return (json.dumps(about, indent=2, ensure_ascii=False) + "\n").encode()
