"""The whole reproduction: simulate what is not in the store, judge the claims, write the report."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import primum
from primum.runs import pieces
from primum.runs.progress import Bar
from primum.store import Store, fingerprints
from primum.store.folders import prepared, write_all
from reproduction.chapters import CHAPTERS
from reproduction.opening import opening
from reproduction.report import Figure, Report, files
from reproduction.scale import Scale

HERE = Path(__file__).resolve().parent
PACKAGES = ("primum", "h5netcdf", "h5py", "jinja2", "matplotlib", "numpy", "pandas", "plotly", "scipy", "xarray")
ARCHIVE_DATE = (1980, 1, 1, 0, 0, 0)  # of every file in an archive, so that equal reports are equal bytes


def reproduce(
    out: str | os.PathLike[str], scale: Scale, store: Store, *, progress: bool = True
) -> list[dict[str, Any]]:
    """Write the report to the folder `out`, and return the judgements as plain data.

    Pieces of experiments, and the whole report, are taken from the store if they are there. What is missing is computed
    and stored; a warning says if the store cannot be written to.
    """
    folder = prepared(out)
    contents = dict(_unpacked(store.get_or_compute(_key(scale), lambda: _packed(_files(scale, store, progress)))))
    write_all(folder, contents)
    judgements: list[dict[str, Any]] = json.loads(contents["verdicts.json"])["judgements"]
    return judgements


def _files(scale: Scale, store: Store, progress: bool) -> Iterator[tuple[str, bytes]]:
    store.keep({"what": "probe"}, b"")  # a warning now, and not after the simulations
    experiments = {name: one for chapter in CHAPTERS for name, one in chapter.experiments(scale).items()}
    if not pieces.run(experiments.values(), store, progress=progress):
        raise KeyboardInterrupt
    results = {name: pieces.results(experiment, store) for name, experiment in experiments.items()}
    chapters = tuple(chapter.chapter(results, scale) for chapter in CHAPTERS)
    recipes = {name: experiment.to_toml() for name, experiment in experiments.items()}
    first_page = opening(judgement for chapter in chapters for judgement in chapter.judgements)
    report = Report(chapters, recipes, scale, primum.__version__, first_page, fingerprints.results())
    drawn, pictures = 0, sum(isinstance(figure, Figure) for figure in report.figures.values())
    with Bar(pictures, progress) as bar:
        for name, content in files(report):
            drawn += name.endswith(".svg")
            bar.say(f"drawing {name}")
            bar.update(drawn)
            yield name, content


def _key(scale: Scale) -> dict[str, object]:
    versions = {name: version(name) for name in PACKAGES}
    return {
        "what": "report",
        "scale": dataclasses.asdict(scale),
        "versions": versions,
        "results": fingerprints.results(),
        "sources": [fingerprints.everything(package) for package in (fingerprints.PACKAGE, HERE)],
    }


def _packed(contents: Iterator[tuple[str, bytes]]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents:
            archive.writestr(zipfile.ZipInfo(name, ARCHIVE_DATE), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)
