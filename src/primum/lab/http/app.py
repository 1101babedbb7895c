"""The web application: pages, and the API for questions; `*_routes` have the rest of the API."""

from __future__ import annotations

import functools
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware

from primum import __version__
from primum.lab.drafts.catalogue import catalogue
from primum.lab.drafts.cost import estimate
from primum.lab.drafts.csv_arms import MOST_COLUMNS, arms_from_csv, sample_outcomes
from primum.lab.drafts.presets import preset, presets
from primum.lab.drafts.preview import preview
from primum.lab.export.figures import figure_cache
from primum.lab.http import design_routes, run_routes, trial_routes
from primum.lab.http.concurrency import DRAFT_SLOTS, add_slots, in_slot
from primum.lab.http.request_body import BODY, DRAFT, Asked
from primum.lab.http.schemas import Catalogue, Cost, CsvArms, Layout, Preset, Preview, Question
from primum.lab.http.static_files import FILES, PAGES
from primum.lab.jobs.limits import ShareUsedUp, Unavailable
from primum.lab.jobs.manager import JobManager
from primum.web.downloads import file_of, sent
from primum.web.error_handlers import add_error_handlers, refusal
from primum.web.errors import Errors
from primum.web.hosts import Hosts
from primum.web.middleware import Guard
from primum.web.request_body import NOT_JSON, Sent, require

NOUN = "laboratory"  # in sentences that every server has
ABOUT = """The API of the laboratory. A script can do everything that the page does. `/openapi.json` describes it for
programs.

Send a question (arms, a safety value, policies) to `/api/runs`, follow its run, and export figures, tables and data.
Errors are in `errors`: a sentence for each place. Requests addressed to an unknown host name are answered with 421, and
changes requested by pages of other sites with 403.
"""
REFUSALS: dict[int | str, dict[str, Any]] = {
    413: {"model": Errors, "description": "the request is too large"},
    429: {"model": Errors, "description": "too many requests of one address; Retry-After says when to try again"},
    503: {"model": Errors, "description": "the laboratory is busy; Retry-After says when to try again"},
    422: {"model": Errors, "description": "the request is invalid; `errors` says why"},
}


def create(manager: JobManager, hosts: Hosts = Hosts("127.0.0.1")) -> FastAPI:  # noqa: B008  # it never changes
    """The application for the runs of a manager, served under these hosts."""
    app = FastAPI(
        title="Primum laboratory",
        description=ABOUT,
        version=__version__,
        # The viewers that FastAPI offers load 1.5 MB of scripts from another host and need inline scripts, which our
        # content security policy forbids. api-docs/ is 200 lines, works offline, and shows examples that can be run.
        docs_url=None,
        redoc_url=None,
        responses=REFUSALS,
    )
    app.state.manager, app.state.figures = manager, figure_cache()
    add_slots(app)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, hosts=hosts, noun=NOUN)
    _add_error_handlers(app)
    FILES.add_to(app, PAGES, NOUN)
    _add_questions(app, manager)
    app.include_router(run_routes.router)
    app.include_router(trial_routes.router)
    app.include_router(design_routes.router)
    return app


def _add_error_handlers(app: FastAPI) -> None:
    add_error_handlers(app)

    @app.exception_handler(Unavailable)
    def unavailable(request: Request, error: Unavailable) -> JSONResponse:
        status = 429 if isinstance(error, ShareUsedUp) else 503
        return refusal(status, {"": str(error)}, {"Retry-After": str(error.retry_after)})


def _add_questions(app: FastAPI, manager: JobManager) -> None:
    @app.get("/api/health")
    async def health() -> dict[str, Any]:
        """Whether the laboratory is up, and how busy it is."""
        return {"version": __version__, **manager.load()}

    catalogue_json = functools.cache(lambda: catalogue().model_dump_json())  # slow, and every page asks for it

    @app.get("/api/catalogue", response_model=None, responses={200: {"model": Catalogue}})
    def list_plugins() -> Response:
        """All values, reward distributions and policies, with their parameters."""
        return Response(catalogue_json(), media_type="application/json")

    @app.get("/api/presets")
    def list_presets() -> list[Preset]:
        """Examples of questions."""
        return presets()

    @app.get("/api/presets/{name}", responses={404: {"model": Errors, "description": "no such preset"}})
    def get_preset(name: str, arms: int | None = None, seed: int | None = None) -> Question:
        """A preset as a question; random presets take a `seed`, and some the number of `arms`."""
        given = {"arms": arms, "seed": seed}
        return preset(name, {key: number for key, number in given.items() if number is not None})

    @app.post("/api/appraisal", dependencies=in_slot(DRAFT_SLOTS), openapi_extra=DRAFT, responses=NOT_JSON)
    def appraisal(draft: Sent) -> Preview:
        """Check and preview a draft: its errors, and what can be computed from its valid parts."""
        return preview(draft)

    @app.post("/api/cost", dependencies=in_slot(DRAFT_SLOTS), openapi_extra=BODY, responses=NOT_JSON)
    def cost(question: Asked) -> Cost:
        """Estimate the cost of a run from a few steps of each policy, and compare it with the limits."""
        return estimate(question, manager.limits)

    @app.post(
        "/api/arms-from-csv",
        dependencies=in_slot(DRAFT_SLOTS),
        openapi_extra={"requestBody": _CSV, "responses": {"415": _UNSUPPORTED}},
    )
    async def import_arms(
        request: Request,
        name: Annotated[str, Query(max_length=200, description="the name of the file, for error messages")] = "",
        layout: Annotated[Layout | None, Query(description="a row for each outcome, or a column for each arm")] = None,
        arm: Annotated[str | None, Query(max_length=200, description="the column with the names of the arms")] = None,
        outcome: Annotated[str | None, Query(max_length=200, description="the column with the outcomes")] = None,
        arms: Annotated[tuple[str, ...], Query(max_length=MOST_COLUMNS, description="columns, each an arm")] = (),
        low: Annotated[float | None, Query(description="the outcome that is rescaled to a reward of 0")] = None,
        high: Annotated[float | None, Query(description="the outcome that is rescaled to a reward of 1")] = None,
        clip: Annotated[bool, Query(description="clip outcomes outside this range")] = False,
        drop_missing: Annotated[bool, Query(description="leave out missing outcomes")] = False,
    ) -> CsvArms:
        """Make arms from a CSV file with column names in its first line; rescale outcomes to [0, 1].

        A long file has a column with the name of the arm and one with the outcome, a wide file a column for each arm.
        If outcomes are missing, the error is at `drop_missing`.
        """
        require(request, "text/csv")
        return await run_in_threadpool(
            arms_from_csv,
            await request.body(),
            name=name,
            layout=layout,
            arm=arm,
            outcome=outcome,
            arms=arms,
            low=low,
            high=high,
            clip=clip,
            drop_missing=drop_missing,
        )

    @app.get("/api/arms-from-csv/sample-{layout}.csv", response_model=None, responses=file_of("csv"))
    def sample(layout: Layout) -> Response:
        """An example of such a file: survival in days of the two arms of the lung-cancer trial."""
        return sent(sample_outcomes(layout), f"primum-sample-{layout}.csv")


_CSV = {"content": {"text/csv": {"schema": {"type": "string"}, "example": "arm,outcome\nold,0.2\nnew,0.7\n"}}}
_UNSUPPORTED = {"description": "not sent as text/csv"}
