"""The whole reproduction: simulate what the store does not have, judge, write the report."""

from __future__ import annotations

import dataclasses
import functools
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from primum.errors import PrimumError
from primum.experiments import pieces
from primum.paper import (
    beyond,
    constant_against_uniform,
    definitions,
    lung_cancer,
    mixtures_cvar,
    mixtures_mean_variance,
    report,
)
from primum.paper.chapter import Figure
from primum.paper.scale import Scale
from primum.paper.waiting import DRAWING, Waiting
from primum.store import Store, fingerprints
from primum.store.files import writable, write

CHAPTERS = (constant_against_uniform, mixtures_cvar, mixtures_mean_variance, lung_cancer, beyond, definitions)
MADE_WITH = ("primum", "h5netcdf", "h5py", "matplotlib", "numpy", "pandas", "plotly", "scipy", "xarray")
LISTING = "files.txt"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the date of every file in an archive, so that equal reports are equal bytes


def reproduce(
    out: str | os.PathLike[str], scale: Scale, store: Store, *, progress: bool = True
) -> list[dict[str, Any]]:
    """Write the report to the folder `out`, and give the verdicts as plain data.

    What is in the store is not computed again, be it a piece or all of it.
    """
    folder = _folder(out)
    store.put({"what": "probe"}, b"")  # if it cannot be written to, say so before the run
    files = dict(_unpacked(store.made(_key(scale), lambda: _packed(_files(scale, store, progress)))))
    for name, content in files.items():
        _make(folder / name)
        write(folder / name, content)
    _remove_old(folder, files)
    judged: list[dict[str, Any]] = json.loads(files["verdicts.json"])["judgements"]
    return judged


def _remove_old(folder: Path, files: Iterable[str]) -> None:
    """Remove what an earlier report in the same folder had and this one has not, and nothing else."""
    listing = folder / LISTING
    known = listing.read_text().splitlines() if listing.is_file() else []
    for name in set(known) - set(files):
        path = (folder / name).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file():
            path.unlink()
    write(listing, "".join(f"{name}\n" for name in files).encode())


def _files(scale: Scale, store: Store, progress: bool) -> Iterator[tuple[str, bytes]]:
    experiments = {name: one for chapter in CHAPTERS for name, one in chapter.experiments(scale).items()}
    with Waiting(experiments, progress) as waiting:
        results = {}
        for name, experiment in experiments.items():
            results[name] = pieces.run(experiment, store, functools.partial(waiting.part, name))
            waiting.done(name)
        waiting.show("judging")
        chapters = tuple(chapter.chapter(results, scale) for chapter in CHAPTERS)
        drawn, pictures = 0, sum(isinstance(one, Figure) for chapter in chapters for one in chapter.exhibits)
        for name, content in report.files(chapters, experiments, scale):
            drawn += name.endswith(".svg")
            waiting.show(f"drawing: {name}", drawn / pictures, DRAWING * drawn / pictures)
            yield name, content


def _key(scale: Scale) -> dict[str, object]:
    versions = {name: version(name) for name in MADE_WITH}
    return {
        "what": "report",
        "scale": dataclasses.asdict(scale),
        "versions": versions,
        "results": fingerprints.results(),
        "sources": fingerprints.everything(),
    }


def _packed(files: Iterator[tuple[str, bytes]]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)


def _folder(out: str | os.PathLike[str]) -> Path:
    """The folder, made if need be; before anything is computed, so that nothing is lost."""
    folder = Path(out)
    _make(folder / LISTING)
    writable(folder / LISTING)
    return folder


def _make(path: Path) -> None:
    """The folder of a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise PrimumError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None
