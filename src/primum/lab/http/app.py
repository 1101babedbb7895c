"""The laboratory as a web application: all that the page does goes through these addresses."""

from __future__ import annotations

import functools
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from primum import __version__
from primum.errors import PrimumError, UnknownNameError
from primum.lab.drafts.catalogue import catalogue
from primum.lab.drafts.cost import estimate
from primum.lab.drafts.csv_arms import arms_from_csv
from primum.lab.drafts.presets import preset, presets
from primum.lab.drafts.preview import preview
from primum.lab.export.figures import drawings
from primum.lab.http import run_routes, static_files
from primum.lab.http.concurrency import ASKING, in_turn
from primum.lab.http.errors import parameter_errors
from primum.lab.http.middleware import Guard
from primum.lab.http.request_body import BODY, DRAFT, NOT_JSON, Asked, Sent, require
from primum.lab.http.schemas import Catalogue, Cost, CsvArms, Errors, Preset, Preview, Question
from primum.lab.jobs.manager import Desk, Full

FOR_EVER = "public, max-age=31536000, immutable"
ABOUT = """Everything that the page of the laboratory does, a script can do.

Send a question (arms, what good means, who plays) to `/api/runs`, follow its run, and take away figures, tables and
data. What is wrong with a request is said in `errors`: a sentence for each place.
"""
THREADS = 200  # for requests: most wait for a turn, or for a lock
REFUSALS: dict[int | str, dict[str, Any]] = {
    413: {"model": Errors, "description": "too large"},
    503: {"model": Errors, "description": "the laboratory is busy; Retry-After says when to try again"},
    422: {"model": Errors, "description": "something is wrong, and it is said what"},
}


def create(desk: Desk) -> FastAPI:
    """The application, whose runs are on this desk."""

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = THREADS
        yield

    app = FastAPI(
        title="The laboratory of Primum",
        description=ABOUT,
        version=__version__,
        docs_url=None,  # FastAPI's page would load scripts from another host; ours is docs.html
        redoc_url=None,
        lifespan=living,
        responses=REFUSALS,
    )
    app.state.desk, app.state.drawings = desk, drawings()
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard)
    _add_refusals(app)
    _add_pages(app)
    _add_questions(app, desk)
    app.include_router(run_routes.router)
    return app


def _add_refusals(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return _refusal(422, parameter_errors(error.errors()))

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> JSONResponse:
        status = 422 if error.status_code == 400 else error.status_code  # a body that FastAPI cannot read
        return _refusal(status, {"": str(error.detail)}, error.headers)

    @app.exception_handler(Full)
    def full(request: Request, error: Full) -> JSONResponse:
        return _refusal(503, {"": str(error)}, {"Retry-After": str(error.retry_after)})

    @app.exception_handler(PrimumError)
    def wrong(request: Request, error: PrimumError) -> JSONResponse:
        missing = isinstance(error, UnknownNameError) and not error.path  # else it is a parameter that is wrong
        return _refusal(404 if missing else 422, error.by_place)

    @app.exception_handler(Exception)
    def broken(request: Request, error: Exception) -> JSONResponse:
        logging.getLogger("primum.lab").error("%s %s", request.method, request.url.path, exc_info=error)
        return _refusal(500, {"": "Internal error; details are in the server log"})


def _refusal(status: int, errors: dict[str, str], headers: Any = None) -> JSONResponse:
    return JSONResponse({"errors": errors}, status, headers)


def _add_pages(app: FastAPI) -> None:
    def sent(request: Request, name: str, **headers: str) -> Response:
        found = static_files.file(name)
        if "gzip" in request.headers.get("accept-encoding", ""):
            content, headers = found.compressed, headers | {"content-encoding": "gzip"}
        else:
            content = found.content
        return Response(content, media_type=found.media_type, headers=headers | {"vary": "accept-encoding"})

    @app.get("/", include_in_schema=False)
    def page(request: Request) -> Response:
        return sent(request, "index.html")

    @app.get("/docs", include_in_schema=False)
    def documents(request: Request) -> Response:
        return sent(request, "docs.html")

    @app.get("/static/{version}/{name}", include_in_schema=False)
    def static(request: Request, version: str, name: str) -> Response:
        if version != static_files.version():
            raise HTTPException(404, "this page is of another version of the laboratory; load it again")
        return sent(request, name, **{"cache-control": FOR_EVER})

    @app.get("/favicon.ico", include_in_schema=False)
    def icon(request: Request) -> Response:
        return sent(request, "icon.svg", **{"cache-control": "max-age=86400"})


def _add_questions(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/health")
    async def health() -> dict[str, Any]:
        """Whether the laboratory is there, and how busy."""
        return {"version": __version__, **desk.load()}

    written = functools.cache(lambda: catalogue().model_dump_json())  # it takes a while, and everybody asks for it

    @app.get("/api/catalogue", response_model=None, responses={200: {"model": Catalogue}})
    def everything() -> Response:
        """All values, reward distributions and policies, with their parameters."""
        return Response(written(), media_type="application/json")

    @app.get("/api/presets")
    def beginnings() -> list[Preset]:
        """Questions to begin with."""
        return presets()

    @app.get("/api/presets/{name}", responses={404: {"model": Errors, "description": "there is no such preset"}})
    def beginning(name: str, arms: int | None = None, seed: int | None = None) -> Question:
        """One of them; those that are drawn at random take `seed`, and some the number of `arms`."""
        given = {"arms": arms, "seed": seed}
        return preset(name, {key: number for key, number in given.items() if number is not None})

    @app.post("/api/appraisal", dependencies=in_turn(ASKING), openapi_extra=DRAFT, responses=NOT_JSON)
    def appraisal(draft: Sent) -> Preview:
        """Preview a question before it is run; also one that is only half right."""
        return preview(draft)

    @app.post("/api/cost", dependencies=in_turn(ASKING), openapi_extra=BODY, responses=NOT_JSON)
    def cost(question: Asked) -> Cost:
        """What a run would take, measured on a few steps of each policy; and whether that is within the limits."""
        return estimate(question, desk.limits)

    @app.post(
        "/api/arms-from-csv",
        dependencies=in_turn(ASKING),
        openapi_extra={"requestBody": _CSV, "responses": {"415": _UNSUPPORTED}},
    )
    async def arms(
        request: Request,
        name: Annotated[str, Query(max_length=200, description="the name of the file, for messages")] = "",
        arm: Annotated[str | None, Query(max_length=200, description="the column that names the arms")] = None,
        outcome: Annotated[str | None, Query(max_length=200, description="the column of outcomes")] = None,
        low: Annotated[float | None, Query(description="the outcome that becomes a reward of 0")] = None,
        high: Annotated[float | None, Query(description="the outcome that becomes a reward of 1")] = None,
        clip: Annotated[bool, Query(description="whether outcomes beyond these count as the end; else no")] = False,
    ) -> CsvArms:
        """An arm for each group in a CSV file, whose first line names the columns; outcomes are moved to [0, 1]."""
        require(request, "text/csv")
        content = await request.body()
        return await run_in_threadpool(
            lambda: arms_from_csv(content, name=name, arm=arm, outcome=outcome, low=low, high=high, clip=clip)
        )


_CSV = {"content": {"text/csv": {"schema": {"type": "string"}, "example": "arm,outcome\nold,0.2\nnew,0.7\n"}}}
_UNSUPPORTED = {"description": "not sent as text/csv"}
