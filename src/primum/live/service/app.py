"""The web application of a live trial."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from anyio import to_thread
from fastapi import Depends, FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.middleware.gzip import GZipMiddleware

from primum import __version__
from primum.live import DecisionFailed, JournalUnavailable, Live, Refused
from primum.live.service.access import Access, person_of, without_token
from primum.live.service.routes import administration, auditing, joining, monitoring, participants, people
from primum.live.service.service_file import ServiceFile
from primum.web.error_handlers import add_error_handlers, refusal
from primum.web.errors import Errors
from primum.web.hosts import Hosts
from primum.web.middleware import RETRY_SECONDS, Guard
from primum.web.static_files import StaticFiles

log = logging.getLogger("primum.live.service")

NOUN = "service"  # in sentences that every server has
FILES = StaticFiles("primum.web", "primum.live.service")
PAGES = {"/": "index.html"}  # address -> file; others need a log-in
DOCS = "api-docs/index.html"
MOST_REQUESTS = 1_200  # at a time: a clinic may have one address
LARGEST_BODY = 100_000  # bytes
MOST_THREADS = 200  # for requests; many may wait for the database, and must not keep others from logging in
ABOUT = """The API of a live trial. A script can do everything that the page does. `/openapi.json` describes it for
programs.

A program sends a token in the header `Authorization: Bearer TOKEN`, and nowhere else; `POST /api/tokens` makes one.
Pages log in with name and password, and get a cookie. Your roles decide what you may do. Enrolments, outcomes,
corrections and withdrawals are idempotent: if the connection breaks, send the request again.

Errors are in `errors`: a sentence for each place. An error at `confirm` asks whether a text identifies a person; if it
does not, send it again with `confirm: true`.
"""
REFUSALS: dict[int | str, dict[str, Any]] = {
    401: {"model": Errors, "description": "not logged in, or a token, name or password that is not recognised"},
    403: {
        "model": Errors,
        "description": "your roles do not allow it, or await approval, or another site asks",
    },
    404: {"model": Errors, "description": "no such participant or person"},
    409: {"model": Errors, "description": "the state of the trial does not allow it"},
    413: {"model": Errors, "description": "the request is too large"},
    422: {"model": Errors, "description": "the request is invalid; `errors` says why"},
    429: {"model": Errors, "description": "too many failed attempts; Retry-After says when to try again"},
    503: {"model": Errors, "description": "the journal is unavailable; Retry-After says when to try again"},
}


def create(
    live: Live, hosts: Hosts, clock: Callable[[], float] = time.time, *, file: ServiceFile | None = None
) -> FastAPI:
    """The application for a trial, served under these hosts; the clock is for sessions, which are in a file."""
    app = FastAPI(
        title="Primum live trial",
        description=ABOUT,
        version=__version__,
        docs_url=None,
        openapi_url=None,
        redoc_url=None,
        responses=REFUSALS,
        dependencies=[Depends(without_token)],
        lifespan=_with_threads,
    )
    app.state.access = Access(live, file or ServiceFile(), clock)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, hosts=hosts, noun=NOUN, most=MOST_REQUESTS, largest_body=LARGEST_BODY)
    _add_error_handlers(app)
    FILES.add_to(app, PAGES, NOUN)
    _add_description(app)
    for routes in (joining, people, participants, monitoring, auditing, administration):
        app.include_router(routes.router)
    return app


@asynccontextmanager
async def _with_threads(app: FastAPI) -> AsyncIterator[None]:
    to_thread.current_default_thread_limiter().total_tokens = MOST_THREADS
    yield


def _add_description(app: FastAPI) -> None:
    """The description of the API, for people who are logged in."""

    @app.get("/docs", include_in_schema=False, dependencies=[Depends(person_of)])
    def docs(request: Request) -> Response:
        return FILES.response(request, DOCS)

    @app.get("/openapi.json", include_in_schema=False, dependencies=[Depends(person_of)])
    def description() -> dict[str, Any]:
        return app.openapi()


def _add_error_handlers(app: FastAPI) -> None:
    add_error_handlers(app)

    @app.exception_handler(Refused)
    def refused(request: Request, error: Refused) -> JSONResponse:
        return refusal(409, error.by_place)

    @app.exception_handler(DecisionFailed)
    def undecided(request: Request, error: DecisionFailed) -> JSONResponse:
        log.error("%s %s: %s", request.method, request.url.path, error)  # its sentence may tell an arm
        return refusal(503, {"": "the design cannot decide on these data; details are in the server log"})

    @app.exception_handler(JournalUnavailable)
    def unavailable(request: Request, error: JournalUnavailable) -> JSONResponse:
        # its sentence may tell an arm, or where the journal is
        log.error("%s %s: %s", request.method, request.url.path, error)
        sentence = (
            f"the journal cannot be read or written; details are in the server log; try again in {RETRY_SECONDS} s"
        )
        return refusal(503, {"": sentence}, {"Retry-After": str(RETRY_SECONDS)})
