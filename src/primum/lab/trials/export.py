"""Exports of a trial: commands that use its file, and the report."""

from __future__ import annotations

import io
import shlex
import tempfile
import time
import zipfile
from pathlib import Path

from primum import trials
from primum.errors import PrimumError
from primum.lab.trials.settings import Trial, is_slow
from primum.lab.trials.stopping import Deadline
from primum.store import Store
from primum.trials.operating.exact_characteristics import is_feasible

REPLICATIONS = (1_000, 300, 100)  # of a report: the most that the time allows
SECONDS = 15.0  # of simulation
FIRST_SECONDS = 60.0  # for the first trials, which may have to compile the policy
TRIED = 30  # trials that say how long all take
CELLS = 15  # simulations of a report for each of its plan, roughly: the null hypothesis, drift and delay


def commands(trial: Trial) -> list[str]:
    """Commands for the shell: a report of the design file, and a trial by its design."""
    return [
        "primum trial operate design.toml --report report",
        f"primum trial start design.toml --journal trial.db --design {shlex.quote(trial.title)}",
    ]


def report(trial: Trial, store: Store, deadline: Deadline) -> bytes:
    """The report as a ZIP archive, from as many simulated trials as take some seconds."""
    if any(is_slow(design) and is_feasible(design) for design in trial.designs.values()):
        raise PrimumError("the report has exact numbers that take the laboratory too long; use the commands instead")
    plan = trial.plan(_replications(trial, store, deadline))
    deadline.allow(FIRST_SECONDS)
    oc = plan.operate(store=store, threads=1, progress=deadline)
    if not oc.is_complete:
        raise PrimumError("the report was stopped before it was complete")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "report"
        trials.report(oc, folder, title=plan.title, threads=1, progress=False)
        return _zipped(folder)


def _replications(trial: Trial, store: Store, deadline: Deadline) -> int:
    """How many simulated trials of each design and scenario a report can have."""
    deadline.allow(FIRST_SECONDS)
    began = time.monotonic()
    for count in (2, TRIED):
        began = time.monotonic()
        trial.plan(count).operate(store=store, threads=1, exact=False, progress=deadline)
    each = CELLS * (time.monotonic() - began) / TRIED
    for count in REPLICATIONS:
        if count * each < SECONDS:
            return count
    raise PrimumError(
        f"a report with {REPLICATIONS[-1]} simulated trials takes about {REPLICATIONS[-1] * each:.0f} s, more than "
        f"the limit of {SECONDS:.0f} s; use the commands instead"
    )


def _zipped(folder: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, Path("report") / path.relative_to(folder))
    return content.getvalue()
