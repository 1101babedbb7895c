"""The API for runs: start, follow, inspect, export."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from fastapi.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool

from primum.errors import ParameterError
from primum.lab.drafts.cost import duration, estimate
from primum.lab.export import files
from primum.lab.export.figures import drawn
from primum.lab.http.concurrency import DRAFT_SLOTS, FIGURE_SLOTS, in_slot
from primum.lab.http.request_body import BODY, Asked
from primum.lab.http.schemas import MOST_POLICIES, Figure, Reopened, Run, Summary
from primum.lab.jobs.manager import JobManager
from primum.replay import MOST_STEPS, Replay
from primum.replay import replay as play_again
from primum.text import csv_of
from primum.web.addresses import address_of
from primum.web.downloads import file_of, sent
from primum.web.errors import Errors
from primum.web.request_body import NOT_JSON

Kind = Literal["regret", "best-arm", "worst-arm", "reward", "final", "choices", "arms"]
Form = Literal["json", "png", "svg", "csv"]
REPLAY_SECONDS = 10  # of computing, at most

Id = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="the id that POST /api/runs returned")]
UNKNOWN: dict[int | str, dict[str, Any]] = {
    404: {"model": Errors, "description": "no such run, or none of its replications is complete"}
}
FULL: dict[int | str, dict[str, Any]] = {
    429: {
        "model": Errors,
        "description": "your address has its share; Retry-After says when to try again",
    },
    503: {"model": Errors, "description": "the queue is full; Retry-After says when to try again"},
}
router = APIRouter(prefix="/api/runs", responses=UNKNOWN)


def manager_of(request: Request) -> JobManager:
    """The job manager of the application."""
    manager: JobManager = request.app.state.manager
    return manager


def client_address(request: Request) -> str:
    """The address of the client."""
    return address_of(request.scope)


Manager = Annotated[JobManager, Depends(manager_of)]
Address = Annotated[str, Depends(client_address)]
Follower = Annotated[
    str,
    Query(max_length=64, description="a random token of your choice, the same in events and DELETE"),
]


async def followed(id: Id, manager: Manager, follower: Follower = "") -> AsyncIterator[AsyncIterator[Run]]:
    """The changes of a run; an unknown id is refused here, before the stream begins."""
    await run_in_threadpool(manager.status, id)
    async with aclosing(
        manager.follow(id, follower)
    ) as changes:  # or a stream that closes early would count as a follower
        yield changes


@router.post("", status_code=202, dependencies=in_slot(DRAFT_SLOTS), responses=FULL | NOT_JSON, openapi_extra=BODY)
def start(question: Asked, manager: Manager, address: Address) -> Run:
    """Start a run. Equal questions share one run, and stored results are returned at once.

    A run continues while a client follows it or requests its state every few seconds.
    """
    return manager.submit(question, address)


@router.get("/{id}", dependencies=in_slot(FIGURE_SLOTS))
def reopen(id: Id, manager: Manager) -> Reopened:
    """The question of a run and its state, also after the laboratory was restarted."""
    return Reopened(question=manager.question(id), run=manager.status(id))


@router.delete("/{id}")
def cancel(id: Id, manager: Manager, follower: Follower = "") -> Run:
    """Cancel a run unless others follow it; complete replications remain.

    Pass the `follower` token of your own event streams: streams with another token, or with none, count as those of
    others.
    """
    return manager.cancel(id, follower)


@router.get("/{id}/events", response_class=EventSourceResponse)
async def events(changes: Annotated[AsyncIterator[Run], Depends(followed)]) -> AsyncIterator[Run]:
    """The state of a run at each change until it ends: server-sent events."""
    async for run in changes:
        yield run


@router.get(
    "/{id}/figures/{kind}.{form}",
    dependencies=in_slot(FIGURE_SLOTS),
    response_model=None,
    responses={200: {"model": Figure, **file_of("png", "svg", "csv")[200]}},
)
def figure(
    id: Id,
    kind: Kind,
    form: Form,
    manager: Manager,
    request: Request,
    statistic: Literal["mean", "median"] = "mean",
    log: bool = False,
    hidden: Annotated[tuple[str, ...], Query(max_length=MOST_POLICIES, description="policies to hide")] = (),
) -> Response:
    """A figure of the complete replications: for Plotly, as an image, or as a table."""
    results, figures = manager.results(id), request.app.state.figures
    key = id, len(results.replications), kind, form, statistic, log, hidden
    content: bytes = figures.get_or_compute(
        key, lambda: drawn(results, kind, form, statistic=statistic, log=log, hidden=hidden)
    )
    return sent(content, f"primum-{kind}.{form}")


@router.get("/{id}/summary.json", dependencies=in_slot(FIGURE_SLOTS))
def summary(id: Id, manager: Manager) -> Summary:
    """The summary: each policy with intervals, and each pair of policies compared on the same rewards."""
    return files.summary(manager.results(id))


@router.get("/{id}/summary.csv", dependencies=in_slot(FIGURE_SLOTS), response_model=None, responses=file_of("csv"))
def summary_as_csv(id: Id, manager: Manager) -> Response:
    """The rows of the summary."""
    return sent(csv_of(manager.results(id).summary().reset_index()), "primum-summary.csv")


@router.get("/{id}/results.nc", dependencies=in_slot(FIGURE_SLOTS), response_model=None, responses=file_of("nc"))
def data(id: Id, manager: Manager) -> Response:
    """All data, as a netCDF file that `primum.Results.load` reads."""
    return sent(manager.results(id).to_bytes(), "primum-results.nc")


@router.get("/{id}/experiment.toml", response_model=None, responses=file_of("toml"))
def experiment(id: Id, manager: Manager) -> Response:
    """The experiment file: `primum simulate experiment.toml` gives the same numbers."""
    return sent(manager.experiment(id).to_toml(), "primum-experiment.toml")


@router.get("/{id}/script.py", response_model=None, responses=file_of("py"))
def script(id: Id, manager: Manager) -> Response:
    """A Python script that gives the same numbers."""
    return sent(files.python(manager.experiment(id)), "primum-script.py")


@router.get("/{id}/command.sh", response_model=None, responses=file_of("sh"))
def command(id: Id, manager: Manager) -> Response:
    """A command for the shell that gives the same numbers."""
    return sent(files.command(manager.experiment(id)), "primum-command.sh")


@router.get("/{id}/replay", dependencies=in_slot(FIGURE_SLOTS))
def replay(
    id: Id,
    manager: Manager,
    policy: Annotated[int, Query(ge=0, description="its index in the question, from 0")] = 0,
    replication: Annotated[int, Query(ge=0)] = 0,
    first: Annotated[int, Query(ge=1, description="the first step of the window")] = 1,
    count: Annotated[int, Query(ge=1, le=MOST_STEPS, description="the number of steps")] = 50,
) -> Replay:
    """One replication step by step, with the reason for each decision: scores, duels, challenges, chance."""
    question = manager.question(id)
    if policy >= len(question.policies):
        raise ParameterError(f"policy must be in [0, {len(question.policies) - 1}], got {policy}", ("policy",))
    alone = question.model_copy(
        update={"policies": [question.policies[policy]], "horizon": max(2, first), "replications": 1}
    )
    if (seconds := estimate(alone, manager.limits).seconds) > REPLAY_SECONDS:
        raise ParameterError(
            f"replaying {first:,} steps takes about {duration(seconds)}, more than the limit of {REPLAY_SECONDS} s; "
            "choose an earlier step"
        )
    asked = question.experiment()
    return play_again(
        asked.problem(),
        asked.policies[policy],
        horizon=asked.horizon,
        seed=question.seed,
        replication=replication,
        first=first,
        count=count,
    )
