"""The API of the page *Trials*: a design beside equal randomisation, and exports."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from functools import cache
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from primum.lab.http.concurrency import REPORT_SLOTS, TRIAL_SLOTS, in_slot
from primum.lab.http.run_routes import manager_of
from primum.lab.jobs.manager import JobManager
from primum.lab.sandbox.sandbox import allowance
from primum.lab.trials import export
from primum.lab.trials.computing import STEPS, Computation, better_arms
from primum.lab.trials.forms import trial_catalogue
from primum.lab.trials.frontier import frontier as compared
from primum.lab.trials.schemas import (
    FEWEST_REPLICATIONS,
    MOST_REPLICATIONS,
    TrialCatalogue,
    TrialCharacteristics,
    TrialFrontier,
)
from primum.lab.trials.settings import Trial, TrialSettings
from primum.lab.trials.stopping import Deadline
from primum.lab.trials.verdict import sentence
from primum.trials.design import Design
from primum.web.downloads import file_of, sent

WATCH_SECONDS = 0.1  # between two checks whether the client still waits
router = APIRouter(prefix="/api/trials")
Manager = Annotated[JobManager, Depends(manager_of)]
Settings = Annotated[TrialSettings, Query()]
catalogue_once = cache(trial_catalogue)  # it builds every policy


class Asked(TrialSettings):
    """Settings, and how precise the answer should be."""

    replications: int = Field(
        default=STEPS[1],
        ge=FEWEST_REPLICATIONS,
        le=MOST_REPLICATIONS,
        description="simulated trials of each design and scenario, where nothing is exact",
    )


async def waited_for(request: Request) -> AsyncIterator[Deadline]:
    """A deadline that ends at once when the client goes away."""
    deadline = Deadline(0)

    async def watch() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(WATCH_SECONDS)
        deadline.stop()

    watching = asyncio.create_task(watch())
    try:
        yield deadline
    finally:
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching


Waited = Annotated[Deadline, Depends(waited_for, scope="function")]


@router.get("/catalogue")
def list_parts() -> TrialCatalogue:
    """The policies that can run a trial, and the analyses."""
    return catalogue_once()


@router.get("/operating-characteristics", dependencies=in_slot(TRIAL_SLOTS))
async def operating_characteristics(
    asked: Annotated[Asked, Query()], manager: Manager, deadline: Waited
) -> TrialCharacteristics:
    """Operating characteristics of a design beside equal randomisation: exact, or simulated within some seconds.

    Ask again with the number of replications in `next` for more precision: simulated trials are kept, so only further
    ones are added. The simulation stops when the request is aborted.
    """
    return await run_in_threadpool(_characteristics, asked, manager, deadline)


@router.get("/frontier", dependencies=in_slot(TRIAL_SLOTS))
async def frontier(settings: Settings, manager: Manager, deadline: Waited) -> TrialFrontier:
    """What other designs give the same patients and what they find out, with tests that hold their level; exact."""
    return await run_in_threadpool(lambda: compared(_made(settings), manager.trials, deadline))


@router.get("/design.toml", response_model=None, responses=file_of("toml"))
def design_file(settings: Settings) -> Response:
    """The trial file of both designs, for `primum trial operate` and `primum trial start`."""
    return sent(_made(settings).plan().to_toml(), "design.toml")


@router.get("/report.zip", dependencies=in_slot(REPORT_SLOTS), response_model=None, responses=file_of("zip"))
async def report(settings: Settings, manager: Manager, deadline: Waited) -> Response:
    """The report for a review board, with as many simulated trials as take some seconds: open report/index.html."""

    def make() -> bytes:
        return export.report(_made(settings), manager.trials, deadline)

    return sent(await run_in_threadpool(make), "primum-trial-report.zip")


def _made(settings: TrialSettings) -> Trial:
    with allowance():
        return Trial(settings)


def _characteristics(asked: Asked, manager: JobManager, deadline: Deadline) -> TrialCharacteristics:
    trial = _made(asked)
    computation = Computation(trial, manager.trials)
    more = computation.simulate(asked.replications, deadline)
    chosen, equal = computation.designs()
    return TrialCharacteristics(
        sentence=sentence(chosen, equal, asked.patients, asked.alpha),
        arms=trial.names,
        better=[trial.names[arm] for arm in better_arms(trial)],
        designs=[chosen, equal],
        warning=_warning(trial.chosen),
        next=more,
        commands=export.commands(trial),
    )


def _warning(design: Design) -> str:
    text = design.analysis.warning_of(design)
    return text and f"{design.analysis.title}: {text[0].lower()}{text[1:]}"
