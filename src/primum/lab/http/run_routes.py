"""Runs: start one, follow it, look at it, take it away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import Response
from fastapi.sse import EventSourceResponse

from primum.errors import ParameterError, UnknownNameError
from primum.lab.drafts.cost import duration, estimate
from primum.lab.export import files
from primum.lab.export.figures import drawn
from primum.lab.http.concurrency import SEEING, in_turn
from primum.lab.http.request_body import BODY, NOT_JSON, Asked
from primum.lab.http.schemas import MOST_POLICIES, Errors, Figure, Reopened, Run, Summary
from primum.lab.jobs.manager import Desk
from primum.replay import MOST_STEPS, Replay
from primum.replay import replay as play_again

Kind = Literal["regret", "best-arm", "worst-arm", "reward", "final", "choices", "arms"]
Form = Literal["json", "png", "svg", "csv"]
MEDIA = {
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "csv": "text/csv; charset=utf-8",
    "nc": "application/x-netcdf",
    "toml": "application/toml",
    "py": "text/x-python; charset=utf-8",
    "sh": "text/x-shellscript; charset=utf-8",
}
LONGEST_REPLAY = 10  # seconds

Id = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="what POST /api/runs answered")]
UNKNOWN: dict[int | str, dict[str, Any]] = {
    404: {"model": Errors, "description": "there is no such run, or nothing to see of it yet"}
}
FULL: dict[int | str, dict[str, Any]] = {
    503: {"model": Errors, "description": "too many runs at a time; Retry-After says when to try again"}
}
router = APIRouter(prefix="/api/runs", responses=UNKNOWN)


def desk_of(request: Request) -> Desk:
    """The desk of the application."""
    desk: Desk = request.app.state.desk
    return desk


ADesk = Annotated[Desk, Depends(desk_of)]


def followed(id: Id, desk: ADesk) -> str:
    """The id of a run that there is: once its stream has begun, nothing can be refused any more."""
    desk.status(id)
    return id


def file_of(*forms: str) -> dict[int | str, dict[str, Any]]:
    """How an answer in one of these forms is described."""
    return {200: {"description": "the file", "content": {MEDIA[form].partition(";")[0]: {} for form in forms}}}


def sent(content: bytes | str, name: str) -> Response:
    """A file, with a name for those who keep it."""
    shown = "inline" if name.endswith(".json") else "attachment"
    headers = {"content-disposition": f'{shown}; filename="primum-{name}"'}
    return Response(content, media_type=MEDIA[name.rpartition(".")[2]], headers=headers)


@router.post("", status_code=202, responses=FULL | NOT_JSON, openapi_extra=BODY)
def start(question: Asked, desk: ADesk) -> Run:
    """Start a run. Equal questions have one run, and what was computed once is there at once.

    A run goes on while somebody follows it, or looks at it now and then.
    """
    return desk.submit(question)


@router.get("/{id}")
def reopen(id: Id, desk: ADesk) -> Reopened:
    """The question of a run, and how far it is: also long after, and after the laboratory was started again."""
    return Reopened(question=desk.question(id), run=desk.status(id))


@router.delete("/{id}")
def cancel(id: Id, desk: ADesk) -> Run:
    """Stop a run, unless others follow it too; the replications that are complete can be looked at."""
    return desk.cancel(id)


@router.get("/{id}/events", response_class=EventSourceResponse)
async def events(id: Annotated[str, Depends(followed)], desk: ADesk) -> AsyncIterator[Run]:
    """How far a run is, each time that it moves, until it ends: server-sent events."""
    async for status in desk.watch(id):
        yield status


@router.get(
    "/{id}/figures/{kind}.{form}",
    dependencies=in_turn(SEEING),
    response_model=None,
    responses={200: {"model": Figure, **file_of("png", "svg", "csv")[200]}},
)
def figure(
    id: Id,
    kind: Kind,
    form: Form,
    desk: ADesk,
    request: Request,
    statistic: Literal["mean", "median"] = "mean",
    log: bool = False,
    hidden: Annotated[tuple[str, ...], Query(max_length=MOST_POLICIES, description="policies to leave out")] = (),
) -> Response:
    """A figure of the replications that are complete: for Plotly, for papers, or as the numbers that it shows."""
    results, drawings = desk.results(id), request.app.state.drawings
    key = id, len(results.replications), kind, form, statistic, log, hidden
    content: bytes = drawings.made(key, lambda: drawn(results, kind, form, statistic=statistic, log=log, hidden=hidden))
    return sent(content, f"{kind}.{form}")


@router.get("/{id}/summary.json", dependencies=in_turn(SEEING))
def summary(id: Id, desk: ADesk) -> Summary:
    """The table: policies with intervals, and every pair of them compared on the same rewards."""
    return files.summary(desk.results(id))


@router.get("/{id}/summary.csv", dependencies=in_turn(SEEING), response_model=None, responses=file_of("csv"))
def summary_as_csv(id: Id, desk: ADesk) -> Response:
    """The rows of the table."""
    return sent(desk.results(id).summary().to_csv(index=False), "summary.csv")


@router.get("/{id}/results.nc", dependencies=in_turn(SEEING), response_model=None, responses=file_of("nc"))
def data(id: Id, desk: ADesk) -> Response:
    """All data, as `primum.Results.load` reads them."""
    return sent(desk.results(id).to_bytes(), "results.nc")


@router.get("/{id}/experiment.toml", response_model=None, responses=file_of("toml"))
def experiment(id: Id, desk: ADesk) -> Response:
    """The experiment file: `primum simulate experiment.toml` gives the same numbers."""
    return sent(desk.experiment(id).to_toml(), "experiment.toml")


@router.get("/{id}/script.py", response_model=None, responses=file_of("py"))
def script(id: Id, desk: ADesk) -> Response:
    """A Python script that gives the same numbers."""
    return sent(files.python(desk.experiment(id)), "script.py")


@router.get("/{id}/command.sh", response_model=None, responses=file_of("sh"))
def command(id: Id, desk: ADesk) -> Response:
    """A command for the shell that gives the same numbers."""
    return sent(files.command(desk.experiment(id)), "command.sh")


@router.get("/{id}/replay", dependencies=in_turn(SEEING))
def replay(
    id: Id,
    desk: ADesk,
    policy: Annotated[int, Query(ge=0, description="its place in the question, from 0 on")] = 0,
    replication: Annotated[int, Query(ge=0)] = 0,
    first: Annotated[int, Query(ge=1, description="the first step of the window")] = 1,
    count: Annotated[int, Query(ge=1, le=MOST_STEPS, description="how many steps")] = 50,
) -> Replay:
    """One replication step by step; for BESA and BESA+ with the duels that decided."""
    question = desk.question(id)
    if policy >= len(question.policies):
        raise UnknownNameError("policy", policy, map(str, range(len(question.policies))), ("policy",))
    alone = question.model_copy(
        update={"policies": [question.policies[policy]], "horizon": max(2, first), "replications": 1}
    )
    if (seconds := estimate(alone, desk.limits).seconds) > LONGEST_REPLAY:
        raise ParameterError(
            f"to play as far as step {first} again takes about {duration(seconds)}, and at most {LONGEST_REPLAY} s are "
            "allowed; look at earlier steps"
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
